"""Positions in which all pawns are blocked, and the slow twin with mate for one side behind every exit."""

import chess

from tests.support.slow_twin.goals import Goal, Result
from tests.support.slow_twin.twin import Twin


def twin_with_exits_for(attacker: chess.Color) -> Twin:
    """Every capture and every pawn move mates: what the twin says then is what the other side is sure of at least."""
    return Twin(oracle=lambda board, record: Result(Goal(attacker, 0), 1))
