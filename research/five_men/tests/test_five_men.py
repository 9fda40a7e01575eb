"""The pages on five men say what the figures beside them say, and these are what tables are known to have taken."""

from pathlib import Path
from typing import Any

import chess
import pytest
import record

from research.five_men import collect, figures, findings, page, rows
from research.five_men.collect import note_built, note_verified
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.report import stats
from tbgen.report.charts import HeatMap, Stack
from tbgen.report.document import Document, Table, cells, lines, plain, tables
from tbgen.report.make import Request, make
from tbgen.report.write import write

MATES = {
    "KQQvKQ": 30, "KQRvKQ": 67, "KQBvKQ": 33, "KQNvKQ": 41, "KRRvKR": 31, "KRBvKR": 65, "KBBvKB": 22, "KBBvKN": 78,
    "KBNvKB": 39, "KBNvKN": 107, "KNNvKB": 4, "KNNvKN": 7, "KNNNvK": 21, "KNNvKP": 115, "KRPvKR": 74,
}  # fmt: skip
"""The longest mates in moves, as Nalimov's tables have them: mate is the same in both games."""


Data = dict[str, list[dict[str, str]]]


@pytest.fixture(scope="module")
def data() -> Data:
    return {name: rows.read(name) for name in rows.COLUMNS}


@pytest.fixture(scope="module")
def document(data: Data) -> Document:
    return page.made(data)


def test_the_pages_are_those_of_the_rows(data: Data, document: Document) -> None:
    """If not: research/run five_men. How they look may have changed since."""
    assert page.text(document, data) == page.TEXT.read_text(encoding="utf-8")
    same = body(write(document, "html")) == body(page.PAGE.read_text(encoding="utf-8"))
    assert same, "no diff: it takes minutes to find"


def body(page: str) -> str:
    return page[page.index("<main") : page.index("<script")]


def test_every_line_kept_ends_in_what_its_title_says(data: Data, document: Document) -> None:
    """On the board, move by move; and each that is kept under the rules `r` is on the page."""
    told = {line.key: line for line in lines(document)}
    kept = [row for row in data["records"] if row["rules"] == "r" and row["line"]]
    assert {f"{row['material']}-{row['gscore']}" for row in kept} <= told.keys()
    assert len(told["KQPvKQ-G4.5"].steps) == 553
    for row in kept[::50]:
        line = told[f"{row['material']}-{row['gscore']}"]
        board = chess.Board(row["fen"])
        for step in line.steps:
            board.push_san(step.san)
        assert len(line.steps) == int(row["longest_dtg"])
        score = f"{'-' if board.turn else ''}G{board.legal_moves.count()}.{0 if board.is_check() else 5}"
        assert score == row["gscore"], line.title


def test_moves_that_lead_elsewhere_are_refused(data: Data) -> None:
    row = next(row for row in data["records"] if row["material"] == "KRBvKR" and row["gscore"] == "G1.0")
    shorter = row | {"line": row["line"].rsplit(" ", 1)[0]}
    with pytest.raises(BadInput, match=r"KRBvKR: G1\.0 in 250 plies: the moves lead to"):
        figures.ways([shorter], TableRules.RESET, lambda way: True)


def test_kept_figures_make_the_section_that_tables_make(small_tables: Path) -> None:
    """What a report says of tables, and of the figures kept of them, is the same."""
    materials = tuple(map(parse, ("KvK", "KBvK", "KNvK", "KPvK")))
    report = make("stats", Request(small_tables, (TableRules.RESET,), materials))
    rows = {table.key: rows_of(table) for table in tables(report)}
    kept = stats.section(
        figures.tallies(rows["outcomes"], TableRules.RESET, rows["summary"])
    )  # fmt: skip
    assert kept.findings == report.findings
    for table in tables(Document("", (kept,))):
        (counted,) = (one for one in tables(report) if one.key == table.key)
        assert cells(table) == cells(counted), table.key
    charts = {block.key: block for block in report.sections[0].blocks if isinstance(block, HeatMap | Stack)}
    assert {block.key for block in kept.blocks if isinstance(block, HeatMap | Stack)} == charts.keys()
    assert charts["gscores"] == next(block for block in kept.blocks if isinstance(block, HeatMap))


def rows_of(table: Table) -> list[dict[str, Any]]:
    """As `tbgen report --format json` has them, and the study keeps them."""
    keys = [column.key for column in table.columns]
    plains = (
        [plain(value, column.kind) for value, column in zip(row, table.columns, strict=True)] for row in table.rows
    )
    return [{"rules": "r"} | dict(zip(keys, row, strict=True)) for row in plains]


