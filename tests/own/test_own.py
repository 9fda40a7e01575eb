"""A position's own tables say what the complete table says; where resets are not known, their bounds contain that."""

import random
from pathlib import Path

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.index.positions import fen
from tbgen.material import Material, parse
from tbgen.own.plan import make_plan
from tbgen.own.slices import closed, in_frame, layout_for, name_of, number_of, placement_of, resets
from tbgen.own.solve import Entries, OwnTable, solve_plan
from tbgen.position import fault, level
from tbgen.probe import open_tablebase
from tbgen.store import open_table, table_path
from tests.support.boards import random_boards

UP = "8/8/8/3k4/4P3/8/8/4K3 w - - 0 1"
DOWN = "8/3k4/7p/8/8/8/8/4K3 b - - 0 1"


@pytest.fixture(scope="module")
def entries(small_tables: Path) -> dict[Material, NDArray[np.int32]]:
    found = {}
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        with open_table(table_path(small_tables, parse(name), "r")) as table:
            found[parse(name)] = table.read(0, table.size)[0]
    return found


def positions(start: chess.Board, table: OwnTable, count: int) -> list[chess.Board]:
    """Legal positions of an own table at random."""
    chance, found = random.Random(1), list[chess.Board]()
    while len(found) < count:
        board = chess.Board(fen(table.part.layout, chance.randrange(table.part.layout.size)))
        if board.occupied.bit_count() == start.occupied.bit_count() and fault(board) is None and level(board) > 1:
            assert number_of(board, table.part.layout) < table.part.layout.size
            found.append(in_frame(board, table.name))
    return found


def test_a_number_is_that_of_the_position() -> None:
    for board in random_boards(parse("KRPvKPP"), 50):
        name = name_of(board)
        seen = in_frame(board, name)
        layout = layout_for(name.material, closed({placement_of(seen)}))
        found = chess.Board(fen(layout, number_of(seen, layout)))
        assert (found.board_fen(), found.turn) == (seen.board_fen(), seen.turn)


@pytest.mark.parametrize(
    ("start", "slices"),
    [
        (UP, 4),
        (DOWN, 5),
        ("8/7p/8/8/P7/8/8/K6k w - - 0 1", 4 * 6),
        ("8/p7/8/8/P7/8/8/K6k w - - 0 1", 6),
        ("8/8/p1p5/P1P5/8/8/8/K6k w - - 0 1", 1),
    ],
)
def test_pawns_only_step_forward_and_never_pass(start: str, slices: int) -> None:
    board = chess.Board(start)
    assert len(closed({placement_of(in_frame(board, name_of(board)))})) == slices


@pytest.mark.parametrize("material", ["KRPvKP", "KPPvKP", "KBPPvKNP"])
def test_every_reset_leads_to_a_part_that_is_listed(material: str) -> None:
    for board in random_boards(parse(material), 60):
        name = name_of(board)
        listed = set(resets(name, placement_of(in_frame(board, name))))
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if board.is_capture(move) or move.promotion:
                if not after.pawns:
                    continue
                there = name_of(after)
                assert (there, placement_of(in_frame(after, there))) in listed, (board.fen(), move)


@pytest.mark.parametrize("start", [UP, DOWN])
@pytest.mark.parametrize("names", ["KvK KQvK KRvK KBvK KNvK", "KvK KNvK", ""])
def test_against_the_complete_table(start: str, names: str, entries: Entries, small_tables: Path) -> None:
    board = chess.Board(start)
    known = {parse(name): entries[parse(name)] for name in names.split()}
    table = solve_plan(make_plan(board, known, 0), known)
    exact, chance = 0, random.Random(2)
    with open_tablebase(small_tables) as truth:
        for one in positions(board, table, 300):
            held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
            for record in (None, held(chance.randint(2, level(one)))):
                found, value = table.bounds(one, record), truth.probe(one, record).outcome
                assert found.white <= value <= found.black, (one.fen(), record)
                exact += found.white == found.black
    assert (exact == 600) == (len(known) == 5)


def test_a_capture_leads_to_an_own_table_of_fewer_men(entries: Entries, small_tables: Path) -> None:
    """KPvKP without its successors' tables: KPvK is solved on the way, for either side."""
    board = chess.Board("8/8/3k4/3p4/3P4/8/3K4/8 w - - 0 1")
    plan = make_plan(board, entries, 1 << 20)
    assert {(str(part.name.material), part.name.swapped) for part in plan[:2]} == {("KPvK", False), ("KPvK", True)}
    table = solve_plan(plan, entries)
    (kpk, *_) = plan
    assert kpk.exact
    found = table.bounds(board, None)
    assert found.white <= found.black
