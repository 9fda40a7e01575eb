"""A man: its letter, and how it moves."""

from dataclasses import dataclass, field
from functools import cached_property

from tbgen.board.men import betza


@dataclass(frozen=True, order=True)
class Man:
    letter: str
    moves: str
    """In Betza's notation, as `canonical` writes it: two men are the same if letters and moves are."""
    name: str = field(default="", compare=False)
    mark: int = field(default=0, compare=False)
    """What marks.py has for it; 0 if it has none. No table depends on it."""

    @cached_property
    def steps(self) -> tuple[betza.Step, ...]:
        return tuple(betza.steps(self.moves))

    @property
    def is_colour_bound(self) -> bool:
        return all((step.file + step.rank) % 2 == 0 for step in self.steps)

    @cached_property
    def most_moves(self) -> int:
        """From the square where it has most, on an empty board."""
        squares = range(betza.FARTHEST + 1)
        return max(
            sum(
                file + times * step.file in squares and rank + times * step.rank in squares
                for step in self.steps
                for times in range(1, step.far + 1)
            )
            for file in squares
            for rank in squares
        )

    def __str__(self) -> str:
        return f"{self.letter}={self.moves}"
