"""Random games, after every ply of which the game and a plain referee have to say the same."""

import random

import chess
import pytest

from tbgen.core import outcome
from tbgen.core.position import fault
from tbgen.rules import Game
from tbgen.rules.rulesets import C_LEGACY, OTB, WG, C, RuleSet, W, rule_set
from tests.support import plain_referee as plain

RULES = [
    (W, plain.W),
    (C, plain.C),
    (C_LEGACY, plain.LEGACY),
    (WG, plain.WHOLE_GAME),
    (OTB, plain.OVER_THE_BOARD),
    (rule_set(fifty="ignored"), plain.NO_FIFTY),
    (rule_set(fifty="iccf"), plain.CORRESPONDENCE),
    (rule_set(fifty="general"), plain.GENERAL),
]
CLOCKS = (0, 0, 1, 50, 90, 98, 99, 100)


def random_start(rng: random.Random) -> chess.Board:
    men = rng.choice((2, 2, 3, 4, 5, 8, 32))
    board = chess.Board() if men == 32 else chess.Board(None)
    while fault(board) is not None:
        board.clear_board()
        board.turn = rng.random() < 0.5
        kings = [chess.Piece(chess.KING, chess.WHITE), chess.Piece(chess.KING, chess.BLACK)]
        others = [chess.Piece(rng.choice(chess.PIECE_TYPES[:-1]), rng.random() < 0.5) for _ in range(men - 2)]
        for square, man in zip(rng.sample(chess.SQUARES, men), kings + others, strict=True):
            board.set_piece_at(square, man)
        board.halfmove_clock = rng.choice(CLOCKS)
    return board


def random_move(rng: random.Random, board: chess.Board, *, shuffling: bool) -> chess.Move:
    """One that makes the game long, or any."""
    legal = list(board.legal_moves)
    quiet = [move for move in legal if not board.is_zeroing(move)]
    return rng.choice(quiet[:3] if shuffling and quiet else legal)


@pytest.mark.parametrize(("rules", "plainly"), RULES, ids=[f"{rules} {rules.fifty}" for rules, _ in RULES])
def test_a_plain_referee_agrees(rules: RuleSet, plainly: plain.Rules) -> None:
    rng = random.Random(f"{rules} {rules.fifty}")
    endings = set()
    for _ in range(120):
        board = random_start(rng)
        record = (rng.randint(2, 40), rng.random() < 0.5) if rng.random() < 0.5 else None
        referee = plain.Referee(board, record, plainly)
        game = Game(board, None if record is None else of(record), rules)
        shuffling = rng.random() < 0.7
        for _ in range(rng.choice((20, 130))):
            turn = game.turn
            found = (turn.outcome, turn.quiet, turn.ending and str(turn.ending))
            assert found == (of(referee.record), referee.quiet, referee.ending), game.fen()
            endings.add(referee.ending)
            if referee.ending in ("mate", "stalemate"):
                break
            move = random_move(rng, game.board, shuffling=shuffling)
            game.push_legal(move)  # past the end as well
            referee.push(move)
    assert "repetition" in endings
    assert endings & {"mate", "stalemate"}
    assert ("50-move rule" in endings) == plainly.fifty
    assert ("bare kings at G8.5" in endings) == plainly.bare_kings


def of(record: plain.Record) -> int:
    score, white = record
    return outcome.held_by_white(score) if white else outcome.held_by_black(score)
