"""What building a table will take: what it took before (recorded.py), or else averages by its men (averages.py)."""

from dataclasses import asdict, dataclass
from functools import reduce
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.generate.averages import average
from tbgen.generate.recorded import Recorded, recorded
from tbgen.index.groups import GROUP_SIZES
from tbgen.index.kings import FIXED, FREE, PAIRS
from tbgen.system.thresholds import (
    ENTRY,
    LARGE,
    PROGRAM,
    SHORT,
    SMALL,
    TEAM_FROM,
    TURNED_TO,
    is_compressed,
    is_kept,
    is_large,
    is_long,
    links_for,
    on_disk_from,
    slots_for,
)

_ON_DISK_FROM: Final = on_disk_from(PROGRAM)
"""Bytes of an array that may be on disk: if there is little memory."""
_HELD: Final = 7 / 8
"""Bytes of memory per number of the slices at work: sets of bits (retro/threads/sets.py)."""
_PASSED: Final = 5 / 8
_WORTH: Final = 2
_WORK: Final = (_PASSED, 1 / 3, 2 / 3, _WORTH)
"""Bytes per number of their arrays that need not be in memory: sets that are gone through in order, the log
(retro/sweep/log.py), what positions are worth."""
_CELLS: Final = (1, 1, 2)
"""Bytes for each position with a cell, column by column as cells are gathered (retro/sweep/state.py),"""
_UNDER_RECORDS: Final = (2, 2, 4)
"""also from the first record on, where resets end it: values and staircases."""
_LEGAL: Final = 9 / 10
"""The share of positions that have a cell at first, at most, where arrays are on disk."""
_MEMBERS: Final = (1 / 8, 1 / 32)
"""Bytes per number: which positions have cells, and where."""
_OPEN: Final = 5 / 8
"""The share of positions that are not closed when the first record begins, at most: 0.61 in KBNvKN, 0.12 in KRRvKR."""
_GATHERED: Final = 1 / 2
"""The share of those with a cell that are not closed when cells are gathered next, where there are no records."""
_JOINING: Final = 1 / 7
"""The share of positions that wait to join at distances of their own at once, at most (retro/sweep/seeds.py)."""
STAIRCASE: Final = 4
_COMPRESSED: Final = (1.2, 3.0)
"""Bytes per number of finished slices that are compressed, without records and with them, at most: 2.7 in KBPvKN;"""
_NUMBERED: Final = (0.0, 1.2)
"""and of staircases once they have numbers, beside these."""
_KIND: Final = 2
"""Bytes per number for kinds of positions, while a table is written."""
_LINK: Final = 8
"""Bytes per link of staircases, and per slot of their index."""
_WRITTEN: Final = 12
"""Bytes per link that a stopped build goes on with: its number and its key."""
_USED: Final = (1 / 4, 1 << 28)
"""The share of the room for links that a table fills, at most, and how many; of their index twice that."""
_USED_BY_SIX: Final = 2 / 3
"""The same where a single slice is long: KRRvKRR has 669 million."""


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
    """Bytes on disk while building, at most, including the entries of other tables and snapshots. What is there only if
    memory is short counts for both."""
    workspace: int
    """The part of `scratch` that lies in the directory of tables even if $TBGEN_SCRATCH names another place."""
    snapshots: int
    """The part of `scratch` and of `workspace` that a table can be built without; then a stopped build begins its slice
    anew. There are two while one takes the other's place."""
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


def bytes_in_memory(arrays: list[int]) -> int:
    """The bytes of those arrays of a table that are in memory if it has room."""
    return sum(size for size in arrays if size < LARGE)


def bytes_on_disk(arrays: list[int]) -> int:
    """The bytes of those that are on disk where memory is short."""
    return sum(size for size in arrays if size >= _ON_DISK_FROM)


def _links_used(numbers: int, *, shared: bool, with_record: bool) -> int:
    """How many links a table has, at most."""
    links = links_for(numbers, with_record=with_record)
    share, most = _USED
    return int(_USED_BY_SIX * links) if is_long(numbers) and not shared else min(int(share * links), most)


def link_arrays(numbers: int, *, shared: bool, with_record: bool = True) -> list[int]:
    """The bytes of a table's links and of their index. What is not used of them has no room on disk."""
    links = links_for(numbers, with_record=with_record)
    used = _LINK * _links_used(numbers, shared=shared, with_record=with_record)
    rooms = ((_LINK * links, used), (_LINK * slots_for(links, shared=shared), 2 * used))
    return [size if size < LARGE else min(size, max(LARGE, filled)) for size, filled in rooms]


class Solving(NamedTuple):
    """What solving slices takes beside the table's own arrays."""

    memory: int
    """Bytes, the program included."""
    scratch: int
    """Bytes on disk, as far as memory has no room for them."""
    kept: int
    """Those of them that a stopped build goes on with, in the directory of tables: a snapshot, and what settled
    positions are worth."""
    snapshot: int


