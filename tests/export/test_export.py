"""What `tbgen export` writes, read by h5py and csv alone, is what a probe of each position says."""

import csv
import io
import itertools
import json
import re
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import chess
import h5py
import pytest

from tbgen import open_tablebase
from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.report.census import take
from tbgen.report.export import COLUMNS
from tbgen.report.export.rows import Wanted, rows
from tbgen.report.export.write import as_csv, as_hdf5
from tbgen.store import open_table, table_path
from tests.support.places import ROOT

Row = dict[str, Any]
TBGEN = (sys.executable, "-m", "tbgen")


def export(tables: Path, *words: str | Path) -> None:
    assert main(["export", *map(str, words), "--tables", str(tables), "-q"]) == 0


def rows_of(path: Path) -> list[Row]:
    with h5py.File(path) as file:
        columns = {name: file[name][:].tolist() for name in file}
    plain = [[value.decode() if isinstance(value, bytes) else value for value in column] for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*plain, strict=True)]


@pytest.fixture(scope="module")
def krvk(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    path = tmp_path_factory.mktemp("export") / "KRvK.h5"
    export(small_tables, "KRvK", "-o", path)
    return rows_of(path)


def check(found: list[Row], name: str, tables: Path, rules: str = "r") -> None:
    """All legal positions are there, in order, and python-chess and a probe agree with each row."""
    with open_tablebase(tables, rules) as tablebase:
        table = tablebase.table(parse(name))
        assert len(found) == table.stored_entries
        assert sum(row["placements"] for row in found) == take(table).placements
        assert [row["number"] for row in found] == sorted({row["number"] for row in found})
        for row in found:
            board = chess.Board(row["fen"])
            assert board.fen() == row["fen"]
            assert board.is_valid()
            result = tablebase.probe(board)
            outcome, dtg, staircase = table.look(row["number"])
            assert (row["gscore"], row["outcome"], row["dtg"]) == (result.gscore, result.outcome, result.dtg), row
            assert (row["dtg"], row["staircase"]) == (dtg, staircase > 0), row
            assert row["outcome"] == (outcome if board.turn else -outcome)


def test_every_position(krvk: list[Row], small_tables: Path) -> None:
    check(krvk, "KRvK", small_tables)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_the_same_men_on_both_sides(rules: str, small_tables: Path, tmp_path: Path) -> None:
    export(small_tables, "KvK", "--rules", rules, "-o", tmp_path / "KvK.h5")
    found = rows_of(tmp_path / "KvK.h5")
    assert all(" w " in row["fen"] for row in found)
    check(found, "KvK", small_tables, rules)


@pytest.mark.full
@pytest.mark.parametrize("name", ["KRvKR", "KPvKP"])
def test_four_men(name: str, four_men: Path, tmp_path: Path) -> None:
    export(four_men, name, "-o", tmp_path / "it.h5")
    with open_table(table_path(four_men, parse(name), "r")) as table:
        found = rows_of(tmp_path / "it.h5")
        assert len(found) == table.stored_entries
    with open_tablebase(four_men) as tablebase:
        for row in found[::99]:
            result = tablebase.probe(row["fen"])
            assert (row["gscore"], row["outcome"], row["dtg"]) == (result.gscore, result.outcome, result.dtg), row


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("--turn black", lambda row: " b " in row["fen"]),
        ("--outcome G0.0 --outcome -G8.0", lambda row: row["gscore"] in ("G0.0", "-G8.0")),
        ("--dtg 5", lambda row: row["dtg"] == 5),
        ("--dtg 31-", lambda row: row["dtg"] >= 31),
        ("--turn white --dtg 3-9 --outcome G0.0", lambda row: " w " in row["fen"] and 3 <= row["dtg"] <= 9),
        ("--dtg 60000-", lambda row: False),
    ],
)
def test_filters(words: str, wanted: Any, krvk: list[Row], small_tables: Path, tmp_path: Path) -> None:
    export(small_tables, "KRvK", "-o", tmp_path / "some.h5", *words.split())
    expected = [row for row in krvk if wanted(row)]
    assert bool(expected) == ("60000" not in words)
    assert rows_of(tmp_path / "some.h5") == expected


