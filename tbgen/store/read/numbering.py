"""Numbering staircases: the file stores them with each position, not in a list."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Steps
from tbgen.store.format.forms import by_step, pieces
from tbgen.store.format.shapes import ShapeTable, unique_columns
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.chunk import ChunkFormat
from tbgen.store.read.keys import Keys
from tbgen.store.read.positions import Positions

_WORD: Final = 63
"""Bits that a key has room for."""
_NUMBER: Final = 31
"""Bits of a number in place of a key."""


class _Examples(Positions):
    """Positions from all over the table, one per staircase. At the end all staircases are read from them at once."""

    def __init__(self, chunk_format: ChunkFormat) -> None:
        self.shape_table = chunk_format.shape_table
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.unsignedinteger], NDArray[np.uint16]]] = []

    def add(self, bulk: Bulk, places: NDArray[np.int64]) -> None:
        halves = np.zeros((1 + self.shape_table.width, len(places)), np.uint16)
        halves[: len(bulk.halves())] = bulk.halves()[:, places]
        self._parts.append((bulk.entries[places], bulk.shapes[places], halves))

    def halves(self) -> NDArray[np.uint16]:
        return self._halves

    def all_columns(self) -> NDArray[np.int32]:
        """`columns` of all of them, in the order in which they were added."""
        nothing = np.zeros(0, np.int32), np.zeros(0, np.uint8), np.zeros((1 + self.shape_table.width, 0), np.uint16)
        entries, shapes, halves = zip(nothing, *self._parts, strict=True)
        self.entries, self.shapes = np.concatenate(entries), np.concatenate(shapes)
        self._halves = np.concatenate(halves, axis=1)
        self._parts.clear()
        return self.columns(np.arange(len(self.entries)))


class Numbering:
    """Takes the staircases of a table piece by piece, and keeps one of each.

    Staircases are compared without being decoded: by the position's distances, and by the part of its shape that says
    which staircase these make."""

    def __init__(self, chunk_format: ChunkFormat) -> None:
        self._shape_table = shape_table = chunk_format.shape_table
        self._form, self._fresh = shape_table.makings
        self._form_bits = int(self._form.max(initial=0)).bit_length()
        self._half_bits = 8 * chunk_format.distance_planes
        self._folds: dict[int, Keys] = {}
        self._keys = Keys()
        self._examples = _Examples(chunk_format)

    def see(self, bulk: Bulk) -> NDArray[np.int32]:
        """`[place]`: its staircase, in numbers that are valid until `finish`; 0 if it has none."""
        found = np.zeros(len(bulk.shapes), np.int32)
        having = np.flatnonzero(self._shape_table.inside.take(bulk.shapes))
        if len(having):
            numbers, new = self._keys.number(self._key(bulk, having))
            found[having] = numbers + 1
            if len(new):
                self._examples.add(bulk, having[new])
        return found

    def _key(self, bulk: Bulk, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[place]`: a key, equal if the staircases are. What does not fit into one word is replaced by a number."""
        shapes, halves = bulk.shapes[places], bulk.halves()
        key, used = self._form.take(shapes).astype(np.int64), self._form_bits
        for nth in range(1 + self._shape_table.width):
            if used + self._half_bits > _WORD:
                key, used = self._folds.setdefault(nth, Keys()).number(key)[0].astype(np.int64), _NUMBER
            if nth == 0:
                key |= (bulk.entries[places] & self._fresh.take(shapes)).astype(np.int64) >> 1 << used
            elif nth < len(halves):
                key |= halves[nth].take(places).astype(np.int64) << used
            used += self._half_bits
        return key

    def finish(self, staircases: NDArray[np.int32]) -> Steps:
        """Give the staircases their final numbers, each one number; `staircases` holds what `see` gave."""
        columns = self._examples.all_columns()
        first, which = unique_columns(columns)
        renumbered = np.append(0, which + 1).astype(np.int32)
        for here in pieces(len(staircases)):
            staircases[here] = renumbered.take(staircases[here])
        return _steps(columns, first, self._shape_table)


def _steps(columns: NDArray[np.int32], first: NDArray[np.int64], shape_table: ShapeTable) -> Steps:
    """The staircases in these columns, after the one without steps."""
    shape = shape_table.forms[1][columns[0, first]]
    start = np.append(0, np.cumsum(shape_table.shapes.steps[shape], dtype=np.int64))
    known: list[NDArray[Any]] = [shape_table.shapes.holder, shape_table.shapes.level, shape_table.shapes.step_outcome]
    found = [np.empty(start[-1], part.dtype) for part in known]
    holder, level, outcome = found
    distance = np.empty(start[-1], np.uint16)
    for here in pieces(len(first)):
        begin = start[here]
        for step, (having, at) in enumerate(
            by_step(shape_table.start[shape[here]], shape_table.shapes.steps[shape[here]])
        ):
            to = begin[having] + step
            for part, values in zip(found, known, strict=True):
                part[to] = values[at]
            distance[to] = columns[1 + step, first[here][having]]
    return Steps(np.append(0, start), holder, level, outcome, distance)
