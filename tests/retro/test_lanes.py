"""Steps that deal with a lane at a time, against numpy, square by square."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY
from tbgen.jit import kernel
from tbgen.retro.sweep import state as state_of_a_slice
from tbgen.retro.threads import lanes
from tbgen.retro.threads.lanes import LANE, laid_out
from tbgen.retro.threads.sets import BITS, CLOSED, make_sets
from tbgen.retro.threads.team import lock_lane, make_team, unlock_lane

WORDS = st.integers(0, 2**64 - 1)


@kernel
def image_of(bits, symmetry):  # type: ignore[no-untyped-def]
    return lanes.image_of(bits, symmetry)


@kernel
def at_most(array, lane, value):  # type: ignore[no-untyped-def]
    return lanes.at_most(array, lane, value)


@kernel
def due_ones(state, sets, lane, level):  # type: ignore[no-untyped-def]
    return state_of_a_slice.due_ones(state, sets, lane, level)


@kernel
def put(array, lane, bits, value):  # type: ignore[no-untyped-def]
    lanes.put(array, lane, bits, value)


def chosen(bits: int) -> NDArray[np.bool_]:
    return np.array([bits >> at & 1 for at in range(LANE)], np.bool_)


def packed(choice: NDArray[np.bool_]) -> int:
    return sum(1 << at for at in np.flatnonzero(choice).tolist())


@pytest.fixture(params=[np.uint8, np.uint16])
def array(request: pytest.FixtureRequest) -> NDArray[np.unsignedinteger]:
    found = laid_out(3 * LANE - 5, request.param)
    found[:] = np.random.default_rng(1).integers(0, 1 << 8, len(found))
    return found


@given(WORDS, st.integers(0, 7))
def test_the_image_of_a_set_is_that_of_its_squares(bits: int, symmetry: int) -> None:
    image = GEOMETRY.image[symmetry]
    assert int(image_of(np.uint64(bits), symmetry)) == sum(1 << int(image[at]) for at in range(64) if bits >> at & 1)


def test_a_lane_begins_a_cache_line_and_has_room_to_its_end(array: NDArray[np.unsignedinteger]) -> None:
    assert array.ctypes.data % 64 == 0
    assert at_most(array, 2, np.iinfo(array.dtype).max) == 2**64 - 1


@pytest.mark.parametrize("value", [0, 7, 128, 255])
def test_a_lane_has_the_positions_of_at_most_this_value(array: NDArray[np.unsignedinteger], value: int) -> None:
    for lane in range(2):
        assert int(at_most(array, lane, value)) == packed(array[lane * LANE : (lane + 1) * LANE] <= value)


class Due(NamedTuple):
    due: NDArray[np.unsignedinteger]


@pytest.mark.parametrize("level", [0, 3, 254])
def test_what_is_due_leaves_out_what_is_closed(level: int) -> None:
    size, generator = 2 * LANE - 5, np.random.default_rng(2)
    state, sets = Due(laid_out(2 * LANE, np.uint8)[:size]), make_sets(BITS, size)
    state.due.base[...] = 0  # what lies behind the last position is never due
    state.due[:] = generator.choice([0, 1, 3, 4, 254, 255], size)
    before, closed = state.due.copy(), generator.random(size) < 0.5
    for lane in range(2):
        here = slice(lane * LANE, min((lane + 1) * LANE, size))
        sets.bits[CLOSED * sets.words + lane] = packed(closed[here])
        assert int(due_ones(state, sets, lane, level)) == packed((before[here] <= level) & ~closed[here])
    assert (state.due == np.where((before <= level) & closed, 255, before)).all()


@pytest.mark.parametrize("bits", [0, 1, 1 << 63, 0x123456789ABCDEF0, 2**64 - 1])
def test_a_lane_is_written_where_its_bits_are_set(array: NDArray[np.unsignedinteger], bits: int) -> None:
    before = array.copy()
    put(array, 1, np.uint64(bits), 200)
    assert (array[LANE : 2 * LANE] == np.where(chosen(bits), 200, before[LANE : 2 * LANE])).all()
    assert (array[:LANE] == before[:LANE]).all()
    assert (array[2 * LANE :] == before[2 * LANE :]).all()


@kernel
def count_often(team, counts, lane, times):  # type: ignore[no-untyped-def]
    for _ in range(times):
        lock_lane(team, lane)
        counts[lane] += 1
        unlock_lane(team, lane)


def test_a_lane_is_one_thread_s_at_a_time() -> None:
    team, counts = make_team(3), np.zeros(2, np.int64)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: count_often(team, counts, 1, 200_000), range(3)))
    assert counts.tolist() == [0, 600_000]
    assert not team.locks.any()
