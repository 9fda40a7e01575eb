"""Many positions decoded: what can be asked of them at once."""

import numpy as np
from numpy.typing import NDArray

from tbgen.store.shapes import Lore


class Positions:
    """A chunk, by place, or a whole table, by number."""

    lore: Lore
    entries: NDArray[np.int32]
    shapes: NDArray[np.unsignedinteger]

    def halves(self) -> NDArray[np.unsignedinteger]:
        """`[n, place]`: half of the nth distance that is stored beside the fresh one."""
        raise NotImplementedError

    def inside(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which have a staircase."""
        return self.lore.inside.take(self.shapes[places])

    def under(
        self, places: NDArray[np.int64], holders: NDArray[np.integer], levels: NDArray[np.integer]
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Outcome and distance of the last step up to a level for a holder; outcome 0 where there is none."""
        lore = self.lore
        shapes, columns = self.shapes[places], lore.columns
        chosen = np.full(len(places), -1)
        count = lore.shapes.steps[shapes]
        for step in range(columns.level.shape[1]):
            fits = (count > step) & (columns.holder[shapes, step] == holders) & (columns.level[shapes, step] <= levels)
            chosen[fits] = step
        outcomes = np.zeros(len(places), np.int16)
        distances = np.zeros(len(places), np.int64)
        has = np.flatnonzero(chosen >= 0)
        at = shapes[has], chosen[has]
        outcomes[has] = columns.outcome[at]
        distances[has] = self._distances(places[has], columns.column[at], columns.odd[at])
        return outcomes, distances

    def _distances(
        self, places: NDArray[np.int64], column: NDArray[np.uint8], odd: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        half = ((self.entries[places] & 0xFFFF) >> 1).astype(np.int64)
        own = np.flatnonzero(column)
        half[own] = self.halves()[column[own] - 1, places[own]]
        return 2 * half + odd

    def rows(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[position, 1 + step]`: the form of the staircase (see `Lore.forms`) and the distance of each step."""
        lore = self.lore
        shapes, columns = self.shapes[places], lore.columns
        rows = np.zeros((len(places), 1 + columns.level.shape[1]), np.int64)
        rows[:, 0] = lore.forms[1].take(shapes)
        count = lore.shapes.steps[shapes]
        for step in range(columns.level.shape[1]):
            having = np.flatnonzero(count > step)
            at = shapes[having], step
            rows[having, 1 + step] = self._distances(places[having], columns.column[at], columns.odd[at])
        return rows
