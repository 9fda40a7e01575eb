"""Cases of positions that may need a step, sorted by the link at the end of their staircases.

A step is found again only behind the same link. So where many links may be new, positions are sorted by the link that
there is, into bundles for whose steps the index has room: what is looked at for one of these lies close together. Each
bundle is gone through in order, wherever its positions are. Three numbers a position are written twice and read twice,
and the links of open ones read once more.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import FAILED
from tbgen.retro.room import reserve
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.seeds import Seeds
from tbgen.retro.sweep.state import STRETCH, lanes_in, put_off, read_cells_ahead, read_members_ahead
from tbgen.retro.threads.ahead import TOGETHER, read_ahead
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import BLOCK, STEPPED, block_from, lane_of, read_set_ahead
from tbgen.retro.threads.team import barrier, claim
from tbgen.retro.values.codes import STANDS

_PIECES: Final = 128
"""Ranges of positions, at most: those of one are sorted by one thread."""
_SHARES: Final = 1 << 11
"""Ranges of links: a bundle is one of these or more."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_NONE: Final = np.int64(0)
_CODE_BITS: Final = 16
_CODES: Final = (1 << _CODE_BITS) - 1

# columns of `Cases.items`
_CELL: Final = 0
"""Of the position, counted from the first one of its piece."""
_LINK: Final = 1
_VALUES: Final = 2
"""Both codes."""
_COLUMNS: Final = 3


class Cases(NamedTuple):
    items: NDArray[np.integer]
    """Three for each position: its cell, the link at the end of its staircase, its values; by bundle, then by piece."""
    room: NDArray[np.int64]
    """Of `items` (arrays.py)."""
    counts: NDArray[np.int64]
    """`[piece, share]`: how many positions there are."""
    bundle: NDArray[np.int64]
    """`[share]`: the bundle of which it is a part."""
    ends: NDArray[np.int64]
    """One more than the links that there were when positions were counted, its only element: no link is one, too."""
    first: NDArray[np.int64]
    """`[bundle]`: how many positions are in those before it; behind the last: how many there are."""
    to: NDArray[np.int64]
    """`[bundle * _PIECES + piece + 1]`: where the next position goes, so in the end where those of a piece end."""
    bundles: NDArray[np.int64]
    """How many there are, its only element."""


