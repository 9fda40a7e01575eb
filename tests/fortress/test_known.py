"""Holdings that are known: Fine's No. 70, a permanent check, a bishop that cannot get at pawns of the other colour."""

import chess
import pytest

from tbgen import outcome, position
from tbgen.errors import BadInput
from tbgen.fortress import Claim, Proof, claims, prove
from tbgen.fortress.hold import FOR_EVER
from tests.support.boards import boards_of_no_chess

FINE = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 10 60"


def proofs(fen: str, record: str) -> tuple[chess.Board, int, list[Proof]]:
    board, given = chess.Board(fen), outcome.parse(record)
    return board, given, prove(board, given)


def claim_of(fen: str, record: str, defender: chess.Color) -> Claim:
    board, given, found = proofs(fen, record)
    (claim,) = [claim for proof in found if proof.defender == defender for claim in claims(board, given, proof, None)]
    return claim


def squares(names: str) -> list[chess.Square]:
    return [chess.parse_square(name) for name in names.split()]


@pytest.mark.parametrize("record", ["-G3.0", "G3.0", "G3.5"])
def test_a_king_keeps_the_other_king_out(record: str) -> None:
    _, given, found = proofs(FINE.format("b"), record)
    assert [(proof.bound, proof.plies) for proof in found] == [(given, FOR_EVER)] * 2


def test_with_the_move_white_gets_in() -> None:
    """By way of b1: the famous win. He takes his first pawn with his 14th move."""
    _, given, (white, black) = proofs(FINE.format("w"), "-G3.0")
    assert white.bound == given
    assert (outcome.text(black.bound), black.plies) == ("G0.0", 27)
    assert claim_of(FINE.format("w"), "-G3.0", chess.BLACK).plies == 27


def test_a_right_to_capture_en_passant_is_an_exit() -> None:
    """The same men without the right: White's king cannot get in, and Black keeps the record."""
    fen = "8/8/1k1p4/p1pP4/P1P5/8/8/1K6 w - {} 0 40"
    (_, without), (_, having) = (prove(chess.Board(fen.format(right)), outcome.parse("-G2.5")) for right in ("-", "c6"))
    assert without.plies > 1
    assert (outcome.text(having.bound), having.plies) == ("G0.0", 1)


def test_a_permanent_check() -> None:
    claim = claim_of("5rk1/5p1p/5Q2/8/8/q7/5PPP/6K1 w - - 10 40", "-G20.0", chess.WHITE)
    assert (claim.bound, claim.plies) == (claim.record, None)
    ((square, piece, used),) = claim.holding
    assert (square, piece.symbol(), sorted(used)) == (chess.F6, "Q", sorted(squares("g5 f6")))


def test_many_pieces_take_seconds() -> None:
    """Sixteen pieces have millions of sets of men: those larger than one a side are listed only where they may help."""
    board = chess.Board("b1b1k1b1/1b1b1b1b/b1b1b1b1/1b1b1b1b/B1B1B1B1/1B1B1B1B/B1B1B1B1/1B1K1B1B w - - 0 1")
    assert all(proof.held is None for proof in prove(board, outcome.parse("G10.5"), None, 4096))


@pytest.mark.parametrize(
    ("fen", "pairs", "larger"),
    [
        ("rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", 64, range(1)),
        ("1nbqkb2/8/8/8/8/8/8/1NBQKBN1 w - - 0 1", 30, range(1, 60)),
    ],
)
def test_larger_sets_are_few(fen: str, pairs: int, larger: range) -> None:
    """There are hundreds of those that are small enough alone."""
    board, said = chess.Board(fen), set[int]()
    prove(board, position.goal(board), report=lambda tried, known: said.add(known - pairs))
    assert max(said) in larger


def test_it_says_how_many_sets_of_men_have_been_tried() -> None:
    board, said = chess.Board("8/1k6/1p6/p2p1p2/5K2/5N2/P7/8 b - - 1 40"), list[tuple[int, int]]()
    prove(board, outcome.parse("G5.5"), report=lambda tried, known: said.append((tried, known)))
    assert {tried for tried, _ in said} >= {0, 1}
    assert all(tried < known for tried, known in said)


def test_nothing_is_proved_of_boards_that_are_not_of_chess() -> None:
    for words, board in boards_of_no_chess(FINE.format("b")):
        with pytest.raises(BadInput, match=words):
            prove(board, outcome.parse("-G3.0"))
