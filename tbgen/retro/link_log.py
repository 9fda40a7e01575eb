"""The links of finished slices: logged as they come, and put back where they were."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.room import reserve
from tbgen.retro.values.staircase import Links, all_links, enter, link_before

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
    numbers: NDArray[np.int32],
    keys: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Take down the links of these staircases, from the position `begin` on, that have not been seen.

    Returns how many there are and the position to go on from: `numbers` and `keys` may be full before the end."""
    count = np.int64(0)
    for at in range(begin, len(staircases)):
        link = np.int64(staircases[at])
        if link == 0 or _has(seen, link):
            continue
        if count + LONGEST_CHAIN > len(numbers):
            return count, np.int64(at)
        while link and not _has(seen, link):
            _add(seen, link)
            numbers[count] = link
            keys[count] = links.keys[link - 1]
            count += 1
            link = link_before(links, link)
    return count, np.int64(len(staircases))


@kernel
def restore(links: Links, numbers: NDArray[np.int32], keys: NDArray[np.int64]) -> int:
    """Put links back, as far as the disk has room for them. Returns how many have no business there: none, if what was
    taken down is what was there."""
    bad = 0
    for at in range(len(numbers)):
        number, key = np.int64(numbers[at]), keys[at]
        if number <= 0 or number > len(links.keys) or key <= 0 or links.keys[number - 1] not in (0, key):
            bad += 1
            continue
        if not reserve(links.room, number * links.keys.itemsize):
            return bad
        links.keys[number - 1] = key
        links.given[0] = max(links.given[0], number)
        if links.shared and enter(links, all_links(links), key, number) != number:
            bad += 1
    return bad


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
