"""Seeds: positions that join at a distance of their own, sorted into groups that join together."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import inlined, kernel
from tbgen.retro.sweep import settle
from tbgen.retro.threads.sets import BLOCK, CLOSED, TIMED, block_count, clear_block, has, has_block, read_block
from tbgen.retro.threads.team import barrier
from tbgen.retro.values.codes import NONE
from tbgen.retro.values.keys import LONGEST
from tbgen.retro.values.payoff import longest, paid, shortest

_KEYS: Final = 1 << 16
"""Kinds of seeds that are sorted apart, at most: codes of payoffs, or twice the distances."""

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
    first: NDArray[np.int64]
    """`[key]`: where in `items` a kind begins."""
    starts: NDArray[np.int64]
    """`[me, key]`: where those that one thread has found begin."""
    groups: NDArray[np.int64]
    """`[group, column]`: those that spread now, by the distance at which they join."""
    count: NDArray[np.int64]
    """One number: of groups."""


def make_seeds(items: NDArray[np.integer], threads: int) -> Seeds:
    return Seeds(
        items,
        np.zeros(_KEYS + 1, np.int64),
        np.zeros((threads, _KEYS), np.int64),
        np.zeros((2 * _KEYS, _COLUMNS), np.int64),
        np.zeros(1, np.int64),
    )


@inlined
def _blocks_of(team, me, sets):
    return range(block_count(sets) * me // team.size, block_count(sets) * (me + 1) // team.size)


@kernel
def _sum_up(team, me, seeds, keys):
    """Where seeds of each kind begin, from how many each thread has found."""
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
    barrier(team, me)


@inlined
def _put(seeds, me, key, node):
    seeds.items[seeds.starts[me, key]] = node
    seeds.starts[me, key] += 1


@inlined
def _key(state, sets, node, gains):
    """The kind of a seed that settles: its distance, and whether its mover gains."""
    return 2 * min(settle.time_of(state, sets, node, gains), LONGEST) + gains


@kernel
def sort_by_time(team, me, buffers, state, sets, seeds):
    """Move the TIMED sets to `seeds`, with a group for each distance.

    A counting sort: each thread counts what is in its blocks, the first thread sums, each thread copies."""
    keys = 2 * (LONGEST + 1)
    barrier(team, me)
    seeds.starts[me, :keys] = 0
    for gains in range(2):
        for block in _blocks_of(team, me, sets):
            if has_block(sets, TIMED + 1 - gains, block):
                for at in range(read_block(sets, TIMED + 1 - gains, block, buffers)):
                    seeds.starts[me, _key(state, sets, np.int64(buffers.batch[at]), gains)] += 1
    _sum_up(team, me, seeds, keys)
    for gains in range(2):
        for block in _blocks_of(team, me, sets):
            if has_block(sets, TIMED + 1 - gains, block):
                for at in range(read_block(sets, TIMED + 1 - gains, block, buffers)):
                    node = np.int64(buffers.batch[at])
                    _put(seeds, me, _key(state, sets, node, gains), node)
                clear_block(sets, TIMED + 1 - gains, block)
    if me == 0:
        seeds.count[0] = 0
        for key in range(keys):
            if seeds.first[key] != seeds.first[key + 1]:
                _add_group(seeds, key, key >> 1, key & 1)
    barrier(team, me)


@kernel
def sort_by_payoff(team, me, state, sets, seeds):
    """Sort all positions that are not closed by the code of what their resets pay."""
    keys = len(state.payoffs)
    barrier(team, me)
    seeds.starts[me, :keys] = 0
    for block in _blocks_of(team, me, sets):
        for node in range(block * BLOCK, min((block + 1) * BLOCK, len(state.pays))):
            pays = state.pays[node]
            if pays != NONE and not has(sets, CLOSED, node):
                seeds.starts[me, pays] += 1
    _sum_up(team, me, seeds, keys)
    for block in _blocks_of(team, me, sets):
        for node in range(block * BLOCK, min((block + 1) * BLOCK, len(state.pays))):
            pays = state.pays[node]
            if pays != NONE and not has(sets, CLOSED, node):
                _put(seeds, me, pays, node)
    barrier(team, me)


@kernel
def choose(state, seeds, value):
    """Group the seeds whose movers escape to this value, and those who lose the record to it."""
    seeds.count[0] = 0
    for code in range(len(state.payoffs)):
        if seeds.first[code] != seeds.first[code + 1]:
            payoff = state.payoffs[code]
            if paid(payoff) == value:
                _add_group(seeds, code, min(shortest(payoff), LONGEST), 1)
            elif paid(payoff) == -value:
                _add_group(seeds, code, min(longest(payoff), LONGEST), 0)


@inlined
def _add_group(seeds, key, time, gains):
    """Add the seeds of a kind behind the groups that do not join later."""
    at = seeds.count[0]
    while at > 0 and seeds.groups[at - 1, TIME] > time:
        for column in range(_COLUMNS):
            seeds.groups[at, column] = seeds.groups[at - 1, column]
        at -= 1
    seeds.groups[at, TIME] = time
    seeds.groups[at, FIRST] = seeds.first[key]
    seeds.groups[at, END] = seeds.first[key + 1]
    seeds.groups[at, GAINS] = gains
    seeds.count[0] += 1
