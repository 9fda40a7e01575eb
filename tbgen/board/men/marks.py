"""Marks: what a man's moves do not say of its mating potential.

A mark stands behind the moves, as `0,` and a number. So H. G. Muller's engine Pair-o-Max has it in its own files, where
each pair of numbers is a step and how it may be made, and no move has the step 0.
"""

import re
from typing import Final

from tbgen.errors import BadInput, quoted

MATES_ALONE: Final = 3
"""Of a light man that mates alone."""
TOUGH: Final = -1
"""Of one that mates alone, and that no king can approach: it draws against a far heavier man."""
NO_PAIR: Final = -4
"""Of a man that does not mate in pairs."""
LEAST_BONUS: Final = 4
"""This number and larger ones are what a pair of colour-bound men, one on either colour, is worth beyond both, in
hundredths of a pawn."""
_MARK: Final = re.compile("0,(-?[0-9]{1,3})")


def mark_of(word: str, *, colour_bound: bool) -> int:
    """The number of a mark; BadInput if there is none such, or none for a man with these moves."""
    match = _MARK.fullmatch(word)
    number = int(match[1]) if match else 0
    if number < LEAST_BONUS and number not in (MATES_ALONE, TOUGH, NO_PAIR):
        raise BadInput(
            f"no mark of a man: {quoted(word)} (0,3 mates alone, 0,-1 draws against a queen as well, 0,-4 does not "
            "mate in pairs, 0,40 is the bonus of a pair)"
        )
    if number >= LEAST_BONUS and not colour_bound:
        raise BadInput(f"{word} is the bonus of a pair of colour-bound men, and this one changes colours")
    if number in (MATES_ALONE, TOUGH) and colour_bound:
        raise BadInput(f"{word} says that a man mates alone, and a colour-bound one does not")
    return number
