"""Moves and un-moves of the solver against python-chess, and against each other."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import chess
import numpy as np
import pytest
from numpy.typing import NDArray
from test_material import is_complete, random_boards

from tbgen.index import Layout, layout_of
from tbgen.index.atlas import MEN, make_atlas
from tbgen.index.kernels import locate_many
from tbgen.index.positions import fen
from tbgen.jit import kernel, plain
from tbgen.material import every, parse
from tbgen.retro import moves as packed
from tbgen.retro.ground import (
    MOST_NEIGHBOURS,
    Ground,
    attacked,
    make_desk,
    make_ground,
    predecessors,
    set_up,
    successors,
)
from tbgen.retro.moves import is_checked, list_moves, pack_move
from tbgen.retro.passant import _passant_captures, gives_right

SMALL = [one.name for men in (2, 3, 4) for one in every(men)]
LARGER = ["KNNvKP", "KQQQvK", "KPPvKP", "KRPvKP", "KBNvKN", "KPPPvK", "KQPvKR", "KRPvKRP", "KNNNvKNN", "KNPvKNP"]


class Place(NamedTuple):
    """A slice to move in: its numbers count from 0."""

    layout: Layout
    ground: Ground
    start: int
    size: int

    def squares_of(self, board: chess.Board) -> NDArray[np.int64]:
        """Slot by slot; White is the first side."""
        row, used = np.zeros(MEN, np.int64), set()
        for slot, (side, letter) in enumerate(self.layout.letters):
            piece = chess.Piece.from_symbol(letter if side == 0 else letter.lower())
            square = min(s for s, found in board.piece_map().items() if found == piece and s not in used)
            used.add(square)
            row[slot] = square
        return row

    def numbers_of(self, boards: list[chess.Board]) -> list[int]:
        """-1 and the like for positions outside of the slice."""
        if not boards:
            return []
        rows = np.stack([self.squares_of(board) for board in boards])
        numbers = np.zeros(len(boards), np.int64)
        locate_many(self.ground.atlas, 0, rows, np.array([int(not board.turn) for board in boards]), numbers)
        return (numbers - self.start).tolist()

    def board(self, number: int) -> chess.Board | None:
        """None where the number stands for no legal position."""
        board = chess.Board(fen(self.layout, self.start + number))
        whole = len(board.piece_map()) == self.layout.material.men
        return board if whole and not board.was_into_check() else None


@cache
def place(name: str, part: int = 0) -> Place:
    layout = layout_of(parse(name))
    start, end = layout.start[part : part + 2].tolist()
    family, flip, half = (int(column[part]) for column in (layout.family, layout.flip, layout.half_size))
    ground = make_ground(make_atlas([layout]), family, flip, half, layout.placements.pawns[part].tolist())
    return Place(layout, ground, start, end - start)


def slice_with(name: str, pawns: str) -> Place:
    """The slice whose pawns stand, say, on `e4 e5`: the first side's first."""
    layout = layout_of(parse(name))
    code = sum(chess.parse_square(square) << 6 * at for at, square in enumerate(pawns.split()))
    return place(name, int(layout.placements.slice_of[code]) >> 4)


def after_quiet_moves(board: chess.Board) -> list[chess.Board]:
    after = []
    for move in board.legal_moves:
        if not board.is_zeroing(move):
            after.append(board.copy(stack=False))
            after[-1].push(move)
    return after


# --- forwards ------------------------------------------------------------------------------------------

Move = tuple[int, int, int | None, int | None]
PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


