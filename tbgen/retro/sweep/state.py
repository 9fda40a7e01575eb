"""The state of a slice while it is solved, and how a position is settled.

An open position has two values, both relative to the side to move: `theirs` while the *opponent* holds a record of
the current level, from which the mover would escape, and `ours` while the *mover* holds it and would keep it. Once
settled, it has one outcome that every weaker record leaves: `worth`.

Each field is an array of its own, as narrow as possible. The neighbours of a position lie close together, so the more
positions a cache line holds, the fewer lines are fetched (docs/performance.md).
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import bits_set, lowest_bit
from tbgen.compiler.jit import inlined, kernel, plain
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.survey.survey import ILLEGAL_LEVEL, Survey
from tbgen.retro.sweep.cells import Cells, cell_of, cells_for, first_cell, give_all, give_open
from tbgen.retro.threads.ahead import BY_PAGES, is_in_file, read_ahead, read_around, read_by
from tbgen.retro.threads.lanes import LANE, at_most, laid_out
from tbgen.retro.threads.sets import AWAY, BLOCK, CLOSED, LOSING, SETTLED, PositionSets, has, lane_of, mark_lane
from tbgen.retro.threads.team import next_range
from tbgen.retro.values.codes import NONE, STANDS, make_code_table
from tbgen.retro.values.keys import level_of, outcome_of
from tbgen.retro.values.payoff import paid
from tbgen.system.parallel import pieces

Each = Callable[[Callable[[slice], Any], Iterable[slice]], Iterable[Any]]
"""`map`, or that of a pool of threads."""

STRETCH: Final = 1 << 19
"""Nodes whose cells are found with 64 KiB of `Cells.members`; what is read ahead for so many stays until it is used."""
NOT_AGAIN: Final = 255
"""In `SliceState.due`."""
_COLUMNS: Final = ("due", "level", "pays")
"""Fields of `SliceState` that cells always have, the smallest first,"""
_VALUES: Final = {"theirs": STANDS, "ours": STANDS, "link": np.int32(0)}
"""those that they have under records, and what these begin with."""


class SliceState(NamedTuple):
    worth: NDArray[np.uint16]
    """`[node]`: of a settled position, the code of its patient key."""
    staircase: NDArray[np.int32]
    """`[node]`: that of a position without a cell."""
    cells: Cells
    link: NDArray[np.int32]
    """`[cell]`: the staircase so far, by its last link."""
    theirs: NDArray[np.uint16]
    ours: NDArray[np.uint16]
    """`[cell]`: codes of patient keys. While no record matters, these two and `link` have no cells."""
    pays: NDArray[np.uint16]
    """`[cell]`: codes of payoffs, see `Survey`."""
    level: NDArray[np.uint8]
    """`[cell]`"""
    due: NDArray[np.uint8]
    """`[cell]`: the level at which a scan must look at the position, at the latest."""
    keys: NDArray[np.int32]
    payoffs: NDArray[np.int32]
    """Code tables (retro/values/codes.py)."""
    on_disk: int
    """1 if what resets pay did not fit into memory: then arrays are read around what is looked at."""


def make_state(
    survey: Survey, staircase: NDArray[np.int32], sets: PositionSets, make: Make = in_memory, each: Each = map
) -> SliceState:
    """What the survey knows, which may be gathered before there is more (`begun`). It takes over the survey's arrays;
    `staircase` has zeros. `each` maps a function over pieces."""
    nodes = len(survey.level)
    nothing = np.zeros(0, np.uint16)
    state = SliceState(
        worth=nothing,
        staircase=staircase,
        cells=cells_for(nodes, make),
        link=np.zeros(0, np.int32),
        theirs=nothing,
        ours=nothing,
        pays=survey.pays,
        level=survey.level,
        due=np.zeros(0, np.uint8),
        keys=make_code_table(nodes),
        payoffs=survey.payoffs,
        on_disk=int(is_in_file(survey.pays)),
    )
    give_all(state.cells, nodes)
    _by_stretches(each, nodes, partial(_mark, state, sets))
    return state


def begun(state: SliceState, worth: NDArray[np.uint16], make: Make = in_memory, each: Each = map) -> SliceState:
    """The state before the sweep; `worth` has zeros."""
    cells = len(state.level)
    state = state._replace(worth=worth, due=laid_out(cells, np.uint8, make))
    _by_stretches(each, cells, partial(_begin_due, state, _levels_paid(state.payoffs)))
    read_by_pages(state)
    return state


def _by_stretches(each: Each, nodes: int, work: Callable[[int, int], None]) -> None:
    """Have `work` go over all nodes, from the first to the last of a stretch at a time."""
    deque(each(lambda here: work(here.start, here.stop), pieces(nodes, STRETCH)), maxlen=0)


@kernel
def _mark(state, sets, start, end):
    """Put some nodes of all, each of which has its own cell, into the sets that they are in before the sweep."""
    for lane in lanes_in(start, end):
        illegal = losing = ~np.uint64(0)
        for node in range(lane * LANE, min((lane + 1) * LANE, end)):
            bit = np.uint64(1) << np.uint64(node % LANE)
            if state.level[node] != ILLEGAL_LEVEL:
                illegal ^= bit
            if state.pays[node] != NONE:
                losing ^= bit
        for which in (SETTLED, CLOSED, AWAY):
            mark_lane(sets, which, lane, illegal)
        mark_lane(sets, LOSING, lane, losing)


@kernel
def _begin_due(state, goals, start, end):
    """When the positions of some cells are due at first. `goals`: `[code]`, the level of what resets pay."""
    if state.on_disk:
        read_ahead(state.level, start, end)
        read_ahead(state.pays, start, end)
    for cell in range(start, end):
        level = state.level[cell]
        state.due[cell] = min(level, goals[state.pays[cell]]) if level != ILLEGAL_LEVEL else NOT_AGAIN


def _levels_paid(payoffs: NDArray[np.int32]) -> NDArray[np.uint8]:
    """`[code]`: the level of what is paid, NOT_AGAIN for nothing."""
    levels = plain(level_of)(plain(paid)(payoffs))
    return np.where(payoffs == 0, NOT_AGAIN, levels).astype(np.uint8)


def gathering(
    state: SliceState, sets: PositionSets, with_record: bool, make: Make = in_memory, each: Each = map
) -> Iterator[SliceState]:
    """Take the cells of closed positions away, whose staircases are put in their place; if there are records, the other
    positions get values under them. Yields the state after each column: once the caller has let go of the state before,
    the old column is gone when the next is made. The last state that is yielded is the one to go on with."""
    nodes = len(state.staircase)
    cells = cells_for(nodes, make)
    count = int(give_open(cells, nodes, sets))
    if len(state.link):
        _by_stretches(each, nodes, partial(_put_closed, state, cells.members))
    for name in (*_COLUMNS, *(_VALUES if with_record else ())):
        old = getattr(state, name)
        if not len(old) and name not in _VALUES:
            continue  # not yet begun
        column = laid_out(count, old.dtype, make)
        if len(old):
            _by_stretches(each, nodes, partial(_gather, state, cells, old, column))
        elif _VALUES[name]:
            _by_stretches(each, count, partial(_fill, column, _VALUES[name]))
        del old
        changed: dict[str, Any] = {name: column}
        state = state._replace(**changed)
        del column, changed
        yield state
    state = state._replace(cells=cells)
    read_by_pages(state)
    yield state


@kernel
def _put_closed(state, members, start, end):
    """Put the staircases of those in their place that are no longer members."""
    read_members_ahead(state, start)
    read_cells_ahead(state, state.link, start, end)
    if state.on_disk:
        read_ahead(state.staircase, start, end)
    for lane in lanes_in(start, end):
        _put_staircases(state, lane, state.cells.members[lane] ^ members[lane])


@kernel
def _gather(state, cells, old, column, start, end):
    """Move what a column has of some nodes to the cells that they have from now on."""
    read_members_ahead(state, start)
    read_cells_ahead(state, old, start, end)
    for lane in lanes_in(start, end):
        left, members = cells.members[lane], state.cells.members[lane]
        first, to = first_cell(state.cells, lane), first_cell(cells, lane)
        while left:
            before = ~left & left - np.uint64(1)
            column[to] = old[first + bits_set(members & before)]
            left &= left - np.uint64(1)
            to += 1


@kernel
def _fill(column, value, start, end):
    column[start:end] = value


@inlined
def _put_staircases(state, lane, left):
    """Put those of some positions of a lane from their cells to where they stay."""
    while left:
        node = lane * LANE + lowest_bit(left)
        left &= left - np.uint64(1)
        link = state.link[cell_of(state.cells, node)]
        if link:
            state.staircase[node] = link


def put_staircases(state: SliceState, each: Each = map) -> None:
    """The same for all that have cells: also for settled ones that wait for a level above the highest of the slice."""
    if len(state.link):
        _by_stretches(each, len(state.worth), partial(_put_all, state))


@kernel
def _put_all(state, start, end):
    read_members_ahead(state, start)
    read_cells_ahead(state, state.link, start, end)
    if state.on_disk:
        read_ahead(state.staircase, start, end)
    for lane in lanes_in(start, end):
        _put_staircases(state, lane, state.cells.members[lane])


def read_by_pages(state: SliceState) -> None:
    if state.on_disk:
        columns = state.link, state.theirs, state.ours, state.pays, state.level, state.due
        read_by(BY_PAGES, state.worth, state.staircase, *state.cells, *columns)


@inlined
def read_cells_ahead(state, array, start, end):
    """Have the system read an array's cells of these nodes now, if it lies in a file; the nodes begin with a block."""
    if state.on_disk:
        read_ahead(array, state.cells.first[start // BLOCK], state.cells.first[-(-end // BLOCK)])


@inlined
def read_members_ahead(state, start):
    """Have it read where the cells of these nodes are, with those of the whole stretch that they begin."""
    if state.on_disk and start % STRETCH == 0:
        first, last = start // LANE, min((start + STRETCH) // LANE, len(state.cells.members))
        read_ahead(state.cells.members, first, last)
        read_ahead(state.cells.within, first, last)


@inlined
def next_due(team, me, state):
    """Claim a range of positions as `next_range` does, and have it read when they are due."""
    start, end = next_range(team, me, len(state.worth))
    if start < end:
        read_members_ahead(state, start)
        read_cells_ahead(state, state.due, start, end)
    return start, end


@inlined
def read_link_around(state, buffers, node):
    """Have it read the clusters that say where an open position's cell is, and the one with its staircase."""
    if state.on_disk:
        cell = _read_cell_around(state, buffers, node // LANE)
        read_around(buffers.clusters, state.link, cell)


@inlined
def _read_cell_around(state, buffers, lane):
    """Have it read the clusters that say where a lane's cells are. Returns the first cell."""
    read_around(buffers.clusters, state.cells.members, lane)
    read_around(buffers.clusters, state.cells.within, lane)
    return first_cell(state.cells, lane)


@inlined
def read_values_around(state, buffers, node):
    """Have it read the clusters with the values of an open position, once records matter."""
    if state.on_disk and len(state.theirs):
        cell = _read_cell_around(state, buffers, node // LANE)
        read_around(buffers.clusters, state.theirs, cell)
        read_around(buffers.clusters, state.ours, cell)


@inlined
def read_pays_around(state, buffers, node):
    """Have it read the cluster with what an open position's resets pay."""
    if state.on_disk:
        read_around(buffers.clusters, state.pays, _read_cell_around(state, buffers, node // LANE))


@inlined
def read_review_around(state, buffers, node):
    """Have it read the clusters with an open position's values, and with what its resets pay."""
    read_values_around(state, buffers, node)
    if state.on_disk:
        read_around(buffers.clusters, state.pays, first_cell(state.cells, node // LANE))


@inlined
def read_cells_around(state, buffers, lane):
    """Have it read the clusters with all that is known of a lane's open positions."""
    if state.on_disk:
        read_review_around(state, buffers, lane * LANE)
        cell = first_cell(state.cells, lane)
        read_around(buffers.clusters, state.level, cell)
        read_around(buffers.clusters, state.due, cell)


@inlined
def read_worth_around(state, buffers, node):
    """Have it read the cluster with what a settled position is worth. Of large tables that is the largest array, so
    only for positions that are looked at."""
    if state.on_disk:
        read_around(buffers.clusters, state.worth, node)


def is_settled(nodes: int, sets: PositionSets, each: Each = map) -> bool:
    """Whether every position is settled."""
    return all(each(lambda here: _all_settled(sets, here.start, here.stop), pieces(nodes)))


@kernel
def _all_settled(sets, start, end):
    for lane in lanes_in(start, end):
        if ~lane_of(sets, SETTLED, lane):
            return False
    return True


@inlined
def key_at(state, code):
    """The patient key behind a code that is neither STANDS nor NONE."""
    return state.keys[code]


@inlined
def payoff_at(state, cell):
    """The packed payoff of a position's resets."""
    return state.payoffs[state.pays[cell]]


@inlined
def is_open(sets, node):
    return not has(sets, SETTLED, node)


@inlined
def escape_at(state, cell):
    """The code of `theirs`."""
    return state.theirs[cell] if len(state.theirs) else STANDS


@inlined
def keep_at(state, cell):
    """The code of `ours`."""
    return state.ours[cell] if len(state.ours) else STANDS


@inlined
def put_off(state, cell, level):
    """Set `due` of an open position: the first level from this one on at which a scan must look at it."""
    due = np.int64(state.level[cell])
    pays = state.pays[cell]
    if pays != NONE:
        due = _sooner(due, level_of(paid(state.payoffs[pays])), level)
    theirs, ours = escape_at(state, cell), keep_at(state, cell)
    if theirs != STANDS:
        due = _sooner(due, level_of(outcome_of(key_at(state, theirs))), level)
    if ours != STANDS:
        due = _sooner(due, level_of(outcome_of(key_at(state, ours))), level)
    state.due[cell] = due


@inlined
def _sooner(due, one, level):
    return one if level <= one < due else due


@inlined
def lanes_in(start, end):
    """The lanes of a range of nodes."""
    return range(start // LANE, -(-end // LANE))


@inlined
def none_due(state, lane, level):
    """Whether a scan can pass by a lane; it may say no of one where nothing is due."""
    if not state.cells.members[lane]:
        return True
    return not at_most(state.due, first_cell(state.cells, lane), level)
