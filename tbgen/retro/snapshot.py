"""Snapshots of a slice at work, taken between two levels or two rounds: a stopped build goes on from the last.

What positions have in cells is copied, as it changes. What settled ones are worth, and the staircases of those without
a cell, change no more: these stay in the files in which they lie, and a sum tells whether they are what they were. What
the stopped build wrote there of positions that the snapshot has as open is written once more.
"""

# mypy: disable-error-code="no-untyped-def"

from collections import deque
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import kernel
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.checkpoint import Kept, Snapshot
from tbgen.retro.sweep.cells import cells_for
from tbgen.retro.sweep.levels import Schedule
from tbgen.retro.sweep.state import Each, SliceState, lanes_in, read_by_pages
from tbgen.retro.threads.ahead import AS_USUAL, is_in_file, read_ahead, read_by
from tbgen.retro.threads.counters import (
    DISTANCE,
    LEVEL,
    PLACE,
    POSITIONS_ESCAPED,
    POSITIONS_REVIEWED,
    POSITIONS_SETTLED,
)
from tbgen.retro.threads.lanes import LANE, laid_out
from tbgen.retro.threads.sets import LATER, LOSE, NOW, SETTLED, PositionSets, lane_of, read_set_ahead
from tbgen.retro.values.codes import make_code_table
from tbgen.system.parallel import pieces

_NEXT: Final = (NOW, LATER, np.int64(NOW + LOSE), np.int64(LATER + LOSE))
"""The sets of those that rounds reach."""


def taken(state: SliceState, sets: PositionSets, schedule: Schedule, each: Each = map) -> Snapshot:
    """The snapshot of a sweep that has paused; its arrays are those that the sweep goes on with."""
    counts = schedule.counts
    facts = {
        "legal": schedule.legal,
        "top": schedule.top,
        "level": int(counts[LEVEL]),
        "place": int(counts[PLACE]),
        "distance": int(counts[DISTANCE]),
        "settled": int(counts[POSITIONS_SETTLED]),
        "escaped": int(counts[POSITIONS_ESCAPED]),
        "reviewed": int(counts[POSITIONS_REVIEWED]),
        "sum": _sum(state, sets, each),
    }
    return Snapshot(facts, _arrays(state, sets))


def restored(
    kept: Kept,
    worth: NDArray[np.uint16],
    staircase: NDArray[np.int32],
    sets: PositionSets,
    make: Make = in_memory,
    each: Each = map,
) -> SliceState | None:
    """The state at a snapshot, and its sets; None if it is not what was written. `worth` and `staircase`: what is in
    the files, after `links_of`."""
    nodes, cells, values = len(worth), kept.lengths["pays"], kept.lengths["theirs"]
    pays = laid_out(cells, np.uint16, make)
    state = SliceState(
        worth=worth,
        staircase=staircase,
        cells=cells_for(nodes, make),
        link=laid_out(values, np.int32, make),
        theirs=laid_out(values, np.uint16, make),
        ours=laid_out(values, np.uint16, make),
        pays=pays,
        level=laid_out(cells, np.uint8, make),
        due=laid_out(cells, np.uint8, make),
        keys=make_code_table(nodes),
        payoffs=make_code_table(nodes),
        on_disk=int(is_in_file(pays)),
    )
    if not all(kept.read(name, array) for name, array in _arrays(state, sets).items()):
        return None
    return state if _sum(state, sets, each) == kept.facts["sum"] else None


def links_of(
    kept: Kept, staircase: NDArray[np.int32], make: Make = in_memory, each: Each = map
) -> NDArray[np.int32] | None:
    """The links in the cells of a snapshot; None if they are not what was written. What the stopped build has since put
    into the file as the staircases of these positions is removed."""
    cells, link = cells_for(len(staircase), make), make(kept.lengths["link"], np.int32)
    arrays: dict[str, NDArray[Any]] = {
        "members": cells.members, "first": cells.first, "within": cells.within, "link": link,
    }  # fmt: skip
    if not all(kept.read(name, array) for name, array in arrays.items()):
        return None
    deque(each(lambda here: _remove(cells, staircase, here.start, here.stop), pieces(len(staircase))), maxlen=0)
    return link


@kernel
def _remove(cells, staircase, start, end):
    read_ahead(cells.members, start // LANE, -(-end // LANE))
    read_ahead(staircase, start, end)
    for lane in lanes_in(start, end):
        left = cells.members[lane]
        while left:
            node = lane * LANE + lowest_bit(left)
            left &= left - np.uint64(1)
            if staircase[node]:
                staircase[node] = 0


def put_counts(kept: Kept, schedule: Schedule) -> None:
    """Have a sweep go on where a snapshot was taken."""
    facts, counts = kept.facts, schedule.counts
    counts[LEVEL], counts[PLACE], counts[DISTANCE] = facts["level"], facts["place"], facts["distance"]
    counts[POSITIONS_SETTLED], counts[POSITIONS_ESCAPED] = facts["settled"], facts["escaped"]
    counts[POSITIONS_REVIEWED] = facts["reviewed"]


def _arrays(state: SliceState, sets: PositionSets) -> dict[str, NDArray[Any]]:
    """All that is copied."""
    cells = state.cells
    return {
        "keys": state.keys, "payoffs": state.payoffs,
        "held": sets.held, "passed": sets.passed, "lines": sets.lines,
        "members": cells.members, "first": cells.first, "within": cells.within,
        "link": state.link, "theirs": state.theirs, "ours": state.ours,
        "pays": state.pays, "level": state.level, "due": state.due,
    }  # fmt: skip


def _sum(state: SliceState, sets: PositionSets, each: Each) -> int:
    """A sum over what settled positions are worth and the staircases of those without cells, whatever the order. Those
    that the next round reaches are not worth anything yet."""
    read_by(AS_USUAL, state.worth, state.staircase)
    found = each(lambda here: int(_sum_of(state, sets, here.start, here.stop)), pieces(len(state.worth)))
    total = sum(found) % (1 << 64)
    read_by_pages(state)
    return total


@kernel
def _sum_of(state, sets, start, end):
    read_ahead(state.worth, start, end)
    read_ahead(state.staircase, start, end)
    for which in _NEXT:
        read_set_ahead(sets, which, start // LANE, -(-end // LANE))
    total = np.uint64(0)
    for lane in lanes_in(start, end):
        left = lane_of(sets, SETTLED, lane)
        if end - lane * LANE < LANE:  # the last lane of a slice
            left &= (np.uint64(1) << np.uint64(end - lane * LANE)) - np.uint64(1)
        for which in _NEXT:
            left &= ~lane_of(sets, which, lane)
        while left:
            node = lane * LANE + lowest_bit(left)
            left &= left - np.uint64(1)
            mixed = np.uint64(state.worth[node]) << np.uint64(32) | np.uint64(np.uint32(state.staircase[node]))
            mixed = (mixed ^ np.uint64(node) << np.uint64(20)) * np.uint64(0x9E3779B97F4A7C15)
            total += (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return total