def make_cases(seeds: Seeds) -> Cases:
    """They lie where seeds do, which are not needed while steps are written."""
    return Cases(
        seeds.items,
        seeds.room,
        np.zeros((_PIECES, _SHARES), np.int64),
        np.zeros(_SHARES, np.int64),
        np.zeros(1, np.int64),
        np.zeros(_SHARES + 1, np.int64),
        np.zeros(_SHARES * _PIECES + 2, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def count_cases(worker, cases, links, most):
    """Count the positions that may need a step, and have bundles of so many positions, or of one share with more.
    Returns False if one has more than `items` has room for."""
    team, me = worker.team, worker.me
    barrier(team, me)
    if me == 0:
        cases.ends[0] = links.given[0] + 1
    barrier(team, me)
    _sort(worker, cases, _NONE, _NONE, _NONE)
    barrier(team, me)
    if me == 0:
        _make_bundles(cases, most)
    barrier(team, me)
    return end_of_batch(cases, _NONE) > 0


@kernel
def _make_bundles(cases, most):
    bundle, total = 0, np.int64(0)
    cases.first[0] = 0
    for share in range(_SHARES):
        here = cases.counts[:, share].sum()
        if here and total > cases.first[bundle] and total + here - cases.first[bundle] > most:
            bundle += 1
            cases.first[bundle] = total
        cases.bundle[share] = bundle
        total += here
    cases.bundles[0] = bundle + 1
    cases.first[bundle + 1] = total
    cases.to[: (bundle + 1) * _PIECES + 2] = 0
    for share in range(_SHARES):
        for piece in range(_PIECES):
            cases.to[cases.bundle[share] * _PIECES + piece + 2] += cases.counts[piece, share]
    for at in range(2, (bundle + 1) * _PIECES + 2):
        cases.to[at] += cases.to[at - 1]


@kernel
def end_of_batch(cases, begin):
    """Where the batch ends that begins with this bundle: `items` has room for all of it. 0 if there is a bundle for
    which alone it has none."""
    room = len(cases.items) // _COLUMNS
    end = begin
    for bundle in range(begin, cases.bundles[0]):
        if cases.first[bundle + 1] - cases.first[bundle] > room:
            return 0
        if cases.first[bundle + 1] - cases.first[begin] <= room:
            end = bundle + 1
    return end


@kernel
def sort_cases(worker, cases, begin, end, level):
    """Collect the positions of these bundles. Returns False if the disk has no room for them."""
    team, me = worker.team, worker.me
    barrier(team, me)
    if me == 0:
        reserve(cases.room, (cases.first[end] - cases.first[begin]) * _COLUMNS * cases.items.itemsize)
    barrier(team, me)
    if cases.room[FAILED]:
        return False
    _sort(worker, cases, begin, end, level)
    barrier(team, me)
    return True


@inlined
def _nodes_of(piece, nodes):
    """A piece: so many whole stretches."""
    size = -(-nodes // (_PIECES * STRETCH)) * STRETCH
    return min(piece * size, nodes), min((piece + 1) * size, nodes)


@kernel
def _sort(worker, cases, begin, end, level):
    """Copy the positions of these bundles to `items`, in order, and set when each is due again, from this level on.
    Without a bundle, count the positions of each piece by share."""
    team, me, state, sets, ends = worker.team, worker.me, worker.state, worker.sets, cases.ends[0]
    counts, base = begin == end, cases.first[begin]
    while True:
        piece = claim(team, me, 1)
        if piece >= _PIECES:
            break
        if counts:
            cases.counts[piece] = 0
        first, stop = _nodes_of(piece, len(state.worth))
        first_cell = state.cells.first[first // BLOCK]
        for start in range(first, stop, TOGETHER * BLOCK):
            next_start = min(start + TOGETHER * BLOCK, stop)
            read_members_ahead(state, start)  # of the whole stretch, whether these are needed or not
            end_block = -(-next_start // BLOCK)
            if block_from(sets, STEPPED, start // BLOCK, end_block) == end_block:
                continue
            _read_ahead(state, sets, start, next_start, counts)
            for lane in lanes_in(start, next_start):
                left = lane_of(sets, STEPPED, lane)
                while left:
                    cell = cell_of(state.cells, lane * LANE + lowest_bit(left))
                    left &= left - np.uint64(1)
                    link = np.int64(state.link[cell])
                    if link >= ends:  # a step of this level, from a batch before
                        continue
                    share = link * _SHARES // ends
                    if counts:
                        cases.counts[piece, share] += 1
                        continue
                    bundle = cases.bundle[share]
                    if begin <= bundle < end:
                        place = bundle * _PIECES + piece + 1
                        _put(state, cases, cases.to[place] - base, cell, cell - first_cell, link)
                        cases.to[place] += 1
                        put_off(state, cell, level)


@inlined
def _read_ahead(state, sets, start, end, counts):
    """Have the system read what is looked at of these positions."""
    read_set_ahead(sets, STEPPED, start // LANE, -(-end // LANE))
    read_cells_ahead(state, state.link, start, end)
    if not counts:
        read_cells_ahead(state, state.theirs, start, end)
        read_cells_ahead(state, state.ours, start, end)
        read_cells_ahead(state, state.pays, start, end)
        read_cells_ahead(state, state.level, start, end)
        read_cells_ahead(state, state.due, start, end)


@inlined
def _put(state, cases, at, cell, within, link):
    at *= _COLUMNS
    cases.items[at + _CELL] = within
    cases.items[at + _LINK] = link
    cases.items[at + _VALUES] = np.int64(state.theirs[cell]) << _CODE_BITS | np.int64(state.ours[cell])


@inlined
def case_at(cases, at):
    """The link at the end of a position's staircase, `theirs` and `ours`."""
    values = cases.items[at * _COLUMNS + _VALUES]
    return np.int64(cases.items[at * _COLUMNS + _LINK]), values >> _CODE_BITS & _CODES, values & _CODES


@inlined
def put_link(cases, at, link):
    """Have this be the end of a position's staircase, which says its values now."""
    cases.items[at * _COLUMNS + _LINK] = link
    cases.items[at * _COLUMNS + _VALUES] = np.int64(STANDS) << _CODE_BITS | np.int64(STANDS)


@inlined
def read_cases_ahead(state, cases, start, end):
    if state.on_disk:
        read_ahead(cases.items, start * _COLUMNS, end * _COLUMNS)


@kernel
def put_links(worker, cases, begin, end):
    """Have the links of these bundles in the cells of their positions."""
    team, me, state = worker.team, worker.me, worker.state
    barrier(team, me)
    while True:
        piece = claim(team, me, 1)
        if piece >= _PIECES:
            break
        start, stop = _nodes_of(piece, len(state.worth))
        read_cells_ahead(state, state.link, start, stop)
        first_cell = state.cells.first[start // BLOCK]
        for bundle in range(begin, end):
            place = bundle * _PIECES + piece
            first, last = cases.to[place] - cases.first[begin], cases.to[place + 1] - cases.first[begin]
            read_cases_ahead(state, cases, first, last)
            for at in range(first * _COLUMNS, last * _COLUMNS, _COLUMNS):
                state.link[first_cell + cases.items[at + _CELL]] = cases.items[at + _LINK]
    barrier(team, me)
