"""The board's page, as it is written."""

import json
import re
from html import unescape

import pytest

from tbgen.probe import open_tablebase
from tbgen.serve import question
from tbgen.serve.view import explorer
from tbgen.table_rules import TableRules

READ = question.read_fen


@pytest.mark.parametrize(
    ("fen", "title"), [(explorer.START, "KBvK, Black to move"), ("8/8 w", "tbgen: endgame explorer")]
)
def test_a_page_reads_its_position_once(fen: str, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Panel, title and picture are of what was read."""
    read: list[str] = []

    def reading(text: str, *, whole_game: bool) -> question.Fen:
        read.append(text)
        return READ(text, whole_game=whole_game)

    monkeypatch.setattr(question, "read_fen", reading)
    with open_tablebase() as tables:
        page = explorer.whole(fen, TableRules.RESET, tables, with_line=False)
        assert read == [fen]
        assert explorer.panel(fen, TableRules.RESET, tables, with_line=False) in page
    assert f"<title>{title}" in page
    assert ("<svg" in page.partition("<noscript>")[2].partition("</noscript>")[0]) == (fen == explorer.START)


def test_moves_lead_to_a_position() -> None:
    with open_tablebase() as tables:
        page = explorer.panel(explorer.START, TableRules.RESET, tables, moves="g5h5,e5f4", with_line=False)
        after = "8/8/8/5B1k/5K2/8/8/8 b - - 2 2 G2.5"
        assert f'data-fen="{after}"' in page
        steps = re.search('data-steps="([^"]*)"', page)
        assert steps
        assert json.loads(unescape(steps[1])) == [
            [explorer.START, None],
            ["8/8/8/4KB1k/8/8/8/8 w - - 1 2 G3.5", "g5h5"],
            [after, "e5f4"],
        ]


@pytest.mark.parametrize(("moves", "place"), [("g5h5,h5g5", 2), ("0000", 1), ("Kh5", 1), (",", 1)])
def test_moves_that_cannot_be_made(moves: str, place: int) -> None:
    with open_tablebase() as tables:
        page = explorer.panel(explorer.START, TableRules.RESET, tables, moves=moves, with_line=False)
    assert f"move {place} is not possible" in page
    assert f'data-fen="{explorer.START}"' in page


def test_so_many_moves_are_followed_and_no_more() -> None:
    there_and_back = ["g5h5", "f5e4", "h5g5", "e4f5"] * 100
    with open_tablebase() as tables:
        for more, told in ((0, "data-steps"), (1, "401 moves are too many")):
            moves = ",".join([*there_and_back, *["g5h5"] * more])
            assert told in explorer.panel(explorer.START, TableRules.RESET, tables, moves=moves, with_line=False)
