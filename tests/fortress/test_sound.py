"""Nothing that is proved is wrong: against complete tables that the prover does not see, and against the slow twin."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import pytest

from tbgen.beyond import checker
from tbgen.beyond.certificate import name_of
from tbgen.beyond.checker import check, read
from tbgen.beyond.holding import claims, prove
from tbgen.beyond.holding.graph import Graph
from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.core.position import goal, level
from tbgen.errors import WrongClaim
from tbgen.probe import Tablebase, open_tablebase
from tests.support.blocked import twin_with_exits_for
from tests.support.boards import random_boards
from tests.support.short_games import keeps
from tests.support.slow_twin.goals import Goal, goal_worth, worth
from tests.support.slow_twin.placements import men_of, normal_form


def records(board: chess.Board, chance: random.Random) -> Iterator[int]:
    """The position's own goal, and others that can be the record."""
    own = goal(board)
    yield own
    for _ in range(2):
        held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
        yield outcome.improved(held(chance.randint(2, level(board))), own)


class Proofs(NamedTuple):
    held: int = 0
    """Bounds that are not the trivial one."""
    gained: int = 0
    """Those that are better than the record."""


def judge(material: str, count: int, truth: Tablebase, known: Tablebase | None, arrangements: int) -> Proofs:
    """Compare, and check every claim."""
    chance, proofs = random.Random(material), Proofs()
    for board in random_boards(parse(material), count):
        if level(board) < 2:
            continue
        for record in records(board, chance):
            white, black = prove(board, record, known, arrangements)
            value = truth.probe(board, record).outcome
            assert white.bound <= value <= black.bound, (board.fen(), outcome.text(record))
            gained = (white.bound > record) + (black.bound < record)
            proofs = Proofs(
                proofs.held + sum(proof.held is not None for proof in (white, black)), proofs.gained + gained
            )
            for proof in (white, black):
                for claim in claims(board, record, proof, known):
                    for told in read(claim.lines()):
                        assert check(told, known) > 0
    return proofs


@pytest.mark.parametrize("material", ["KPvK", "KNvK", "KBvK", "KRvK", "KQvK"])
def test_three_men_without_tables(material: str, small_tables: Path) -> None:
    """The perpetual's own goals count: some are better than the record, and none is better than the table says."""
    with open_tablebase(small_tables) as truth:
        proofs = judge(material, 6, truth, None, 4096)
    assert proofs.gained > 0 or material in ("KNvK", "KBvK")


@pytest.mark.usefixtures("no_bundle")
@pytest.mark.parametrize("material", ["KNvK", "KBvK", "KNNvK"])
def test_with_tables_of_fewer_men(material: str, small_tables: Path, tmp_path: Path) -> None:
    men = parse(material).men
    for path in small_tables.glob("*.r.h5"):
        if parse(path.name.split(".")[0]).men < men:
            (tmp_path / path.name).symlink_to(path)
    with open_tablebase(small_tables) as truth, open_tablebase(tmp_path) as known:
        assert judge(material, 3, truth, known, 4096).held > 0


@pytest.mark.full
@pytest.mark.parametrize(
    "material", ["KPvKP", "KRvKP", "KBvKP", "KNvKP", "KQvKP", "KQvKR", "KRvKR", "KRvKB", "KBvKN", "KQvKQ"]
)
def test_a_thousand_positions_of_four_men(material: str, four_men: Path, small_tables: Path) -> None:
    """Each under its own goal and two other records, with no tables and with those of three men."""
    with open_tablebase(four_men) as truth, open_tablebase(small_tables) as known:
        judge(material, 100, truth, None, 20000)
        judge(material, 100, truth, known, 20000)


BLOCKED = [
    "8/5k2/8/p1p5/P1P5/2P5/8/4K3 w - - 10 40",  # seven men
    "7k/8/1p1p1p2/1P1P1P2/8/8/8/K7 w - - 10 40",  # eight
    "8/1k6/8/2pPp3/2P1P3/8/8/6K1 w - - 10 40",  # a protected passed pawn
]


