"""Chess960 in files that do not say so: python-chess is the judge of what was played."""

import io
import random

import chess
import chess.pgn
import pytest

from tbgen.core import outcome
from tbgen.referee.match.books import Kind, OpeningText
from tbgen.referee.match.openings import Openings
from tbgen.rules import rulesets
from tests.support.judged_games import game, judged, tags
from tests.support.plain_referee import Referee, W


def played(start: chess.Board, chance: random.Random) -> chess.Board:
    """A game in which everybody castles who can."""
    board = start.copy()
    for _ in range(50):
        moves = [*board.generate_castling_moves()] or [*board.legal_moves]
        board.push(chance.choice(moves))
        if not any(board.legal_moves):
            board.pop()
            break
    return board


def written(start: chess.Board, board: chess.Board, fen: str) -> bytes:
    """The game in PGN, without a word about the variant."""
    return game(f"{start.variation_san(board.move_stack)} 1/2-1/2", FEN=fen)


def test_castling_rights_that_only_chess960_has() -> None:
    """Both forms of writing them, from any start position, and from two for the two sides."""
    chance = random.Random(960)
    castled = 0
    for _ in range(60):
        start = chess.Board.from_chess960_pos(chance.randrange(960))
        other = chess.Board.from_chess960_pos(chance.randrange(960))
        if chance.random() < 0.5:
            rows = start.board_fen().split("/")
            rows[0] = other.board_fen().split("/")[0]
            start = chess.Board(f"{'/'.join(rows)} w KQkq - 0 1", chess960=True)
        board = played(start, chance)
        castled += sum("O-O" in word for word in start.variation_san(board.move_stack).split())
        for fen in (start.fen(), start.fen(shredder=True)):
            data = written(start, board, fen)
            read = chess.pgn.read_game(io.StringIO(data.decode()))
            assert read is not None
            assert not read.errors
            assert read.end().board() == board
            referee = Referee(read.board(), None, W)
            for move in read.mainline_moves():
                referee.push(move)
            score, white = referee.record
            found = judged(data)
            assert found.fault is None
            assert found.verdict is not None
            assert found.verdict.decision.outcome == outcome.goal(score, not white)
            assert f'[FEN "{fen}"]'.encode() in found.data
            assert b"Variant" not in found.data
    assert castled > 50


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1", "1. O-O-O"),  # one right of either kind
        ("1r3k2/8/8/8/8/8/8/R3K2R b KQq - 0 1", "1... O-O-O 2. O-O"),
        ("4k3/8/8/8/8/8/8/RR1K4 w B - 0 1", "1. O-O-O"),  # not the outermost rook
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "1. O-O"),  # by file, and those of ordinary chess
    ],
)
def test_rights_of_all_kinds(fen: str, moves: str) -> None:
    data = game(f"{moves} 1/2-1/2", FEN=fen)
    read = chess.pgn.read_game(io.StringIO(data.decode()))
    assert read is not None
    assert not read.errors
    assert read.end().ply() > read.ply()
    assert tags(data)["RMobilityTermination"] == "played"


@pytest.mark.parametrize("fen", ["4k3/8/8/8/8/8/8/4K3 w K - 0 1", "4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1"])
def test_rights_of_no_kind(fen: str) -> None:
    fault = judged(game("1. O-O 1/2-1/2", FEN=fen)).fault
    assert fault is not None
    assert "the castling rights do not fit" in fault.message


@pytest.mark.parametrize(
    "name", ["Chess960", "chess 960", "CHESS-960", "fischerandom", "Fischer Random", "Double Fischer Random", "DFRC"]
)
def test_names_of_chess960(name: str) -> None:
    assert judged(game("1. e4 1/2-1/2", Variant=name)).verdict is not None
    source = [OpeningText(1, game("1. e4 *", Variant=name))]
    assert Openings(source, "x", Kind(rulesets.W)).opening(0).board.chess960


def test_openings_as_epd() -> None:
    start = chess.Board.from_chess960_pos(0)
    for line in (start.fen(), f'{start.epd()} id "a";', f'{start.epd(shredder=True)} id "a";'):
        board = Openings([OpeningText(1, line)], "x", Kind(rulesets.W)).opening(0).board
        assert board.chess960
        assert board == start
    usual = Openings([OpeningText(1, f'{chess.Board().epd()} id "a";')], "x", Kind(rulesets.W)).opening(0).board
    assert not usual.chess960
    assert usual == chess.Board()
