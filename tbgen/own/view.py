"""Tables that were just solved, asked as kept ones are (probe/bounds.py)."""

from contextlib import suppress

import chess

from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT, Contents
from tbgen.errors import MissingTable
from tbgen.own.slices import PartName, number_of
from tbgen.own.solve import OwnTables, told
from tbgen.probe import Result
from tbgen.probe.bounds import OwnSource
from tbgen.probe.own import Seen, material_of, views_of
from tbgen.probe.tables import Steps, worth
from tbgen.retro.solver import Part
from tbgen.store.format.own import Bound, tells


class SolvedTables:
    """Own tables in memory."""

    def __init__(self, own: OwnTables) -> None:
        self._own = own
        self._contents = {
            name: {bound: _InContents(contents) for bound, contents in by_bound.items()}
            for name, by_bound in own.contents.items()
        }

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """What a position is worth if this side mates wherever nothing is known; None where no part has it.
        MissingTable where records of the game were not solved: in parts whose contents did not stay."""
        material = material_of(board)
        names = [PartName(material.normal, swapped) for swapped in (False, True)]
        for name in (one for one in names if one in self._own.parts):
            for seen in views_of(board, material):
                bound = Bound.BEST if winner != seen.swapped else Bound.WORST
                parts = self._own.parts[name]
                number = number_of(seen.board, told(parts, bound).layout) if tells(parts, bound) else None
                if number is not None:
                    return self._worth(seen, name, bound, number, record)
        return None

    def _worth(self, seen: Seen, name: PartName, bound: Bound, number: int, record: int | None) -> Result:
        """What a part says of a position that has this number there."""
        parts, contents = self._own.parts[name], self._contents.get(name)
        if contents is None and record is not None:
            raise MissingTable(f"records that come to {name.material} have not been solved")
        sign = -1 if seen.swapped else 1
        table = _InEntries(told(parts, bound)) if contents is None else told(contents, bound)
        found = worth(seen.board, name.material.name, table, number, None if record is None else sign * record)
        return found._replace(outcome=sign * found.outcome, record=sign * found.record, exact=Bound.EXACT in parts)


class Either:
    """Tables in memory, and kept ones for what these do not say."""

    def __init__(self, *tables: OwnSource | None) -> None:
        self._tables = [one for one in tables if one is not None]

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """What the first of them says that has the position."""
        for one in self._tables:
            with suppress(MissingTable):
                found = one.result(board, record, winner)
                if found is not None:
                    return found
        return None


class _InContents:
    """A table in memory, with its staircases."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def look(self, number: int) -> tuple[int, int, int]:
        entry = int(self._contents.entries[number])
        return entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK, int(self._contents.staircases[number])

    def steps_of(self, staircase: int) -> Steps:
        steps = self._contents.steps
        here = slice(int(steps.start[staircase]), int(steps.start[staircase + 1]))
        columns = (column[here].tolist() for column in (steps.holder, steps.level, steps.outcome, steps.distance))
        return tuple(zip(*columns, strict=True))


class _InEntries:
    """A part whose positions are asked just after a reset."""

    def __init__(self, part: Part) -> None:
        self._entries = part.entries

    def look(self, number: int) -> tuple[int, int, int]:
        entry = int(self._entries[number])
        return entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK, 0

    def steps_of(self, staircase: int) -> Steps:
        return ()
