"""docs/five-men.md says what the figures beside it say."""

import importlib
from types import ModuleType

import chess
import pytest

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
