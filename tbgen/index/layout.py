"""How the positions of one material are numbered.

    table  = slices, one per placement of pawns (index/pawns.py); without pawns a single one
    slice  = one or two halves, by side to move (one where swapped colours give the slice again)
    half   = king pairs (index/kings.py) x groups of like men (index/groups.py), the last group fastest

The men of a position stand in fixed slots: the first side's king, the second's, the first side's other
men heaviest first, the second's, then the first side's pawns, the second's. The first side plays up the
board, as White. Numbers are 64-bit throughout; a number at which two men share a square or the side
not to move is in check stands for no position.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import FAIRY, KIND_OF_LETTER, PAWN_DOWN, PAWN_UP
from tbgen.board.men import Man
from tbgen.core.material import Material
from tbgen.index import groups, kings
from tbgen.index.pawns import Slices, count_slices, every_slice, excerpt, some


@dataclass(frozen=True)
class Group:
    """Like men of one side (no pawns), in neighbouring slots."""

    side: int
    letter: str
    slot: int
    count: int
    stride: int
    partner: int
    """The group of the same letter on the other side, where both sides have the same men."""


@dataclass(frozen=True)
class Layout:
    material: Material
    chosen: tuple[tuple[int, ...], ...] | None = None
    """The placements of pawns that a table of single positions has (`some`); None: all of them."""
    excerpt: tuple[int, ...] | None = None
    """The slices of a complete table that were read (`excerpt`); None: all of them."""

    @cached_property
    def letters(self) -> tuple[tuple[int, str], ...]:
        """(side, letter) slot by slot."""
        sides = (self.material.first, self.material.second)
        pieces = [(side, letter) for side in (0, 1) for letter in sides[side].replace("P", "")]
        return (
            (0, "K"),
            (1, "K"),
            *pieces,
            *((side, "P") for side in (0, 1) for _ in range(sides[side].count("P"))),
        )

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The kind of man in each slot, as board/geometry.py numbers them."""
        return self.kinds_among(self.material.fairy)

    def kinds_among(self, fairy: tuple[Man, ...]) -> tuple[int, ...]:
        """The same where these are the men beyond chess: those of a table from which resets lead to this one."""
        kinds = KIND_OF_LETTER | {man.letter: FAIRY + place for place, man in enumerate(fairy)}
        pawn = (PAWN_UP, PAWN_DOWN)
        return tuple(pawn[side] if letter == "P" else kinds[letter] for side, letter in self.letters)

    @property
    def first_pawn(self) -> int:
        """The first slot that holds a pawn."""
        return len(self.letters) - self.material.pawns

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        runs: list[tuple[int, str, int, int]] = []
        for slot, (side, letter) in enumerate(self.letters[: self.first_pawn]):
            if letter == "K":
                continue
            if runs and runs[-1][:2] == (side, letter):
                runs[-1] = (side, letter, runs[-1][2], runs[-1][3] + 1)
            else:
                runs.append((side, letter, slot, 1))
        strides = [1]
        for run in reversed(runs[1:]):
            strides.append(strides[-1] * groups.GROUP_SIZES[run[3]])
        place = {(run[0], run[1]): number for number, run in enumerate(runs)}
        return tuple(
            Group(side, letter, slot, count, stride, place.get((1 - side, letter), number))
            for number, ((side, letter, slot, count), stride) in enumerate(zip(runs, reversed(strides), strict=False))
        )

    @cached_property
    def inner(self) -> int:
        """Numbers per pair of kings."""
        first = self.groups[:1]
        return first[0].stride * groups.GROUP_SIZES[first[0].count] if first else 1

    @cached_property
    def pawns(self) -> Slices:
        """Where the pawns stand in each slice."""
        first, second = self.material.first.count("P"), self.material.second.count("P")
        if self.chosen is not None:
            return some(first, second, self.chosen)
        every = every_slice(first, second, self.material.even)
        return every if self.excerpt is None else excerpt(every, self.excerpt)

    @property
    def slices(self) -> int:
        return len(self.pawns.squares)

    @cached_property
    def family(self) -> NDArray[np.int8]:
        """`[slice]`: which symmetries its pawns leave to the kings."""
        if not self.material.pawns:
            return np.array([kings.FREE], np.int8)
        return np.where(self.pawns.mirrored, kings.MIRRORED, kings.FIXED).astype(np.int8)

    @property
    def flip(self) -> NDArray[np.int8]:
        """`[slice]`: the symmetry that swaps colours, -1 where both sides to move are stored."""
        return self.pawns.flip

    @cached_property
    def half_size(self) -> NDArray[np.int64]:
        """`[slice]`: numbers per side to move."""
        return np.array(kings.PAIRS, np.int64)[self.family] * self.inner

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """`[slice]`: its first number; one more entry than slices, the last is the size of the table."""
        sizes = self.half_size * np.where(self.flip < 0, 2, 1)
        return np.concatenate(([0], np.cumsum(sizes)))

    def numbers_in(self, slice_: int) -> range:
        """The numbers of a slice."""
        first, end = self.start[slice_ : slice_ + 2].tolist()
        return range(first, end)

    @cached_property
    def size(self) -> int:
        """Numbers in the whole table."""
        return self._counted(2)

    @cached_property
    def one_side(self) -> int:
        """The same of a table that stores one side to move in every slice."""
        return self._counted(1)

    def _counted(self, sides: int) -> int:
        """Numbers of all slices; `sides`: how many each has, unless swapped colours give it again."""
        if self.chosen is not None or self.excerpt is not None:
            return int((self.half_size * np.where(self.flip < 0, sides, 1)).sum())
        if not self.material.pawns:
            return kings.PAIRS[kings.FREE] * self.inner * (1 if self.material.even else sides)
        first, second = self.material.first.count("P"), self.material.second.count("P")
        return self.inner * sum(
            slices * kings.PAIRS[kings.MIRRORED if mirrored else kings.FIXED] * (1 if flipped else sides)
            for (mirrored, flipped), slices in count_slices(first, second, self.material.even).items()
        )


@lru_cache(maxsize=512)
def layout_of(material: Material) -> Layout:
    """The one layout of a normal material."""
    if not material.is_normal:
        raise ValueError(f"{material} is not in its normal order")
    return Layout(material)
