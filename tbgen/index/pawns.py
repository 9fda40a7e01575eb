"""Placements of pawns, up to the symmetries that they allow: each is one slice of a table.

Mirrored files give the same slice; where both sides have the same men, so do mirrored ranks with colours
swapped. Slices are numbered with the most advanced pawns first, so that every pawn move leads to a smaller
number: the order in which they can be solved.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, permutations, product
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import FILES_MIRRORED, GEOMETRY, RANKS_MIRRORED
from tbgen.index.hash import Hash, make_hash

SYMMETRY_MASK: Final = 7
SWAP_BIT: Final = 8
SLICE_SHIFT: Final = 4
"""In `Slices.slice_of`: the symmetry, whether the colours are swapped as well, and the slice above both."""


class Slices(NamedTuple):
    """How pawns divide a table."""

    slice_of: NDArray[np.int32]
    """`[square of each pawn in base 64, first side's first]`, `[place in the hash]`: slice, swap and symmetry, packed.

    Like pawns in any order. -1 where two pawns share a square or stand on a last rank."""
    hash: Hash | None
    """The hash of some placements; where all have a slice there is none."""
    first: int
    """Pawns of the first side."""
    squares: NDArray[np.int8]
    """`[slice]`: the squares, the first side's first, each side's in rising order."""
    to_go: NDArray[np.int16]
    """`[slice]`: how many steps the pawns have before them; slices with equal numbers do not depend on each other."""
    mirrored: NDArray[np.bool_]
    """`[slice]`: whether mirrored files give the same pawns again."""
    flip: NDArray[np.int8]
    """`[slice]`: the symmetry that gives the same pawns again with the colours swapped, else -1."""

    def find(self, squares: Sequence[int]) -> int:
        """The entry of `slice_of` for pawns on these squares, first side's first; -1 if there is none."""
        if self.hash is None:
            return int(self.slice_of[sum(square << 6 * place for place, square in enumerate(squares))])
        packed = int(self.slice_of[self.hash.place(squares)])
        if packed < 0:
            return -1
        turned = GEOMETRY.image[packed & SYMMETRY_MASK][[*squares]].tolist()
        stored = [*sorted(turned[: self.first]), *sorted(turned[self.first :])]
        # a hash has an entry for anything
        return packed if self.squares[packed >> SLICE_SHIFT].tolist() == stored else -1


def ranked(count: int) -> NDArray[np.int64]:
    """All choices of squares for so many pawns, each in rising order; sorted by the highest square, then the next."""
    found = sorted(combinations(range(8, 56), count), key=lambda squares: squares[::-1])
    return np.array(found, np.int64).reshape(len(found), count)


def _placements(first: int, second: int) -> NDArray[np.int64]:
    """`[pawn, placement]`: all placements of so many pawns a side, like pawns in rising order."""
    sides = [ranked(first), ranked(second)]
    ours, theirs = (side.reshape(-1) for side in np.indices([len(side) for side in sides]))
    apart = np.ones(len(ours), np.bool_)
    for one, other in product(sides[0].T, sides[1].T):
        apart &= one[ours] != other[theirs]
    return np.concatenate([sides[0][ours[apart]], sides[1][theirs[apart]]], axis=1).T


