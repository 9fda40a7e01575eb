"""Holdings that are known: Fine's No. 70, a permanent check, a bishop that cannot get at pawns of the other colour."""

from collections.abc import Callable

import chess
import pytest

from tbgen.beyond.checker import Reply, check, read
from tbgen.beyond.holding import Claim, Proof, claims, prove
from tbgen.beyond.holding.exits import Exits
from tbgen.beyond.holding.graph import Graph
from tbgen.beyond.holding.hold import FOR_EVER
from tbgen.core import outcome, position
from tbgen.errors import BadInput, WrongClaim
from tbgen.probe import open_tablebase
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


def test_a_capture_en_passant_that_tables_know_is_no_break() -> None:
    """The attacker has it on the first move only: the checker takes the pawn, and asks the table."""
    board = chess.Board("5K2/8/5k2/5Pp1/8/8/8/8 w - g6 0 1")
    with open_tablebase() as tables:
        _, black = prove(board, position.goal(board), tables)
        assert (outcome.text(black.bound), black.plies) == ("-G3.5", FOR_EVER)
        (told,) = read(next(iter(claims(board, black.bound, black, tables))).lines())
        assert check(told, tables) > 0
    _, black = prove(board, position.goal(board))
    assert black.obstacle == "White may capture en passant, and no table says what comes of that"


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("8/8/1k1p4/p1pP4/P1P5/8/8/1K6 w - c6 0 40", "White may capture en passant, and no table says"),
        ("4k3/8/8/8/8/8/3P4/4K2R w K - 0 40", "White may castle"),
        ("4k3/p7/8/3q4/8/8/P2R4/4K3 w - - 0 1", "within three plies White mates, or makes a capture or pawn move"),
        ("8/8/8/4k3/8/8/8/R3K3 w - - 0 1", "White gets through 3 sets of men that were tried"),
    ],
)
def test_who_holds_nothing_is_told_why(fen: str, words: str) -> None:
    board = chess.Board(fen)
    _, black = prove(board, position.goal(board))
    assert black.held is None
    assert black.obstacle.startswith(words)


Replies = dict[str, Reply]
"""By the position in which the defender has the move."""

RABID = "8/8/8/8/4k3/6pp/7p/R6K w - - 10 60"


def test_a_man_that_cannot_be_taken_without_stalemate_checks_for_ever() -> None:
    """Virtual pieces, 2002: the defender forces stalemate with a wild man. No table of KPPPvK is there, and none is
    needed: whoever takes the rook stalemates. Black does not mate."""
    claim = next(
        claim
        for proof in prove(chess.Board(RABID), outcome.parse("-G13.5"))
        for claim in claims(chess.Board(RABID), outcome.parse("-G13.5"), proof, None)
        if claim.defender and claim.plies is None
    )
    assert outcome.text(claim.bound) == "-G0.5"
    (told,) = read(claim.lines())
    assert check(told, None) > 100
    better = outcome.parse("-G1.0")
    with pytest.raises(WrongClaim, match="has no rank"):
        check(told._replace(bound=better), None)
    ranked = {name: reply._replace(rank=100 - number) for number, (name, reply) in enumerate(told.replies.items())}
    with pytest.raises(WrongClaim, match=r"the game ends with -G0.5|comes no nearer"):
        check(told._replace(bound=better, replies=ranked), None)


def test_a_wild_man_that_can_be_taken_holds_nothing() -> None:
    """With another pawn to move White is not stalemated, and Black keeps his pawns."""
    board = chess.Board(RABID.replace("8/8/8/8/", "8/8/8/P7/"))
    white, _ = prove(board, position.goal(board))
    assert outcome.text(white.bound) == "-G0.0"


