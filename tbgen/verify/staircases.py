"""Staircases, each kept once, in a dictionary that grows while the verifier's kernels read it."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make
from tbgen.contents import Steps
from tbgen.jit import inlined, kernel, plain
from tbgen.table_rules import TableRules
from tbgen.turns import pieces
from tbgen.verify.tell import LONGEST
from tbgen.verify.values import Dictionary, step_distance, step_holder, step_level, step_outcome

_LEAST: Final = 1 << 12
"""Staircases, and steps, that there is room for at first."""
_SPARE: Final = 2
"""Slots of the hash table per staircase, at least."""


class Staircases:
    """Numbers staircases in the order in which they come. Staircase 0 has no steps."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self.count = 1
        self._used = 0
        self._first: NDArray[np.int64] = make(_LEAST + 1, np.int64)
        self._step: NDArray[np.int64] = make(_LEAST, np.int64)
        self._slots: NDArray[np.int32] = make(_SPARE * _LEAST, np.int32)

    def dictionary(self, rules: TableRules) -> Dictionary:
        """What there is by now, for kernels."""
        return Dictionary(self._first[: self.count + 1], self._step[: self._used], int(rules == TableRules.WHOLE_GAME))

    def number(self, lengths: NDArray[np.uint16], steps: NDArray[np.int64]) -> NDArray[np.int32]:
        """`[position]`: the number of its staircase, which has the next `lengths[position]` of these steps."""
        found = np.zeros(len(lengths), np.int32)
        done = 0
        while True:
            self._grow()
            at, self.count, self._used = _number(
                lengths, steps, self._first, self._step, self._slots, self.count, self._used, done, found
            )
            if at == len(lengths):
                return found
            steps = steps[int(lengths[done:at].sum(dtype=np.int64)) :]
            done = at

    def _grow(self) -> None:
        """Make room for as many again as there are, and for one at least."""
        if 2 * self.count >= len(self._first):
            self._first = self._larger(self._first, self.count + 1)
        if 2 * self._used + LONGEST > len(self._step):
            self._step = self._larger(self._step, self._used)
        if 2 * _SPARE * self.count > len(self._slots):
            self._slots = self._make(2 * len(self._slots), np.int32)
            _refill(self._first, self._step, self._slots, self.count)

    def _larger(self, column: NDArray[np.int64], used: int) -> NDArray[np.int64]:
        grown = self._make(2 * len(column) + LONGEST, np.int64)
        grown[:used] = column[:used]
        return grown

    def finish(self) -> Steps:
        """All of them, as a table has them."""
        kinds = {"holder": np.uint8, "level": np.uint8, "outcome": np.int16, "distance": np.uint16}
        columns = [self._make(self._used, kind) for kind in kinds.values()]
        for here in pieces(self._used):
            step = self._step[here]
            parts = step_holder, step_level, step_outcome, step_distance
            for column, part in zip(columns, parts, strict=True):
                column[here] = plain(part)(step)
        return Steps(self._first[: self.count + 1], *columns)


@inlined
def _slot(step, at, length, slots):
    """The slot to look at first for a staircase with these steps."""
    mixed = np.uint64(length)
    for nth in range(at, at + length):
        mixed = (mixed ^ np.uint64(step[nth])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(len(slots) - 1))


@inlined
def _is(first, step, number, steps, at, length):
    """Whether a staircase has these steps."""
    begin = first[number]
    if first[number + 1] - begin != length:
        return False
    for nth in range(length):
        if step[begin + nth] != steps[at + nth]:
            return False
    return True


@kernel
def _number(lengths, steps, first, step, slots, count, used, begin, found):
    """Number the staircases of the positions from `begin` on, as far as there is room. Returns the first position that
    is left; how many staircases there are now; and how many steps."""
    at = np.int64(0)
    for position in range(begin, len(lengths)):
        length = np.int64(lengths[position])
        if length == 0:
            continue
        if count + 1 >= len(first) or used + length > len(step) or _SPARE * count > len(slots):
            return np.int64(position), np.int64(count), np.int64(used)
        slot = _slot(steps, at, length, slots)
        while slots[slot] and not _is(first, step, slots[slot], steps, at, length):
            slot = (slot + 1) & (len(slots) - 1)
        if not slots[slot]:
            slots[slot] = count
            for nth in range(length):
                step[used + nth] = steps[at + nth]
            count += 1
            used += length
            first[count] = used
        found[position] = slots[slot]
        at += length
    return np.int64(len(lengths)), np.int64(count), np.int64(used)


@kernel
def _refill(first, step, slots, count):
    for number in range(1, count):
        slot = _slot(step, first[number], first[number + 1] - first[number], slots)
        while slots[slot]:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number