def test_csv_says_the_same(
    krvk: list[Row], small_tables: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    export(small_tables, "KRvK", "-o", tmp_path / "KRvK.csv")
    text = (tmp_path / "KRvK.csv").read_bytes()
    export(small_tables, "KRvK")
    assert capfdbinary.readouterr().out == text
    found = list(csv.DictReader(io.StringIO(text.decode())))
    assert list(found[0]) == list(COLUMNS)
    assert found == [{name: str(row[name]) for name in COLUMNS} for row in krvk]
    export(small_tables, "KRvK", "--columns", "dtg,fen", "--dtg", "32-")
    first = next(row for row in krvk if row["dtg"] >= 32)
    assert capfdbinary.readouterr().out.decode().splitlines()[:2] == ["dtg,fen", f"{first['dtg']},{first['fen']}"]


def test_any_hdf5_reads_it(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "KBvK.h5"
    assert main(["export", "KvKB", "-o", str(path), "--tables", str(small_tables), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    with h5py.File(path) as file:
        assert {name: dataset.dtype.str for name, dataset in file.items()} == {
            "number": "<i8", "fen": "|S31", "gscore": "|S7", "outcome": "<i2", "dtg": "<u2", "staircase": "|u1",
            "placements": "|u1",
        }  # fmt: skip
        assert all(dataset.maxshape == (None,) and dataset.compression == "gzip" for dataset in file.values())
        assert {name: dataset.attrs["meaning"] for name, dataset in file.items()} == COLUMNS
        notes = dict(file.attrs)
    assert notes.items() <= told.items()
    assert (told["material"], told["rules"], told["bytes"]) == ("KBvK", "r", path.stat().st_size)
    with open_table(table_path(small_tables, parse("KBvK"), "r")) as table:
        assert (told["positions"], told["table_sha256"]) == (table.stored_entries, table.sha256)


def test_the_page_shows_it(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a table that is at hand, and a shorter way to mate."""
    monkeypatch.chdir(tmp_path)
    export(small_tables, "KRvK", "-o", "KRvKN.h5")
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "export.md").read_text(), re.MULTILINE | re.DOTALL)
    exec(code.replace("60", "30"), {})
    assert re.fullmatch(r"\S+ [wb] - - 0 1 3\d KRvK\n", capsys.readouterr().out)


def test_what_is_refused(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "there.h5"
    there.write_bytes(b"mine")
    for said, *words in (
        ("is there already (--force replaces it)", "KvK", "-o", there),
        ("ends neither in .h5 nor in .csv", "KvK", "-o", tmp_path / "it.parquet"),
        ("there is no directory", "KvK", "-o", tmp_path / "nowhere" / "it.h5"),
        ("not a G-score: 'mate'", "KvK", "--outcome", "mate"),
        ("--dtg takes plies such as 10, 10-20 or 10-, not '20-10'", "KvK", "--dtg", "20-10"),
        ("--dtg takes plies such as 10, 10-20 or 10-, not '-3'", "KvK", "--dtg=-3"),
        ("--columns takes some of number,fen,", "KvK", "--columns", "fen,,dtg"),
        ("White is always to move", "KvK", "--turn", "black"),
        ("KRvKR.r.h5 is missing", "KRvKR"),
        ("the following arguments are required: material", *()),
    ):
        code = main(["export", *map(str, words), "--tables", str(small_tables)])
        captured = capsys.readouterr()
        assert (code, captured.out, captured.err.count("\n")) == (4 if "missing" in said else 2, "", 1), said
        assert said.lower() in captured.err.lower()
    assert there.read_bytes() == b"mine"
    export(small_tables, "KvK", "-o", there, "--force")
    assert len(rows_of(there)) == 462


@pytest.mark.parametrize("name", ["KNNvK.h5", "KNNvK.csv"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, "disk"])
def test_a_run_that_fails_leaves_nothing(name: str, how: int | str, small_tables: Path, tmp_path: Path) -> None:
    words = [*TBGEN, "export", "KNNvK", "-o", str(tmp_path / name), "--tables", str(small_tables), "-q"]
    if isinstance(how, str):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # noqa: E731
        done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit, check=False)
        assert (done.returncode, done.stdout) == (6, "")
        assert re.fullmatch(rf"tbgen: File too large: \S+{re.escape(name)}\n", done.stderr)
    else:
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while run.poll() is None and not [left for left in tmp_path.iterdir() if left.stat().st_size > 1 << 20]:
            time.sleep(0.002)
        run.send_signal(how)
        assert run.communicate() == (b"", b"tbgen: interrupted\n")
        assert run.returncode == 130
    assert not list(tmp_path.iterdir())


def test_whoever_reads_may_stop(small_tables: Path) -> None:
    words = [*TBGEN, "export", "KNNvK", "--tables", str(small_tables)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stderr
        assert run.stdout.readline() == b"number,fen,gscore,outcome,dtg,staircase,placements\n"
        run.stdout.close()
        assert (run.wait(), run.stderr.read()) == (0, b"")


@pytest.mark.parametrize(("write", "names"), [(as_csv, ["dtg"]), (as_hdf5, [*COLUMNS])])
def test_memory_does_not_grow_with_the_table(write: Any, names: list[str], small_tables: Path, tmp_path: Path) -> None:
    peaks = []
    with open_table(table_path(small_tables, parse("KNNvK"), "r")) as table:
        for most in (2, 8):
            with (tmp_path / "it").open("wb+") as file:
                tracemalloc.start()
                pieces = itertools.islice(rows(table, Wanted(), names), most)
                count = write(file, pieces, {})
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
    assert count == table.stored_entries
    assert peaks[1] < 1.3 * peaks[0]