def listed(where: Place, board: chess.Board) -> tuple[list[Move], int]:
    """(from, to, promotion, square of the man taken) of all moves, and how many of them are quiet."""
    squares, room = where.squares_of(board), np.zeros(512, np.int64)
    before = squares.copy()
    quiet, count = list_moves(where.ground, squares, int(not board.turn), room)
    assert (squares == before).all()
    found: list[Move] = []
    for move in room[:count].tolist():
        taken, promotion = plain(packed.move_taken)(move), plain(packed.move_promotion)(move)
        found.append(
            (
                int(squares[plain(packed.move_slot)(move)]),
                plain(packed.move_target)(move),
                PROMOTED[promotion] if promotion >= 0 else None,
                int(squares[taken]) if taken >= 0 else None,
            )
        )
    return found, quiet


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_moves_are_those_of_python_chess(name: str) -> None:
    where = place(name)
    for board in random_boards(parse(name), 80):
        found, quiet = listed(where, board)
        expected = [
            (move.from_square, move.to_square, move.promotion, move.to_square if board.is_capture(move) else None)
            for move in board.legal_moves
        ]
        assert Counter(found) == Counter(expected), board.fen()
        assert [at >= quiet for at in range(len(found))] == [board.is_zeroing(chess.Move(*one[:3])) for one in found]
        assert is_checked(where.ground, where.squares_of(board), int(not board.turn)) == board.is_check()


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
    assert len(seen) == 7
    assert min(seen.values()) >= 10, seen


# --- the graph of quiet moves --------------------------------------------------------------------------


def slice_of(name: str, board: chess.Board) -> Place:
    """The slice that the position lies in."""
    (number,) = place(name).numbers_of([board])
    starts = layout_of(parse(name)).start
    return place(name, int(np.searchsorted(starts, number + place(name).start, side="right")) - 1)


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_successors_are_the_quiet_moves(name: str) -> None:
    desk = make_desk()
    for board in random_boards(parse(name), 6, seed=1):
        where = slice_of(name, board)
        (number,) = where.numbers_of([board])
        stored = where.board(number)
        assert stored is not None
        count = successors(where.ground, desk, number)
        assert Counter(desk.near[:count].tolist()) == Counter(where.numbers_of(after_quiet_moves(stored))), board.fen()
        assert count == len(after_quiet_moves(board))


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_unmoves_take_back_every_move_and_no_other(name: str) -> None:
    desk = make_desk()
    for board in random_boards(parse(name), 3, seed=2):
        where = slice_of(name, board)
        (number,) = where.numbers_of([board])
        count = predecessors(where.ground, desk, number)
        for before, times in Counter(desk.near[:count].tolist()).items():
            earlier = where.board(before)
            if earlier is not None:
                after = where.numbers_of(after_quiet_moves(earlier))
                assert after.count(number) == times, (earlier.fen(), board.fen())
        stored = where.board(number)
        assert stored is not None
        for later, times in Counter(where.numbers_of(after_quiet_moves(stored))).items():
            count = predecessors(where.ground, desk, later)
            assert desk.near[:count].tolist().count(number) == times, board.fen()


@kernel
def is_position(ground, desk, node):  # type: ignore[no-untyped-def]
    side, _, occupied, shared = set_up(ground, node, desk.squares)
    return not shared and not attacked(ground, desk.squares, side, desk.squares[1 - side], occupied, -1)


