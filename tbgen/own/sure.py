"""What is proved of a position or a move: bounds for both sides."""

from typing import NamedTuple, Self

import chess


class Sure(NamedTuple):
    """What both sides are sure of: outcomes."""

    white: int
    """White gets no less than this."""
    black: int
    """And Black no less than this."""
    dtg: int | None = None
    """The distance, if it is known. 0: the record stands."""

    @property
    def exact(self) -> bool:
        return self.white == self.black

    def with_bounds(self, white: int, black: int) -> Self:
        """What is known if this is known as well."""
        best = self._replace(white=max(self.white, white), black=min(self.black, black))
        assert best.white <= best.black, "proofs contradict each other"
        return best


class SureMove(NamedTuple):
    move: chess.Move
    reset: bool
    sure: Sure
