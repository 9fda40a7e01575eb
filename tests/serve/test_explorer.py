"""The board's page, as it is written."""

import json
import re
from html import unescape
from io import BytesIO

import pytest

from tbgen import outcome
from tbgen.pgn.split import units
from tbgen.probe import Sure, SureResult, open_tablebase
from tbgen.referee.annotate.game import Teller
from tbgen.serve import question
from tbgen.serve.view import bounds, explorer
from tbgen.serve.view.game import games
from tbgen.table_rules import TableRules
from tests.support.judged_games import game

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


@pytest.mark.parametrize(("clock", "late"), [(96, False), (97, True)])
def test_the_50_move_rule_may_come_first(clock: int, late: bool) -> None:
    """So says the page of a position, and that of a game in which it comes up."""
    fen = f"8/8/8/4KBk1/8/8/8/8 b - - {clock} 90 G2.5"
    with open_tablebase() as tables:
        panel = explorer.panel(fen, TableRules.RESET, tables, with_line=False)
        (unit,) = units(BytesIO(game("90... Kh5 1/2-1/2", FEN=fen)))
        told = Teller(lambda _: tables).tell(unit)
    words = "The 50-move rule may come first: the halfmove clock is at 97 of 100, and the goal is 4 plies away."
    assert (f'<p class="note">{words}</p>' in panel) is late
    assert ("50-move rule may come first" in games(None, "", [(told, "")], None)) is late


def test_the_50_move_rule_may_come_first_where_bounds_are_known() -> None:
    asked = question.question("7k/8/8/p7/P7/8/1P6/K7 w - - 97 90", None, TableRules.RESET)
    value = outcome.parse("G3.5")
    for dtg, late in ((None, False), (3, False), (4, True)):
        known = SureResult("KPPvKP", True, value, Sure(value, value, dtg), [], [])
        assert ("50-move rule may come first" in bounds.panel(asked, known)) is late


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