def _code(squares: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of placements in `Slices.slice_of`."""
    code = np.zeros(squares.shape[1:], np.int64)
    for place, square in enumerate(squares):
        code |= square << 6 * place
    return code


def _key(squares: NDArray[np.int64], first: int, symmetry: int, swap: bool) -> NDArray[np.int64]:
    """The placement as one number after a symmetry, the same for every order of like pawns."""
    image = GEOMETRY.image[symmetry].astype(np.int64)[squares]
    sides = [np.sort(image[:first], axis=0), np.sort(image[first:], axis=0)]
    if swap:
        sides.reverse()
    key = np.zeros(squares.shape[1:], np.int64)
    for square in np.concatenate(sides):
        key = key * 64 + square
    return key


@cache
def every_slice(first: int, second: int, even: bool) -> Slices:
    """All slices of so many pawns a side. `even`: both sides have the same men, so that colours can be swapped."""
    squares = _placements(first, second)
    own = _key(squares, first, 0, False)
    best, how = own.copy(), np.zeros(len(own), np.int32)
    options = [(symmetry, False) for symmetry in (0, FILES_MIRRORED)]
    options += [(symmetry | RANKS_MIRRORED, True) for symmetry in (0, FILES_MIRRORED) if even]
    keys = {}
    for symmetry, swap in options:
        key = keys[symmetry, swap] = _key(squares, first, symmetry, swap)
        better = key < best
        best[better], how[better] = key[better], symmetry + swap * SWAP_BIT

    canonical = np.flatnonzero(own == best)
    canonical = canonical[np.argsort(own[canonical])]
    ranks = squares[:, canonical] // 8
    to_go = (7 - ranks[:first]).sum(axis=0) + ranks[first:].sum(axis=0)
    canonical = canonical[np.argsort(to_go, kind="stable")]

    by_key = np.argsort(own[canonical])
    number = by_key[np.searchsorted(own[canonical][by_key], best)]
    slice_of = np.full(64 ** (first + second), -1, np.int32)
    for order in product(permutations(range(first)), permutations(range(first, first + second))):
        slice_of[_code(squares[[*chain(*order)]])] = number << SLICE_SHIFT | how
    flip = np.full(len(canonical), -1, np.int8)
    for (symmetry, swap), key in keys.items():
        if swap:
            flip[key[canonical] == own[canonical]] = symmetry
    pawns = np.concatenate([np.sort(part[:, canonical], axis=0) for part in (squares[:first], squares[first:])])
    return Slices(
        slice_of,
        None,
        first,
        pawns.T.astype(np.int8).copy(),
        np.sort(to_go).astype(np.int16),
        keys[FILES_MIRRORED, False][canonical] == own[canonical],
        flip,
    )


def count_slices(first: int, second: int, even: bool) -> dict[tuple[bool, bool], int]:
    """How many slices there are, by whether mirrored files give their pawns again and whether swapped colours do.

    A placement has one image for each symmetry that does not give it again. So a slice with all four symmetries of even
    sides, or with none of them, is counted by the placements that a symmetry leaves as they are."""
    every = comb(48, first) * comb(48 - first, second)
    by_files = comb(24, first // 2) * comb(24 - first // 2, second // 2) if first % 2 == second % 2 == 0 else 0
    if not even:
        return {(False, False): (every - by_files) // 2, (True, False): by_files}
    by_ranks = comb(24, first) << first  # as many by turning the board
    by_all = comb(12, first // 2) << first // 2 if first % 2 == 0 else 0
    return {
        (True, True): by_all,
        (True, False): (by_files - by_all) // 2,
        (False, True): by_ranks - by_all,
        (False, False): (every - by_files - 2 * by_ranks + 2 * by_all) // 4,
    }


def excerpt(every: Slices, slices: Sequence[int]) -> Slices:
    """Some slices of all, in rising order, as they are there."""
    here = np.array(slices, np.int64)
    number = np.full(len(every.squares), -1, np.int32)
    number[here] = np.arange(len(here))
    there = number[every.slice_of >> SLICE_SHIFT]
    kept = (every.slice_of >= 0) & (there >= 0)
    slice_of = np.where(kept, there << SLICE_SHIFT | every.slice_of & (1 << SLICE_SHIFT) - 1, -1).astype(np.int32)
    return Slices(
        slice_of,
        None,
        every.first,
        every.squares[here],
        every.to_go[here],
        every.mirrored[here],
        every.flip[here],
    )


def some(first: int, second: int, chosen: tuple[tuple[int, ...], ...]) -> Slices:
    """These placements, each a slice of its own: symmetry makes no two of them one. Mirror images are found as these,
    unless they are chosen too.

    The squares are in slot order, like pawns in rising order; no pawn move leads out of them."""
    squares = np.array(sorted(chosen), np.int64).reshape(len(chosen), first + second)
    to_go = (7 - squares[:, :first] // 8).sum(axis=1) + (squares[:, first:] // 8).sum(axis=1)
    order = np.argsort(to_go, kind="stable")
    squares, to_go = squares[order], to_go[order]
    image = np.concatenate([np.sort(side, axis=1) for side in np.split(squares ^ 7, [first], axis=1)], axis=1)
    is_chosen = {*chosen}
    others = [part for part, pawns in enumerate(image.tolist()) if tuple(pawns) not in is_chosen]
    slices = np.array([*range(len(chosen)), *others], np.int64) << SLICE_SHIFT
    slices[len(chosen) :] |= FILES_MIRRORED
    hash, row = make_hash(np.concatenate([squares, image[others]]), (0,) * first + (1,) * second)
    return Slices(
        np.append(slices, -1).astype(np.int32)[row],  # -1 where there is no row
        hash,
        first,
        squares.astype(np.int8),
        to_go.astype(np.int16),
        np.zeros(len(squares), np.bool_),
        np.full(len(squares), -1, np.int8),
    )
