"""Moves and un-moves of the solver against python-chess, and against each other."""

import random
from collections import Counter
from collections.abc import Iterator

import chess
import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.board import moves as packed
from tbgen.board.moves import is_checked, list_moves, pack_move
from tbgen.compiler.jit import kernel, plain
from tbgen.core.material import parse
from tbgen.index import layout_of
from tbgen.index.atlas import MEN
from tbgen.index.exits import Reached
from tbgen.retro.graph.predecessors import predecessors
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.graph.slice import MOST_NEIGHBOURS, make_buffers, successors
from tbgen.retro.survey.count_moves import count_moves, make_run
from tbgen.retro.survey.en_passant import _passant_captures, gives_right
from tbgen.retro.survey.resets import follow, make_routes
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import has, make_sets
from tests.support.boards import is_complete, random_boards
from tests.support.materials import LARGER, SMALL
from tests.support.slices import Place, is_position, place, slice_with
from tests.support.slow_twin.slice import after_move


def slice_of(name: str, board: chess.Board) -> Place:
    """The slice that the position lies in."""
    men = parse(name).men
    return slice_with(name, place(name).squares_of(board)[men - parse(name).pawns : men].tolist())


def after_quiet_moves(board: chess.Board) -> list[chess.Board]:
    return [after_move(board, move) for move in board.legal_moves if not board.is_zeroing(move)]


# --- forwards ------------------------------------------------------------------------------------------

PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, None)  # -1 is none


def unpack(squares: NDArray[np.int64], move: int) -> chess.Move:
    promotion = PROMOTED[plain(packed.move_promotion)(move)]
    return chess.Move(int(squares[plain(packed.move_slot)(move)]), plain(packed.move_target)(move), promotion)