@kernel
def mixed(a, b):  # type: ignore[no-untyped-def]
    both = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b)
    both = (both ^ (both >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return both ^ (both >> np.uint64(27))


@kernel
def list_edges(ground, desk, backwards, legal, out_of, into):  # type: ignore[no-untyped-def]
    """Count all edges between positions at both ends; return the sum of a hash of each."""
    total = np.uint64(0)
    for node in range(len(legal)):
        if not legal[node]:
            continue
        count = predecessors(ground, desk, node) if backwards else successors(ground, desk, node)
        for at in range(count):
            near = desk.near[at]
            if backwards and not legal[near]:
                continue
            before, after = (near, node) if backwards else (node, near)
            out_of[before] += 1
            into[after] += 1
            total += mixed(before, after)
    return total


@kernel
def mark_positions(ground, desk, legal):  # type: ignore[no-untyped-def]
    for node in range(len(legal)):
        legal[node] = is_position(ground, desk, node)


@pytest.mark.parametrize(
    ("name", "pawns"),
    [
        ("KvK", ""), ("KNvK", ""), ("KQvK", ""), ("KNNvK", ""), ("KRvKR", ""), ("KPvK", "e4"), ("KPPvK", "b3 g3"),
        ("KPPvK", "b3 f3"), ("KPvKP", "e4 e5"), ("KPvKP", "d4 e5"), ("KPvKP", "b4 e6"), ("KRPvKP", "e4 d6"),
        pytest.param("KBvKN", "", marks=pytest.mark.full), pytest.param("KNPvKNP", "d4 e5", marks=pytest.mark.full),
    ],
)  # fmt: skip
def test_unmoves_are_the_moves_read_backwards(name: str, pawns: str) -> None:
    """Both list the same edges of the slice, each as many times."""
    code = sum(chess.parse_square(square) << 6 * at for at, square in enumerate(pawns.split()))
    where = place(name, int(layout_of(parse(name)).placements.slice_of[code]) >> 4)
    desk, legal = make_desk(), np.zeros(where.size, np.bool_)
    mark_positions(where.ground, desk, legal)
    forth, back = np.zeros((2, where.size), np.int64), np.zeros((2, where.size), np.int64)
    sums = [list_edges(where.ground, desk, flag, legal, *ends) for flag, ends in ((False, forth), (True, back))]
    assert (forth == back).all()
    assert sums[0] == sums[1]
    assert forth[0].sum() > legal.sum()
    assert max(forth.max(), back.max()) <= MOST_NEIGHBOURS


# --- en passant ----------------------------------------------------------------------------------------


def boards_before_double_steps(name: str, count: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """With an enemy pawn beside the target, and often other men on that rank."""
    chance = random.Random(name)
    material = parse(name)
    letters = "Kk" + material.first.replace("P", "", 1) + material.second.replace("P", "", 1).lower()
    while count:
        board = chess.Board(None)
        board.turn = chance.random() < 0.5
        start = chance.randrange(8) + (8 if board.turn else 48)
        target = start + 16 if board.turn else start - 16
        rank = [s for s in chess.SQUARES if s // 8 == target // 8]
        board.set_piece_at(start, chess.Piece(chess.PAWN, board.turn))
        board.set_piece_at(
            chance.choice([s for s in rank if abs(s - target) == 1]), chess.Piece(chess.PAWN, not board.turn)
        )
        for letter in letters:
            board.set_piece_at(
                chance.choice(rank if chance.random() < 0.4 else chess.SQUARES), chess.Piece.from_symbol(letter)
            )
        move = chess.Move(start, target)
        if is_complete(board, material.men) and board.piece_type_at(start) == chess.PAWN and board.is_legal(move):
            count -= 1
            yield board, move


@pytest.mark.parametrize("name", ["KPvKP", "KRPvKP", "KQPvKP", "KBPvKP", "KPPvKP", "KRPvKRP"])
def test_captures_en_passant_are_those_of_python_chess(name: str) -> None:
    where, room = place(name), np.zeros(512, np.int64)
    legal = 0
    for board, move in boards_before_double_steps(name, 150):
        squares, side = where.squares_of(board), int(not board.turn)
        stepped = int(np.flatnonzero(squares[: len(where.layout.letters)] == move.from_square)[0])
        assert gives_right(where.ground, squares, side, pack_move(stepped, move.to_square, -1, -1)), board.fen()
        board.push(move)
        squares[stepped] = move.to_square
        count = _passant_captures(where.ground, squares, 1 - side, stepped, room)
        found = {
            (int(squares[plain(packed.move_slot)(one)]), plain(packed.move_target)(one))
            for one in room[:count].tolist()
        }
        assert found == {(one.from_square, one.to_square) for one in board.generate_legal_ep()}, board.fen()
        assert all(plain(packed.move_taken)(one) == stepped for one in room[:count].tolist())
        legal += bool(found)
    assert legal > 0
    assert (legal < 150) == (set(name) != set("KPv")), "some bare the king to a piece"
