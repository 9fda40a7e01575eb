"""Take figures for questions that people asked from tables of two to four men, and write README.md from them.

`--tables DIR` counts them anew for the reports that `--only` names, all of them unless it does, and for `--material`,
all that are there unless it is given; what was kept of others stays. Five men are those of the study five_men.
`--games` scores real games as they were played, and with tables looks at their
draws. `--check` says whether the page is what the figures say.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import research.clock.report
import research.optimal.report
import research.reports.report
from research.five_men import shares
from research.questions import draws, page
from research.reports import checks, komi, stalemates
from tbgen.core.material import Material, build_key, parse
from tbgen.core.table_rules import TableRules
from tbgen.report.document import Document, Section, plain, tables
from tbgen.report.make import Reports, Request
from tbgen.system import output_files

FOLDER: Final = Path(__file__).resolve().parent
REPORTS: Final[Mapping[str, tuple[str, ...]]] = {
    "stalemates": ("stalemates", "totals"),
    "checks": ("checks",),
    "komi": ("komi",),
    "tree": ("tree",),
    "kings": ("kings",),
    "zugzwangs": ("zugzwangs", "zugzwang-records"),
    "fifty": ("fifty",),
    "cursed": ("cursed",),
}
"""By report, the tables that are kept."""
MAKERS: Final[Reports] = {
    **research.reports.report.REPORTS,
    **research.clock.report.REPORTS,
    **research.optimal.report.REPORTS,
}
FIVE: Final = {"stalemates": stalemates.section, "checks": checks.section, "komi": komi.section}
"""What stored figures of five men say too."""
SCORINGS: Final = ("exponential", "harmonic", "winner", "full", "komi")
SMOOTH: Final = ("exponential", "harmonic")
"""Those whose sums the crosstable has beside points."""
LEAST_GAMES: Final = 10

Row = dict[str, Any]
Kept = dict[str, list[Row]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run questions", description=__doc__)
    parser.add_argument("--tables", type=Path, metavar="DIR", help="count these anew")
    parser.add_argument("--only", nargs="+", choices=REPORTS, default=[*REPORTS], metavar="REPORT")
    parser.add_argument("--material", nargs="+", type=parse, default=[])
    parser.add_argument("--games", type=Path, metavar="PGN", help="real games, as TCEC's that the study tcec is about")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    if args.tables is not None:
        for name in args.only:
            for key, rows in counted(name, args.tables, tuple(args.material)).items():
                keep(key, rows)
    if args.games is not None:
        keep("games", played(args.games))
        keep("rankings", ranked(args.games))
        if args.tables is not None:
            keep("draws", draws.draws(args.games, args.tables, args.material))
    kept = read()
    text = page.page(kept)
    if args.check:
        if text != page.PAGE.read_text():
            sys.exit("README.md is not what the CSV files say: research/run questions writes it")
        return
    output_files.replace(page.PAGE, text.encode())
    page.draw(kept)


# The figures


def counted(report: str, directory: Path, materials: tuple[Material, ...] = ()) -> Kept:
    """A report's tables; of those that take figures of five men, with these."""
    found = rows_of(Document(report, tuple(MAKERS[report](Request(directory, materials=materials)))))
    if report in FIVE and not materials:
        five = [one for one, rules in shares.stored() if rules == TableRules.RESET]
        section: Section = FIVE[report](five)
        for key, rows in rows_of(Document("", (section,))).items():
            found[key] += rows
    return {key: found[key] for key in REPORTS[report]}


def rows_of(document: Document) -> Kept:
    return {
        table.key: [
            {column.key: plain(value, column.kind) for value, column in zip(row, table.columns, strict=True)}
            for row in table.rows
        ]
        for table in tables(document)
    }


def played(games: Path) -> list[Row]:
    """How often each G-score was the record at the end, as played: no tables are asked."""
    results = _adjudicated(games, "exponential")["results"]
    return [{"gscore": gscore, **by_side} for gscore, by_side in results.items()]


def ranked(games: Path) -> list[Row]:
    """How places by the sum of points differ from those by the exponential formula."""
    sums = {scoring: _means(_adjudicated(games, scoring), scoring) for scoring in SCORINGS}
    first = sums[SCORINGS[0]]
    players = sorted(first)
    found = []
    for scoring, points in sums.items():
        pairs = [(one, other) for place, one in enumerate(players) for other in players[:place]]
        turned = sum((first[a] - first[b]) * (points[a] - points[b]) < 0 for a, b in pairs)
        tied = sum(points[a] == points[b] for a, b in pairs)
        moved = sum(_place(points, one) != _place(first, one) for one in players)
        found.append(
            {"scoring": scoring, "least_games": LEAST_GAMES, "players": len(players), "pairs": len(pairs),
             "turned": turned, "tied": tied, "moved": moved}
        )  # fmt: skip
    return found


def _adjudicated(games: Path, scoring: str) -> Any:
    command = [sys.executable, "-m", "tbgen", "adjudicate", str(games), "--decide", "none", "--report", "--json"]
    command += ["--scoring", scoring, "--top", "100000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def _means(report: Any, scoring: str) -> dict[str, float]:
    """The mean points per game of players with games enough."""
    column = "mobility" if scoring in SMOOTH else "points"
    return {one["player"]: one[column] / one["games"] for one in report["crosstable"] if one["games"] >= LEAST_GAMES}


def _place(points: Mapping[str, float], player: str) -> int:
    return sum(other > points[player] for other in points.values())


# Kept as CSV


def keep(key: str, rows: Sequence[Row]) -> None:
    """In place of what was known of the same materials."""
    new = {row.get("material") for row in rows}
    old = [row for row in _read(key) if row.get("material") not in new] if None not in new else []
    every = [*old, *rows]
    if None not in new:
        every.sort(key=lambda row: build_key(parse(row["material"])))
    out = io.StringIO()
    writer = csv.DictWriter(out, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(every)
    output_files.replace(FOLDER / f"{key}.csv", out.getvalue().encode())


def read() -> Kept:
    return {path.stem: _read(path.stem) for path in sorted(FOLDER.glob("*.csv"))}


def _read(key: str) -> list[Row]:
    path = FOLDER / f"{key}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]
