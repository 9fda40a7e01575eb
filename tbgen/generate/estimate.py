"""What building a table will take: what it took before (recorded.py), or else averages by the count of its numbers, for
any material."""

from dataclasses import asdict, dataclass
from math import comb
from typing import Any, Final, NamedTuple

from tbgen.generate.recorded import Recorded, recorded
from tbgen.index.groups import GROUP_SIZES
from tbgen.index.kings import FIXED, FREE, PAIRS
from tbgen.material import Material
from tbgen.sizes import LARGE, PROGRAM, SMALL, TEAM_FROM, is_kept, links_for, slots_for
from tbgen.table_rules import TableRules


class Kind(NamedTuple):
    """What a number of a table takes on average."""

    positions: float
    """Legal ones."""
    disk: float
    """Bytes."""
    cpu: float
    """Microseconds at a pace of 1, writing included."""


_FOUR_MEN: Final = Kind(0.8, 0.36, 1.16)
_MORE_MEN: Final = Kind(0.87, 1.16, 1.25)
"""Factors for each man above four."""
_HELD: Final = 7 / 8
"""Bytes of memory per number of the slices at work: sets of bits (retro/threads/sets.py)."""
_WORK: Final = (
    4/8, 1/3, 2/3,  # sets that are gone through in order; the log (retro/sweep/log.py)
    2, 2, 1, 1, 1/8, 1/32,  # the state of all positions, and their cells (retro/sweep/state.py)
    2, 1, 1, 1/8, 1/32,  # that gathered of open ones, as if none were closed by then
)  # fmt: skip
"""Bytes per number of their other arrays, which need not be in memory."""
_UNDER_RECORDS: Final = (4, 2, 2)
"""Those of what is gathered where resets end a record: staircases and values."""
ENTRY: Final = 4
"""Bytes per number of a table from which others are built."""
_WRITTEN: Final = (4, 2)
"""Bytes per number of the arrays that writing takes, after solving: staircases as they are written, kinds of
positions."""
_LINK: Final = 8
"""Bytes per link of staircases, and per slot of their index."""


@dataclass(frozen=True)
class Estimate:
    material: str
    numbers: int
    """Exactly those of the table."""
    slices: int
    """Placements of pawns, before symmetry."""
    recorded: bool
    """Whether this table has been built before. Otherwise positions, disk and CPU are averages."""
    positions: int
    """Legal positions; two digits of them unless they are recorded."""
    largest_slice: int
    memory: int
    """Bytes that should be in memory: with less, sets of positions lie on disk as well, which is slow. Memory that is
    left holds parts of what is on disk."""
    scratch: int
    """Bytes on disk while building, including the entries of other tables."""
    disk: int
    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class _Size(NamedTuple):
    numbers: int
    slices: int
    largest: int


def _size(material: Material) -> _Size:
    """Count the numbers of a normal material of any size."""
    inner = 1
    for side in (material.first, material.second):
        for letter in material.promotions_to:
            inner *= GROUP_SIZES[side.count(letter)]
    first, second = material.first.count("P"), material.second.count("P")
    slices = comb(48, first) * comb(48 - first, second)
    # both sides to move; mirrored files halve either the slices or the kings; swapped colours halve all
    half = PAIRS[FIXED if material.pawns else FREE] * inner
    numbers = half * slices if material.pawns else 2 * half
    if material.even:
        numbers //= 2
    return _Size(numbers, slices, half if material.even and not material.pawns else 2 * half)


def numbers_of(material: Material) -> int:
    """The numbers of a normal material's table, without making its layout: that of four pawns takes 400 MB."""
    return _size(material).numbers


def kind_of(material: Material) -> Kind:
    """The averages for tables of so many men."""
    return Kind(*(figure * by ** (material.men - 4) for figure, by in zip(_FOUR_MEN, _MORE_MEN, strict=True)))


def small(arrays: list[int]) -> int:
    """The bytes of those arrays of a table that are in memory."""
    return sum(size for size in arrays if size < LARGE)


def link_arrays(numbers: int, *, shared: bool, with_record: bool = True) -> list[int]:
    """The bytes of a table's links and of their index."""
    links = links_for(numbers, with_record=with_record)
    return [_LINK * links, _LINK * slots_for(links, shared=shared)]


class AtWork(NamedTuple):
    """What solving slices takes beside the table's own arrays."""

    memory: int
    """Bytes, the program included."""
    scratch: int
    """Bytes on disk, as far as memory has no room for them."""


def solving(largest: int, numbers: int, threads: int, *, with_record: bool = True) -> AtWork:
    """What solving slices takes: the largest has so many numbers, and all together."""
    at_work = largest if largest >= TEAM_FROM else min(threads * largest, numbers)
    arrays = [size * at_work for size in (*_WORK, *(_UNDER_RECORDS if with_record else ()))]
    in_memory = int(sum(size for size in arrays if size < SMALL))
    return AtWork(PROGRAM + int(_HELD * at_work) + in_memory, int(sum(arrays)) - in_memory)


def _average(material: Material, numbers: int) -> Recorded:
    """What a table will take that has never been built; two digits of its positions."""
    positions, disk, cpu = kind_of(material)
    return Recorded(int(float(f"{numbers * positions:.1e}")), int(numbers * disk), numbers * cpu * 1e-6)


def estimate(material: Material, rules: TableRules, threads: int, pace: float = 1.0) -> Estimate:
    """Estimate a table. `pace`: how many times as long this machine takes as the one of the figures
    (calibration.py)."""
    numbers, slices, largest = _size(material)
    found = recorded(material.name, rules)
    taken = found or _average(material, numbers)
    successors = [ENTRY * _size(other).numbers for other in material.successors()]
    with_record = rules == TableRules.RESET
    arrays = [*successors, *link_arrays(numbers, shared=slices > 1, with_record=with_record)]
    written = [size * numbers for size in _WRITTEN]
    at_work = solving(largest, numbers, threads, with_record=with_record)
    kept = 2 * ENTRY * numbers  # entries and staircases while they are found, in a workspace if it has one
    on_disk = (kept // 2 >= LARGE or is_kept(slices, numbers)) * kept
    return Estimate(
        material=material.name,
        numbers=numbers,
        slices=slices,
        recorded=found is not None,
        positions=taken.positions,
        largest_slice=largest,
        memory=max(at_work.memory, PROGRAM + small(written)) + small(arrays) + kept - on_disk,
        scratch=max(at_work.scratch, sum(written) - small(written)) + sum(arrays) - small(arrays) + on_disk,
        disk=taken.bytes,
        cpu_seconds=round(taken.cpu_seconds * pace, 1),
    )
