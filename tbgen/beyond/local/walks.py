"""Where pawns can walk: each on its file, and never past a pawn that it faces. So one file does not concern another.

Of a slice and its mirror image only one is walked from (`folded`); whoever looks for a slice later looks for both.
"""

import sys
from collections.abc import Iterable, Iterator, Set
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import TypeVar

S = TypeVar("S")

Pawns = tuple[tuple[int, ...], tuple[int, ...]]
"""The squares of each side's pawns, in rising order."""


class TooMany(Exception):
    """There are more slices than asked for."""


@lru_cache(1 << 16)
def folded(pawns: Pawns) -> Pawns:
    """These pawns or their mirror image, the same for both. The files decide, which steps do not change."""
    return min(pawns, mirrored(pawns), key=_order)


def _order(pawns: Pawns) -> tuple[list[int], list[int], list[int], Pawns]:
    white, black = (sorted(square % 8 for square in side) for side in pawns)
    return sorted(white + black), white, black, pawns


def mirrored(pawns: Pawns) -> Pawns:
    """The pawns with files a and h swapped."""
    white, black = (tuple(sorted(square ^ 7 for square in side)) for side in pawns)
    return white, black


@lru_cache(1 << 16)
def swapped(pawns: Pawns) -> Pawns:
    """The pawns with the colours swapped, and the board turned upside down."""
    black, white = (tuple(sorted(square ^ 56 for square in side)) for side in pawns)
    return white, black


def count(pawns: Pawns) -> int:
    """How many slices steps lead to, this one among them."""
    return prod(len(_walks(file)) for file in _by_file(pawns))


class AllFrom(Set[Pawns]):
    """All slices that steps from one lead to, or from its mirror image. They are counted at once, and listed only
    when they are needed."""

    def __init__(self, start: Pawns) -> None:
        self._start = folded(start)

    def __len__(self) -> int:
        return count(self._start)

    def __iter__(self) -> Iterator[Pawns]:
        return _all_from(self._start)

    def __contains__(self, pawns: object) -> bool:
        match pawns:
            case tuple((tuple() as white, tuple() as black)) if _is_sorted(white) and _is_sorted(black):
                start, there = _by_file(self._start), _by_file((white, black))
                return len(start) == len(there) and all(map(list.__contains__, map(_walks, start), there))
        return False

    @classmethod
    def _from_iterable(cls, those: Iterable[S]) -> Set[S]:
        """What `&` and the like make of it."""
        return {*those}


def by_two_files(pawns: Pawns) -> Iterator[Pawns]:
    """All that steps lead to on every two neighbouring files, without the other pawns: what a pawn can do depends on no
    more."""
    for file in range(7):
        white, black = (tuple(square for square in side if file <= square % 8 <= file + 1) for side in pawns)
        yield from _all_from((white, black))


def closed(found: Iterable[Pawns], most: int = sys.maxsize) -> set[Pawns]:
    """These slices or their mirror images, and all that steps lead to; TooMany if there are more than `most`."""
    every = set[Pawns]()
    for pawns in sorted({*map(folded, found)}, key=to_go, reverse=True):
        if pawns in every or mirrored(pawns) in every:
            continue
        if count(pawns) <= most:
            every.update(_all_from(pawns))
        if max(count(pawns), len(every)) > most:
            raise TooMany
    return every


def to_go(pawns: Pawns) -> int:
    """How many steps the pawns have before them."""
    return sum(7 - square // 8 for square in pawns[0]) + sum(square // 8 for square in pawns[1])


def _is_sorted(squares: tuple[int, ...]) -> bool:
    return squares == tuple(sorted(squares))


def _by_file(pawns: Pawns) -> list[Pawns]:
    """The pawns of each file that has any."""
    white, black = ([tuple(square for square in side if square % 8 == file) for file in range(8)] for side in pawns)
    return [one for one in zip(white, black, strict=True) if any(one)]


def _all_from(pawns: Pawns) -> Iterator[Pawns]:
    for files in product(*map(_walks, _by_file(pawns))):
        white, black = (tuple(sorted(square for file in files for square in file[side])) for side in (0, 1))
        yield white, black


@cache
def _walks(file: Pawns) -> list[Pawns]:
    """All that steps lead to on one file. Pieces may always be out of the way; a double step is two single ones."""
    found, fresh = {file}, [file]
    while fresh:
        for after in _steps(fresh.pop()):
            if after not in found:
                found.add(after)
                fresh.append(after)
    return sorted(found)


def _steps(file: Pawns) -> Iterator[Pawns]:
    for side, up in ((0, 8), (1, -8)):
        for square in file[side]:
            target = square + up
            if target not in file[0] + file[1] and 8 <= target < 56:
                moved = tuple(sorted({*file[side]} - {square} | {target}))
                yield (file[0], moved) if side else (moved, file[1])
