"""What the moves of positions make of them, entry and staircase: what a table must say that passes the check.

The check compares every position with its moves, and exactly one table passes (tbgen/verify/__init__.py). So where the
positions of one side have been left out of a file, all that is to be said of them follows from those of the other."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.moves import NOBODY
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.material import Material
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.packed_steps import LONGEST, pack_step
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.index.exits import exits_of
from tbgen.index.kernels import decode
from tbgen.index.layout import layout_of
from tbgen.verify.arrivals import Survey
from tbgen.verify.buffers import make_buffers
from tbgen.verify.compare import arrive, enter_moves, own_goal_worth
from tbgen.verify.moves import NO_POSITION, list_all
from tbgen.verify.table import Levels, Numbers, surroundings
from tbgen.verify.values import Dictionary, entry_of, key_distance, key_outcome, level_of, record_of, settle

LOST: Final = 1
"""In place of an entry that moves do not tell. No real entry has a distance without an outcome."""
_ROOM: Final = 1 << 16
"""Steps that there is room for at a time."""


class Worths(NamedTuple):
    """What moves make of some positions, one after the other."""

    entries: NDArray[np.int32]
    lengths: NDArray[np.uint16]
    """Steps of each one's staircase."""
    steps: NDArray[np.int64]
    """The steps, written as in `Dictionary`."""


class Teller:
    """Tells what moves make of the positions of a table, while those that they lead to are in memory."""

    def __init__(
        self,
        material: Material,
        successor_entries: Mapping[Material, NDArray[np.int32]],
        entries: NDArray[np.int32],
        staircases: NDArray[np.int32],
    ) -> None:
        """`entries` and `staircases` are those of the table, filled in meanwhile."""
        self.layout = layout = layout_of(material)
        self._around = surroundings(exits_of(material, successor_entries))
        self._held = entries, staircases
        tables = self._around.tables
        tables.entries[:] = entries.ctypes.data + layout.start[:-1] * entries.itemsize
        tables.staircases[:] = staircases.ctypes.data + layout.start[:-1] * staircases.itemsize

    def levels(self, numbers: Numbers) -> Levels:
        """The own levels of these numbers, in rising order; NO_POSITION where there is no legal position."""
        return self._around.levels(self.layout, numbers)

    def tell(self, slice_: int, numbers: Numbers, survey: Survey, dictionary: Dictionary) -> Worths:
        """What the moves make of these positions of a slice."""
        atlas, board, tables, _ = self._around
        buffers, pawns = make_buffers(self.layout), self.layout.pawns.squares
        entries, lengths = np.zeros(len(numbers), np.int32), np.zeros(len(numbers), np.uint16)
        found, done = [], 0
        while done < len(numbers):
            steps = np.empty(_ROOM, np.int64)
            count, written = tell_all(
                board, atlas, pawns, tables, dictionary, survey, slice_, numbers[done:], buffers,
                entries[done:], lengths[done:], steps,
            )  # fmt: skip
            found.append(steps[:written])
            done += count
        return Worths(entries, lengths, np.concatenate([np.zeros(0, np.int64), *found]))


@inlined
def _write_steps(keys, last, steps, written):
    """Write the steps of the staircase, for records of levels up to `last`. Returns how many are there."""
    step_of_opponent = step_of_mover = np.int64(-1)
    for level in range(FIRST_RECORD, last + 1):
        for holder in range(2):
            record = record_of(holder, level)
            key = keys.mover[level] if holder == MOVER_HOLDS else keys.opponent[level]
            outcome = key_outcome(key)
            if outcome == record:
                continue
            step = pack_step(0, 0, outcome, key_distance(key, record))
            if step != (step_of_mover if holder == MOVER_HOLDS else step_of_opponent):
                steps[written] = step | level << 8 | holder
                written += 1
            if holder == MOVER_HOLDS:
                step_of_mover = step
            else:
                step_of_opponent = step
    return written


@inlined
def _tell(board, atlas, tables, dictionary, survey, buffers, side, steps, written):
    """The entry of a position, and how many steps have been written."""
    arrivals, keys = buffers.arrivals, buffers.comparison.best
    quiet, count, _, level = list_all(board, buffers.moves, side, NOBODY)
    if level == NO_POSITION:
        return np.int64(0), written
    if level > NO_POSITION:
        return np.int64(LOST), written
    if level < FIRST_RECORD:
        return np.int64(entry_of(level - BASE, 0)), written
    arrive(board, atlas, tables, dictionary, survey, buffers, side, quiet, count)
    if dictionary.whole_game:
        outcome, distance = own_goal_worth(dictionary, arrivals, count, level)
        return np.int64(entry_of(outcome, distance) if outcome else LOST), written
    problem, of_opponent, of_mover = enter_moves(dictionary, buffers.comparison, arrivals, count, level)
    if problem:
        return np.int64(LOST), written
    settle(keys, buffers.comparison.records, level, of_opponent, of_mover)
    record = record_of(OPPONENT_HOLDS, level)
    outcome, distance = key_outcome(keys.opponent[level]), key_distance(keys.opponent[level], record)
    written = _write_steps(keys, min(level, level_of(outcome)), steps, written)
    return np.int64(entry_of(outcome, distance)), written


@kernel
def tell_all(board, atlas, pawns, tables, dictionary, survey, slice_, numbers, buffers, entries, lengths, steps):
    """Tell of these positions of a slice, as far as there is room for steps. Returns how many positions and how
    many steps there are."""
    written = np.int64(0)
    for here in range(len(numbers)):
        if written + LONGEST > len(steps):
            return np.int64(here), written
        side = decode(atlas, 0, pawns, slice_, numbers[here], buffers.moves.squares)
        before = written
        entries[here], written = _tell(board, atlas, tables, dictionary, survey, buffers, side, steps, written)
        lengths[here] = written - before
    return np.int64(len(numbers)), written
