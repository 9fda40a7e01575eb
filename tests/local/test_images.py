"""Positions that symmetry makes one are solved once: files mirrored, colours swapped, or both."""

from collections import Counter
from pathlib import Path

import chess
import pytest

from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.solve import solve_plan
from tbgen.beyond.local.view import SolvedTables
from tbgen.core import position
from tbgen.core.material import Material, parse
from tbgen.probe import open_tablebase
from tbgen.probe.bounds import answer
from tbgen.store.format.local import Bound
from tests.support.local_tables import images, keep_all, keep_alone, verdicts

pytestmark = pytest.mark.usefixtures("no_bundle")

EQUAL = "8/8/2p1k3/p1P5/P7/8/3K4/8 w - - 4 60"
"""Both sides have two pawns, and all four images differ."""
APART = "8/8/7P/P2k4/8/3K4/8/8 w - - 4 60"
"""Mirrored, the pawns are on the same files again, but not on the same squares."""
SMALL = 100_000
"""Numbers: no piece is on the board."""


def tables_of(plan: list[Part]) -> Counter[frozenset[tuple[Material, Bound, str]]]:
    """Under which keys tables are kept that are made of a plan, the colours swapped or not."""
    return Counter(
        frozenset({(part.material, bound, white), (part.material.swapped, bound.swapped, black)})
        for part in plan
        for bound, (white, black) in part.keys.items()
    )


@pytest.mark.parametrize(
    "fen", [EQUAL, APART, "8/1p1r4/3k4/8/P7/3R4/3K4/8 w - - 4 60", "8/p6p/3k4/8/8/3K4/P2P3P/8 b - - 4 60"]
)
@pytest.mark.parametrize("known", ["", "KvK KQvK KRvK KBvK KNvK"])
@pytest.mark.parametrize(("most", "one_bound"), [(0, 0), (SMALL, 0), (0, 1 << 22), (1 << 22, 1 << 22)])
def test_all_images_are_one_plan(fen: str, known: str, most: int, one_bound: int) -> None:
    complete = [*map(parse, known.split())]
    plans = [make_plan(board, complete, most, one_bound=one_bound) for board in images(chess.Board(fen))]
    assert all(tables_of(plan) == tables_of(plans[0]) for plan in plans)


def test_what_is_kept_of_one_answers_for_all(tmp_path: Path) -> None:
    """Nothing is solved anew, and the answer is that of a solve without kept tables."""
    (tmp_path / "empty").mkdir()
    keep_alone(tmp_path, EQUAL)
    with open_tablebase(tmp_path) as kept, open_tablebase(tmp_path / "empty") as nothing:
        for board in images(chess.Board(EQUAL)):
            plan = make_plan(board, [], 0)
            assert [*Shelf(tmp_path, writes=False).look_up(plan)] == [plan[-1].material]
            record = position.goal(board)
            found = kept.sure(board, record)
            assert found is not None
            assert found.sure.known
            assert found == answer(SolvedTables(solve_plan(plan, lambda materials: {})), board, record, nothing)


@pytest.mark.parametrize("fen", ["8/8/3k4/8/p7/8/3K4/8 w - - 0 1", "8/8/3k4/7P/8/8/3K4/8 w - - 0 1"])
def test_a_part_is_found_where_another_position_leads_to_its_image(fen: str, tmp_path: Path) -> None:
    """All parts lie on one side of the board, and it does not matter whose pawn it is."""
    keep_all(tmp_path, "8/8/P2k4/8/7p/3K4/8/8 w - - 4 60", SMALL)
    plan = make_plan(chess.Board(fen), [], 0)
    assert [*Shelf(tmp_path, writes=False).look_up(plan)] == [plan[-1].material]


@pytest.mark.parametrize("fen", [EQUAL, APART])
def test_all_that_is_solved_is_right(fen: str, tmp_path: Path) -> None:
    """By forward moves. KPvKP comes up with either side as the first, and pawns step from one image to another."""
    keep_all(tmp_path, fen, SMALL)
    assert set(verdicts(tmp_path)) == {(0, 0)}


def test_files_that_are_their_own_image(tmp_path: Path) -> None:
    """After steps the image comes first that did not before."""
    keep_all(tmp_path, APART, SMALL)
    plan = make_plan(chess.Board("8/P7/7P/3k4/8/3K4/8/8 w - - 4 60"), [], SMALL)
    assert Shelf(tmp_path, writes=False).look_up(plan).keys() == {part.material for part in plan}