def listed(where: Place, board: chess.Board) -> tuple[list[int], int]:
    """All moves, and how many of them are quiet: these come first."""
    squares, room = where.squares_of(board), np.zeros(512, np.int64)
    quiet, count = list_moves(where.graph, squares, int(not board.turn), room)
    assert (squares == where.squares_of(board)).all()
    return room[:count].tolist(), quiet


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_moves_are_those_of_python_chess(name: str) -> None:
    where = place(name)
    for board in random_boards(parse(name), 80):
        squares, side = where.squares_of(board), int(not board.turn)
        found, quiet = listed(where, board)
        moves = [unpack(squares, move) for move in found]
        assert Counter(moves) == Counter(board.legal_moves), board.fen()
        assert [at >= quiet for at in range(len(moves))] == [board.is_zeroing(move) for move in moves]
        for packed_move, move in zip(found, moves, strict=True):
            taken = plain(packed.move_taken)(packed_move)
            assert squares[taken] == move.to_square if board.is_capture(move) else taken == packed.NOBODY
            double = (
                board.piece_type_at(move.from_square) == chess.PAWN and abs(move.from_square - move.to_square) == 16
            )
            beside = [
                s for s in board.pieces(chess.PAWN, not board.turn) if chess.square_distance(s, move.to_square) == 1
            ]
            expected = double and any(s // 8 == move.to_square // 8 for s in beside)
            assert gives_right(where.graph, squares, side, packed_move) == expected, (board.fen(), move.uci())
        assert is_checked(where.graph, squares, side) == board.is_check()


def can_take_king(board: chess.Board) -> bool:
    king = board.king(not board.turn)
    assert king is not None
    return board.is_attacked_by(board.turn, king)


def moved(board: chess.Board, origin: int, square: int) -> chess.Board:
    """The same position, but for the square of a man."""
    after = board.copy(stack=False)
    after.set_piece_at(square, after.remove_piece_at(origin))
    return after


@pytest.mark.parametrize("name", LARGER)
def test_moves_counted_are_the_moves_listed(name: str) -> None:
    """For all squares of a man at once, whichever it is, as the survey does, and position by position."""
    run, room, illegal = make_run(MEN), np.zeros(512, np.int64), 0
    for board in random_boards(parse(name), 40, seed=7):
        where = slice_of(name, board)
        squares, side = where.squares_of(board), int(not board.turn)
        men = squares[: where.layout.material.men].tolist()
        for varies in (-1, *range(2, where.layout.first_pawn)):
            others = sum(1 << one for slot, one in enumerate(men) if slot != varies)
            places = ~others & (1 << 64) - 1 if varies >= 0 else 1 << men[0]
            asked = squares.copy()
            found, count = count_moves(where.graph, run, asked, side, varies, np.uint64(others), np.uint64(places))
            for square in chess.SquareSet(places):
                there = moved(board, men[varies], square) if varies >= 0 else board
                if not int(found) >> square & 1:
                    assert can_take_king(there), there.fen()
                    illegal += 1
                    continue
                if varies >= 0:
                    asked[varies] = square
                quiet, every = list_moves(where.graph, asked, side, room)
                assert not can_take_king(there), there.fen()
                assert run.level[square] == 2 * every + (not there.is_check()), there.fen()
                resets = [int(run.resets[at]) for at in range(count) if int(run.where[at]) >> square & 1]
                assert sorted(resets) == sorted(room[quiet:every]), there.fen()
    assert illegal > 0 or where.layout.first_pawn == 2, "bare kings and pawns"


def test_the_sample_holds_all_that_is_difficult() -> None:
    seen: Counter[str] = Counter()
    for board in (board for name in [*SMALL, *LARGER] for board in random_boards(parse(name), 80)):
        moves = list(board.legal_moves)
        own = chess.SquareSet(board.occupied_co[board.turn] & ~board.kings)
        seen["pins"] += any(board.is_pinned(board.turn, square) for square in own)
        seen["checks"] += board.is_check()
        seen["double checks"] += len(board.checkers()) > 1
        seen["captures"] += any(map(board.is_capture, moves))
        seen["promotions"] += any(move.promotion for move in moves)
        seen["promotions with capture"] += any(move.promotion and board.is_capture(move) for move in moves)
        seen["ends"] += not moves
    assert min(seen.values()) >= 10, seen


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_resets_lead_where_python_chess_says(name: str) -> None:
    where, there = place(name), np.zeros(MEN, np.int64)
    tables = [parse(name), *parse(name).successors()]
    routes = make_routes(where.layout, [Reached(layout_of(table), None) for table in tables])
    for board in random_boards(parse(name), 80):
        squares, (moves, quiet) = where.squares_of(board), listed(where, board)
        for move in moves[quiet:]:
            table, mover = follow(where.graph, routes, squares, int(not board.turn), move, there)
            found = chess.Board(None)
            for square, (side, letter) in zip(there.tolist(), layout_of(tables[table]).letters, strict=False):
                found.set_piece_at(square, chess.Piece.from_symbol(letter if side == 0 else letter.lower()))
            found.turn = mover == 0
            after = after_move(board, unpack(squares, move))
            after.ep_square = None
            assert found.epd() in (after.epd(), after.mirror().epd()), (board.fen(), unpack(squares, move).uci())


# --- the graph of quiet moves --------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_successors_are_the_quiet_moves(name: str) -> None:
    buffers = make_buffers()
    for board in random_boards(parse(name), 6, seed=1):
        where = slice_of(name, board)
        (number,) = where.numbers_of([board])
        stored = where.board(number)
        assert stored is not None
        count = successors(where.graph, buffers, number, 0)
        assert count == len(after_quiet_moves(board))
        expected = Counter(where.numbers_of(after_quiet_moves(stored)))
        assert Counter(buffers.near[:count].tolist()) == expected, board.fen()


@kernel
def take_back(graph, buffers, node, found):  # type: ignore[no-untyped-def]
    """Put the predecessors of a position into `found`; return how many."""
    count = 0
    for at in range(predecessors(graph, buffers, node // LANE, np.uint64(1) << np.uint64(node % LANE), 0)):
        for bit in range(LANE):
            if buffers.near_bits[at] >> np.uint64(bit) & np.uint64(1):
                found[count] = buffers.near[at] * LANE + bit
                count += 1
    return count


def unmoves(where: Place, number: int) -> list[int]:
    found = np.zeros(LANE * MOST_NEIGHBOURS, np.int64)
    return found[: take_back(where.graph, make_buffers(), number, found)].tolist()


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_unmoves_take_back_every_move_and_no_other(name: str) -> None:
    for board in random_boards(parse(name), 3, seed=2):
        where = slice_of(name, board)
        (number,) = where.numbers_of([board])
        for before, times in Counter(unmoves(where, number)).items():
            earlier = where.board(before)
            if earlier is not None:
                after = where.numbers_of(after_quiet_moves(earlier))
                assert after.count(number) == times, (earlier.fen(), board.fen())
        stored = where.board(number)
        assert stored is not None
        for later, times in Counter(where.numbers_of(after_quiet_moves(stored))).items():
            assert unmoves(where, later).count(number) == times, board.fen()


@kernel
def mixed(a, b):  # type: ignore[no-untyped-def]
    both = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b)
    both = (both ^ (both >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return both ^ (both >> np.uint64(27))


@numba.njit(error_model="numpy")  # no kernel, because it makes arrays
def list_edges(graph, buffers, backwards, legal, out_of, into):  # type: ignore[no-untyped-def]
    """Count all edges between positions at both ends; return the sum of a hash of each. Forwards first."""
    total = np.uint64(0)
    found = buffers.near if not backwards else np.zeros(LANE * MOST_NEIGHBOURS, np.int64)
    for node in range(len(legal)):
        if not backwards:
            legal[node] = is_position(graph, buffers, node)
        if not legal[node]:
            continue
        count = take_back(graph, buffers, node, found) if backwards else successors(graph, buffers, node, 0)
        for at in range(count):
            near = found[at]
            if backwards and not legal[near]:
                continue
            before, after = (near, node) if backwards else (node, near)
            out_of[before] += 1
            into[after] += 1
            total += mixed(before, after)
    return total


@numba.njit(error_model="numpy")  # no kernel, because it makes an array
def count_lanes(graph, buffers, legal, forth, back):  # type: ignore[no-untyped-def]
    """Count the lanes that each position has a move to: by its moves, and by unmoves of whole lanes."""
    for node in range(len(legal)):
        if legal[node]:
            count = successors(graph, buffers, node, 0)
            for at in range(count):
                forth[node] += 1
                for earlier in range(at):
                    if buffers.near[earlier] // LANE == buffers.near[at] // LANE:
                        forth[node] -= 1
                        break
    last = np.full(len(legal), -1, np.int64)
    for lane in range(-(-len(legal) // LANE)):
        left = np.uint64(0)
        for bit in range(min(LANE, len(legal) - lane * LANE)):
            left |= np.uint64(legal[lane * LANE + bit]) << np.uint64(bit)
        while left:
            some = left if graph.laned else left & (~left + np.uint64(1))
            left ^= some
            for at in range(predecessors(graph, buffers, lane, some, 0)):
                for bit in range(LANE):
                    before = buffers.near[at] * LANE + bit
                    found = buffers.near_bits[at] >> np.uint64(bit) & np.uint64(1) and legal[before]
                    if found and last[before] != lane:
                        last[before] = lane
                        back[before] += 1


@pytest.mark.parametrize(
    ("name", "pawns"),
    [
        ("KvK", ""), ("KNvK", ""), ("KQvK", ""), ("KNNvK", ""), ("KRvKR", ""), ("KPvK", "e4"), ("KPPvK", "b3 g3"),
        ("KPPvK", "b3 f3"), ("KRPvK", "b3"),
        ("KNvKP", "f3"), ("KPvKP", "e4 e5"), ("KPvKP", "d4 e5"), ("KPvKP", "b4 e6"), ("KRPvKP", "e4 d6"),
        pytest.param("KBvKN", "", marks=pytest.mark.full), pytest.param("KNPvKNP", "d4 e5", marks=pytest.mark.full),
    ],
)  # fmt: skip
def test_unmoves_are_the_moves_read_backwards(name: str, pawns: str) -> None:
    """Both list the same edges of the slice, each as many times."""
    where = slice_with(name, [chess.parse_square(square) for square in pawns.split()])
    buffers, legal = make_buffers(), np.zeros(where.size, np.bool_)
    forth, back = np.zeros((2, where.size), np.int64), np.zeros((2, where.size), np.int64)
    sums = [list_edges(where.graph, buffers, flag, legal, *ends) for flag, ends in ((False, forth), (True, back))]
    assert (forth == back).all()
    assert sums[0] == sums[1]
    assert forth[0].sum() > legal.sum()
    forth_by_lanes, back_by_lanes = np.zeros((2, where.size), np.int64)
    count_lanes(where.graph, buffers, legal, forth_by_lanes, back_by_lanes)
    assert (forth_by_lanes == back_by_lanes).all()
    assert max(forth.max(), back.max()) < MOST_NEIGHBOURS


@kernel
def find_legal(graph, buffers, legal):  # type: ignore[no-untyped-def]
    for node in range(len(legal)):
        legal[node] = is_position(graph, buffers, node)


@kernel
def prove_all(graph, buffers, sets, legal, found):  # type: ignore[no-untyped-def]
    """Put into `found` which positions have no quiet move but into the set."""
    for lane in range(-(-len(legal) // LANE)):
        left = np.uint64(0)
        for bit in range(min(LANE, len(legal) - lane * LANE)):
            left |= np.uint64(legal[lane * LANE + bit]) << np.uint64(bit)
        while left:
            some = left if graph.laned else left & (~left + np.uint64(1))
            left ^= some
            proved = all_lead_into(graph, buffers, sets, 0, lane, some)
            for bit in range(LANE):
                if some >> np.uint64(bit) & np.uint64(1):
                    found[lane * LANE + bit] = proved >> np.uint64(bit) & np.uint64(1)


@kernel
def prove_each(graph, buffers, sets, legal, found):  # type: ignore[no-untyped-def]
    """The same by the moves of each position."""
    for node in range(len(legal)):
        if legal[node]:
            count = successors(graph, buffers, node, 0)
            found[node] = True
            for at in range(count):
                found[node] &= has(sets, 0, buffers.near[at])


@pytest.mark.parametrize("share", [0.8, 0.97])
@pytest.mark.parametrize(
    ("name", "pawns"),
    [
        ("KvK", ""), ("KNvK", ""), ("KQvK", ""), ("KNNvK", ""), ("KRvKR", ""), ("KRvKN", ""), ("KPvK", "e4"),
        ("KPPvK", "b3 f3"), ("KRPvK", "b3"), ("KNvKP", "f3"), ("KPvKP", "e4 e5"), ("KRPvKP", "e4 d6"),
    ],
)  # fmt: skip
def test_proofs_of_lanes_go_through_all_moves(name: str, pawns: str, share: float) -> None:
    where = slice_with(name, [chess.parse_square(square) for square in pawns.split()])
    buffers, legal = make_buffers(), np.zeros(where.size, np.bool_)
    find_legal(where.graph, buffers, legal)
    chosen = np.random.default_rng(3).random(where.size) < share
    sets = make_sets(1, where.size)
    words = np.packbits(chosen | ~legal, bitorder="little")
    sets.held.view(np.uint8)[: len(words)] = words
    found, expected = np.zeros((2, where.size), np.bool_)
    prove_all(where.graph, buffers, sets, legal, found)
    prove_each(where.graph, buffers, sets, legal, expected)
    assert (found == expected).all()
    assert 0 < found.sum() < legal.sum()


# --- en passant ----------------------------------------------------------------------------------------


def boards_before_double_steps(name: str, count: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """With an enemy pawn beside the target, and often other men on that rank."""
    chance, material = random.Random(name), parse(name)
    letters = "Kk" + material.first.replace("P", "", 1) + material.second.replace("P", "", 1).lower()
    while count:
        board = chess.Board(None)
        board.turn = chance.random() < 0.5
        own, other = "Pp" if board.turn else "pP"
        start = chance.randrange(8) + (8 if board.turn else 48)
        target = start + (16 if board.turn else -16)
        rank = [s for s in chess.SQUARES if s // 8 == target // 8]
        men = [(own, start), (other, chance.choice([s for s in rank if abs(s - target) == 1]))]
        for letter, square in men + [
            (letter, chance.choice(chance.choice([rank, chess.SQUARES]))) for letter in letters
        ]:
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        move = chess.Move(start, target)
        if is_complete(board, material.men) and board.is_legal(move):
            count -= 1
            yield board, move


@pytest.mark.parametrize("name", ["KPvKP", "KRPvKP", "KQPvKP", "KBPvKP", "KPPvKP", "KRPvKRP"])
def test_captures_en_passant_are_those_of_python_chess(name: str) -> None:
    where, room = place(name), np.zeros(512, np.int64)
    legal = 0
    for board, move in boards_before_double_steps(name, 150):
        squares, side = where.squares_of(board), int(not board.turn)
        stepped = squares.tolist().index(move.from_square)
        assert gives_right(where.graph, squares, side, pack_move(stepped, move.to_square, -1, -1)), board.fen()
        board.push(move)
        squares[stepped] = move.to_square
        count = _passant_captures(where.graph, squares, 1 - side, stepped, room)
        found = {unpack(squares, one) for one in room[:count].tolist()}
        assert found == set(board.generate_legal_ep()), board.fen()
        assert all(plain(packed.move_taken)(one) == stepped for one in room[:count].tolist())
        legal += bool(found)
    assert legal > 0
    assert legal < 150 or not {"Q", "R"} & set(name), "some bare the king"
