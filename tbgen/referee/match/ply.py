"""A move in a game between engines."""

from typing import NamedTuple

import chess
from chess.engine import InfoDict


class Ply(NamedTuple):
    """A move and what its engine said of it."""

    move: chess.Move
    seconds: float
    info: InfoDict
    record: int | None
    """The record, if the move set it."""
    left: float | None = None
    """Seconds on its clock afterwards."""


def said(info: InfoDict) -> str:
    """An engine's score, for itself, and depth: `+0.31/14`; nothing if it told no score."""
    score = info.get("score")
    if score is None:
        return ""
    relative = score.relative
    mate = relative.mate()
    value = f"{(relative.score() or 0) / 100:+.2f}" if mate is None else f"{'-' if mate < 0 else '+'}M{abs(mate)}"
    return f"{value}/{info.get('depth', 0)}"
