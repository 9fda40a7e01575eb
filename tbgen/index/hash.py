"""A perfect hash for some placements of pawns: hash and displace.

All placements of a few pawns are found by their squares in base 64 (index/pawns.py). For some placements of many pawns
that array would be too large. So each pawn adds the weight of its square, and the sum is the *code*. Weights are
random, and the same for like pawns: their order does not matter. What lies above HIGH in a code names a bucket, and
each bucket is shifted to where it fits between the others.
"""

from collections.abc import Sequence
from itertools import count
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

HIGH: Final = 32
"""Bits of a code below its bucket."""
_ROOM: Final = 2
"""Entries for each placement of a hash, at least."""
_CROWD: Final = 4
"""Placements for each bucket, about."""
_AT_ONCE: Final = 1 << 8
"""Shifts that are tried at a time."""


class Hash(NamedTuple):
    weight: NDArray[np.int64]
    """`[pawn * 64 + square]`, pawns in slot order: what it adds to the code."""
    shift: NDArray[np.int32]
    """`[code >> HIGH]`: how far a bucket is shifted."""
    mask: int
    """The bits of a code that number an entry of its bucket."""

    def place(self, squares: Sequence[int]) -> int:
        """The place of a placement's entry, if it has one."""
        code = sum(int(self.weight[64 * pawn + square]) for pawn, square in enumerate(squares))
        return (code + int(self.shift[code >> HIGH])) & self.mask


NO_HASH: Final = Hash(np.zeros(0, np.int64), np.zeros(0, np.int32), 0)


def make_hash(squares: NDArray[np.int64], sides: Sequence[int]) -> tuple[Hash, NDArray[np.int32]]:
    """Hash of some placements, `[placement, pawn]`, and the array that has the row of each placement at its place.
    Other placements may have the same places."""
    rows = len(squares)
    bits = int(_ROOM * rows).bit_length()
    buckets = max(1, rows // _CROWD)
    for seed in count():
        weight = _weights(np.random.default_rng(seed), sides, buckets)
        codes = weight[np.arange(len(sides)), squares].sum(axis=1)
        low, high = codes & (1 << bits) - 1, codes >> HIGH
        if len(np.unique(high << bits | low)) < rows:
            continue
        shift, found = _packed(low, high, 1 << bits, len(sides) * buckets + 1)
        return Hash(weight.reshape(-1), shift, (1 << bits) - 1), found
    raise AssertionError


def _weights(random: "np.random.Generator", sides: Sequence[int], buckets: int) -> NDArray[np.int64]:
    """`[pawn, square]`, the same for the pawns of a side. Their low parts add up to less than 1 << HIGH."""
    low = random.integers((1 << HIGH) // max(1, len(sides)), size=(2, 64))
    high = random.integers(buckets, size=(2, 64))
    return (high << HIGH | low)[np.array(sides, np.int64)]


def _packed(
    low: NDArray[np.int64], high: NDArray[np.int64], room: int, buckets: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """How far to shift each bucket so that no two placements meet, and where they are then. Large buckets go first."""
    order = np.argsort(high, kind="stable")
    starts = np.searchsorted(high[order], np.arange(buckets + 1))
    sizes = np.diff(starts)
    shift = np.zeros(buckets, np.int32)
    found = np.full(room, -1, np.int32)
    for bucket in np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes > 1)].tolist():
        members = order[starts[bucket] : starts[bucket + 1]]
        shift[bucket] = _fitting(found, low[members])
        found[low[members] + shift[bucket] & room - 1] = members
    # those with one member go where there is room
    single = np.flatnonzero(sizes == 1)
    members = order[starts[single]]
    places = np.flatnonzero(found < 0)[: len(single)]
    shift[single] = places - low[members]
    found[places] = members
    return shift, found


def _fitting(found: NDArray[np.int32], low: NDArray[np.int64]) -> int:
    """The least shift that takes all these to free places."""
    room = len(found)
    for start in range(0, room, _AT_ONCE):
        shifts = np.arange(start, min(start + _AT_ONCE, room))
        free = (found[shifts[:, None] + low & room - 1] < 0).all(axis=1)
        if free.any():
            return int(shifts[free.argmax()])
    raise AssertionError("no bucket is as large as a quarter of the room")
