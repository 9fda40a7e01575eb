"""Numbering staircases: the file stores them with each position, not in a list."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Steps
from tbgen.store.format.forms import by_step, pieces
from tbgen.store.format.shapes import Load, ShapeTable, unique_columns
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decoded_table import AllShapes
from tbgen.store.read.keys import Keys
from tbgen.store.read.positions import Positions

_WORD: Final = 63
"""Bits that a key has room for."""
_NUMBER: Final = 31
"""Bits of a number in place of a key."""
_FORM: Final = 31
"""Bits of a form's number."""


class _Examples(Positions):
    """Positions from all over the table, one per staircase. At the end all staircases are read from them at once."""

    def __init__(self, load: Load) -> None:
        self._shapes = AllShapes(load)
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint16]]] = []

    def add(self, bulk: Bulk, places: NDArray[np.int64]) -> None:
        shapes = self._shapes.add(bulk.shape_table).take(bulk.shapes[places])
        self._parts.append((bulk.entries[places], shapes, bulk.halves()[:, places]))

    def halves(self) -> NDArray[np.uint16]:
        return self._halves

    def all_columns(self) -> NDArray[np.int32]:
        """`columns` of all of them, in the order in which they were added."""
        self.shape_table = self._shapes.table()
        rows = 1 + self.shape_table.width
        self._halves = np.zeros((rows, sum(len(entries) for entries, _, _ in self._parts)), np.uint16)
        at = 0
        for entries, _, halves in self._parts:
            self._halves[: len(halves), at : at + len(entries)] = halves
            at += len(entries)
        nothing = np.zeros(0, np.int32)
        self.entries = np.concatenate([nothing, *(entries for entries, _, _ in self._parts)])
        self.shapes = np.concatenate([nothing, *(shapes for _, shapes, _ in self._parts)])
        self._parts.clear()
        return self.columns(np.arange(len(self.entries)))


class Numbering:
    """Takes the staircases of a table piece by piece, and keeps one of each.

    Staircases are compared without being decoded: by the position's distances and the number of its form. Where a step
    has the fresh distance, this is part of what is compared."""

    def __init__(self, load: Load, distances: int, distance_planes: int) -> None:
        self._distances = distances
        self._half_bits = 8 * distance_planes
        self._forms = Keys()
        self._folds: dict[int, Keys] = {}
        self._keys = Keys()
        self._examples = _Examples(load)

    def see(self, bulk: Bulk) -> NDArray[np.int32]:
        """`[place]`: its staircase, in numbers that are valid until `finish`; 0 if it has none."""
        found = np.zeros(len(bulk.shapes), np.int32)
        having = np.flatnonzero(bulk.shape_table.inside.take(bulk.shapes))
        if len(having):
            numbers, new = self._keys.number(self._key(bulk, having))
            found[having] = numbers + 1
            if len(new):
                self._examples.add(bulk, having[new])
        return found

    def _key(self, bulk: Bulk, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[place]`: a key, equal if the staircases are. What does not fit into one word is replaced by a number."""
        shape_table, shapes, halves = bulk.shape_table, bulk.shapes[places], bulk.halves()
        key, used = self._forms.number(shape_table.form)[0].take(shapes).astype(np.int64), _FORM
        uses_fresh = shape_table.steps.uses_fresh.take(shapes)
        key = key << 1 | (bulk.entries[places] & uses_fresh)
        used += 1
        for nth in range(self._distances):
            if used + self._half_bits > _WORD:
                key, used = self._folds.setdefault(nth, Keys()).number(key)[0].astype(np.int64), _NUMBER
            if nth < len(halves):
                key |= (halves[nth].take(places).astype(np.int64) * (uses_fresh if nth == 0 else 1)) << used
            used += self._half_bits
        return key

    def finish(self, staircases: NDArray[np.int32]) -> Steps:
        """Give the staircases their final numbers, each one number; `staircases` holds what `see` gave."""
        columns = self._examples.all_columns()
        first, which = unique_columns(columns)
        renumbered = np.append(0, which + 1).astype(np.int32)
        for here in pieces(len(staircases)):
            staircases[here] = renumbered.take(staircases[here])
        return _steps(columns, first, self._examples.shape_table)


def _steps(columns: NDArray[np.int32], first: NDArray[np.int64], shape_table: ShapeTable) -> Steps:
    """The staircases in these columns, after the one without steps."""
    known = shape_table.steps
    shape = known.looks()[1][columns[0, first]]
    start = np.append(0, np.cumsum(known.forms.steps[shape], dtype=np.int64))
    told: list[NDArray[Any]] = [known.forms.holder, known.forms.level, known.forms.outcome]
    found = [np.empty(start[-1], part.dtype) for part in told]
    holder, level, outcome = found
    distance = np.empty(start[-1], np.uint16)
    for here in pieces(len(first)):
        begin = start[here]
        for step, (having, at) in enumerate(by_step(known.start[shape[here]], known.forms.steps[shape[here]])):
            to = begin[having] + step
            for part, values in zip(found, told, strict=True):
                part[to] = values[at]
            distance[to] = columns[1 + step, first[here][having]]
    return Steps(np.append(0, start), holder, level, outcome, distance)
