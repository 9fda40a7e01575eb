"""Links that a stopped build has kept are found again where they were, and there is room for all."""

import numpy as np

from tbgen.retro import link_log
from tbgen.retro.values.staircase import add_step, make_links
from tbgen.sizes import FIRST_LINKS, links_for


def test_lookups_pass_the_links_of_unfinished_slices() -> None:
    """Two links that share a window, the second one kept: it has to be found again, not added once more."""
    links = make_links(64)
    first = [int(add_step(links, 0, step)) for step in range(1, 12)]
    slots = np.array([first[-1] - 1], np.int32)
    keys = links.keys[slots]
    for array in (slots, keys):
        array.flags.writeable = False
    put_back = make_links(64)
    assert link_log.restore(put_back, slots, keys) == 0
    link_log.close_gaps(put_back, slots)
    assert add_step(put_back, 0, 11) == first[-1]


def test_lookups_pass_the_hash_tables_before_that_of_a_kept_link() -> None:
    """A link in the second hash table, kept where those in the first are not: it has to be found again there."""
    links = make_links(2 * FIRST_LINKS)
    links.keys[:FIRST_LINKS] = 1 + (np.arange(FIRST_LINKS) << 32)  # none of them is looked for
    kept = [int(add_step(links, 0, step)) for step in range(2, 60)]
    assert min(kept) > FIRST_LINKS
    slots = np.array(kept, np.int32) - np.int32(1)
    keys = links.keys[slots]
    put_back = make_links(2 * FIRST_LINKS)
    assert link_log.restore(put_back, slots, keys) == 0
    link_log.close_gaps(put_back, slots)
    assert [int(add_step(put_back, 0, step)) for step in range(2, 60)] == kept


def test_links_have_room_for_half_the_numbers() -> None:
    sizes = (1, 29_589_504, 59_179_008, 710_148_096, 1_877_686_272)
    slots = [links_for(numbers) for numbers in sizes]
    assert slots[0] >= FIRST_LINKS
    assert slots == sorted(slots)
    assert all(2 * one >= numbers for one, numbers in zip(slots, sizes, strict=True))
    assert links_for(1 << 40) == slots[-1] < 1 << 31, "positions point at them with 32 bits"