@pytest.mark.parametrize("attacker", chess.COLORS, ids=chess.COLOR_NAMES.__getitem__)
@pytest.mark.parametrize("fen", BLOCKED)
def test_against_the_slow_twin(fen: str, attacker: chess.Color) -> None:
    """The twin plays with all men, and every capture and pawn move mates: nobody can be sure of more."""
    first = chess.Board(fen)
    assert not normal_form(men_of(first))[1]
    twin = twin_with_exits_for(attacker)
    chance = random.Random(fen)
    sign = 1 if attacker else -1
    seen = same = 0
    kings = [square for square in chess.SQUARES if not first.piece_at(square) or square in (first.king(True),)]
    while seen < 60:
        board = chess.Board(None)
        for square in chess.SquareSet(first.pawns):
            board.set_piece_at(square, first.piece_at(square))
        for color, square in zip(chess.COLORS, chance.sample(kings, 2), strict=True):
            board.set_piece_at(square, chess.Piece(chess.KING, color))
        board.turn = chance.random() < 0.5
        if not board.is_valid() or level(board) < 2:
            continue
        for record in records(board, chance):
            proof = prove(board, record)[0 if not attacker else 1]
            found = twin.value(board, Goal(record > 0, outcome.level(record)))
            value = found.goal
            assert proof.bound * sign >= worth(value) * sign, (board.fen(), outcome.text(record), str(value))
            seen += 1
            same += goal_worth(proof.bound) == value
    assert same > seen / 2


@pytest.mark.parametrize(
    ("fen", "record"),
    [
        ("8/4P3/8/8/2k5/8/8/2K5 w - - 0 1", "G9.5"),
        ("1k6/2P5/8/8/1K6/8/8/8 b - - 0 1", "-G2.0"),
        ("8/8/8/8/3k2K1/6P1/8/r7 b - - 1 1", "-G13.0"),
    ],
)
def test_a_claim_for_some_plies_is_about_the_record(fen: str, record: str, small_tables: Path) -> None:
    """Claims are changed at random. Tables change no verdict, and what is accepted is true by brute force: that a
    capture ends well is not enough if a worse record comes of it first."""
    board, given, chance = chess.Board(fen), outcome.parse(record), random.Random(fen)
    accepted = refused = 0
    with open_tablebase(small_tables) as tables:
        for known in (None, tables):
            for proof in prove(board, given, known, 4096):
                told = [line for claim in claims(board, given, proof, known) if claim.plies for line in claim.lines()]
                for claim in read(told) if told else ():
                    assert is_accepted(claim, None)
                    for tried in [claim, *(disturbed(claim, chance) for _ in range(40))]:
                        verdict = is_accepted(tried, None)
                        assert is_accepted(tried, tables) == verdict, tried
                        assert not verdict or keeps(board, given, tried.defender, tried.bound, tried.plies or 0), tried
                        accepted, refused = accepted + verdict, refused + (not verdict)
    assert min(accepted, refused) > 5


def with_rights(chance: random.Random) -> chess.Board:
    """A few men at random, and kings and rooks of which some may castle."""
    while True:
        board = chess.Board(
            chance.choice(["4k3/8/8/8/8/8/8/R3K2R", "r3k2r/8/8/8/8/8/8/4K3", "4k2r/8/8/8/8/8/8/R3K3"]) + " w"
        )
        for letter in chance.sample("NbPpPpn", chance.randint(0, 4)):
            square = chance.choice([*chess.SquareSet(~board.occupied & ~(chess.BB_BACKRANKS if letter in "Pp" else 0))])
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.castling_rights = chess.BB_CORNERS & board.rooks
        board.turn = chance.random() < 0.5
        if board.is_valid() and level(board) > 1:
            return board


