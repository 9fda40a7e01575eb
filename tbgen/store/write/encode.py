"""Encoding contents as the sections of a file; docs/format.md says what these hold."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.core.table_contents import Told, distances
from tbgen.index import layout_of
from tbgen.memory.arrays import Make, in_memory, read_by_pages
from tbgen.store.format.order import candidates, numbers_of
from tbgen.store.format.planes import bytes_for, planes_of
from tbgen.store.format.schema import COUNT, ESCAPE, LEVEL, RAW, SHAPE_BLOCK, group_of
from tbgen.store.write.aside import Aside
from tbgen.store.write.form_numbers import FormNumbers, number_forms
from tbgen.store.write.kernels import ODD_AT, OUTCOME_AT, OUTCOMES, Rows, Stored, fill_chunk, find_kinds
from tbgen.store.write.staircases import make_rows
from tbgen.system.parallel import in_turn, ranges

WIDTHS: Final = (1 << 14, 1 << 12)
"""Positions per chunk. With more, chunks compress better, by 4 % here, but reading one position takes longer."""
SLIM_WIDTHS: Final = (1 << 14, 1 << 13)
"""The same of slim tables."""
_LARGE: Final = 1 << 25
"""Tables of more numbers than this have the shorter chunks: programs read single positions of them, never all."""
_TOGETHER: Final = 16
"""Chunks that a thread makes before it asks for more: all of one group."""
_AHEAD: Final = 32
"""Such batches that are being made or wait to be written, at most: all together are as large as the file."""
_SAMPLES: Final = 8
"""Chunks on which each order of places is tried."""


class Census(NamedTuple):
    """All entries of a table, counted."""

    legal: int
    longest: int
    longest_at: int
    """The longest fresh distance, and the first number that has it."""


@dataclass(frozen=True)
class Encoded:
    """See `Head` in store/format/head.py."""

    width: int
    order: list[int]
    distances: int
    distance_bytes: int
    shape_bytes: int
    form_bytes: int
    census: Census
    longest_chunk: int
    count: int
    """Chunks."""
    lists: Aside[np.uint8]
    """`[group]`: its shapes."""
    pages: Aside[np.uint8]
    """Of forms (store/format/form_pages.py)."""
    chunks: Iterator[bytes]
    """The chunks in order. The pool makes them meanwhile."""


@dataclass
class _Kinds:
    """Of all positions (see kernels.py)."""

    of: NDArray[np.uint16]
    """`[position]`: the index of its kind in its chunk. As long as all chunks together, the last one filled up."""
    kinds: Aside[np.int64]
    """`[chunk]`."""
    counts: Aside[np.int32]
    """`[chunk]`: how many positions have each."""
    longest: int = -1
    """The longest fresh distance,"""
    first: range = range(0)
    """and the first chunks that have it."""


class _Group(NamedTuple):
    """The shapes of a group of chunks: that of no position, then the commonest first."""

    forms: NDArray[np.int32]
    """`[shape]`."""
    held: NDArray[np.uint8]
    """`[shape]`: how many distances a position has in the file."""


class _Groups(NamedTuple):
    """All of them."""

    forms: Aside[np.int32]
    held: Aside[np.uint8]

    def append(self, group: _Group) -> None:
        self.forms.append(group.forms)
        self.held.append(group.held)


class _Merged(NamedTuple):
    """What comes of the chunks of a group."""

    group: _Group
    shapes: list[NDArray[np.int32]]
    """`[chunk]`: the shape of each of its kinds, its place among those of the group."""
    listed: bytes
    """The list of its shapes."""
    legal: int
    """Entries of legal positions."""


@dataclass
class _Task:
    contents: Told
    rows: Rows
    width: int
    kinds: _Kinds
    forms: FormNumbers
    distance_bytes: int
    groups: _Groups
    shapes: Aside[np.int32]
    """`[chunk]`: the shape of each of its kinds."""

    @property
    def group(self) -> int:
        return group_of(self.width)

    @property
    def count(self) -> int:
        """Chunks."""
        return len(self.kinds.kinds)

    @cached_property
    def shape_bytes(self) -> int:
        """Once all groups are there. To go through them for each chunk would take longer than to fill it."""
        return bytes_for(max(map(len, self.groups.forms)) - 1 - ESCAPE)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """`[chunk]`: its bytes before compression."""
        return np.fromiter(map(self._length, range(self.count)), np.int64, self.count)

    def _length(self, chunk: int) -> int:
        shape = self.shapes[chunk]
        each = self.groups.held[chunk // self.group][shape].astype(np.int64) * self.distance_bytes
        each += (shape >= ESCAPE) * self.shape_bytes
        return self.width + int((each * self.kinds.counts[chunk]).sum())


def encode(
    contents: Told,
    pool: Executor,
    make: Make = in_memory,
    *,
    report: Callable[[int], None] = lambda numbers: None,
    slim: bool = False,
) -> Encoded:
    """Encode contents. When this returns, all but the chunks is done; the pool goes on with those.

    `report` is called with how many numbers have their kinds known, and again with how many are in chunks."""
    size, steps = len(contents.entries), contents.steps
    widths = SLIM_WIDTHS if slim else WIDTHS
    width = min(widths[size > _LARGE], 1 << max(0, size - 1).bit_length())
    batches = ranges(range(-(-size // width)), _TOGETHER)

    def tell(chunks: range) -> None:
        report(min(chunks.stop * width, size) - chunks.start * width)

    rows = make_rows(steps, make, pool)
    read_by_pages(rows.after, rows.halves, rows.form, rows.form_length, rows.form_begin, rows.words)
    kinds = _find_all_kinds(contents, rows, width, batches, pool, make, tell)
    forms, pages = number_forms(rows, kinds.kinds, make)
    distance_bytes = bytes_for(max(kinds.longest, int(steps.distance.max(initial=0))) >> 1) or 1
    groups = _Groups(Aside(make, np.int32), Aside(make, np.uint8))
    task = _Task(contents, rows, width, kinds, forms, distance_bytes, groups, Aside(make, np.int32))
    lists, legal = _merge_groups(task, pool, make)
    order = _best_order(task, pool)
    made = in_turn(pool, _AHEAD, partial(_chunks, task, numbers_of(order)), zip(batches, strict=True))
    census = Census(legal, kinds.longest, _first_at(contents, kinds, width))
    return Encoded(
        width, order, max(1, *(int(held.max()) for held in groups.held)), distance_bytes, task.shape_bytes,
        forms.bytes, census, int(task.lengths.max()), task.count, lists, pages, _told(made, batches, tell),
    )  # fmt: skip


def _told(made: Iterable[list[bytes]], batches: Sequence[range], tell: Callable[[range], None]) -> Iterator[bytes]:
    """All chunks, one after another. `tell` is called with each batch, once its chunks are taken."""
    for batch, chunks in zip(batches, made, strict=True):
        yield from chunks
        tell(batch)


def _find_all_kinds(
    contents: Told,
    rows: Rows,
    width: int,
    batches: Sequence[range],
    pool: Executor,
    make: Make,
    tell: Callable[[range], None],
) -> _Kinds:
    found = _Kinds(make(batches[-1].stop * width, np.uint16), Aside(make, np.int64), Aside(make, np.int32))
    find = partial(_find_kinds_in, contents, rows, found.of, width)
    in_order = in_turn(pool, _AHEAD, find, zip(batches, strict=True))
    for batch, (kinds, counts, distance) in zip(batches, in_order, strict=True):
        found.kinds.extend(kinds)
        found.counts.extend(counts)
        if distance > found.longest:
            found.longest, found.first = distance, batch
        tell(batch)
    return found


def _find_kinds_in(
    contents: Told, rows: Rows, kind: NDArray[np.uint16], width: int, chunks: range
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int32]], int]:
    """Of some chunks the kinds, how many positions have each, and the longest fresh distance."""
    slots, kinds, counts = np.empty(2 * width, np.int32), np.empty(width, np.int64), np.empty(width, np.int32)
    different, of_each, longest = [], [], 0
    first = chunks.start * width
    entries, staircases = _of_chunks(contents, chunks, width)
    for begin in range(first, chunks.stop * width, width):
        here = kind[begin : begin + width]
        found, distance = find_kinds(entries, staircases, rows, begin - first, slots, here, kinds, counts)
        different.append(kinds[:found].copy())
        of_each.append(counts[:found].copy())
        longest = max(longest, distance)
    return different, of_each, longest


def _of_chunks(contents: Told, chunks: range, width: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The entries and staircases of neighbouring chunks."""
    numbers = slice(chunks.start * width, chunks.stop * width)
    return contents.entries[numbers], contents.staircases[numbers]


