"""Outcomes: a G-score and the side that holds it, as one integer. Nothing else compares values.

The *level* of a position is ``2 * legal moves + (0 if in check else 1)``: twice its G-score, so that
it is an integer. An outcome is ``+(BASE - level)`` when White holds that score and ``-(BASE - level)``
when Black does. Larger is better for White, negation swaps the colours, and the two outcomes of level
0, mate by White and mate by Black, are the two ends of the scale. 0 is no outcome at all.

Read from the side to move, the same integers are *relative* outcomes: positive is good for the mover.
"""

import operator
import re
from typing import Any, Final

from tbgen.errors import BadInput, quoted
from tbgen.system.text import typed

BASE: Final = 512
"""Above every level."""

MAX_LEVEL: Final = 2 * 218 + 1
"""The level of no position of a game is above this: 218 moves, and no check."""

FIRST_RECORD: Final = 2
"""The lowest level that a record can have: mate and stalemate, levels 0 and 1, end the game."""

_TEXT = re.compile(r"([+\-mM]?)\s*[gG]([0-9]{1,99})(?:\.([05]))?\Z")
BLACKS: Final = frozenset("-mM")
"""Signs of Black's scores: `m` where a minus would begin an option."""


def held_by_white(level: int) -> int:
    """The outcome in which White has forced Black down to `level`."""
    return BASE - level


def held_by_black(level: int) -> int:
    """The outcome in which Black has forced White down to `level`."""
    return level - BASE


def goal(level: int, white_to_move: bool) -> int:
    """The goal that a position of this level scores, for the side that is not to move."""
    return held_by_black(level) if white_to_move else held_by_white(level)


def level(outcome: int) -> int:
    """The level of an outcome, whoever holds it."""
    return BASE - abs(outcome)


def flip(outcome: int) -> int:
    """The same score in the other side's hands."""
    return -outcome


def improved(record: int, new_goal: int) -> int:
    """The record after a later goal: only a strictly lower level replaces it, so the first holder keeps equals."""
    return new_goal if level(new_goal) < level(record) else record


def checked(value: Any) -> int:
    """What a caller gave for an outcome, if it is an integer that is one."""
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool) or not 0 <= level(found) <= MAX_LEVEL:
        raise BadInput(
            f"not an outcome: {quoted(value)} (write G-scores as text: 'G3.5', or '-G3.5' when Black holds it)"
        )
    return found


def gscore(level: int) -> str:
    """The G-score of a level, whoever holds it: `G1.5`."""
    whole, half = divmod(level, 2)
    return f"G{whole}.{'5' if half else '0'}"


def text(outcome: int) -> str:
    """`G1.5` when White holds it, `-G1.5` when Black does."""
    return f"{'-' if outcome < 0 else ''}{gscore(level(outcome))}"


def parse_gscore(words: str) -> tuple[int, bool]:
    """The level that a text stands for, of any size, and whether the text bears Black's sign."""
    match = _TEXT.match(typed(words).strip())
    if match is None:
        raise BadInput(f"not a G-score: {quoted(words)} (write G1.5 when White holds it, -G1.5 when Black does)")
    sign, whole, half = match.groups()
    return 2 * int(whole) + (half == "5"), sign in BLACKS


def parse(words: str) -> int:
    """The outcome that a text stands for: `G1.5`, `-G8.5`, `mG8.5`, `g3`."""
    level, is_blacks = parse_gscore(words)
    if level > MAX_LEVEL:
        raise BadInput(f"no position has so many moves: {quoted(words)}")
    return held_by_black(level) if is_blacks else held_by_white(level)
