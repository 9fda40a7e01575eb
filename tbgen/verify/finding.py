"""What the verifier finds wrong, in words."""

from dataclasses import dataclass

from tbgen.core import outcome as scale
from tbgen.core.table_contents import MOVER_HOLDS

Worth = tuple[int, int]
"""A relative outcome and the plies to it."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    problem: str
    number: int = -1
    """The position, -1 where the dictionary itself is wrong."""
    staircase: int = -1
    """The staircase, where the dictionary itself is wrong."""
    record: tuple[int, int] | None = None
    """Holder (as in tbgen/core/table_contents.py) and level of the record under which the stored value is wrong."""
    expected: Worth | None = None
    """What the moves are worth."""
    stored: Worth | None = None

    def __str__(self) -> str:
        where = f"number {self.number}" if self.number >= 0 else f"staircase {self.staircase}"
        words = [f"{where}: {self.problem}"]
        if self.record is not None:
            holder, level = self.record
            words.append(f"the {'mover' if holder == MOVER_HOLDS else 'opponent'} holding level {level}")
        words += [f"{what} {_text(worth)}" for what, worth in self._worths() if worth is not None]
        return ", ".join(words)

    def _worths(self) -> list[tuple[str, Worth | None]]:
        return [("expected", self.expected), ("stored", self.stored)]


def _text(worth: Worth) -> str:
    """A worth in words, as the side to move sees it."""
    found, plies = worth
    if not 0 < abs(found) <= scale.BASE:
        return f"no outcome ({found}) in {plies}"
    return f"{'+' if found > 0 else '-'}{scale.text(abs(found))} in {plies}"
