"""Tables that were just solved, asked as kept ones are (probe/bounds.py)."""

from contextlib import suppress

import chess

from tbgen.beyond.local.solve import LocalTables, of_bound
from tbgen.core.material import Material
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT, Contents
from tbgen.errors import MissingTable
from tbgen.index.exits import Reached
from tbgen.probe import Result
from tbgen.probe.bounds import LocalSource
from tbgen.probe.local import Numbers, tighter
from tbgen.probe.numbering import material_of
from tbgen.probe.tables import Steps
from tbgen.store.format.local import Bound, tells


class SolvedTables:
    """Local tables in memory."""

    def __init__(self, tables: LocalTables) -> None:
        self._tables = tables
        self._numbers: dict[tuple[Material, Bound], Numbers] = {}

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """What a position is worth if this side mates wherever nothing is known; None where no part has it.
        MissingTable where records of the game were not solved: in parts whose contents did not stay."""
        material, bound = material_of(board), Bound.BEST if winner else Bound.WORST
        part, contents = self._tables.parts.get(material), self._tables.contents.get(material)
        if part is None or not tells(part, bound):
            return None
        reached = of_bound(part, bound)
        place = self._numbers_of(material, bound, reached).place(board, swapped=bool(reached.swapped))
        if place is None:
            return None
        if contents is None and record is not None:
            raise MissingTable(f"records that come to {material.normal} have not been solved")
        table = _InMemory(reached, None if contents is None else of_bound(contents, bound))
        return place.ask(table, record, Bound.EXACT if Bound.EXACT in part else bound)

    def _numbers_of(self, material: Material, bound: Bound, reached: Reached) -> Numbers:
        """The numbers of one bound of a part: where it was read, the other may have other slices."""
        found = self._numbers.get((material, bound))
        if found is None:
            layout = reached.layout
            found = Numbers(layout.material, layout.pawns.squares.tolist())
            self._numbers[material, bound] = found
        return found


class Both:
    """Two sources of local tables, such as those in memory and those that are kept. The better bound counts."""

    def __init__(self, one: LocalSource, other: LocalSource) -> None:
        self._tables = one, other

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        found: Result | None = None
        for one in self._tables:
            with suppress(MissingTable):
                found = tighter(found, one.result(board, record, winner), winner)
        return found


class _InMemory:
    """A table, with its staircases if they are there. Just after a reset nobody asks for these."""

    def __init__(self, reached: Reached, contents: Contents | None) -> None:
        self._entries = reached.entries
        self._contents = contents

    def look(self, number: int) -> tuple[int, int, int]:
        assert self._entries is not None
        entry = int(self._entries[number])
        staircase = 0 if self._contents is None else int(self._contents.staircases[number])
        return entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK, staircase

    def steps_of(self, staircase: int) -> Steps:
        assert self._contents is not None
        steps = self._contents.steps
        here = slice(int(steps.start[staircase]), int(steps.start[staircase + 1]))
        columns = (column[here].tolist() for column in (steps.holder, steps.level, steps.outcome, steps.distance))
        return tuple(zip(*columns, strict=True))
