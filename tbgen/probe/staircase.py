"""What a position is worth under every record: its staircase (docs/theory.md)."""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

import chess

from tbgen.core import outcome as outcomes
from tbgen.core.position import level
from tbgen.probe.result import Result
from tbgen.probe.words import reached
from tbgen.system.text import plies


class Step(NamedTuple):
    """What a position is worth under one record."""

    record: int
    outcome: int
    dtg: int
    """0: the record stands."""

    @property
    def record_gscore(self) -> str:
        return outcomes.text(self.record)

    @property
    def gscore(self) -> str:
        return outcomes.text(self.outcome)

    def __str__(self) -> str:
        return f"{self.record_gscore}: {reached(self.outcome, self.dtg) if self.dtg else 'the record stands'}"

    def __repr__(self) -> str:
        return f"<Step {self}>"


class Staircase(NamedTuple):
    """A position under every record. `print` it for words; a notebook draws it."""

    board: chess.Board
    record: int
    """The one that stands now."""
    steps: tuple[Step, ...]
    """White's best record first, Black's last."""

    def __str__(self) -> str:
        """A line for each run of records under which the same comes out."""
        return "\n".join(_told(list(run)) for _, run in groupby(self.steps, _worth))

    def __repr__(self) -> str:
        return f"<Staircase of {self.board.fen()}: {len(self.steps)} records>"

    def _repr_svg_(self) -> str:
        from tbgen.drawing.staircase import picture  # late: few ask for pictures

        return picture(self.steps, self.record, str(self).replace("\n", "; "))


def _worth(step: Step) -> int | None:
    """None: the record stands."""
    return step.outcome if step.dtg else None


def _told(run: list[Step]) -> str:
    first, last = run[0], run[-1]
    records = first.record_gscore if len(run) == 1 else f"{first.record_gscore} to {last.record_gscore}"
    nearest, farthest = (pick(step.dtg for step in run) for pick in (min, max))
    if not farthest:
        return f"{records}: the record stands"
    how = plies(farthest) if nearest == farthest else f"{nearest} to {plies(farthest)}"
    return f"{records}: {first.gscore} in {how}"


def staircase(probe: Callable[[chess.Board, int], Result], board: chess.Board, record: int) -> Staircase:
    """Ask for a position under every record that a game can bring along."""
    levels = range(outcomes.FIRST_RECORD, level(board) + 1)
    records = (*map(outcomes.held_by_white, levels), *map(outcomes.held_by_black, reversed(levels)))
    found = ((one, probe(board, one)) for one in records)
    return Staircase(board, record, tuple(Step(one, result.outcome, result.dtg) for one, result in found))
