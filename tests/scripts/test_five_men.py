"""docs/five-men.md says what the figures beside it say, and these are what tables are known to have taken."""

import importlib
from pathlib import Path
from types import ModuleType

import chess
import pytest

from tbgen.material import parse
from tbgen.table_rules import TableRules
from tests.support.places import ROOT

MATES = {
    "KQQvKQ": 30, "KQRvKQ": 67, "KQBvKQ": 33, "KQNvKQ": 41, "KRRvKR": 31, "KRBvKR": 65, "KBBvKB": 22, "KBBvKN": 78,
    "KBNvKB": 39, "KBNvKN": 107, "KNNvKB": 4, "KNNvKN": 7, "KNNNvK": 21, "KNNvKP": 115, "KRPvKR": 74,
}  # fmt: skip
"""The longest mates in moves, as Nalimov's tables have them: mate is the same in both games."""


Data = dict[str, list[dict[str, str]]]


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("five_men_page")


@pytest.fixture
def data(scripts: ModuleType) -> Data:
    collector = importlib.import_module("five_men")
    return {name: collector._read(name) for name in collector.COLUMNS}


def test_the_page_is_that_of_the_rows(scripts: ModuleType, data: Data) -> None:
    page = scripts.page(data)
    assert page == scripts.PAGE.read_text()
    for finding, fen, picture in scripts.five_men_findings._shown(scripts.five_men_findings.Rows(data)):
        assert chess.Board(fen).is_valid(), finding.title
        assert picture.read_text().startswith("<svg"), finding.title


def test_whatever_white_plays_stalemates(scripts: ModuleType) -> None:
    """As the page says of one position."""
    (finding,) = (one for one in scripts.five_men_findings.FINDINGS if one.materials == ("KRBNvK",))
    board = chess.Board(finding.board)
    for move in list(board.legal_moves):
        board.push(move)
        assert board.is_stalemate()
        board.pop()


def test_the_longest_mates_are_those_of_chess(data: Data) -> None:
    found = {row["material"]: int(row["longest_dtg"]) for row in data["records"] if row["gscore"] == "G0.0"}
    assert {name: (found[name] + 1) // 2 for name in MATES} == MATES


def test_a_sample_is_less_than_all_of_a_table(scripts: ModuleType) -> None:
    """Whichever was verified first; and a local table is another one."""
    all_of_it = {"material": "KRBvKR", "rules": "r", "code": 0, "seed": None, "checked": 65_000_000}
    sample = all_of_it | {"seed": 7, "checked": 1_000_000}
    local = all_of_it | {"local": "KRBvKR.r.0123456789abcdef.01234567.exact.h5"}
    told = {
        "all": ([all_of_it, sample], [sample, all_of_it]),
        1_000_000: ([sample, local], [sample, all_of_it | {"code": 5}]),
        "": ([local], [sample | {"rules": "wg"}], []),
    }
    note_verified = importlib.import_module("five_men").note_verified
    for wanted, cases in told.items():
        for verified in cases:
            row = {"material": "KRBvKR", "rules": "r", "verified": ""}
            note_verified([row], verified)
            assert row["verified"] == wanted
    done = {"material": "KRBvKR", "rules": "r", "verified": "all"}
    note_verified([done], [sample])
    assert done["verified"] == "all"


def test_the_last_build_says_what_it_takes_of_disk_and_memory(scripts: ModuleType) -> None:
    note_built = importlib.import_module("five_men").note_built
    row = {"material": "KRBvKR", "rules": "r", "bytes": "5", "peak_memory": "7", "cpu_seconds": "3", "seconds": "2"}
    rows = [dict(row), row | {"rules": "wg"}]
    build = {"bytes": 6, "peak_memory": 8, "cpu_seconds": 1.0, "seconds": 1.0}
    note_built(rows, {("KRBvKR", "r"): build, ("KRBvKQ", "r"): build})
    assert rows == [row | {"bytes": 6, "peak_memory": 8}, row | {"rules": "wg"}]
    note_built(rows, {("KRBvKR", "r"): build | {"peak_memory": None}})
    assert rows[0]["peak_memory"] == 8


def test_what_was_not_measured_is_not_recorded(
    scripts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = importlib.import_module("record")
    monkeypatch.setattr(record, "FILE", tmp_path / "recorded.csv")
    head = "material,rules,positions,bytes,cpu_seconds\n"
    record.FILE.write_text(head)
    one = {"material": "KRBvKR", "rules": "r", "positions": 5, "bytes": 6, "cpu_seconds": 8.0, "pace": 2.0}
    record.record([one | {"cpu_seconds": None, "pace": None}])
    assert record.FILE.read_text() == head
    record.record([one])
    assert record.FILE.read_text() == f"{head}KRBvKR,r,5,6,4.00\n"


def test_figures_are_replaced_whole(scripts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill leaves what was there, as a second name of it shows: many of these tables are no more."""
    collector, record = (importlib.import_module(name) for name in ("five_men", "record"))
    monkeypatch.setattr(record, "FILE", tmp_path / "recorded.csv")
    monkeypatch.setattr(collector, "DATA", tmp_path)
    monkeypatch.setattr(collector, "DIGESTS", tmp_path / "digests.txt")
    begun = {
        record.FILE: "material,rules,positions,bytes,cpu_seconds\n",
        collector.DATA / "records.csv": "material,rules\n",
        collector.DIGESTS: "# a remark\n",
    }
    for path, text in begun.items():
        path.write_text(text)
        path.with_suffix(".old").hardlink_to(path)
    record.record([{"material": "KRBvKR", "rules": "r", "positions": 5, "bytes": 6, "cpu_seconds": 8.0, "pace": 2.0}])
    collector._write_all({"records": [{"material": "KRBvKR", "rules": "r"}]})
    collector._write_digests({(parse("KRBvKR"), TableRules.RESET): "0" * 64})
    for path, text in begun.items():
        assert "KRBvKR" in path.read_text()
        assert path.with_suffix(".old").read_text() == text
