"""Parts that are solved for one bound only: what a side is sure of where it has promoted to a queen."""

import random
from functools import partial
from pathlib import Path

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.beyond.checker import check, read
from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.resets import Reset, after_retaking, resets
from tbgen.beyond.local.solve import LocalTables, solve_plan
from tbgen.beyond.local.stages import Limits, numbers_to_solve, stages
from tbgen.beyond.local.view import SolvedTables
from tbgen.beyond.local.walks import Pawns, mirrored
from tbgen.beyond.prove.strategy import prove
from tbgen.core import outcome, position
from tbgen.core.material import Material, every, parse
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.probe import bounds, open_tablebase
from tbgen.store import open_table
from tbgen.store.format.local import BOTH, Bound
from tbgen.store.local import list_local
from tests.support.boards import random_boards
from tests.support.local_tables import links, parts_of, spread, verdicts

pytestmark = pytest.mark.usefixtures("no_bundle")

THREE = [one for men in (2, 3) for one in every(men)]
FOUR = [*THREE, *every(4)]
NEAR = chess.Board("8/P7/8/3k4/8/3K4/7p/8 w - - 4 60")
"""One placement: each promotion leads to one more."""
LARGE = 1 << 22


@pytest.mark.parametrize(
    ("material", "complete"),
    [("KPvKP", THREE), ("KPPvKP", THREE), ("KPPvKPP", []), ("KPPvKPP", FOUR), ("KRPvKPP", FOUR)],
)
@pytest.mark.parametrize("most", [0, 100_000, 1 << 20])
def test_what_is_asked_of_a_part_is_there(material: str, complete: list[Material], most: int) -> None:
    """In every placement, after retaking too: a part that was not asked for something would answer at random."""
    halves = 0
    for board in random_boards(parse(material), 3):
        plan = make_plan(board, complete, most, one_bound=1 << 24)
        parts = {part.material: part for part in plan}
        for part in plan:
            for bound in part.bounds:
                for pawns in part.slices:
                    for reset in resets(pawns, part.material):
                        check_asked(reset, part, bound, parts)
            halves += len(part.bounds) == 1 and not part.exact
    assert halves > 0


def check_asked(reset: Reset, part: Part, bound: Bound, parts: dict[Material, Part]) -> None:
    if answers(reset.material, part, bound, parts):
        assert has(parts[reset.material], reset.pawns), (part.material, reset)
        return
    for behind, retaking in after_retaking(reset):
        if answers(behind, part, bound, parts):
            assert has(parts[behind], retaking), (part.material, reset)


def answers(lead: Material, part: Part, bound: Bound, parts: dict[Material, Part]) -> bool:
    """Whether a part is asked when this bound of another one is solved."""
    if lead not in part.known:
        return False
    return parts[lead].tells([bound])


def has(part: Part, there: Pawns) -> bool:
    return there in part.slices or mirrored(there) in part.slices


def test_only_own_queens_count() -> None:
    plan = make_plan(NEAR, THREE, 0, one_bound=LARGE)
    queens = parse("KQvKP")
    assert {(part.material, part.bounds) for part in plan[:2]} == {
        (queens, (Bound.WORST,)),
        (queens.swapped, (Bound.BEST,)),
    }
    assert [(part.material, part.bounds) for part in plan[2:]] == [(parse("KPvKP"), BOTH)]


@pytest.fixture(scope="module")
def little(small_tables: Path) -> LocalTables:
    return solve_plan(make_plan(NEAR, THREE, 0), partial(parts_of, small_tables))


@pytest.fixture(scope="module")
def queens(small_tables: Path) -> LocalTables:
    return solve_plan(make_plan(NEAR, THREE, 0, one_bound=LARGE), partial(parts_of, small_tables), records=True)


def sure(local: LocalTables, bound: Bound) -> NDArray[np.int32]:
    """What White gets in each position of the position's own part, at the worst or at best."""
    outcomes = local.contents[local.root][bound].entries >> OUTCOME_SHIFT
    half = len(outcomes) // 2
    return np.concatenate([outcomes[:half], -outcomes[half:]])


