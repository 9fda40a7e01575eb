"""Encoding contents as the sections of a file; docs/format.md says what these hold."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.arrays import Make, in_memory, read_by_pages
from tbgen.contents import Contents, distances
from tbgen.index import layout_of
from tbgen.outcome import BASE
from tbgen.store.format.form_pages import pack_pages
from tbgen.store.format.forms import by_step
from tbgen.store.format.order import candidates, numbers_of
from tbgen.store.format.planes import bytes_for, planes_of
from tbgen.store.format.schema import COUNT, ESCAPE, LEVEL, RAW, SHAPE_BLOCK, group_of
from tbgen.store.format.shapes import EVEN, Forms
from tbgen.store.write.aside import Aside, put_aside
from tbgen.store.write.kernels import (
    ODD_AT,
    OUTCOME_AT,
    OUTCOMES,
    SAME_AT,
    Rows,
    Stored,
    fill_chunk,
    find_kinds,
)
from tbgen.store.write.staircases import make_forms, make_rows
from tbgen.turns import in_turn

WIDTHS: Final = (1 << 14, 1 << 12)
"""Positions per chunk. With more, chunks compress better, by 4 % here, but reading one position takes longer."""
SLIM_WIDTHS: Final = (1 << 14, 1 << 13)
"""The same of slim tables."""
_LARGE: Final = 1 << 25
"""Tables of more numbers than this have the shorter chunks: programs read single positions of them, never all."""
_TOGETHER: Final = 16
"""Chunks that a thread makes before it asks for more: all of one group."""
_AHEAD: Final = 32
"""Groups of such chunks that are being made or wait to be written, at most: all together are as large as the file."""
_MERGED: Final = 1 << 12
"""Chunks whose forms are merged at a time."""
_SAMPLES: Final = 8
"""Chunks on which each order of places is tried."""


class Census(NamedTuple):
    """All entries of a table, counted."""

    legal: int
    outcomes: NDArray[np.int64]
    """`[outcome + BASE]`: how many have this fresh outcome."""
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
    longest: int
    count: int
    """Chunks."""
    lists: Aside[np.uint8]
    """`[group]`: its shapes."""
    pages: list[bytes]
    """Of forms (store/format/form_pages.py)."""
    chunks: Iterator[bytes]
    """The chunks in order. The pool makes them meanwhile."""


class _Parts(NamedTuple):
    """The kinds of positions in each chunk (see kernels.py), and how many have each."""

    kinds: Aside[np.int64]
    counts: Aside[np.int32]


class _FormNumbers(NamedTuple):
    """The forms of a table, and how a kind leads to its form."""

    keys: NDArray[np.int64]
    """The kinds' upper parts, in rising order."""
    rank: NDArray[np.int32]
    """`[key]`: which form it is."""
    numbers: NDArray[np.int64]
    """`[form]`: its number in the file."""
    steps: NDArray[np.uint8]
    """`[form, nth]`: the step whose distance is the nth that is stored, if there is one."""
    beside: NDArray[np.uint8]
    """`[form]`: how many distances are stored beside the fresh one."""

    def of(self, kinds: NDArray[np.int64]) -> NDArray[np.int32]:
        """The form of each kind."""
        return self.rank[np.searchsorted(self.keys, kinds >> SAME_AT)]


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
    """What comes of a group's parts."""

    group: _Group
    shapes: list[NDArray[np.int32]]
    """`[part]`: the shape of each of its kinds, its place among those of the group."""
    listed: bytes
    """The list of its shapes."""
    outcomes: NDArray[np.int64]
    """See `Census`."""


