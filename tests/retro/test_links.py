"""The index of links: where one table of it is full the next has room, and levels that are done need none."""

import numpy as np
import pytest

from tbgen.compiler.jit import kernel, plain
from tbgen.retro.values import staircase
from tbgen.system.thresholds import FIRST_LINKS


@kernel
def add_steps(links, looked_for, steps, numbers):  # type: ignore[no-untyped-def]
    for at in range(len(steps)):
        numbers[at] = staircase.add_step(links, looked_for, at % 7, steps[at])


@kernel
def find_steps(links, looked_for, steps, numbers):  # type: ignore[no-untyped-def]
    for at in range(len(steps)):
        numbers[at] = staircase._known(links, looked_for, np.int64(at % 7 << 32 | steps[at]))


def test_links_are_found_in_whichever_table_they_are() -> None:
    links = staircase.make_links(10_000, shared=True)
    steps, looked_for = np.arange(1, 5000), staircase.LookedFor(1, 250)
    numbers, found = np.zeros((2, len(steps)), np.int64)
    add_steps(links, looked_for, steps, numbers)
    assert np.count_nonzero(links.tables) > 3
    find_steps(links, looked_for, steps, found)
    assert (found == numbers).all()
    find_steps(links, looked_for, steps + len(steps), found)
    assert not found.any()


@pytest.mark.parametrize("shared", [True, False])
def test_links_without_room_in_a_table_of_the_index_go_on_in_the_next(shared: bool) -> None:
    first = FIRST_LINKS - 1
    links = staircase.make_links((first + 300_000) * (2 - shared), shared=shared)
    assert FIRST_LINKS < len(links.slots) < 2 * FIRST_LINKS
    steps, numbers = np.arange(1, first), np.zeros((2, first - 1), np.int64)
    for row in numbers:
        add_steps(links, staircase.LookedFor(1, FIRST_LINKS), steps, row)
    assert (numbers[0] == numbers[1]).all()
    assert sorted(numbers[0]) == list(range(1, first))
    assert links.given[0] == first - 1
    assert links.slots[FIRST_LINKS:].any()
    assert (links.keys[numbers[0] - 1] == (np.arange(len(steps)) % 7 << 32) + steps).all()


def test_links_of_levels_that_are_done_leave_their_slots_to_others() -> None:
    links = staircase.make_links(500, shared=False)
    steps, numbers = np.arange(1, 201), np.zeros(200, np.int64)
    for level in range(2):
        add_steps(links, staircase.LookedFor(1 + 200 * level, 250), steps, numbers)
        assert sorted(numbers) == list(range(1 + 200 * level, 201 + 200 * level))
    add_steps(links, staircase.LookedFor(401, 250), steps, numbers)
    assert numbers.max() == 500, "the last there is room for"
    assert (numbers == staircase.FULL).sum() == 100


def test_the_index_has_room_for_few_positions_only() -> None:
    links, is_room_for = staircase.make_links(1 << 26, shared=False), plain(staircase.is_room_for)
    assert is_room_for(links, len(links.slots) // 4)
    assert not is_room_for(links, len(links.slots) // 4 + 1)
    assert is_room_for(staircase.make_links(1 << 26, shared=True), 1 << 34), "whatever comes"


def test_a_level_mostly_adds_as_many_links_as_the_index_has_room_for() -> None:
    links, may_have_room = staircase.make_links(1 << 26, shared=False), plain(staircase.may_have_room)
    many = len(links.slots)
    assert may_have_room(links, many), "no position has a staircase yet"
    links.given[0] = 100_000
    assert may_have_room(links, many), "so few links lead to few new ones"
    links.given[0] = 1_000_000
    assert not may_have_room(links, many)
    assert may_have_room(links, len(links.slots) // 4), "so few positions have few"
