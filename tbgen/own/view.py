"""Own tables, asked as the tables of a directory are: values, moves and lines come from the same code."""

import chess

from tbgen import outcome
from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT, Contents
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.own.slices import in_frame, name_of, number_of
from tbgen.own.solve import OwnTables
from tbgen.position import goal
from tbgen.probe import Result, Tablebase
from tbgen.probe.tables import Steps, worth
from tbgen.retro.solver import Part


class View:
    """What own tables and complete ones say if one side mates wherever nothing is known."""

    whole_game = False

    def __init__(self, own: OwnTables, winner: chess.Color, complete: Tablebase) -> None:
        self._own = own
        self._winner = winner
        self._complete = complete
        self._root = _InContents(own.contents[winner])

    def name(self, board: chess.Board) -> str:
        """The material of a position."""
        return name_of(board).material.name

    def source(self, board: chess.Board) -> str:
        """Where its table is."""
        return f"the own table of {self.name(board)}"

    def result(self, board: chess.Board, record: int | None) -> Result:
        """What a position is worth under a record; None: its own goal. MissingTable where records of the game were not
        solved: in parts other than the position's own."""
        if board.pawns:
            found = self._in_parts(board, record)
            if found is not None:
                return found
        try:
            return self._complete.probe(board, record)
        except (MissingTable, UnsupportedPosition):
            if record is not None:
                raise
            return self._unknown(board)

    def _in_parts(self, board: chess.Board, record: int | None) -> Result | None:
        name = name_of(board)
        if name not in self._own.parts:
            return None
        part = self._own.parts[name][self._winner]
        seen = in_frame(board, name)
        number = number_of(seen, part.layout)
        if number is None:
            return None
        if name != self._own.root and record is not None:
            raise MissingTable(f"records that come to {name.material} have not been solved")
        sign = -1 if name.swapped else 1
        table = self._root if name == self._own.root else _InEntries(part)
        found = worth(seen, name.material.name, table, number, None if record is None else sign * record)
        return found._replace(outcome=sign * found.outcome, record=sign * found.record)

    def _unknown(self, board: chess.Board) -> Result:
        own = goal(board)
        mate = outcome.held_by_white(0) if self._winner else outcome.held_by_black(0)
        return Result("", own if outcome.level(own) < outcome.FIRST_RECORD else mate, 0, True, own)


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