def test_whatever_white_plays_stalemates() -> None:
    """As the page says of one position."""
    board = findings.STALEMATED.board()
    for move in list(board.legal_moves):
        board.push(move)
        assert board.is_stalemate()
        board.pop()


def test_the_longest_mates_are_those_of_chess(data: Data) -> None:
    found = {row["material"]: int(row["longest_dtg"]) for row in data["records"] if row["gscore"] == "G0.0"}
    assert {name: (found[name] + 1) // 2 for name in MATES} == MATES


def test_a_sample_is_less_than_all_of_a_table() -> None:
    """Whichever was verified first; and a local table is another one."""
    all_of_it = {"material": "KRBvKR", "rules": "r", "code": 0, "seed": None, "checked": 65_000_000, "seconds": 9.5}
    sample = all_of_it | {"seed": 7, "checked": 1_000_000}
    local = all_of_it | {"local": "KRBvKR.r.0123456789abcdef.01234567.exact.h5"}
    told = {
        "all": ([all_of_it, sample], [sample, all_of_it]),
        1_000_000: ([sample, local], [sample, all_of_it | {"code": 5}]),
        "": ([local], [sample | {"rules": "wg"}], []),
    }
    for wanted, cases in told.items():
        for verified in cases:
            row = {"material": "KRBvKR", "rules": "r", "verified": ""}
            note_verified([row], verified)
            assert row["verified"] == wanted
            assert row.get("verified_seconds") == (9.5 if wanted else None)
    done = {"material": "KRBvKR", "rules": "r", "verified": "all", "verified_on": "2026-11-21", "verified_seconds": "9"}
    for later in (sample, all_of_it):
        row = dict(done)
        note_verified([row], [later])
        assert row == done, "what counts is when all of it was verified first"


def test_the_last_build_says_what_it_takes() -> None:
    row = {"material": "KRBvKR", "rules": "r", "bytes": "5", "peak_memory": "7", "cpu_seconds": "3", "seconds": "2"}
    rows = [dict(row), row | {"rules": "wg"}]
    build = {"bytes": 6, "peak_memory": 8, "cpu_seconds": 1.0, "seconds": 1.0}
    note_built(rows, {("KRBvKR", "r"): build, ("KRBvKQ", "r"): build})
    assert rows == [row | {"bytes": 6, "peak_memory": 8, "last_cpu_seconds": 1.0}, row | {"rules": "wg"}]
    note_built(rows, {("KRBvKR", "r"): build | {"peak_memory": None}})
    assert rows[0]["peak_memory"] == 8


def test_time_that_was_not_measured_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "FILE", tmp_path / "recorded.csv")
    head = "material,rules,positions,bytes,cpu_seconds\n"
    record.FILE.write_text(head)
    one = {"material": "KRBvKR", "rules": "r", "positions": 5, "bytes": 6, "cpu_seconds": 8.0, "pace": 2.0}
    record.record([one | {"cpu_seconds": None, "pace": None}])
    assert record.FILE.read_text() == head
    record.record([one])
    assert record.FILE.read_text() == f"{head}KRBvKR,r,5,6,4.00\n"
    record.record([one | {"bytes": 7, "cpu_seconds": 9.0, "pace": None}])
    assert record.FILE.read_text() == f"{head}KRBvKR,r,5,7,4.00\n", "the size is as good as before"


def test_figures_are_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill leaves what was there, as a second name of it shows: many of these tables are no more."""
    monkeypatch.setattr(record, "FILE", tmp_path / "recorded.csv")
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    monkeypatch.setattr(collect, "DIGESTS", tmp_path / "digests.txt")
    begun = {
        record.FILE: "material,rules,positions,bytes,cpu_seconds\n",
        rows.FOLDER / "records.csv": "material,rules\n",
        collect.DIGESTS: "# a remark\n",
    }
    for path, text in begun.items():
        path.write_text(text)
        path.with_suffix(".old").hardlink_to(path)
    record.record([{"material": "KRBvKR", "rules": "r", "positions": 5, "bytes": 6, "cpu_seconds": 8.0, "pace": 2.0}])
    rows.write({"records": [{"material": "KRBvKR", "rules": "r"}]})
    collect._write_digests({(parse("KRBvKR"), TableRules.RESET): "0" * 64})
    for path, text in begun.items():
        assert "KRBvKR" in path.read_text()
        assert path.with_suffix(".old").read_text() == text