def test_with_rights_to_castle(small_tables: Path) -> None:
    """Claims are true by brute force, changed ones too; who may castle has an exit."""
    chance, castles, accepted = random.Random(3), 0, 0
    with open_tablebase(small_tables) as tables:
        for _ in range(20):
            board = with_rights(chance)
            free_men = [square for square in (board.king(True), board.king(False)) if square is not None]
            graph = Graph(board, sorted(free_men))
            if any(map(board.is_castling, board.legal_moves)):
                assert graph.turns[0 if board.turn else 1].exits[graph.start]
                castles += 1
            for record in records(board, chance):
                for proof in prove(board, record, tables, 4096):
                    for claim in claims(board, record, proof, tables):
                        (told,) = read(claim.lines())
                        assert is_accepted(told, tables)
                        for tried in [told, *(disturbed(told, chance) for _ in range(3))]:
                            plies = min(tried.plies or 5, 5)
                            if is_accepted(tried, tables):
                                assert tried.plies is None or keeps(board, record, tried.defender, tried.bound, plies)
                                accepted += 1
    assert castles > 3
    assert accepted > 20


def test_castling_may_be_the_move_that_breaks() -> None:
    """Without it Black's king is never let in, nor White's: with it White's rook gets out."""
    shut_in = "4k3/8/8/p1p1p1p1/P1P1P1P1/5p1p/5P1P/4K2R b {} - 10 40"
    given = outcome.parse("-G2.0")
    without, having = (prove(chess.Board(shut_in.format(right)), given)[1] for right in "-K")
    assert without.plies > having.plies


@pytest.mark.parametrize(
    ("fen", "record"),
    [
        ("6k1/8/8/8/7r/8/8/R3K3 b Q - 9 60", "G2.5"),  # a check takes the right, and tables know what comes of captures
        ("8/8/6k1/8/q7/8/8/R3K3 b Q - 9 60", "G29.5"),
        ("8/8/8/8/8/8/2k5/1r2K2R w K - 9 60", "-G2.0"),  # in check
        ("8/8/8/8/8/4q3/8/R3K2k w Q - 9 60", "-G2.0"),
    ],
)
def test_a_right_that_is_lost_on_the_way(fen: str, record: str, small_tables: Path) -> None:
    """Then Black holds what he holds without it. The checker castles wherever White can: a first reply that lets him is
    refused."""
    board, given = chess.Board(fen), outcome.parse(record)
    without = board.copy(stack=False)
    without.castling_rights = 0
    with open_tablebase(small_tables) as tables:
        proof = prove(board, given, tables)[1]
        assert prove(without, given, tables)[1].bound == proof.bound <= given
        (claim,) = claims(board, given, proof, tables)
        (told,) = read(claim.lines())
        assert check(told, tables) > 0
        name = name_of(board)
        for move in board.legal_moves if board.turn == chess.BLACK else ():
            after = board.copy(stack=False)
            after.push(move)
            if any(map(after.is_castling, after.legal_moves)):
                replies = {**told.replies, name: told.replies[name]._replace(move=move)}
                assert not is_accepted(told._replace(replies=replies), tables), move


def is_accepted(claim: checker.Claim, tables: Tablebase | None) -> bool:
    try:
        return check(claim, tables) > 0
    except WrongClaim:
        return False


def disturbed(claim: checker.Claim, chance: random.Random) -> checker.Claim:
    """With other replies, captures above all, and another bound and number of plies."""
    replies = dict(claim.replies)
    for name in chance.sample(sorted(replies), min(len(replies), chance.choice((0, 1, 2)))):
        board = chess.Board(f"{name.partition(':')[0]} {'w' if claim.defender else 'b'} - - 0 1")
        moves = [*board.legal_moves]
        resets = [move for move in moves if board.is_zeroing(move)]
        replies[name] = replies[name]._replace(
            move=chance.choice(resets if resets and chance.random() < 0.5 else moves)
        )
    bound = claim.bound + chance.choice((-2, -1, 0, 0, 1, 2))
    plies = max(1, min(8, (claim.plies or 1) + chance.choice((-2, -1, 0, 1, 2))))
    return claim._replace(replies=replies, bound=bound, plies=plies)
