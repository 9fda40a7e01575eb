"""Own tables solved, at the worst and at the best of what is not known.

What the solver computes is monotone in what resets pay. So a reset to a material that no table covers is taken for a
mate, by one side and by the other: the values under both are bounds of the true one, under every record.
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
from tbgen.own.slices import Seen, number_of, own_layout
from tbgen.retro.export import finish
from tbgen.retro.solver import STAND_IN, solve

Entries = Mapping[Material, NDArray[np.int32]]


class Bounds(NamedTuple):
    """White gets no less than the first, and Black no less than the second: outcomes."""

    white: int
    black: int


def solve_position(board: chess.Board, record: int | None, known: Entries, threads: int = 1) -> Bounds:
    """What a position is worth under a record (None: its own goal), `known` being entries of complete tables."""
    seen = own_layout(board)
    complete = all(one in known for one in seen.layout.material.successors())
    winners = [None] if complete else [1, 0]
    found = [value_of(seen, contents_of(seen, known, winner, threads), record) for winner in winners]
    found = [-one for one in found] if seen.swapped else found
    return Bounds(min(found), max(found))


def contents_of(seen: Seen, known: Entries, winner: int | None, threads: int = 1) -> Contents:
    """The own table; `winner` is the side, 0 or 1, that mates after every reset to a material that is not known."""
    stand_in = None if winner is None else _mates(winner)
    return finish(solve(seen.layout.material, known, threads=threads, chosen=seen.layout, stand_in=stand_in))


def value_of(seen: Seen, contents: Contents, record: int | None) -> int:
    """The outcome in the first side's view, of a record in the real colours."""
    number = number_of(seen)
    sign = 1 if seen.board.turn else -1
    fresh = int(contents.entries[number]) >> OUTCOME_SHIFT
    own = position.goal(seen.board)
    given = own if record is None else -record if seen.swapped else record
    standing = improved(given, own)
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
            return outcome if (outcome < record) == (record > 0) and outcome != record else record
    return record


def _mates(winner: int) -> NDArray[np.int32]:
    """Entries by the numbers of STAND_IN: whoever has the move, the winner mates."""
    layout = layout_of(STAND_IN)
    entries = np.full(layout.size, BASE << OUTCOME_SHIFT, np.int32)
    half = int(layout.half_size[0])
    entries[half if winner == 0 else 0 :][:half] = -BASE << OUTCOME_SHIFT
    return entries
