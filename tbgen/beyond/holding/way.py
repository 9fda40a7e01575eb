"""Where the defender can force a goal of his own, and hold it as a record from then on: a perpetual check, a mate.

First the goal has to be made before the attacker makes one as low: that is a race, worked out backwards from where it
is made. What is held once it is made is a `Hold` with the goal as the record.
"""

from typing import Final, NamedTuple

import numpy as np

from tbgen.beyond.holding.hold import FOR_EVER, Goals, Hold, Plies, some_lead
from tbgen.core.outcome import FIRST_RECORD

NEVER: Final = np.iinfo(np.int16).max
"""Moves until the goal is made, where the attacker need not let that happen."""


class Way(NamedTuple):
    """How the defender comes to a goal, and then holds it."""

    level: int
    """The goal has this level or a lower one."""
    held: Hold
    """How the goal is held."""
    defending: Plies
    """Where the defender has the move: how many moves he needs at most."""
    attacking: Plies
    """Where the attacker has: the same."""

    def at(self, place: tuple[int, ...], *, defends: bool) -> bool:
        """Say of an arrangement whether the defender gets there from it."""
        return bool((self.defending if defends else self.attacking)[place] < NEVER)


def find_way(held: Hold, goals: Goals) -> Way:
    """Work out all arrangements. `goals` are those of `held`, whose limit is the level of the goal."""
    graph, level = held.graph, goals.limit
    theirs, ours = graph.turns[held.attacker], graph.turns[1 - held.attacker]
    made = theirs.legal & (theirs.level <= level) & (held.plies[held.attacker] == FOR_EVER)
    # The first to make a goal of this level keeps it. Who is mated or stalemated before that has lost.
    defends = ours.legal & (ours.level > max(level, FIRST_RECORD - 1))
    attacks = theirs.legal & (theirs.level >= FIRST_RECORD) & ~goals.breaking
    defending, attacking = np.full(graph.shape, NEVER, np.int16), np.full(graph.shape, NEVER, np.int16)
    moves, changed = 0, True
    while changed:
        bad = ours.legal & (defending == NEVER)
        shut_in = attacks & (attacking == NEVER) & ~some_lead(theirs, bad)
        attacking[shut_in] = moves
        moves += 1
        nearer = defends & (defending == NEVER) & some_lead(ours, made | (attacking < NEVER))
        if moves == 1:
            nearer |= defends & goals.saving
        defending[nearer] = moves
        changed = bool(nearer.any())
    return Way(level, held, defending, attacking)