def test_bounds_are_better_and_none_is_lost(little: LocalTables, queens: LocalTables) -> None:
    worst, best = (sure(queens, bound) for bound in BOTH)
    assert (worst <= best).all()
    assert (sure(little, Bound.WORST) <= worst).all()
    assert (best <= sure(little, Bound.BEST)).all()
    before, now = (np.mean(sure(local, Bound.WORST) == sure(local, Bound.BEST)) for local in (little, queens))
    assert now > before + 0.1


@pytest.mark.full
def test_against_the_complete_table(queens: LocalTables, small_tables: Path, four_men: Path) -> None:
    local, chance = SolvedTables(queens), random.Random(3)
    with open_tablebase(small_tables) as complete, open_tablebase(four_men) as truth:
        for board in spread(NEAR.fen(), 500):
            held = chance.choice([outcome.held_by_white, outcome.held_by_black])
            record = outcome.improved(held(chance.randint(2, position.level(board))), position.goal(board))
            found = bounds.answer(local, board, record, complete)
            value = truth.probe(board, record).outcome
            assert found.sure.white <= value <= found.sure.black


def test_they_are_kept_and_right(small_tables: Path, tmp_path: Path, queens: LocalTables) -> None:
    """By forward moves; and the files answer as what was solved does, but not for what they know by half."""
    links(small_tables, tmp_path, " ".join(one.name for one in THREE))
    plan, more = make_plan(NEAR, THREE, 0, one_bound=LARGE), make_plan(NEAR, THREE, LARGE)
    solve_plan(plan, partial(parts_of, tmp_path), shelf=Shelf(tmp_path, writes=True))
    shelf = Shelf(tmp_path, writes=False)
    assert {*shelf.look_up(plan)} == {part.material for part in plan}
    assert not shelf.look_up(more)
    files = [*list_local(tmp_path)]
    assert sorted((one.material.name, one.name.bound) for one in files) == [
        ("KPvKP", "best"), ("KPvKP", "worst"), ("KQvKP", "worst"),
    ]  # fmt: skip
    for one in files:
        with open_table(one.path) as table:
            assert table.local is not None
            assert [there.name.bound for there in table.local.tables] == [Bound.WORST] * len(table.local.tables)
    assert set(verdicts(tmp_path)) == {(0, 0)}
    local = SolvedTables(queens)
    with open_tablebase(tmp_path) as kept, open_tablebase(small_tables) as complete:
        for board in spread(NEAR.fen(), 40):
            record = position.goal(board)
            assert kept.sure(board, record, line=True) == bounds.answer(local, board, record, complete)
        assert kept.sure(chess.Board("Q7/8/8/3k4/8/3K4/7p/8 b - - 0 60")) is None


def test_what_they_prove_is_proved(queens: LocalTables, small_tables: Path) -> None:
    """The strategy promotes, and goes on in a part that is known by half."""
    board = chess.Board("8/P7/8/8/8/1K5k/7p/8 w - - 4 60")
    local, record = SolvedTables(queens), position.goal(board)
    with open_tablebase(small_tables) as complete:
        found = bounds.answer(local, board, record, complete).sure
        assert found.white > -outcome.BASE
        proved = prove(local, complete, board, record, chess.WHITE, found.white)
        assert any("Q" in reply.position for reply in proved.replies)
        for claim in read([*proved.lines()]):
            check(claim, complete)


def test_plans_grow() -> None:
    """First for one bound, then for both. Nothing takes more than there is."""
    for seconds, wanted in ((5.0, [0, 1]), (20.0, [0, 1, 2])):
        limits = Limits(1 << 32, 1 << 40, seconds)
        found = [*stages(NEAR, THREE, limits, 2)]
        assert all(cost.cpu_seconds <= limits.cpu_seconds for _, cost in found)
        assert [max((part.times for part in plan[:-1]), default=0) for plan, _ in found] == wanted
        numbers = [numbers_to_solve(plan) for plan, _ in found]
        assert numbers == sorted(set(numbers))
