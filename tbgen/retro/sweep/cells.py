"""Cells: where the fields of positions are that are not closed yet.

In the end few positions are open, all over the slice. What the sweep knows of them is gathered, in the order of their
numbers, whenever most have been closed: arrays that are gone through once a level become short, and fit into memory.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import bits_set
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import BLOCK, BLOCK_LANES, CLOSED, lane_of


class Cells(NamedTuple):
    members: NDArray[np.uint64]
    """`[lane]`: the positions that have a cell."""
    first: NDArray[np.int64]
    """`[block]`: the cell of its first one; behind the last block: how many cells there are."""
    within: NDArray[np.uint16]
    """`[lane]`: how many the block has in the lanes before."""


def cells_for(nodes: int, make: Make = in_memory) -> Cells:
    """Cells that some positions of a slice are to be given."""
    blocks = -(-nodes // BLOCK)
    lanes = blocks * BLOCK_LANES
    return Cells(make(lanes, np.uint64), np.zeros(blocks + 1, np.int64), make(lanes, np.uint16))


@kernel
def give_all(cells, nodes):
    """Give each position the cell of its number."""
    for lane in range(len(cells.members)):
        cells.members[lane] = _in_lane(lane, nodes)
        cells.within[lane] = lane % BLOCK_LANES * LANE
    for block in range(len(cells.first)):
        cells.first[block] = min(block * BLOCK, nodes)


@inlined
def _in_lane(lane, nodes):
    """The positions of a lane that there are."""
    there = min(max(nodes - lane * LANE, 0), LANE)
    return ~np.uint64(0) >> np.uint64(LANE - there) if there else np.uint64(0)


@kernel
def give_open(cells, nodes, sets):
    """Give each position a cell that is not closed. Returns how many these are."""
    total = np.int64(0)
    for lane in range(len(cells.members)):
        if lane % BLOCK_LANES == 0:
            cells.first[lane // BLOCK_LANES] = total
        cells.members[lane] = _in_lane(lane, nodes) & ~lane_of(sets, CLOSED, lane)
        cells.within[lane] = total - cells.first[lane // BLOCK_LANES]
        total += bits_set(cells.members[lane])
    cells.first[len(cells.first) - 1] = total
    return total


@inlined
def first_cell(cells, lane):
    """The cell of a lane's first position that has one."""
    return cells.first[lane // BLOCK_LANES] + np.int64(cells.within[lane])


@inlined
def cell_of(cells, node):
    lane = node // LANE
    before = (np.uint64(1) << np.uint64(node % LANE)) - np.uint64(1)
    return first_cell(cells, lane) + bits_set(cells.members[lane] & before)
