"""What is proved of a position or a move where tables do not know everything: bounds for both sides."""

from typing import Final, NamedTuple, Self

import chess

from tbgen.core import outcome
from tbgen.errors import MissingTable
from tbgen.probe.result import LineMove


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

    @property
    def known(self) -> bool:
        """Whether anything is, more than `NOTHING`."""
        return outcome.level(self.white) > 0 or outcome.level(self.black) > 0 or self.exact

    def __repr__(self) -> str:
        from tbgen.probe.words import bounds  # late: words tell of this

        return f"<Sure: {bounds(self)}>"

    def with_bounds(self, white: int, black: int) -> Self:
        """What is known if this is known as well."""
        best = self._replace(white=max(self.white, white), black=min(self.black, black))
        assert best.white <= best.black, "proofs contradict each other"
        return best


NOTHING: Final = Sure(outcome.held_by_black(0), outcome.held_by_white(0))
"""What is known of any position: nobody does better than to mate."""


class SureMove(NamedTuple):
    move: chess.Move
    reset: bool
    sure: Sure
    record: int
    """The record after the move."""


class SureResult(NamedTuple):
    """What local tables prove of a position under a record."""

    material: str
    turn: chess.Color
    record: int
    """The one that stands, the position's own goal included."""
    sure: Sure
    moves: list[SureMove]
    """The best for the side to move first: by what it is sure of, then by what it may hope for."""
    line: list[LineMove]
    """Best play, as far as local tables know it; none if the answer is not exact."""


class OnlyBounds(MissingTable):
    """Local tables have the position, but say only between which bounds its outcome lies."""

    @property
    def known(self) -> SureResult:
        """What they say. To ask them again may be too late: another process may remove them."""
        found: SureResult = self.args[2]
        return found
