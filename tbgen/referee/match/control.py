"""Time controls and the clocks that run by them."""

import re
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import chess
from chess.engine import Limit

from tbgen.errors import BadInput, quoted
from tbgen.referee.match.words import number

_TC: Final = re.compile(
    r"(?:(?P<moves>[0-9]{1,4})/)?"
    r"(?:(?P<hours>[0-9]{1,3}):(?=[0-9]+:))?(?:(?P<minutes>[0-9]{1,4}):)?(?P<seconds>[0-9]{1,6}(?:\.[0-9]{1,6})?)"
    r"(?:\+(?P<increment>[0-9]{1,5}(?:\.[0-9]{1,6})?))?\Z"
)
_NO_LIMIT: Final = ("inf", "infinite")

_LEAST: Final = 1e-9
_MOST: Final = 1e9
"""What is beyond these is a typing error."""

KEYS: Final = ("tc", "movetime", "nodes", "depth")
"""What a control is made of, in the words of a command line."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """What an engine may spend on a game or a move. Whatever is set holds."""

    base: float | None = None
    """Seconds on the clock."""

    increment: float = 0.0
    """Seconds that each move adds to it."""

    moves: int | None = None
    """Moves after which the clock gets its seconds again; None: never."""

    movetime: float | None = None
    """Seconds for each move."""

    nodes: int | None = None
    depth: int | None = None

    @classmethod
    def parse(cls, given: dict[str, str]) -> "Control":
        """A control from words: `tc` (`60+0.6`, `40/15:00+5`, `inf`), `movetime` in seconds, `nodes`, `depth`."""
        base, increment, moves = _parse_tc(given["tc"]) if "tc" in given else (None, 0.0, None)
        control = cls(
            base=base,
            increment=increment,
            moves=moves,
            movetime=number("movetime", given["movetime"], float, _LEAST, _MOST) if "movetime" in given else None,
            nodes=number("nodes", given["nodes"], int, 1, _MOST) if "nodes" in given else None,
            depth=number("depth", given["depth"], int, 1, _MOST) if "depth" in given else None,
        )
        if control == cls():
            raise BadInput("an engine needs a limit: tc=60+0.6, movetime=1, nodes=10000 or depth=10")
        return control

    def __str__(self) -> str:
        """As in the PGN tag `TimeControl`, the limits that it has no words for behind it."""
        parts = []
        if self.base is not None:
            repeated = f"{self.moves}/" if self.moves is not None else ""
            increment = f"+{_written(self.increment)}" if self.increment else ""
            parts.append(f"{repeated}{_written(self.base)}{increment}")
        if self.movetime is not None:
            parts.append(f"{_written(self.movetime)}/move")
        if self.nodes is not None:
            parts.append(f"{self.nodes} nodes")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        return ", ".join(parts) or "-"


def _written(seconds: float) -> str:
    """All digits, and no exponent, which the tag has not."""
    return f"{Decimal(repr(seconds)):f}".removesuffix(".0")


def _parse_tc(words: str) -> tuple[float | None, float, int | None]:
    if words.casefold() in _NO_LIMIT:
        return None, 0.0, None
    match = _TC.match(words)
    if match is None:
        raise BadInput(f"not a time control: {quoted(words)} (write 60+0.6, 40/15:00 or 1:30:00+30, in seconds)")
    seconds = float(match["seconds"]) + 60 * int(match["minutes"] or 0) + 3600 * int(match["hours"] or 0)
    if seconds <= 0:
        raise BadInput(f"no time to begin with: {quoted(words)}")
    moves = int(match["moves"]) if match["moves"] else None
    return seconds, float(match["increment"] or 0), moves or None


class Clock:
    """One side's clock."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.left = control.base
        self.to_go = control.moves
        """Moves until the clock gets its seconds again."""
        self.since: float | None = None
        """The time of day when it was started; None: it stands."""

    def start(self) -> None:
        self.since = time.time()

    def allowed(self) -> float | None:
        """Seconds that the next move may take; None: no clock says."""
        limits = [limit for limit in (self.left, self.control.movetime) if limit is not None]
        return min(limits) if limits else None

    def spend(self, seconds: float) -> None:
        """Stop it and count a move. What is beyond the limit has been forgiven."""
        self.since = None
        if self.left is None:
            return
        self.left = max(0.0, self.left - seconds) + self.control.increment
        if self.to_go is not None:
            self.to_go -= 1
            if self.to_go == 0:
                self.left += self.control.base or 0.0
                self.to_go = self.control.moves


def limit(clocks: dict[chess.Color, Clock], turn: chess.Color) -> Limit:
    """What the side to move is told."""
    white, black, own = clocks[chess.WHITE], clocks[chess.BLACK], clocks[turn]
    timed = own.left is not None
    return Limit(
        time=own.control.movetime,
        nodes=own.control.nodes,
        depth=own.control.depth,
        white_clock=white.left if timed else None,
        black_clock=black.left if timed else None,
        white_inc=white.control.increment if timed and white.left is not None else None,
        black_inc=black.control.increment if timed and black.left is not None else None,
        remaining_moves=own.to_go,
    )
