"""Holding with men beyond chess: arrangements are as their boards have them, and nothing that is proved is wrong."""

import random
from pathlib import Path

import chess
import pytest

from tbgen.beyond.holding import prove
from tbgen.beyond.holding.exits import Exits
from tbgen.beyond.holding.graph import Graph
from tbgen.beyond.prove.position import solve
from tbgen.board.men import Man, defined
from tbgen.board.men.board import FairyBoard, read
from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.core.position import goal, level
from tbgen.errors import UnsupportedPosition
from tbgen.probe import Tablebase, open_tablebase
from tests.support.arrangements import compare_arrangements
from tests.support.boards import boards_of

MEN = defined(["X=WDN"])
HELD = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/6E1/4K3 b - - 10 60 G2.0"


def fairy(fen: str) -> FairyBoard:
    return read(fen, defined([]).values())


@pytest.mark.parametrize(
    ("fen", "free_men"),
    [
        ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/6E1/4K3 w - - 0 1", "g2 e8"),
        ("7k/8/2h5/p1p1p1p1/P1P1P1P1/8/1C6/4K3 w - - 0 1", "b2 c6"),
        ("4k3/P6p/8/8/3J4/2w5/8/4K3 b - - 0 1", "d4 e8"),
    ],
)
def test_arrangements_are_as_the_board_has_them(fen: str, free_men: str) -> None:
    compare_arrangements(fairy(fen), free_men)


@pytest.mark.parametrize("name", ["KCvKX", "KHvK", "KJvK"])
def test_what_is_proved_is_what_tables_say(fairy_tables: Path, name: str) -> None:
    chance, proved = random.Random(name), 0
    with Tablebase(fairy_tables) as truth:
        for _, board in boards_of(truth.table(parse(name, men=MEN)), 40)[:8]:
            if level(board) < 2:
                continue
            own = goal(board)
            record = outcome.improved(chance.choice([own, outcome.held_by_white(2), outcome.held_by_black(3)]), own)
            white, black = prove(board, record, None, 4096)
            assert white.bound <= truth.probe(board, record).outcome <= black.bound, board.fen()
            proved += (white.held is not None) + (black.held is not None)
    assert proved


def test_solve_holds_and_says_why_there_is_no_local_table() -> None:
    solution = solve(HELD)
    assert (solution.white, solution.black, solution.exact) == ("G2.0", "G2.0", True)
    assert "local tables know the men of chess only" in " ".join(solution.lines())
    man = solve("k7/p1p5/P1P5/8/8/8/5K2/3C4 w - - 10 60 -G4.0", time=0)
    assert "the C from d1" in " ".join(man.lines())


def test_there_is_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedPosition, match="certificates know the men of chess only"):
        solve(HELD, time=0, certificate=tmp_path / "proof.txt")


def test_tables_are_not_asked_about_another_man_of_the_same_letter() -> None:
    fen, free_men = "4k3/8/8/8/8/8/1C2r3/4K3 w - - 0 1", [chess.E1, chess.E8]
    board = read(fen, [Man("C", "N")])
    with open_tablebase() as tables:
        assert not Exits(Graph(board, free_men), tables).saving(0, -1).any()
        assert Exits(Graph(chess.Board(fen.replace("C", "N")), free_men), tables).saving(0, -1).any()
