"""Own tables solved, at the worst and at the best of what is not known.

What the solver computes is monotone in what resets pay. So a reset to a material that no table covers is taken for a
mate, by White and by Black: the values under both are bounds of the true one, under every record.
"""

from collections.abc import Mapping
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen import position
from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT, Contents
from tbgen.index import layout_of
from tbgen.material import Material
from tbgen.outcome import BASE, improved, level
from tbgen.own.plan import PlannedPart
from tbgen.own.slices import PartName, in_frame, layout_for, number_of
from tbgen.retro.export import finish
from tbgen.retro.solver import STAND_IN, Own, Part, Solved, solve

Entries = Mapping[Material, NDArray[np.int32]]


class Bounds(NamedTuple):
    """White gets no less than the first, and Black no less than the second: outcomes."""

    white: int
    black: int


class OwnTable(NamedTuple):
    """The part of the position itself, once for each side that may mate where nothing is known."""

    name: PartName
    part: Part
    contents: tuple[Contents, Contents]
    """White mates, Black mates; the same where everything is known."""

    def bounds(self, board: chess.Board, record: int | None) -> Bounds:
        """What a position of the part is worth under a record (None: its own goal)."""
        seen = in_frame(board, self.name)
        sign = -1 if self.name.swapped else 1
        given = None if record is None else record * sign
        number = number_of(seen, self.part.layout)
        high, low = (sign * _value(seen, contents, number, given) for contents in self.contents)
        return Bounds(low, high)


def solve_plan(plan: list[PlannedPart], known: Entries, threads: int = 1) -> OwnTable:
    """Solve all parts; `known` are the entries of complete tables."""
    done: dict[PartName, tuple[Part, Part]] = {}
    for part in plan:
        layout = layout_for(part.name.material, part.placements)
        own = [
            Own(layout, {_key(part.name, one): done[one][winner] for one in part.known}, _mates(winner, part.name))
            for winner in (0, 1)
        ]
        solved = [solve(part.name.material, known, threads=threads, own=one) for one in own[: 1 if part.exact else 2]]
        first, second = solved[0], solved[-1]
        done[part.name] = Part(layout, first.entries), Part(layout, second.entries)
    contents = _finish(first, second)
    return OwnTable(part.name, done[part.name][0], contents)


def _finish(first: Solved, second: Solved) -> tuple[Contents, Contents]:
    one = finish(first)
    return one, one if second is first else finish(second)


def _key(name: PartName, target: PartName) -> tuple[Material, bool]:
    return target.material, target.swapped != name.swapped


def _value(board: chess.Board, contents: Contents, number: int, record: int | None) -> int:
    """The outcome of a position in its frame."""
    sign = 1 if board.turn else -1
    fresh = int(contents.entries[number]) >> OUTCOME_SHIFT
    own = position.goal(board)
    standing = own if record is None else improved(record, own)
    if standing == own or level(fresh) < level(standing):
        return fresh * sign
    return _under(contents, int(contents.staircases[number]), standing * sign) * sign


def _under(contents: Contents, staircase: int, record: int) -> int:
    """The relative outcome under a relative record that is not the position's own."""
    steps = contents.steps
    holder = MOVER_HOLDS if record > 0 else OPPONENT_HOLDS
    for at in reversed(range(int(steps.start[staircase]), int(steps.start[staircase + 1]))):
        if steps.holder[at] == holder and steps.level[at] <= level(record):
            outcome = int(steps.outcome[at])
            return outcome if outcome != record and (outcome < record) == (record > 0) else record
    return record


def _mates(winner: int, name: PartName) -> NDArray[np.int32]:
    """Entries by the numbers of STAND_IN: whoever has the move, the winner mates (0: White)."""
    layout = layout_of(STAND_IN)
    entries = np.full(layout.size, BASE << OUTCOME_SHIFT, np.int32)
    half = int(layout.half_size[0])
    loses = half if winner == name.swapped else 0
    entries[loses : loses + half] = -BASE << OUTCOME_SHIFT
    return entries
