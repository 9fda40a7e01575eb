"""A game that is replayed in place: the board of python-chess after every move, and its moves since the last reset."""

import random

import chess
import pytest

from tbgen.errors import BadInput
from tbgen.rules.pgn import san
from tbgen.rules.pgn.replay import Replay

STARTS = (
    (chess.STARTING_FEN, False),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 1", False),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 99 1", False),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False),
    ("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1", True),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 7 40", False),
)


def step(token: str) -> san.Step:
    found = san.step(token)
    assert found is not None
    return found


def state(board: chess.Board) -> tuple[object, ...]:
    masks = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, board.promoted)
    rest = (board.turn, board.castling_rights, board.ep_square, board.halfmove_clock, board.fullmove_number)
    return (*masks, *board.occupied_co, board.occupied, *rest)


@pytest.mark.parametrize("whole_game", [False, True])
@pytest.mark.parametrize(("fen", "chess960"), STARTS)
def test_every_board_of_random_games(fen: str, chess960: bool, whole_game: bool) -> None:
    random_ = random.Random(fen)
    for _ in range(12):
        board = chess.Board(fen, chess960=chess960)
        replay = Replay(chess.Board(fen, chess960=chess960), whole_game=whole_game)
        for ply in range(150):
            moves = list(board.legal_moves)
            if not moves:
                break
            # Captures, promotions and castling are rare among all.
            special = [move for move in moves if board.is_capture(move) or move.promotion or board.is_castling(move)]
            move = random_.choice(special if special and random_.random() < 0.3 else moves)
            replay.play(step(board.san(move)))
            board.push(move)
            assert state(replay.board) == state(board), (ply, board.fen())
            assert replay.plies == ply + 1
            kept = board.move_stack[len(board.move_stack) - len(replay.moves) :]
            assert replay.moves == kept
        begun = chess.Board(fen, chess960=chess960)
        for move in board.move_stack[: len(board.move_stack) - len(replay.moves)]:
            begun.push(move)
        assert state(replay.begun) == state(begun)
        assert replay.reset == (len(replay.moves) < len(board.move_stack))
        if not whole_game and replay.reset:
            assert len(replay.moves) == board.halfmove_clock


def test_a_wrong_move_changes_nothing() -> None:
    replay = Replay(chess.Board("4k3/8/8/8/1b6/8/3N4/4K3 w - - 0 1"))
    before = state(replay.board)
    for token in ("Ne4", "Nb1", "Ke7", "O-O", "Qd1", "--"):
        with pytest.raises(BadInput):
            replay.play(step(token))
        assert (state(replay.board), replay.plies, replay.moves) == (before, 0, [])
