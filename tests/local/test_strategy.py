"""What local tables prove is accepted by the checker, and nothing beyond the truth is, whatever a certificate says."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.beyond.certificate import name_of
from tbgen.beyond.checker import Claim, Reply, check, read
from tbgen.beyond.prove import strategy
from tbgen.beyond.prove.strategy import Proved, prove, ranks
from tbgen.core import outcome, position
from tbgen.errors import BadInput, MissingTable, OutOfRoom, WrongClaim
from tbgen.probe import Result, Tablebase, open_tablebase
from tbgen.probe.bounds import LocalSource
from tests.support.certificates import changed, counted
from tests.support.local_tables import ALL, BLOCKED, RACE, keep, keep_all, keep_alone, links, spread

pytestmark = pytest.mark.usefixtures("no_bundle")


def proofs(tables: Tablebase, board: chess.Board, record: int) -> Iterator[Proved]:
    """What both sides are sure of, if that is more than nothing."""
    found = tables.sure(board, record)
    assert found is not None
    assert tables.local is not None
    for side, bound in zip(chess.COLORS, found.sure[:2], strict=True):
        if outcome.level(bound) > 0 or (bound > 0) == side:
            yield prove(tables.local, tables, board, found.record, side, bound)


def verify(lines: list[str], tables: Tablebase) -> None:
    for claim in read(lines):
        check(claim, tables)


def random_record(board: chess.Board, chance: random.Random) -> int:
    held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
    return outcome.improved(held(chance.randint(2, position.level(board))), position.goal(board))


@pytest.mark.parametrize(
    ("fen", "names", "count"),
    [
        (RACE, ALL, 1),
        (RACE, "KvK KNvK", 1),
        (BLOCKED, f"{ALL} KPvK", 3),
        (BLOCKED, "", 1),
        ("8/8/3k4/4p3/3P4/8/3K4/8 w - - 4 60", f"{ALL} KPvK", 1),  # pawns that may take each other, or promote
    ],
)
def test_what_is_proved_is_accepted(fen: str, names: str, count: int, small_tables: Path, tmp_path: Path) -> None:
    """Exact answers and bounds, under records that a game brings along, of either colour."""
    links(small_tables, tmp_path, names)
    keep(tmp_path, fen)
    chance, ranked = random.Random(fen), 0
    with open_tablebase(tmp_path) as tables:
        for board in spread(fen, count):
            for proof in proofs(tables, board, random_record(board, chance)):
                verify([*proof.lines()], tables)
                ranked += any(reply.rank is not None for reply in proof.replies)
    assert ranked > 0 or not names


def test_what_has_come_is_retaken(small_tables: Path, tmp_path: Path) -> None:
    """Black promotes where no table knows what comes, and White takes the new man."""
    links(small_tables, tmp_path, ALL)
    fen = "6R1/8/8/8/8/8/k5p1/2K5 b - - 4 60"
    keep_all(tmp_path, fen, 0)
    board = chess.Board(fen)
    with open_tablebase(tmp_path) as tables:
        assert tables.local is not None
        proof = prove(tables.local, tables, board, position.goal(board), chess.WHITE, outcome.held_by_white(0))
        verify([*proof.lines()], tables)
    assert sum("q" in reply.position for reply in proof.replies) > 0


@pytest.mark.parametrize(
    ("fen", "record"),
    [
        ("8/5k2/8/p1p5/P1P5/2P5/8/4K3 w - - 10 40", "G3.0"),  # seven men
        ("8/8/1k6/p1p5/P1P5/1KP5/8/8 b - - 10 40", "-G8.5"),
    ],
)
def test_many_men_without_tables(fen: str, record: str, tmp_path: Path) -> None:
    keep_alone(tmp_path, fen)
    board = chess.Board(fen)
    with open_tablebase(tmp_path) as tables:
        proved = [*proofs(tables, board, outcome.improved(outcome.parse(record), position.goal(board)))]
        for proof in proved:
            verify([*proof.lines()], tables)
    assert proved


class Vanishing:
    """Local tables that are removed after so many questions."""

    def __init__(self, local: LocalSource, left: int) -> None:
        self._local = local
        self._left = left

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        self._left -= 1
        return None if self._left < 0 else self._local.result(board, record, winner)


@pytest.mark.parametrize("fen", ["8/5k2/8/p1p5/P1P5/2P5/8/4K3 w - - 10 40", RACE])
def test_tables_that_are_removed_meanwhile_prove_nothing(fen: str, small_tables: Path, tmp_path: Path) -> None:
    """At any time: what is proved is proved, and else it is said."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, fen, 0)
    board, given_up = chess.Board(fen), 0
    with open_tablebase(tmp_path) as tables:
        assert tables.local is not None
        found = tables.sure(board)
        assert found is not None
        for left in (0, 1, 2, 3, 5, 8, 13, 34, 89, 233, 610):
            try:
                proof = prove(Vanishing(tables.local, left), tables, board, found.record, chess.WHITE, found.sure.white)
            except MissingTable:
                given_up += 1
            else:
                verify([*proof.lines()], tables)
    assert given_up > 3