@dataclass
class _Task:
    contents: Contents
    rows: Rows
    width: int
    parts: _Parts
    kind: NDArray[np.uint16]
    """`[position]`: the index of its kind in its part. As long as all chunks together, the last one filled up."""
    forms: _FormNumbers
    distance_bytes: int
    groups: _Groups
    shapes: Aside[np.int32]
    """`[part]`: the shape of each of its kinds."""

    @property
    def group(self) -> int:
        return group_of(self.width)

    @property
    def count(self) -> int:
        """Chunks."""
        return len(self.parts.kinds)

    @cached_property
    def shape_bytes(self) -> int:
        """Once all groups are there. To go through them for each chunk would take longer than to fill it."""
        return bytes_for(max(map(len, self.groups.forms)) - 1 - ESCAPE)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """`[chunk]`: its bytes before compression."""
        return np.fromiter(map(self._length, range(self.count)), np.int64, self.count)

    def _length(self, number: int) -> int:
        shape = self.shapes[number]
        each = self.groups.held[number // self.group][shape].astype(np.int64) * self.distance_bytes
        each += (shape >= ESCAPE) * self.shape_bytes
        return self.width + int((each * self.parts.counts[number]).sum())


def encode(
    contents: Contents,
    pool: Executor,
    make: Make = in_memory,
    *,
    report: Callable[[int], None] = lambda numbers: None,
    slim: bool = False,
) -> Encoded:
    """Encode contents. When this returns, all but the chunks is done; the pool goes on with those.

    `report` is called with the numbers of chunks whose kinds are known, and again with those of chunks that are made.
    """
    size, steps = len(contents.entries), contents.steps
    widths = SLIM_WIDTHS if slim else WIDTHS
    width = min(widths[size > _LARGE], 1 << max(0, size - 1).bit_length())
    rows = make_rows(steps, make, pool)
    read_by_pages(rows.after, rows.halves, rows.form)
    kind: NDArray[np.uint16] = make(-(-size // width) * width, np.uint16)
    parts, longest, where = _Parts(Aside(make, np.int64), Aside(make, np.int32)), -1, range(0)
    batches = _batches(len(kind) // width, _TOGETHER)
    in_order = in_turn(pool, _AHEAD, partial(_sort, contents, rows, kind, width), zip(batches, strict=True))
    for batch, (kinds, counts, distance) in zip(batches, in_order, strict=True):
        parts.kinds.extend(kinds)
        parts.counts.extend(counts)
        if distance > longest:
            longest, where = distance, batch
        report(_numbers_in(batch, width, size))
    keys = _by_appearance(parts.kinds)
    forms = make_forms(rows, keys, make)
    pages, numbers = pack_pages(forms)
    rising = np.argsort(keys)
    known = _FormNumbers(
        put_aside(keys[rising], make), put_aside(rising.astype(np.int32), make), put_aside(numbers, make),
        *_stored_steps(forms, make),
    )  # fmt: skip
    form_bytes = bytes_for(int(numbers.max()))
    del keys, rising, numbers, forms
    all_distances = max(longest, int(steps.distance.max(initial=0)))
    distance_bytes = bytes_for(all_distances >> 1) or 1
    groups = _Groups(Aside(make, np.int32), Aside(make, np.uint8))
    task = _Task(contents, rows, width, parts, kind, known, distance_bytes, groups, Aside(make, np.int32))
    lists, outcomes = Aside(make, np.uint8), np.zeros(2 * BASE + 1, np.int64)
    batched = zip(_batches(task.count, task.group), strict=True)
    for merged in in_turn(pool, _AHEAD, partial(_merge, known, form_bytes, parts), batched):
        task.groups.append(merged.group)
        task.shapes.extend(merged.shapes)
        lists.append(np.frombuffer(merged.listed, np.uint8))
        outcomes += merged.outcomes
    order = _best_order(task, contents, pool)
    places = numbers_of(order)
    made = in_turn(pool, _AHEAD, partial(_chunks, task, places), zip(batches, strict=True))
    return Encoded(
        width, order, max(1, *(int(held.max()) for held in task.groups.held)), task.distance_bytes, task.shape_bytes,
        form_bytes, Census(int(outcomes.sum()), outcomes, longest, _first_at(contents, longest, width, where)),
        int(task.lengths.max()), task.count, lists,
        pages if form_bytes else [], _told(made, [_numbers_in(batch, width, size) for batch in batches], report),
    )  # fmt: skip


def _batches(parts: int, count: int) -> list[range]:
    return [range(at, min(at + count, parts)) for at in range(0, parts, count)]


def _numbers_in(batch: range, width: int, size: int) -> int:
    """How many numbers these chunks hold. The last one may not be full."""
    return min(batch.stop * width, size) - batch.start * width


def _told(made: Iterable[list[bytes]], numbers: list[int], report: Callable[[int], None]) -> Iterator[bytes]:
    """All chunks, one after another. `numbers`: of each batch, which are reported once its chunks are taken."""
    for chunks, count in zip(made, numbers, strict=True):
        yield from chunks
        report(count)


def _sort(
    contents: Contents, rows: Rows, kind: NDArray[np.uint16], width: int, numbers: range
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int32]], int]:
    """Of some chunks the kinds, how many positions have each, and the longest fresh distance."""
    slots, kinds, counts = np.empty(2 * width, np.int32), np.empty(width, np.int64), np.empty(width, np.int32)
    different, of_each, longest = [], [], 0
    for begin in range(numbers.start * width, numbers.stop * width, width):
        here = kind[begin : begin + width]
        found, distance = find_kinds(contents.entries, contents.staircases, rows, begin, slots, here, kinds, counts)
        different.append(kinds[:found].copy())
        of_each.append(counts[:found].copy())
        longest = max(longest, distance)
    return different, of_each, longest


def _first_at(contents: Contents, distance: int, width: int, batch: range) -> int:
    """The first number in these chunks with this distance."""
    begin = batch.start * width
    return begin + int(np.argmax(distances(contents.entries[begin : batch.stop * width]) == distance))


def _by_appearance(parts: Aside[np.int64]) -> NDArray[np.int64]:
    """The keys of all forms, in the order in which they come up, so that neighbouring chunks use the same pages of
    forms. That of no steps is the first."""
    keys = [np.zeros(1, np.int64)]
    known = keys[0]
    for batch in _batches(len(parts), _MERGED):
        found, where = np.unique(np.concatenate([parts[n] for n in batch]) >> SAME_AT, return_index=True)
        new = known[np.minimum(np.searchsorted(known, found), len(known) - 1)] != found
        keys.append(found[new][np.argsort(where[new])])
        known = np.sort(np.concatenate([known, found[new]]), kind="stable")  # which merges what is sorted
    return np.concatenate(keys)


def _stored_steps(forms: Forms, make: Make) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """`steps` and `beside` of `_FormNumbers`."""
    beside = np.concatenate([part.stored() for _, part in forms.parts()])
    most = int(beside.max())
    steps: NDArray[np.uint8] = make(len(beside) * most, np.uint8).reshape(len(beside), most)
    for here, part in forms.parts():
        column, _ = part.distances()
        for step, (having, at) in enumerate(by_step(part.start, part.steps)):
            own = part.source[at] >= EVEN
            steps[here][having[own], column[at[own]] - 1] = step
    return steps, beside


def _merge(forms: _FormNumbers, form_bytes: int, parts: _Parts, numbers: range) -> _Merged:
    """Merge the parts of a group, which are those of these chunks."""
    kinds = np.unique(np.concatenate([np.zeros(1, np.int64), *(parts.kinds[number] for number in numbers)]))
    totals, places = np.zeros(len(kinds), np.int64), []
    for number in numbers:
        place = np.searchsorted(kinds, parts.kinds[number])
        totals[place] += parts.counts[number]
        places.append(place)
    order = np.lexsort((kinds, -totals, kinds != 0))
    ranks = np.empty(len(kinds), np.int32)
    ranks[order] = np.arange(len(kinds), dtype=np.int32)
    kinds = kinds[order]
    of = forms.of(kinds)
    group = _Group(of, np.where(kinds != 0, forms.beside[of] + np.uint8(1), np.uint8(0)))
    counts = np.zeros(2 * BASE + 1, np.int64)
    np.add.at(counts, BASE + _outcome_of(kinds[1:]), totals[order][1:])
    return _Merged(group, [ranks[place] for place in places], _listed(kinds[1:], group, forms, form_bytes), counts)


def _outcome_of(kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    outcome = kinds >> OUTCOME_AT & OUTCOMES
    return outcome - (outcome >> 10 << 11)


def _listed(kinds: NDArray[np.int64], group: _Group, forms: _FormNumbers, form_bytes: int) -> bytes:
    """The list of its shapes, of these kinds, but for that of no position: how many there are, then block after block
    of columns."""
    columns = [
        *planes_of(2 * _outcome_of(kinds) + (kinds >> ODD_AT & 1), 2),
        group.held[1:],
        *planes_of(forms.numbers[group.forms[1:]], form_bytes),
    ]
    starts = range(0, len(kinds), SHAPE_BLOCK)
    blocks = [column[at : at + SHAPE_BLOCK] for at in starts for column in columns]
    return len(kinds).to_bytes(COUNT, "little") + _deflate([np.concatenate([np.zeros(0, np.uint8), *blocks])])


def _best_order(task: _Task, contents: Contents, pool: Executor) -> list[int]:
    orders = candidates(layout_of(contents.material), task.width)
    if len(orders) == 1 or task.count == 1:
        return orders[0]
    sample = range(0, task.count, -(-task.count // _SAMPLES))

    def cost(order: list[int]) -> int:
        places = numbers_of(order)
        return sum(len(_chunks(task, places, range(number, number + 1))[0]) for number in sample)

    costs = list(pool.map(cost, orders))
    return orders[costs.index(min(costs))]


def _chunks(task: _Task, places: NDArray[np.int64], numbers: range) -> list[bytes]:
    """Make neighbouring chunks of one group."""
    forms, given, made = task.groups.forms[numbers.start // task.group], task.contents, []
    stored = Stored(task.forms.steps[forms], task.forms.beside[forms], task.shape_bytes, task.distance_bytes)
    for number in numbers:
        begin, shapes = number * task.width, task.shapes[number]
        first = np.empty((1 + stored.steps.shape[1], 1 + len(shapes)), np.int64)
        raw = np.zeros(task.lengths[number], np.uint8)
        fresh, rest = fill_chunk(
            given.entries, given.staircases, task.rows, stored, begin, places,
            task.kind[begin : begin + task.width], shapes, task.parts.counts[number],
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
