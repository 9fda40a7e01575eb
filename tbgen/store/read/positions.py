"""Many decoded positions, and questions about all of them at once."""

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.shapes import AS_FRESH, ShapeTable, by_step


class Positions:
    """A chunk, indexed by place, or a whole table, indexed by number."""

    shape_table: ShapeTable
    entries: NDArray[np.int32]
    shapes: NDArray[np.unsignedinteger]

    def halves(self) -> NDArray[np.unsignedinteger]:
        """`[n, place]`: half of the nth distance, the fresh one being the 0th."""
        raise NotImplementedError

    def inside(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each has a staircase."""
        return self.shape_table.inside.take(self.shapes[places])

    def under(
        self, places: NDArray[np.int64], holders: NDArray[np.integer], levels: NDArray[np.integer]
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Outcome and distance of each staircase's last step for a holder up to a level; outcome 0 if there is none."""
        shapes, chosen = self.shapes[places], np.full(len(places), -1)
        known = self.shape_table.steps
        for having, at in by_step(known.start[shapes], known.forms.steps[shapes]):
            fits = (known.forms.holder[at] == holders[having]) & (known.forms.level[at] <= levels[having])
            chosen[having[fits]] = at[fits]
        outcomes = np.zeros(len(places), np.int16)
        distances = np.zeros(len(places), np.int64)
        has = np.flatnonzero(chosen >= 0)
        outcomes[has] = known.forms.outcome[chosen[has]]
        distances[has] = self._distances(places[has], chosen[has])
        return outcomes, distances

    def _distances(self, places: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """`[position]`: the distance of this step of its staircase."""
        known = self.shape_table.steps
        column = known.column[steps]
        fresh = self.shape_table.base[self.shapes[places]] & 1
        odd = np.where(column == AS_FRESH, fresh, known.odd[steps])
        return 2 * self.halves()[column, places].astype(np.int64) + odd
