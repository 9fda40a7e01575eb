"""Steps that deal with a lane at a time, against numpy, square by square."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY
from tbgen.compiler.jit import kernel
from tbgen.retro.threads import lanes
from tbgen.retro.threads.lanes import LANE, laid_out
from tbgen.retro.threads.team import lock_lane, make_team, unlock_lane

WORDS = st.integers(0, 2**64 - 1)


@kernel
def image_of(bits, symmetry):  # type: ignore[no-untyped-def]
    return lanes.image_of(bits, symmetry)


@kernel
def at_most(array, first, value):  # type: ignore[no-untyped-def]
    return lanes.at_most(array, first, value)


@kernel
def not_empty(array, first):  # type: ignore[no-untyped-def]
    return lanes.not_empty(array, first)


@kernel
def put(array, lane, bits, value):  # type: ignore[no-untyped-def]
    lanes.put(array, lane, bits, value)


@kernel
def add(array, lane, bits, value):  # type: ignore[no-untyped-def]
    lanes.add(array, lane, bits, value)


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


def test_a_lane_begins_a_cache_line_and_may_be_read_from_any_element_on(array: NDArray[np.unsignedinteger]) -> None:
    assert array.ctypes.data % 64 == 0
    assert array.base is not None
    assert array.ctypes.data + (len(array) - 1 + LANE) * array.itemsize <= array.base.ctypes.data + array.base.nbytes


@pytest.mark.parametrize("value", [0, 7, 128, 255])
@pytest.mark.parametrize("first", [0, 1, 63, LANE, LANE + 37])
def test_elements_of_at_most_this_value(array: NDArray[np.unsignedinteger], first: int, value: int) -> None:
    assert int(at_most(array, first, value)) == packed(array[first : first + LANE] <= value)


@pytest.mark.parametrize("first", [0, 1, LANE])
@given(st.sets(st.integers(0, 2 * LANE - 1)))
def test_words_that_are_not_empty(first: int, places: set[int]) -> None:
    words = np.zeros(2 * LANE, np.uint64)
    words[list(places)] = [1 << place % 64 for place in places]
    assert int(not_empty(words, first)) == packed(words[first : first + LANE] != 0)


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


@pytest.mark.parametrize("bits", [0, 1, 1 << 63, 0x123456789ABCDEF0, 2**64 - 1])
@pytest.mark.parametrize("value", [0, 2, 255])
def test_sums_stop_at_the_highest_byte(bits: int, value: int) -> None:
    sums = np.arange(0, 256, 4, dtype=np.uint8)
    expected = np.minimum(255, sums + value * chosen(bits).astype(np.int64))
    add(sums, 0, np.uint64(bits), value)
    assert sums.tolist() == expected.tolist()