def solving(largest: int, numbers: int, threads: int, *, with_record: bool = True) -> Solving:
    """What solving slices takes: the largest has so many numbers, and all together."""
    at_work = largest if largest >= TEAM_FROM else min(threads * largest, numbers)
    share, cells = (_OPEN, (*_CELLS, *_UNDER_RECORDS)) if with_record else (_LEGAL * _GATHERED, _CELLS)
    gathered = tuple(share * size for size in cells)
    # while cells are gathered: at the beginning, or in the end
    columns = max((*(_LEGAL * size for size in _CELLS), gathered[0]), gathered, key=sum)
    joining = _JOINING * (4 if largest <= SHORT else 8)
    arrays = [size * at_work for size in (*_WORK, *2 * _MEMBERS, *columns, joining)]
    in_memory = int(sum(size for size in arrays if size < SMALL))
    kept = at_work if is_long(largest) else 0
    # before cells are gathered, or after
    snapshot = int((_HELD + _PASSED + sum(_MEMBERS) + max(sum(_CELLS), sum(gathered))) * kept)
    return Solving(
        PROGRAM + int(_HELD * at_work) + in_memory,
        int(sum(arrays)) + snapshot - in_memory,
        snapshot + _WORTH * kept,
        snapshot,
    )


def _fullest(pawns: int, own: int, promoted: int) -> int:
    """The most bytes that are there at once while slices are solved. The table's own, `own` in all, grow with each
    slice. Of the tables that promotions lead to, `promoted` in all, those slices are there that the batch at work
    needs. Batches go by how many steps all pawns have before them, each one to six; one of them must have a single step
    to promote."""
    if not pawns:
        return own
    every, fewer = _batches(pawns), _batches(pawns - 1)
    done = np.cumsum(every)[: len(fewer)]
    return int(max(own, (own * done + promoted * fewer).max()))


def _batches(pawns: int) -> NDArray[np.float64]:
    """The share of a table that each batch has."""
    return reduce(np.convolve, [np.ones(6) / 6] * pawns, np.ones(1))


def _in_full(material: Material, largest: int, numbers: int, *, with_record: bool) -> tuple[int, int]:
    """The most bytes of slices that are there in full where others are compressed: of entries, and of staircases. These
    are those that are solved next, and those that their pawns lead to by a step or two."""
    batch = int(_batches(material.pawns).max() * numbers)
    at_work = max(largest, min(TURNED_TO, batch))
    led_to = min(2 * material.pawns * at_work, 2 * max(largest, batch))
    meet = "P" in material.first and "P" in material.second
    return ENTRY * (at_work + led_to), STAIRCASE * (at_work * with_record + led_to * meet)


def _averaged(material: Material, rules: TableRules, numbers: int) -> Recorded:
    """What a table will take that has never been built; two digits of its positions."""
    positions, disk, microseconds = average(material, rules)
    return Recorded(int(float(f"{numbers * positions:.1e}")), int(numbers * disk), numbers * microseconds * 1e-6)


def estimate(material: Material, rules: TableRules, threads: int, pace: float = 1.0) -> Estimate:
    """Estimate a table. `pace`: how many times as long this machine takes as the one of the figures
    (calibration.py)."""
    numbers, slices, largest = _size(material)
    found = recorded(material.name, rules)
    taken = found or _averaged(material, rules, numbers)
    successors = {other: _size(other).numbers for other in material.successors()}
    by_slices = {one.normal for one in material.promotions() if is_large(successors[one.normal])}
    promoted = sum(ENTRY * successors[one] for one in by_slices)
    with_record = rules == TableRules.RESET
    whole = [ENTRY * count for one, count in successors.items() if one not in by_slices]
    arrays = [*whole, *link_arrays(numbers, shared=slices > 1, with_record=with_record)]
    at_work = solving(largest, numbers, threads, with_record=with_record)
    # those of one slice are there when all else of it has gone
    staircases = STAIRCASE * numbers * with_record
    solved = ENTRY * numbers + staircases
    while_solving = solved if slices > 1 else staircases
    written = [_KIND * numbers]
    is_in_files = is_kept(slices, numbers)
    log = is_in_files * _WRITTEN * _links_used(numbers, shared=slices > 1, with_record=with_record)
    may_be_in_files = is_in_files or ENTRY * numbers >= _ON_DISK_FROM
    entries, steps = 0, 0
    if is_compressed(slices, numbers):
        entries, steps = _in_full(material, largest, numbers, with_record=with_record)
        while_solving = solved = int(_COMPRESSED[with_record] * numbers)
        written.append(int(_NUMBERED[with_record] * numbers))
    beside = _fullest(material.pawns, may_be_in_files * while_solving, promoted) + entries + steps
    solve = at_work.scratch - at_work.snapshot + beside
    write = bytes_on_disk(written) + may_be_in_files * solved
    least = max(solve, write)
    snapshots = max(solve + 2 * at_work.snapshot, write) - least
    return Estimate(
        material=material.name,
        numbers=numbers,
        slices=slices,
        recorded=found is not None,
        positions=taken.positions,
        largest_slice=largest,
        memory=max(at_work.memory, PROGRAM + bytes_in_memory(written))
        + bytes_in_memory(arrays)
        + (not is_in_files and not is_large(numbers)) * solved,
        scratch=bytes_on_disk(arrays) + log + least + snapshots,
        workspace=is_in_files * (solved + steps + at_work.kept - at_work.snapshot) + log + snapshots,
        snapshots=snapshots,
        disk=taken.bytes,
        cpu_seconds=round(taken.cpu_seconds * pace, 1),
    )
