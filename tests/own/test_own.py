"""A position's own table says what the complete table says; where resets are not known, its bounds contain that."""

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen import outcome
from tbgen.index import layout_of
from tbgen.index.positions import fen
from tbgen.material import Material, parse
from tbgen.own.slices import number_of, own_layout
from tbgen.own.solve import Entries, contents_of, solve_position, value_of
from tbgen.position import fault, level
from tbgen.probe import open_tablebase
from tbgen.store import open_table, table_path


@pytest.fixture(scope="module")
def entries(small_tables: Path) -> dict[Material, np.ndarray]:
    found = {}
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        with open_table(table_path(small_tables, parse(name), "r")) as table:
            found[parse(name)] = table.read(0, table.size)[0]
    return found


def boards(seen_from: chess.Board, count: int) -> list[chess.Board]:
    """Legal positions of the own table at random."""
    seen, chance = own_layout(seen_from), random.Random(1)
    found: list[chess.Board] = []
    while len(found) < count:
        board = chess.Board(fen(seen.layout, chance.randrange(seen.layout.size)))
        if board.occupied.bit_count() == seen_from.occupied.bit_count() and fault(board) is None:
            found.append(board.mirror() if seen.swapped else board)
    return found


@pytest.mark.parametrize("start", ["8/8/8/3k4/4P3/8/8/4K3 w - - 0 1", "8/3k4/7p/8/8/8/8/4K3 b - - 0 1"])
def test_slices_are_those_that_can_come_up(start: str) -> None:
    board = chess.Board(start)
    seen = own_layout(board)
    assert seen.layout.slices == (4 if not seen.swapped else 5)
    for one in boards(board, 50):
        again = own_layout(board)._replace(board=one.mirror() if seen.swapped else one)
        assert fen(seen.layout, number_of(again)).split()[:2] == again.board.fen().split()[:2]


def test_pawns_that_face_each_other_never_pass() -> None:
    assert own_layout(chess.Board("8/7p/8/8/P7/8/8/K6k w - - 0 1")).layout.slices == 4 * 6
    assert own_layout(chess.Board("8/p7/8/8/P7/8/8/K6k w - - 0 1")).layout.slices == 6
    assert own_layout(chess.Board("8/8/p1p5/P1P5/8/8/8/K6k w - - 0 1")).layout.slices == 1


@pytest.mark.parametrize("start", ["8/8/8/3k4/4P3/8/8/4K3 w - - 0 1", "8/3k4/7p/8/8/8/8/4K3 b - - 0 1"])
@pytest.mark.parametrize("known", ["all", "some"])
def test_against_the_complete_table(start: str, known: str, entries: Entries, small_tables: Path) -> None:
    board = chess.Board(start)
    seen = own_layout(board)
    given = entries if known == "all" else {parse("KvK"): entries[parse("KvK")], parse("KNvK"): entries[parse("KNvK")]}
    tables = [contents_of(seen, given, winner) for winner in ([None] if known == "all" else [1, 0])]
    exact, chance = 0, random.Random(2)
    with open_tablebase(small_tables) as truth:
        for one in boards(board, 400):
            if level(one) < 2:
                continue
            held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
            for record in (None, held(chance.randint(2, level(one)))):
                there = seen._replace(board=one.mirror() if seen.swapped else one)
                found = [value_of(there, table, record) for table in tables]
                found = [-value for value in found] if seen.swapped else found
                value = truth.probe(one, record).outcome
                assert min(found) <= value <= max(found), (one.fen(), record)
                exact += min(found) == max(found)
    assert exact > 400 if known == "all" else exact > 0


def test_one_position(entries: Entries, small_tables: Path) -> None:
    board = chess.Board("8/8/3k4/8/3PK3/8/8/8 w - - 0 1")
    with open_tablebase(small_tables) as truth:
        value = truth.probe(board).outcome
    assert solve_position(board, None, entries) == (value, value)
    bounds = solve_position(board, None, {})
    assert bounds.white <= value <= bounds.black


def test_the_complete_layout_is_as_it_was() -> None:
    assert layout_of(parse("KPvK")).slices == 24