def _first_at(contents: Told, kinds: _Kinds, width: int) -> int:
    """The first number with the longest distance."""
    begin, end = kinds.first.start * width, kinds.first.stop * width
    return begin + int(np.argmax(distances(contents.entries[begin:end]) == kinds.longest))


def _merge_groups(task: _Task, pool: Executor, make: Make) -> tuple[Aside[np.uint8], int]:
    """Fill in groups and shapes. Returns the lists of shapes, and how many entries are of legal positions."""
    lists, legal = Aside(make, np.uint8), 0
    groups = zip(ranges(range(task.count), task.group), strict=True)
    for merged in in_turn(pool, _AHEAD, partial(_merge, task.forms, task.kinds), groups):
        task.groups.append(merged.group)
        task.shapes.extend(merged.shapes)
        lists.append(np.frombuffer(merged.listed, np.uint8))
        legal += merged.legal
    return lists, legal


def _merge(forms: FormNumbers, every: _Kinds, chunks: range) -> _Merged:
    """Merge the kinds of a group, which are those of these chunks."""
    kinds = np.unique(np.concatenate([np.zeros(1, np.int64), *(every.kinds[chunk] for chunk in chunks)]))
    totals, places = np.zeros(len(kinds), np.int64), []
    for chunk in chunks:
        place = np.searchsorted(kinds, every.kinds[chunk])
        totals[place] += every.counts[chunk]
        places.append(place)
    order = np.lexsort((kinds, -totals, kinds != 0))
    ranks = np.empty(len(kinds), np.int32)
    ranks[order] = np.arange(len(kinds), dtype=np.int32)
    of, kinds = forms.of(kinds)[order], kinds[order]  # a search in rising order finds most in caches
    group = _Group(of, np.where(kinds != 0, forms.beside[of] + np.uint8(1), np.uint8(0)))
    legal = int(totals[order][1:].sum())
    return _Merged(group, [ranks[place] for place in places], _listed(kinds[1:], group, forms), legal)


