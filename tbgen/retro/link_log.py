"""The links of finished slices: logged as they come, and put back where they were.

A slot that a lookup passes on its way is never free: it was taken before. Where links are put back, those of unfinished
slices are missing, and their slots become gaps: free, they would end a lookup before it finds what it looks for, and
the same link would be there twice.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import inlined, kernel
from tbgen.retro.values.staircase import GAP, Links, link_before, window_of

LONGEST_CHAIN: Final = 512
"""Links of a chain, at most: one for each holder and level."""


def make_seen(capacity: int) -> NDArray[np.uint64]:
    """A set of links, empty."""
    return np.zeros((capacity >> 6) + 1, np.uint64)


@inlined
def _has(seen, link):
    return seen[link >> 6] >> np.uint64(link & 63) & np.uint64(1)


@inlined
def _add(seen, link):
    seen[link >> 6] |= np.uint64(1) << np.uint64(link & 63)


@kernel
def collect(
    links: Links,
    staircases: NDArray[np.int32],
    begin: int,
    seen: NDArray[np.uint64],
    slots: NDArray[np.int32],
    keys: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Take down the links of these staircases, from the position `begin` on, that have not been seen.

    Returns how many there are and the position to go on from: `slots` and `keys` may be full before the end."""
    count = np.int64(0)
    for at in range(begin, len(staircases)):
        link = np.int64(staircases[at])
        if link == 0 or _has(seen, link):
            continue
        if count + LONGEST_CHAIN > len(slots):
            return count, np.int64(at)
        while link and not _has(seen, link):
            _add(seen, link)
            slots[count] = link - 1
            keys[count] = links.keys[link - 1]
            count += 1
            link = link_before(links, link)
    return count, np.int64(len(staircases))


@inlined
def _table_of(links, slot, key):
    """The hash table in which a link with this key may have this slot; -1 if there is none."""
    table = 0
    while True:
        first, end = window_of(key, table, len(links.keys))
        if first < 0:
            return -1
        if first <= slot < end:
            return table
        table += 1


@inlined
def _may_go(links, slot, key):
    """Whether a link with this key may be put into this slot."""
    if slot < 0 or slot >= len(links.keys) or key <= 0 or _table_of(links, slot, key) < 0:
        return False
    return links.keys[slot] == 0 or links.keys[slot] == key


@kernel
def restore(links: Links, slots: NDArray[np.int32], keys: NDArray[np.int64]) -> int:
    """Put links back. Returns how many have no business there: none, if what was taken down is what was there."""
    bad = 0
    for at in range(len(slots)):
        slot = np.int64(slots[at])
        if _may_go(links, slot, keys[at]):
            links.keys[slot] = keys[at]
        else:
            bad += 1
    return bad


@kernel
def close_gaps(links: Links, slots: NDArray[np.int32]) -> None:
    """Make gaps of the free slots that lookups of these links pass, in their own hash table and in those before it."""
    for at in range(len(slots)):
        slot = np.int64(slots[at])
        key = links.keys[slot]
        for table in range(_table_of(links, slot, key) + 1):
            first, end = window_of(key, table, len(links.keys))
            for passed in range(first, min(end, slot)):
                if links.keys[passed] == 0:
                    links.keys[passed] = GAP


@kernel
def are_whole(links: Links, staircases: NDArray[np.int32], seen: NDArray[np.uint64]) -> bool:
    """Whether all links of these staircases are there; those that are join the ones that have been `seen`."""
    capacity = len(links.keys)
    for at in range(len(staircases)):
        link = np.int64(staircases[at])
        if link == 0 or (0 < link <= capacity and _has(seen, link)):
            continue
        there, length = link, 0
        while there and not (0 < there <= capacity and _has(seen, there)):
            if there < 0 or there > capacity or links.keys[there - 1] <= 0 or length == LONGEST_CHAIN:
                return False
            there = link_before(links, there)
            length += 1
        while link and not _has(seen, link):
            _add(seen, link)
            link = link_before(links, link)
    return True
