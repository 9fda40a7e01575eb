"""Seeds: positions that join at a distance of their own, sorted into groups that join together."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import FAILED, Growing
from tbgen.retro.room import reserve
from tbgen.retro.sweep import settle
from tbgen.retro.sweep.cells import first_cell
from tbgen.retro.sweep.state import read_cells_ahead, read_members_ahead
from tbgen.retro.threads.ahead import TOGETHER, read_around
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import (
    BLOCK,
    CLOSED,
    LOSE,
    TIMED,
    blocks_of,
    clear_block,
    has,
    has_block,
    lanes_of,
    read_block,
    read_set_around,
)
from tbgen.retro.threads.team import barrier, is_to_end
from tbgen.retro.values.codes import NONE
from tbgen.retro.values.payoff import LARGEST_DISTANCE, longest, paid, shortest

_KEYS: Final = 1 << 16
"""Kinds of seeds that are sorted apart, at most: codes of payoffs, or twice the distances."""

ALL: Final = np.int64(0)
"""No outcome: whatever positions are paid."""

# columns of `Seeds.groups`
TIME: Final = 0
"""The distance at which they join."""
FIRST: Final = 1
END: Final = 2
"""Where they are in `items`."""
GAINS: Final = 3
"""1 if their movers gain."""
_COLUMNS: Final = 4


class Seeds(NamedTuple):
    items: NDArray[np.integer]
    """Positions, by the kind of seed."""
    room: NDArray[np.int64]
    """Of `items` (arrays.py)."""
    first: NDArray[np.int64]
    """`[key]`: where in `items` a kind begins."""
    starts: NDArray[np.int64]
    """`[me, key]`: where those that one thread has found begin."""
    groups: NDArray[np.int64]
    """`[group, column]`: those that spread now, by the distance at which they join."""
    group_count: NDArray[np.int64]
    """One number."""


def make_seeds(items: Growing, threads: int) -> Seeds:
    return Seeds(
        *items,
        np.zeros(_KEYS + 1, np.int64),
        np.zeros((threads, _KEYS), np.int64),
        np.zeros((2 * _KEYS, _COLUMNS), np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def _sum_up(team, me, seeds, keys):
    """Where seeds of each kind begin, from how many each thread has found. Returns False if the disk has no room for
    them: then the sweep is to end."""
    barrier(team, me)
    if me == 0:
        total = 0
        for key in range(keys):
            seeds.first[key] = total
            for one in range(team.size):
                here = seeds.starts[one, key]
                seeds.starts[one, key] = total
                total += here
        seeds.first[keys] = total
        reserve(seeds.room, total * seeds.items.itemsize)
    barrier(team, me)
    return seeds.room[FAILED] == 0


@inlined
def _put(state, buffers, seeds, at, node):
    if state.on_disk:
        read_around(buffers.clusters, seeds.items, at)
    seeds.items[at] = node


@kernel
def sort_by_time(worker, seeds):
    """Move the TIMED sets to `seeds`, with a group for each distance. Returns False if the disk has no room for them.

    A counting sort: each thread counts what is in its blocks, the first thread sums, each thread copies."""
    team, me, keys = worker.team, worker.me, 2 * (LARGEST_DISTANCE + 1)
    barrier(team, me)
    seeds.starts[me, :keys] = 0
    _sort_timed(worker, seeds, 0)
    if not _sum_up(team, me, seeds, keys):
        return False
    _sort_timed(worker, seeds, 1)
    if me == 0:
        seeds.group_count[0] = 0
        for key in range(keys):
            if seeds.first[key] != seeds.first[key + 1]:
                _add_group(seeds, key, key >> 1, key & 1)
    barrier(team, me)
    return True


@kernel
def _sort_timed(worker, seeds, copies):
    """Count the seeds of this thread's blocks by their distance, or move them."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    for gains in range(2):
        which = TIMED if gains else TIMED + LOSE
        for block in blocks_of(team, me, sets):
            if is_to_end(team):
                break
            if not has_block(sets, which, block):
                continue
            read_set_around(sets, which, buffers, lanes_of(block).start)
            for at in range(read_block(sets, which, block, buffers)):
                node = np.int64(buffers.batch[at])
                key = 2 * settle.time_of(state, buffers, node, gains) + gains
                if copies:
                    _put(state, buffers, seeds, seeds.starts[me, key], node)
                seeds.starts[me, key] += 1
            if copies:
                clear_block(sets, which, block)


@kernel
def sort_by_payoff(worker, seeds, value):
    """Sort all positions that are not closed by the code of what their resets pay; or those that are paid this value,
    gained or lost. Returns False if the disk has no room for them."""
    team, me, keys = worker.team, worker.me, len(worker.state.payoffs)
    barrier(team, me)
    seeds.starts[me, :keys] = 0
    _sort(worker, seeds, value, 0)
    if not _sum_up(team, me, seeds, keys):
        return False
    _sort(worker, seeds, value, 1)
    barrier(team, me)
    return True


@kernel
def _sort(worker, seeds, value, copies):
    """Count the seeds of this thread's blocks by the code of their payoff, or copy them."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    for block in blocks_of(team, me, sets):
        if is_to_end(team):
            break
        if block % TOGETHER == 0:
            end = min((block + TOGETHER) * BLOCK, len(state.worth))
            read_members_ahead(state, block * BLOCK)
            read_cells_ahead(state, state.pays, block * BLOCK, end)
        for lane in lanes_of(block):
            left, cell = state.cells.members[lane], first_cell(state.cells, lane)
            while left:
                node, pays = lane * LANE + lowest_bit(left), state.pays[cell]
                is_paid = pays != NONE and (value == ALL or abs(paid(state.payoffs[pays])) == value)
                if is_paid and not has(sets, CLOSED, node):
                    if copies:
                        _put(state, buffers, seeds, seeds.starts[me, pays], node)
                    seeds.starts[me, pays] += 1
                left &= left - np.uint64(1)
                cell += 1


@kernel
def choose(state, seeds, value):
    """Group the seeds whose movers are paid this value, and those who lose it."""
    seeds.group_count[0] = 0
    for code in range(len(state.payoffs)):
        if seeds.first[code] != seeds.first[code + 1]:
            payoff = state.payoffs[code]
            if paid(payoff) == value:
                _add_group(seeds, code, shortest(payoff), 1)
            elif paid(payoff) == -value:
                _add_group(seeds, code, longest(payoff), 0)


@inlined
def _add_group(seeds, key, time, gains):
    """Add the seeds of a kind behind the groups that do not join later."""
    at = seeds.group_count[0]
    while at > 0 and seeds.groups[at - 1, TIME] > time:
        for column in range(_COLUMNS):
            seeds.groups[at, column] = seeds.groups[at - 1, column]
        at -= 1
    seeds.groups[at, TIME] = time
    seeds.groups[at, FIRST] = seeds.first[key]
    seeds.groups[at, END] = seeds.first[key + 1]
    seeds.groups[at, GAINS] = gains
    seeds.group_count[0] += 1
