"""How a game came to its end: from the board, from its tags, and from the comment behind its last move.

What the board shows beyond doubt, mate and stalemate, goes first; then what was written; then what else
the board shows. A drawn game of which all that says nothing was agreed drawn.
"""

import enum
import re
from collections.abc import Mapping
from typing import Final

import chess

from tbgen.core import outcome
from tbgen.core.position import STALEMATE
from tbgen.errors import BadInput, quoted
from tbgen.rules.endings import Ending
from tbgen.rules.ends import Turn
from tbgen.rules.tags import result_of


class Finish(enum.StrEnum):
    """How a game came to its end. The values are what options and reports call them."""

    MATE = "mate"
    """Or what else wins in a variant."""
    STALEMATE = "stalemate"
    AWARD = "award"
    """Won without mate: by resignation, adjudication, time, or the other side's breach of the rules."""
    ADJUDICATION = "adjudication"
    """A referee called it a draw. All that follow are draws as well."""
    AGREEMENT = "agreement"
    """The players agreed, or the file gives no reason."""
    REPETITION = "repetition"
    FIFTY_MOVES = "fifty-moves"
    INSUFFICIENT = "insufficient"
    """Insufficient material, or time run out against it; bare kings at G8.5; a race that both have finished."""


DRAWS: Final = (
    Finish.ADJUDICATION,
    Finish.AGREEMENT,
    Finish.REPETITION,
    Finish.FIFTY_MOVES,
    Finish.INSUFFICIENT,
)
"""What tables may decide instead."""

BY_DEFAULT: Final = frozenset({Finish.ADJUDICATION, Finish.AGREEMENT})
"""What tables decide unless told otherwise."""

CURSED: Final = "cursed"
"""Stands for draws in which the 50-move rule may have prevented a mate, and for their mates alone."""
MAY_BE_CURSED: Final = frozenset({Finish.ADJUDICATION, Finish.AGREEMENT, Finish.FIFTY_MOVES})

_ALL: Final = "all"
_NONE: Final = "none"

# In this order: "TB draw by 50 moves" was ended by the 50-move rule.
_WORDS: Final = (
    (Finish.REPETITION, r"repet|\b(?:3|three)[- ]?fold"),
    (Finish.FIFTY_MOVES, r"\bfifty|\b[57][05][- ]?moves?\b|\bseventy"),
    (Finish.INSUFFICIENT, r"insufficient|\btime|\bflag"),
    (Finish.AGREEMENT, r"agree|mutual"),
    (Finish.ADJUDICATION, r"adjudicat|\btb\b|table ?base|syzygy|gaviota|nalimov|draw rule|arbiter|user decision"),
    # Broken off, and drawn all the same: so somebody decreed.
    (Finish.ADJUDICATION, r"abandon|disconnect|death|emergency|infraction|illegal|unterminated|stall"),
)
_PATTERNS: Final = tuple((finish, re.compile(pattern, re.IGNORECASE)) for finish, pattern in _WORDS)
_TAGS: Final = ("TerminationDetails", "Termination")
"""The one that says more first."""
_OF_THE_END: Final = re.compile(r"\bdraw|adjudicat|agree", re.IGNORECASE)
"""What a comment has to say if it is about the end of a drawn game."""

_WINNER: Final[Mapping[str, chess.Color | None]] = {"1-0": chess.WHITE, "0-1": chess.BLACK, "1/2-1/2": None}
_FROM_RULES: Final = {
    Ending.REPETITION: Finish.REPETITION,
    Ending.FIFTY_MOVES: Finish.FIFTY_MOVES,
    Ending.BARE_KINGS: Finish.INSUFFICIENT,
    Ending.RACE_DRAWN: Finish.INSUFFICIENT,
}
_FIFTY: Final = 100


def finish_of(result: str, headers: Mapping[str, str], comment: str, turn: Turn, board: chess.Board) -> Finish:
    """How a game with this result came to its end; BadInput if the board belies the result."""
    winner = _WINNER[result]
    goal = turn.standing.goal
    level = outcome.level(goal)
    if level <= STALEMATE and winner is not (None if level else goal > 0):
        raise BadInput(f"the board shows {turn.ending}, but the result is {result}")
    if level <= STALEMATE:
        return Finish.STALEMATE if level else Finish.MATE
    if winner is not None:
        return Finish.AWARD
    return _written(headers, comment) or _shown(turn, board) or Finish.AGREEMENT


def agreed(headers: Mapping[str, str], comment: str) -> int | None:
    """The result, other than mate, of a game won without mate, where tags or comment say that it was agreed on."""
    if _written(headers, comment) is not Finish.AGREEMENT:
        return None
    stated = result_of(headers)
    return stated if stated is not None and outcome.level(stated) else None


def _written(headers: Mapping[str, str], comment: str) -> Finish | None:
    """What tags and comment say of the end, in the words for draws."""
    texts = [headers.get(tag, "") for tag in _TAGS]
    end = _OF_THE_END.search(comment)
    if end is not None:
        texts.append(comment[end.start() :])  # what stands before may be an engine's figures
    for text in texts:
        for finish, pattern in _PATTERNS if text else ():
            if pattern.search(text):
                return finish
    return None


def _shown(turn: Turn, board: chess.Board) -> Finish | None:
    """What the board shows of a draw, under the rules in use and then under those of chess."""
    if turn.ending is not None:
        return _FROM_RULES.get(turn.ending)
    if board.halfmove_clock >= _FIFTY:
        return Finish.FIFTY_MOVES
    if board.is_insufficient_material():
        return Finish.INSUFFICIENT
    return None


def parse_kinds(words: str) -> frozenset[str]:
    """The draws that a list stands for: `adjudication,agreement`, `cursed`, `all`, `none`."""
    found: set[str] = set()
    for word in words.replace(",", " ").split():
        if word == _ALL:
            found.update(DRAWS)
        elif word in (*DRAWS, CURSED):
            found.add(word)
        elif word != _NONE:
            kinds = ", ".join((*DRAWS, CURSED, _ALL, _NONE))
            raise BadInput(f"no such kind of draw: {quoted(word)} (there are: {kinds})")
    return frozenset(found)
