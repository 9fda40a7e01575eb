"""What is held in milliseconds, for an engine: true, and within its time."""

import random

import chess
import pytest

from tbgen.beyond.holding import hold_quickly, prove
from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.core.position import goal, level
from tests.support.boards import random_boards

PERPETUAL = chess.Board("6k1/6p1/8/7Q/8/8/rr6/7K w - - 10 60")


def test_a_move_and_its_bound() -> None:
    held = hold_quickly(PERPETUAL, goal(PERPETUAL), None, 60.0)
    assert held is not None
    assert (held.move.uci(), outcome.text(held.bound)) == ("h5e8", "G1.0")


def test_no_men_are_tried_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbgen.beyond.holding.quick.Attempt.on", None)
    assert hold_quickly(PERPETUAL, goal(PERPETUAL), None, -1.0) is None


@pytest.mark.parametrize("material", ["KQvK", "KRvK", "KPvK"])
def test_it_holds_no_more_than_all_men_do(material: str) -> None:
    """And what it says is so after its move, too: the other side can force nothing better."""
    chance, count = random.Random(material), 0
    for board in random_boards(parse(material), 12):
        if level(board) < 2:
            continue
        record = outcome.improved(chance.choice((outcome.held_by_white, outcome.held_by_black))(6), goal(board))
        held = hold_quickly(board, record, None, 60.0)
        if held is not None:
            sign = 1 if board.turn else -1
            proofs = prove(board, record, None, 4096)
            assert held.bound * sign <= proofs[0 if board.turn else 1].bound * sign
            assert held.move in board.legal_moves
            count += 1
    assert count > 0 or material == "KPvK"
