"""How good an outcome is for its holder, coarsely: the same words and colours on all pages."""

from typing import Final

from tbgen.core import outcome

GRADES: Final = ("mate", "stalemate", "G1.0 to G3.5", "more")
"""What the digits of `colour_class` stand for."""
_LAST_OF_THIRD: Final = 7
"""The level of G3.5."""


def grade(value: int) -> int:
    """How good an outcome is for its holder."""
    level = outcome.level(value)
    return level if level < 2 else 2 if level <= _LAST_OF_THIRD else 3


def colour_class(value: int) -> str:
    """How good it is for its holder, and whose it is."""
    return f"{'w' if value > 0 else 'b'}{grade(value)}"
