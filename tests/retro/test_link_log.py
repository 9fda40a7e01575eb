"""Links that a stopped build has kept have their numbers again, and there is room for all."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.retro import link_log
from tbgen.retro.values.staircase import Links, LookedFor, add_step, make_links
from tbgen.system.thresholds import FIRST_LINKS, links_for

ALL = LookedFor(1, FIRST_LINKS)


def log_of(links: Links, numbers: list[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """As the log has these links."""
    log = np.array(numbers, np.int32), links.keys[np.array(numbers) - 1]
    for array in log:
        array.flags.writeable = False
    return log


@pytest.mark.parametrize("shared", [True, False])
def test_links_that_are_put_back_keep_their_numbers(shared: bool) -> None:
    """Those of unfinished slices before them are missing; nobody gets the number of one that is there."""
    links = make_links(64, shared=shared)
    first = [int(add_step(links, ALL, 0, step)) for step in range(1, 12)]
    assert first == list(range(1, 12))
    put_back = make_links(64, shared=shared)
    assert link_log.restore(put_back, *log_of(links, [4, 9])) == 0
    assert int(add_step(put_back, ALL, 0, 20)) == 10
    if shared:
        assert [int(add_step(put_back, ALL, 0, step)) for step in (4, 9)] == [4, 9]


def test_links_that_contradict_each_other_are_not_put_back() -> None:
    links = make_links(64, shared=True)
    assert [int(add_step(links, ALL, 0, step)) for step in (1, 2)] == [1, 2]
    numbers, keys = log_of(links, [1, 2])
    for wrong in ([2, 1], [1, 1], [1, 0], [1, 65]):
        put_back = make_links(64, shared=True)
        assert link_log.restore(put_back, numbers, keys) == 0
        assert link_log.restore(put_back, np.array(wrong, np.int32), keys) > 0


def test_one_link_has_one_number() -> None:
    links = make_links(64, shared=True)
    add_step(links, ALL, 0, 1)
    numbers, keys = log_of(links, [1])
    assert link_log.restore(links, numbers + np.int32(1), keys) == 1


def test_links_have_room_for_half_the_numbers() -> None:
    sizes = (1, 29_589_504, 59_179_008, 710_148_096, 1_877_686_272, 2_839_756_800)
    slots = [links_for(numbers) for numbers in sizes]
    assert slots[0] >= FIRST_LINKS
    assert slots == sorted(slots)
    assert all(2 * one >= numbers for one, numbers in zip(slots, sizes, strict=True))
    assert links_for(1 << 40) == slots[-1] < 1 << 31, "positions point at them with 32 bits"