def _outcome_of(kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    outcome = kinds >> OUTCOME_AT & OUTCOMES
    return outcome - (outcome >> 10 << 11)


def _listed(kinds: NDArray[np.int64], group: _Group, forms: FormNumbers) -> bytes:
    """The list of its shapes, of these kinds, but for that of no position: how many there are, then block after block
    of columns."""
    columns = [
        *planes_of(2 * _outcome_of(kinds) + (kinds >> ODD_AT & 1), 2),
        group.held[1:],
        *planes_of(forms.numbers[group.forms[1:]], forms.bytes),
    ]
    starts = range(0, len(kinds), SHAPE_BLOCK)
    blocks = [column[at : at + SHAPE_BLOCK] for at in starts for column in columns]
    return len(kinds).to_bytes(COUNT, "little") + _deflate([np.concatenate([np.zeros(0, np.uint8), *blocks])])


def _best_order(task: _Task, pool: Executor) -> list[int]:
    assert task.lengths.any()  # here, or each thread of the pool would work them out
    orders = candidates(layout_of(task.contents.material), task.width)
    if len(orders) == 1 or task.count == 1:
        return orders[0]
    sample = range(0, task.count, -(-task.count // _SAMPLES))

    def cost(order: list[int]) -> int:
        places = numbers_of(order)
        return sum(len(_chunks(task, places, range(number, number + 1))[0]) for number in sample)

    costs = list(pool.map(cost, orders))
    return orders[costs.index(min(costs))]


def _chunks(task: _Task, places: NDArray[np.int64], chunks: range) -> list[bytes]:
    """Make neighbouring chunks of one group."""
    forms, made = task.groups.forms[chunks.start // task.group], []
    entries, staircases = _of_chunks(task.contents, chunks, task.width)
    stored = Stored(task.forms.steps[forms], task.forms.beside[forms], task.shape_bytes, task.distance_bytes)
    for chunk in chunks:
        begin, shapes = chunk * task.width, task.shapes[chunk]
        there = (chunk - chunks.start) * task.width
        first = np.empty((1 + stored.steps.shape[1], 1 + len(shapes)), np.int64)
        raw = np.zeros(task.lengths[chunk], np.uint8)
        fresh, rest = fill_chunk(
            entries, staircases, task.rows, stored, there, places,
            task.kinds.of[begin : begin + task.width], shapes, task.kinds.counts[chunk],
            np.argsort(shapes), first, np.empty(len(shapes), np.int64), raw,
        )  # fmt: skip
        made.append(_deflate((raw[:fresh], raw[fresh:rest], raw[rest:])))
    return made


def _deflate(sections: Sequence[NDArray[np.uint8]]) -> bytes:
    """Compress sections, each with a code of its own since they differ in nature."""
    packer = zlib_ng.compressobj(LEVEL, zlib_ng.DEFLATED, RAW)
    done = []
    for section in sections:
        done += [packer.compress(section.data), packer.flush(zlib_ng.Z_BLOCK)]
    return b"".join([*done, packer.flush()])