def test_a_right_to_capture_en_passant(small_tables: Path, tmp_path: Path) -> None:
    """After e4 Black may take or not: his reply is to this position, not to the same men without the right."""
    start = chess.Board("8/8/8/8/k2p4/8/K3P3/8 w - - 0 1")
    links(small_tables, tmp_path, f"{ALL} KPvK")
    keep_all(tmp_path, start.fen(), 0)
    with open_tablebase(tmp_path) as tables:
        named = 0
        for proof in proofs(tables, start, position.goal(start)):
            verify([*proof.lines()], tables)
            named += any(":e3" in reply.position for reply in proof.replies)
        start.push_uci("e2e4")
        for proof in proofs(tables, start, position.goal(start)):
            verify([*proof.lines()], tables)
            named += any(reply.position == name_of(start) for reply in proof.replies)
    assert named


@pytest.fixture(scope="module")
def known(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """KPvKP on one placement, exact: White and Black both have G5.5 to gain and to keep."""
    directory = tmp_path_factory.mktemp("known")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tbgen.store.directory.BUNDLED", directory)
        links(small_tables, directory, f"{ALL} KPvK")
        keep(directory, BLOCKED)
    return directory


@pytest.fixture
def tables(known: Path) -> Iterator[Tablebase]:
    with open_tablebase(known) as tables:
        yield tables


GAIN = "8/8/3k4/3p4/3P4/8/3K4/8 w - - 4 60"


def gained(tables: Tablebase, side: chess.Color = chess.WHITE) -> list[str]:
    """The proof of a bound that is better for the side than the record, so that it has to be reached."""
    board = chess.Board(GAIN)
    record = outcome.improved(outcome.parse("-G8.5"), position.goal(board))
    return [*next(proof for proof in proofs(tables, board, record) if proof.defender == side).lines()]


def test_every_reply_is_needed(tables: Tablebase) -> None:
    """Although local tables know the positions: the checker does not ask them."""
    lines = gained(tables)
    replies = [at for at, line in enumerate(lines[1:], 1) if " " in line]
    assert len(replies) > 100
    for at in replies[::17]:
        with pytest.raises(WrongClaim, match="there is no reply"):
            verify(counted([*lines[:at], *lines[at + 1 :]]), tables)
        with pytest.raises(BadInput, match="not whole"):
            verify([*lines[:at], *lines[at + 1 :]], tables)
    with pytest.raises(BadInput, match="not whole"):
        verify(lines[: len(lines) // 2], tables)


def test_ranks_fall(tables: Tablebase) -> None:
    lines, refused = gained(tables), 0
    for at, line in enumerate(lines):
        words = line.split()
        if len(words) != 3 or at % 5:
            continue
        if words[2] != "0":
            with pytest.raises(WrongClaim, match="comes no nearer"):
                verify([*lines[:at], " ".join((*words[:2], "0")), *lines[at + 1 :]], tables)
            refused += 1
        with pytest.raises(WrongClaim, match="has no rank"):
            verify([*lines[:at], " ".join(words[:2]), *lines[at + 1 :]], tables)
    assert refused > 3


def stepped(value: int, by: int) -> int:
    """The next outcome that is better for White, or worse."""
    every = range(outcome.BASE, outcome.BASE - 60, -1)
    order = [*(-one for one in every), *reversed(every)]
    return order[max(0, min(order.index(value) + by, len(order) - 1))]


def test_no_record_is_worse_than_said(tables: Tablebase) -> None:
    """A reply is made for the worst record under which the side is sure of the bound: what says more is refused."""
    for side in chess.COLORS:
        (claim,) = read(gained(tables, side))
        worse = {name: stepped(reply.record, -1 if side else 1) for name, reply in claim.replies.items()}
        possible = [
            name
            for name, record in worse.items()
            if 2 <= outcome.level(record) <= position.level(board_of(name, claim.defender))
        ]
        assert possible
        for name in possible[:: max(1, len(possible) // 8)]:
            replies = {**claim.replies, name: claim.replies[name]._replace(record=worse[name])}
            with pytest.raises(WrongClaim):
                check(claim._replace(replies=replies), tables)


def board_of(name: str, turn: chess.Color) -> chess.Board:
    board = chess.Board(None)
    board.set_board_fen(name.partition(":")[0])
    board.turn = turn
    return board


@pytest.mark.parametrize("side", chess.COLORS)
def test_a_claim_that_says_more_is_refused(tables: Tablebase, side: chess.Color) -> None:
    head, *rest = gained(tables, side)
    (claim,) = read([head, *rest])
    verify([changed(head, bound=outcome.text(stepped(claim.bound, -1 if side else 1))), *rest], tables)
    for fields, message in (
        ({"bound": outcome.text(stepped(claim.bound, 1 if side else -1))}, "worse than the bound|no nearer|no reply"),
        ({"defender": chess.COLOR_NAMES[not side]}, "no reply|no legal move"),
        ({"fen": GAIN.replace("8/3K4/8 w", "3K4/8/8 w")}, "no reply|own goal"),
        ({"fen": GAIN.replace("3p4/3P4", "3P4/3p4")}, "no reply|own goal"),
        ({"fen": GAIN.replace("w", "b")}, "no reply|own goal"),
        ({"record": "-G2.0" if side else "G2.0"}, "no reply"),
        ({"plies": 60}, "too early|worse than the bound"),
    ):
        with pytest.raises(WrongClaim, match=message):
            verify([changed(head, **fields), *rest], tables)


def test_nothing_is_accepted_beyond_the_truth(tables: Tablebase) -> None:
    """Right certificates with replies, records, ranks and bounds changed at random: some still prove a claim, and then
    it is true."""
    chance, accepted, refused = random.Random(5), 0, 0
    for board in spread(BLOCKED, 3, seed=3):
        truth = tables.probe(board, random_record(board, chance))
        for proof in proofs(tables, board, truth.record):
            (claim,) = read(proof.lines())
            for _ in range(25):
                tried = disturbed(claim, chance)
                try:
                    check(tried, tables)
                except WrongClaim:
                    refused += 1
                else:
                    accepted += 1
                    assert tried.bound * (1 if tried.defender else -1) <= truth.outcome * (1 if tried.defender else -1)
    assert accepted > 10
    assert refused > 50


def disturbed(claim: Claim, chance: random.Random) -> Claim:
    replies = dict(claim.replies)
    for name in chance.sample(sorted(replies), min(len(replies), chance.choice((0, 1, 3)))):
        moves = [*board_of(name, claim.defender).legal_moves]
        record = stepped(replies[name].record, chance.choice((-1, 0, 0, 1)))
        replies[name] = Reply(record, chance.choice(moves), chance.choice((None, 0, 5, replies[name].rank)))
    return claim._replace(bound=stepped(claim.bound, chance.choice((-2, -1, 0, 1, 2))), replies=replies)


@pytest.mark.parametrize("side", chess.COLORS)
@pytest.mark.parametrize("record", ["bound", "worst"])
@pytest.mark.parametrize("plays", ["best", "anything"])
def test_no_strategy_proves_a_better_bound(tables: Tablebase, side: chess.Color, record: str, plays: str) -> None:
    """There is a reply for every placement of the kings, either as good as the bound or for all records that there are,
    and with the ranks of a true proof."""
    (claim,) = read(gained(tables, side))
    bound = stepped(claim.bound, 1 if side else -1)
    under = bound if record == "bound" else outcome.goal(outcome.FIRST_RECORD, side)
    chance = random.Random(7)
    replies = {}
    for board in every_placement(claim.board, side):
        known = claim.replies.get(name_of(board))
        move = known.move if known and plays == "best" else chance.choice([*board.legal_moves])
        rank = known.rank if known and known.rank is not None else chance.randrange(100)
        replies[name_of(board)] = Reply(under, move, rank)
    tried = claim._replace(bound=claim.bound, replies=replies)
    if plays == "anything" or record == "bound":
        tried = tried._replace(bound=bound)
    else:  # with the truth for a bound the records are too bad, with a better one the ranks
        with pytest.raises(WrongClaim):
            check(tried, tables)
        tried = claim._replace(bound=bound)
    with pytest.raises(WrongClaim):
        check(tried, tables)


def every_placement(start: chess.Board, turn: chess.Color) -> Iterator[chess.Board]:
    for white in chess.SquareSet(~start.pawns):
        for black in chess.SquareSet(~start.pawns):
            board = start.copy(stack=False)
            for square in chess.SquareSet(start.kings):
                board.remove_piece_at(square)
            board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
            board.turn = turn
            if white != black and board.is_valid() and any(board.legal_moves):
                yield board


@pytest.mark.parametrize("side", chess.COLORS)
def test_no_position_comes_again_while_the_record_is_worse_than_the_bound(tables: Tablebase, side: chess.Color) -> None:
    """So a third occurrence under the same record ends the game well."""
    (claim,) = read(gained(tables, side))
    chance, sign, bad = random.Random(side), 1 if side else -1, 0
    for _ in range(200):
        board, record, met = claim.board.copy(), claim.record, set[str]()
        for _ in range(40):
            if record * sign < claim.bound * sign:
                assert board.epd() not in met
                met.add(board.epd())
                bad += 1
            else:
                met.clear()
            if not any(board.legal_moves):
                break
            reply = claim.replies[name_of(board)].move if board.turn == side else None
            move = reply or chance.choice([*board.legal_moves])
            is_reset = board.is_zeroing(move)
            board.push(move)
            if is_reset and tables.known(board) is not None:
                break
            own = position.goal(board)
            record = own if is_reset else outcome.improved(record, own)
    assert bad > 30


def test_too_long_a_proof(tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "MOST", 20)
    with pytest.raises(OutOfRoom, match=r"the proof that White is sure of G5\.5 takes more than 20 replies"):
        gained(tables)


def test_ranks() -> None:
    assert ranks([(1, 2), (2,), (), (0, 2)]) == [2, 1, 0, 3]
    assert ranks([]) == []
    with pytest.raises(AssertionError, match="circle"):
        ranks([(1,), (2,), (0,)])
