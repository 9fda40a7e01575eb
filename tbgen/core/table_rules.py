"""The rules that a table is made for, which are part of its name. What else ends a game: rules/rulesets.py."""

from enum import StrEnum
from typing import Self

from tbgen.errors import BadInput, quoted


class TableRules(StrEnum):
    """Text in names of files, headers, JSON and options; numbers begin where kernels do."""

    RESET = "r"
    """Captures and pawn moves reset the record."""
    WHOLE_GAME = "wg"
    """Nothing does."""

    @classmethod
    def of(cls, words: str) -> Self:
        """Find rules by their name; BadInput where that is none."""
        try:
            return cls(words)
        except ValueError:
            raise no_such_rules(words) from None


def no_such_rules(words: str) -> BadInput:
    return BadInput(f"no such rules: {quoted(words)} (there are: {', '.join(TableRules)})")
