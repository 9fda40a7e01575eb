"""Which arrangements the defender can hold, and for how long at least.

The *defender* moves only some of his men, and makes only quiet moves; the *attacker* has all of his moves. The attacker
breaks through by an exit, unless that is known to be harmless, and by a position of a level below a limit. Worked out
backwards, as a table is: an arrangement of the free men is lost in n plies if the attacker can break through by then.
What is never lost, the defender holds for ever.
"""

from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.beyond.holding.graph import FreeMan, Graph, Turn
from tbgen.board.move_sets import Bools, Sets
from tbgen.core.position import STALEMATE

FOR_EVER: Final = np.iinfo(np.int16).max
"""Plies until the attacker breaks through: he never does."""

Plies = NDArray[np.int16]


class Goals(NamedTuple):
    """What ends a defender's task."""

    limit: int
    """The attacker breaks through with a level below this."""
    breaking: Bools
    """Where the attacker has an exit that breaks through."""
    saving: Bools
    """Where the defender has an exit that ends well for him."""


class Hold(NamedTuple):
    """What the defender of a graph can do."""

    graph: Graph
    attacker: int
    """The side: 0 is White."""
    plies: tuple[Plies, Plies]
    """The ply at which the attacker can break through first, by the side to move; 0: he has."""

    def at(self, place: tuple[int, ...], turn: chess.Color) -> int:
        """The plies of one arrangement, by the side to move."""
        return int(self.plies[0 if turn else 1][place])


def hold(graph: Graph, attacker: int, goals: Goals) -> Hold:
    """Work out all arrangements."""
    theirs, ours = graph.turns[attacker], graph.turns[1 - attacker]
    attacking = np.where(theirs.legal & goals.breaking, np.int16(1), np.int16(FOR_EVER))
    holding = np.where(ours.legal & (ours.level < goals.limit), np.int16(0), np.int16(FOR_EVER))
    # A man that is to stand still may move if nothing else can: one ply is gained, and no more is known.
    spared = ours.quiet_exits
    ply, changed = 0, True
    while changed or ply <= 2:
        ply += 1
        lost = ours.legal & (holding <= ply - 1)
        broken = theirs.legal & (attacking == FOR_EVER) & some_lead(theirs, lost)
        attacking[broken] = ply
        safe = theirs.legal & (attacking > ply - 1)
        fallen = ours.legal & (holding == FOR_EVER) & ~some_lead(ours, safe)
        fallen &= ours.level > STALEMATE  # a stalemate of the limit or more ends the game with what is to be proved
        fallen &= ~(goals.saving | spared) if ply == 1 else ~goals.saving
        holding[fallen] = ply
        changed = bool(broken.any() or fallen.any())
    plies = (attacking, holding) if attacker == 0 else (holding, attacking)
    return Hold(graph, attacker, plies)


def some_lead(turn: Turn, wanted: Bools) -> Bools:
    """Say of each arrangement whether a quiet move leads to a wanted one."""
    found = np.zeros(wanted.shape, np.bool_)
    for free, targets in turn.moves:
        found |= (targets & _along(free, wanted[free.after])) != 0
    return found


def _along(free: FreeMan, wanted: Bools) -> Sets:
    """Find the squares on which this man makes a wanted arrangement, for each placement of the other free men."""
    found: Sets = np.bitwise_or.reduce(np.where(wanted, free.bit, np.uint64(0)), axis=free.axis, keepdims=True)
    return found
