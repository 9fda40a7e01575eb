"""Collect what the tables of five men hold, and write its pages, README.md and boards.html, from it.

The set takes more disk and time than one machine may have at once. So tables are collected as they are built, and those
that are built again must say the same: their digests are compared with docs/digests.txt.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import record

from research.five_men import page
from research.five_men.rows import COLUMNS, MEN, SHARES, Row, read, write
from tbgen.cli.digests import line_of, read_digests
from tbgen.core.material import Material, build_key
from tbgen.core.table_rules import TableRules
from tbgen.store import list_tables, open_table, table_path
from tbgen.store.format.head import Head
from tbgen.system import output_files
from tbgen.system.parallel import cores

ROOT: Final = Path(__file__).resolve().parents[2]
DIGESTS: Final = ROOT / "docs" / "digests.txt"


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run five_men", description=__doc__)
    parser.add_argument("--tables", type=Path, metavar="DIR", help="collect the tables of five men that are there")
    parser.add_argument("--built", type=Path, metavar="FILE", help="what tbgen build --json has printed of them")
    parser.add_argument("--verified", type=Path, metavar="FILE", help="what tbgen verify --json has printed of them")
    args = parser.parse_args()
    data = {name: read(name) for name in COLUMNS}
    built = {(row["material"], row["rules"]): row for row in _lines(args.built)}  # the last of each counts
    if args.tables:
        digests = read_digests(DIGESTS)
        for _ in _collect(args.tables, built, data, digests):  # table by table: a stop loses one at most
            _write_digests(digests)
            write(data)
    record.record(built.values())
    note_built(data["tables"], built)
    note_verified(data["tables"], _lines(args.verified))
    write(data)
    page.write(data)


def _collect(
    directory: Path,
    built: Mapping[tuple[str, str], Row],
    data: dict[str, list[Row]],
    digests: dict[tuple[Material, TableRules], str],
) -> Iterator[None]:
    """Put the figures of each new table into `data`, and its digest into `digests`, table by table."""
    there = {(row["material"], row["rules"]) for row in data["tables"]}
    for path, material, rules in list_tables(directory):
        if material.men != MEN or ((material, rules) in digests and (material.name, rules) in there):
            continue
        begun = time.perf_counter()
        with open_table(path, threads=cores()) as table:
            digest, head = table.digest(), table.head
        if digests.setdefault((material, rules), digest) != digest:
            sys.exit(f"{path} says something else than {DIGESTS} has")
        for name, rows in _rows(directory, material, rules, head, built.get((material.name, rules), {})):
            data[name] = [row for row in data[name] if (row["material"], row["rules"]) != (material.name, rules)]
            data[name] += rows
        print(f"{material} ({rules}) collected in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
        yield


def _write_digests(digests: Mapping[tuple[Material, TableRules], str]) -> None:
    remarks = [line for line in DIGESTS.read_text().splitlines() if line.startswith("#")]
    known = sorted(digests.items(), key=lambda one: (build_key(one[0][0]), one[0][1]))
    lines = [*remarks, *(line_of(*of, digest) for of, digest in known), ""]
    output_files.replace(DIGESTS, "\n".join(lines).encode())


def _rows(
    directory: Path, material: Material, rules: TableRules, head: Head, built: Row
) -> Iterator[tuple[str, list[Row]]]:
    """For each file, the rows of a table."""
    report = _report("all", directory, material, rules)
    tables, lines = report["tables"], report["lines"]
    (found,) = tables["summary"]
    planned = _tbgen("plan", "--only", material.name, "--rules", rules, "--json")
    name = {"material": material.name, "rules": str(rules)}
    row = {**name, **{column: found[column] for column in ("positions", "longest_dtg", "mean_dtg", "record_matters")}}
    row |= {share: found[f"share_{share}"] for share in SHARES}
    row |= {"stored_entries": head.legal, "staircases": head.staircases}
    row |= {"bytes": head.size, "planned_bytes": planned["disk"]}
    row |= {"planned_cpu_seconds": planned["cpu_seconds"]}
    row |= dict.fromkeys(("last_cpu_seconds", "verified", "verified_on", "verified_seconds"), "")
    row |= {column: built.get(column, "") for column in ("cpu_seconds", "seconds", "peak_memory")}
    yield "tables", [row]
    yield "outcomes", [{**one, **name} for one in tables["outcomes"]]
    yield (
        "records",
        [
            {**one, **name, "line": " ".join(f"{move['san']}" for move in lines[one["line"]]["moves"])}
            if one["line"]
            else {**one, **name, "line": ""}
            for one in tables["overall"]
        ],
    )
    if rules != TableRules.RESET and table_path(directory, material, TableRules.RESET).exists():
        compared = _report("compare", directory, material, TableRules.RESET, rules)
        yield "compare", [dict.fromkeys(COLUMNS["compare"], "") | name | _compared(compared["tables"])]


def _compared(tables: Mapping[str, list[Row]]) -> Row:
    """What a comparison of two tables of one material says."""
    (row,) = tables["compare"]
    for change in tables["changes"][:1]:
        row |= {"change_r": change["first"], "change_wg": change["second"], "change_share": change["share"]}
    for one in tables["examples"]:
        if one["kind"] == "other side":
            row |= {"other_fen": one["fen"], "other_r": one["first"], "other_r_dtg": one["first_dtg"]}
            row |= {"other_wg": one["second"], "other_wg_dtg": one["second_dtg"]}
    return row


def _report(what: str, directory: Path, material: Material, *rules: TableRules) -> Any:
    return _tbgen("report", what, material.name, "--rules", *rules, "--tables", str(directory), "--format", "json")


def note_built(tables: Iterable[Row], built: Mapping[tuple[str, str], Row]) -> None:
    """Put into the rows of tables what the last build of each took. The time of the first stays beside the plan, which
    was made for its machine."""
    for row in tables:
        found = built.get((row["material"], row["rules"]))
        if found is not None:
            took = {"bytes": "bytes", "peak_memory": "peak_memory", "cpu_seconds": "last_cpu_seconds"}
            row |= {column: found[name] for name, column in took.items() if found[name] is not None}


def note_verified(tables: Iterable[Row], verified: Iterable[Row]) -> None:
    """Put into the rows of tables how much of each was verified, and when. After all of a table nothing else
    counts."""
    rows = {(row["material"], row["rules"]): row for row in tables}
    for found in verified:
        row = rows.get((found["material"], found["rules"]))
        if row is None or found["code"] or "local" in found or row["verified"] == "all":
            continue
        row["verified"] = "all" if found["seed"] is None else found["checked"]
        row |= {"verified_on": date.today().isoformat(), "verified_seconds": found["seconds"]}


def _tbgen(*words: str) -> Any:
    done = subprocess.run([Path(sys.executable).with_name("tbgen"), *words], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def _lines(path: Path | None) -> list[Row]:
    """What lines of JSON say of tables."""
    if path is None:
        return []
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]
    return [row for row in rows if "material" in row]
