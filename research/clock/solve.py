"""Tables with the clock, in build order: slice after slice, each backwards from the ply that ends the game."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.clock.codes import Codes
from research.clock.graph import Graph, graph_of, packed
from research.clock.layers import (
    CLOCK,
    NO_RESTART,
    Records,
    closing,
    fresh_before_closing,
    goals_of,
    one_record,
    records_of,
    step_back,
)
from tbgen.core.material import Material
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.index import layout_of
from tbgen.index.exits import exits_of
from tbgen.index.layout import Layout
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.table import surroundings

_OPEN_KINGS: Final = 17
"""G8.5."""

Fresh = NDArray[np.int16]
"""`[node]`: outcomes under the position's own goal, as the side to move sees them; 0 without position."""


class Form(NamedTuple):
    """A form of the 50-move rule, as tbgen/rules/rulesets.py has it."""

    closing_counts: bool = False
    """Whether the goal of the closing ply counts."""
    cutoff: int = 0
    """Setting a record below this level restarts the clock."""
    bare_kings: bool = False
    """Whether bare kings at G8.5 twice running end the game."""


W: Final = Form()
C: Final = Form(closing_counts=True, cutoff=12, bare_kings=True)


class Layer(NamedTuple):
    """All records of a slice at one clock."""

    slice: int
    clock: int
    graph: Graph
    records: Records
    codes: Codes
    row: NDArray[np.int8]
    closing_counts: bool

    def fresh(self) -> Fresh:
        """What positions are worth under their own goals."""
        own = self.graph.level.astype(np.int64)
        found = np.where(own == NO_POSITION, 0, own - BASE).astype(np.int16)
        nodes = np.flatnonzero((own != NO_POSITION) & (own >= FIRST_RECORD))
        codes = self.row[nodes * 2 * self.records.half + self.records.rank[nodes]]
        found[nodes] = self.codes.outcomes(codes)
        if self.clock == CLOCK - 1 and not self.closing_counts:
            high = nodes[own[nodes] >= self.records.levels[-1]]
            found[high] = fresh_before_closing(self.graph, high)
        return found

    def values(self, nodes: NDArray[np.int64], holders: NDArray[np.int64], level: int) -> NDArray[np.int16]:
        """Outcomes under records that the opponent (0) or the mover (1) holds, and that were set in this slice."""
        if self.clock == CLOCK - 1 and not self.closing_counts and level >= self.records.levels[-1]:
            raise ValueError("no row tells this apart so late")
        return self.codes.outcomes(self.row[(2 * nodes + holders) * self.records.half + self.records.rank_of(level)])


See = Callable[[Layer], None]
"""Told of layers; their arrays change later."""


@dataclass
class Solver:
    """Solves tables, and keeps what they are worth at clock 0."""

    form: Form = W
    clocks: Collection[int] = range(CLOCK)
    """Those that are told of."""
    found: dict[Material, NDArray[np.int32]] = field(default_factory=dict)
    """See `packed`."""

    def solve(self, material: Material, see: See = lambda layer: None) -> None:
        """Solve a table; those that its resets lead to are solved already."""
        layout = layout_of(material)
        entries = np.zeros(layout.size, np.int32)
        around = surroundings(exits_of(material, self.found))
        for slice_ in range(layout.slices):
            numbers, graph = layout.numbers_in(slice_), graph_of(layout, around, slice_)
            fresh = self._slice(layout, slice_, graph, see)
            here = entries[numbers.start : numbers.stop]
            here[:] = packed(fresh[: len(here)], graph.with_right, fresh[len(here) :])
            around.tables.entries[slice_] = here.ctypes.data
        self.found[material] = entries

    def _slice(self, layout: Layout, slice_: int, graph: Graph, see: See) -> Fresh:
        """The fresh outcomes at clock 0."""
        closes = _OPEN_KINGS if self.form.bare_kings and layout.material.men == 2 else 0
        paid = np.full(len(graph.level), NO_RESTART, np.int16)
        for level in range(FIRST_RECORD, self.form.cutoff):
            here = np.flatnonzero(graph.level == level)
            if len(here):
                last = self._backwards(slice_, graph, one_record(graph, level), paid, closes, lambda layer: None)
                paid[here] = last.codes.outcomes(last.row.reshape(len(paid), -1)[here, 0])
        records = records_of(graph, _halves(layout, slice_, graph))
        return self._backwards(slice_, graph, records, paid, closes, see).fresh()

    def _backwards(
        self, slice_: int, graph: Graph, records: Records, paid: NDArray[np.int16], closes: int, see: See
    ) -> Layer:
        """The layer at clock 0."""
        goals = goals_of(graph, records, paid)
        before, after = closing(graph, records, goals, counts=self.form.closing_counts)
        going = True
        for clock in range(CLOCK - 1, -1, -1):
            if going:
                going = step_back(graph, records, goals, closes, before, after)
            before, after = after, before
            layer = Layer(slice_, clock, graph, records, goals.codes, before.row, self.form.closing_counts)
            if clock in self.clocks:
                see(layer)
        return layer


def _halves(layout: Layout, slice_: int, graph: Graph) -> tuple[slice, ...]:
    """The nodes by the side to move. Those with a right to capture en passant, which come last, count among both."""
    half, size = int(layout.half_size[slice_]), len(layout.numbers_in(slice_))
    if size == half or len(graph.with_right):
        return (slice(None),)
    return slice(half), slice(half, size)
