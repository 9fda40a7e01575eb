"""Snapshots of a slice at work, taken between two levels or two values: a stopped build goes on from the last.

What open positions have is copied, as it changes. What settled ones are worth, and their staircases, change no more:
these stay in the files in which they lie, and a sum tells whether they are what they were. What the stopped build wrote
there of positions that the snapshot has as open is written once more.
"""

# mypy: disable-error-code="no-untyped-def"

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Make, in_memory
from tbgen.intrinsics import lowest_bit
from tbgen.jit import kernel
from tbgen.retro.checkpoint import Kept, Snapshot
from tbgen.retro.sweep.cells import Cells, cells_for, first_cell
from tbgen.retro.sweep.levels import Schedule
from tbgen.retro.sweep.state import Each, SliceState, lanes_in, read_by_pages
from tbgen.retro.threads.ahead import AS_USUAL, is_in_file, read_ahead, read_by
from tbgen.retro.threads.counters import (
    LEVEL,
    PLACE,
    POSITIONS_ESCAPED,
    POSITIONS_REVIEWED,
    POSITIONS_SETTLED,
    reviewed,
)
from tbgen.retro.threads.lanes import LANE, laid_out
from tbgen.retro.threads.sets import SETTLED, PositionSets, lane_of
from tbgen.retro.values.codes import make_code_table
from tbgen.turns import pieces


def taken(
    state: SliceState, sets: PositionSets, schedule: Schedule, make: Make = in_memory, each: Each = map
) -> Snapshot:
    """The snapshot of a sweep that has paused; its arrays are those that the sweep goes on with."""
    arrays = _arrays(state, sets)
    arrays["link"] = make(len(state.pays), np.int32)
    read_by(AS_USUAL, state.link)
    _copy_links(state.cells, state.link, arrays["link"], each, back=False)
    counts = schedule.counts
    facts = {
        "legal": schedule.legal,
        "top": schedule.top,
        "level": int(counts[LEVEL]),
        "place": int(counts[PLACE]),
        "settled": int(counts[POSITIONS_SETTLED]),
        "escaped": int(counts[POSITIONS_ESCAPED]),
        "reviewed": reviewed(counts),
        "sum": _sum(state, sets, each),
    }
    return Snapshot(facts, arrays)


def restored(
    kept: Kept,
    worth: NDArray[np.uint16],
    link: NDArray[np.int32],
    sets: PositionSets,
    make: Make = in_memory,
    each: Each = map,
) -> SliceState | None:
    """The state at a snapshot, and its sets; None if it is not what was written. `worth` and `link`: what is in the
    files, after `put_links`."""
    nodes, cells, values = len(link), kept.lengths["pays"], kept.lengths["theirs"]
    pays = laid_out(cells, np.uint16, make)
    state = SliceState(
        worth=worth,
        link=link,
        cells=cells_for(nodes, make),
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


def put_links(kept: Kept, link: NDArray[np.int32], make: Make = in_memory, each: Each = map) -> bool:
    """Put the staircases of a snapshot back to where those of all positions are. False if they are not what was
    written."""
    cells, column = cells_for(len(link), make), make(kept.lengths["link"], np.int32)
    arrays: dict[str, NDArray[Any]] = {
        "members": cells.members, "first": cells.first, "within": cells.within, "link": column,
    }  # fmt: skip
    if not all(kept.read(name, array) for name, array in arrays.items()):
        return False
    _copy_links(cells, link, column, each, back=True)
    return True


def put_counts(kept: Kept, schedule: Schedule) -> None:
    """Have a sweep go on where a snapshot was taken."""
    facts, counts = kept.facts, schedule.counts
    counts[LEVEL], counts[PLACE] = facts["level"], facts["place"]
    counts[POSITIONS_SETTLED], counts[POSITIONS_ESCAPED] = facts["settled"], facts["escaped"]
    counts[POSITIONS_REVIEWED] = facts["reviewed"]


def _arrays(state: SliceState, sets: PositionSets) -> dict[str, NDArray[Any]]:
    """All that is copied, but the staircases of the positions that have cells."""
    cells = state.cells
    return {
        "keys": state.keys, "payoffs": state.payoffs,
        "held": sets.held, "passed": sets.passed, "blocks": sets.blocks,
        "members": cells.members, "first": cells.first, "within": cells.within,
        "theirs": state.theirs, "ours": state.ours, "pays": state.pays, "level": state.level, "due": state.due,
    }  # fmt: skip


def _copy_links(cells: Cells, link: NDArray[np.int32], column: NDArray[np.int32], each: Each, *, back: bool) -> None:
    """Copy the staircases of all positions that have cells, or put them back."""

    def copy(here: slice) -> None:
        _copy(cells, link, column, here.start, here.stop, back)

    deque(each(copy, pieces(len(link))), maxlen=0)


@kernel
def _copy(cells, link, column, start, end, back):
    read_ahead(cells.members, start // LANE, -(-end // LANE))
    read_ahead(cells.within, start // LANE, -(-end // LANE))
    for lane in lanes_in(start, end):
        left, cell = cells.members[lane], first_cell(cells, lane)
        while left:
            node = lane * LANE + lowest_bit(left)
            left &= left - np.uint64(1)
            if back:
                link[node] = column[cell]
            else:
                column[cell] = link[node]
            cell += 1


def _sum(state: SliceState, sets: PositionSets, each: Each) -> int:
    """A sum over what settled positions are worth and their staircases, whatever the order."""
    read_by(AS_USUAL, state.worth, state.link)
    found = each(lambda here: int(_sum_of(state, sets, here.start, here.stop)), pieces(len(state.link)))
    total = sum(found) % (1 << 64)
    read_by_pages(state)
    return total


@kernel
def _sum_of(state, sets, start, end):
    read_ahead(state.worth, start, end)
    read_ahead(state.link, start, end)
    total = np.uint64(0)
    for node in range(start, end):
        if lane_of(sets, SETTLED, node // LANE) >> np.uint64(node % LANE) & np.uint64(1):
            mixed = np.uint64(state.worth[node]) << np.uint64(32) | np.uint64(np.uint32(state.link[node]))
            mixed = (mixed ^ np.uint64(node) << np.uint64(20)) * np.uint64(0x9E3779B97F4A7C15)
            total += (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return total