@pytest.mark.parametrize(
    ("fen", "free_men", "saving"),
    [
        ("k7/p1Q5/8/8/8/8/8/K7 w - - 0 1", "c7 a8", False),  # Qxa7 is met by Kxa7
        ("k7/1q6/1K6/8/8/8/8/7Q w - - 0 1", "h1 a8", True),
        ("k7/2P5/1K6/8/8/8/8/8 w - - 0 1", "b6 a8", True),  # c8=Q mates
        ("8/k1P5/8/8/8/8/8/2K5 w - - 0 1", "c1 a7", False),
    ],
)
def test_an_exit_that_ends_the_game_needs_no_table(fen: str, free_men: str, saving: bool) -> None:
    graph = Graph(chess.Board(fen), squares(free_men))
    mate = outcome.parse("G0.0")
    assert Exits(graph, None).saving(0, mate)[graph.start] == saving


PERPETUAL = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 10 60"


def test_a_perpetual_is_worth_what_it_leaves() -> None:
    """Virtual pieces, 2002, and cuteRMob: a perpetual check that leaves one move is worth G1.0."""
    claim = claim_of(PERPETUAL, "-G21.5", chess.WHITE)
    assert (outcome.text(claim.bound), claim.plies) == ("G1.0", None)
    ((square, piece, used),) = claim.holding
    assert (square, piece.symbol(), sorted(used)) == (chess.H5, "Q", sorted(squares("h5 e8")))


def without_ranks(replies: Replies) -> Replies:
    return {name: reply._replace(rank=None) for name, reply in replies.items()}


def for_good_records_only(replies: Replies) -> Replies:
    return {name: reply._replace(record=outcome.parse("G1.0")) for name, reply in replies.items()}


def without_the_check(replies: Replies) -> Replies:
    return {name: reply._replace(move=chess.Move.from_uci("h5e5")) for name, reply in replies.items()}


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (without_ranks, "has no rank"),
        (for_good_records_only, "there is no reply under -G21.5"),
        (without_the_check, "there is no reply"),
    ],
)
def test_a_forged_perpetual_is_refused(forge: Callable[[Replies], Replies], words: str) -> None:
    (told,) = read(claim_of(PERPETUAL, "-G21.5", chess.WHITE).lines())
    assert check(told, None) == 4
    with pytest.raises(WrongClaim, match=words):
        check(told._replace(replies=forge(told.replies)), None)


def test_a_perpetual_that_claims_stalemate_is_refused() -> None:
    (told,) = read(claim_of(PERPETUAL, "-G21.5", chess.WHITE).lines())
    with pytest.raises(WrongClaim, match="comes no nearer"):
        check(told._replace(bound=outcome.parse("G0.5")), None)


def test_a_check_that_can_be_answered_in_two_ways_is_worth_less() -> None:
    """Without the pawn Black's king has more squares."""
    white, _ = prove(chess.Board(PERPETUAL.replace("6p1", "8")), outcome.parse("-G21.5"))
    assert white.bound < outcome.parse("G1.0")


@pytest.mark.parametrize("record", ["G1.0", "-G1.0"])
def test_an_equal_goal_betters_no_record(record: str) -> None:
    """The first holder keeps it."""
    white, _ = prove(chess.Board(PERPETUAL), outcome.parse(record))
    assert outcome.text(white.bound) == record


@pytest.mark.parametrize(
    ("fen", "bound"),
    [
        ("8/8/8/8/8/2k5/7q/K7 b - - 0 1", "-G0.0"),
        ("k7/8/1K6/8/p7/P7/8/7R w - - 0 1", "G0.0"),
        ("7k/p6P/P4K2/8/8/8/8/8 w - - 0 1", "G0.5"),  # Kf7 leaves the other pawn no move
    ],
)
def test_mates_and_stalemates_by_quiet_moves(fen: str, bound: str) -> None:
    board = chess.Board(fen)
    proof = prove(board, position.goal(board))[0 if board.turn else 1]
    assert outcome.text(proof.bound) == bound
    (claim,) = claims(board, position.goal(board), proof, None)
    assert check(next(iter(read(claim.lines()))), None) > 0


def test_a_permanent_check() -> None:
    claim = claim_of("5rk1/5p1p/5Q2/8/8/q7/5PPP/6K1 w - - 10 40", "-G20.0", chess.WHITE)
    assert (outcome.text(claim.bound), claim.plies) == ("G1.0", None)
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
