"""What happens in a match, one event after the other. Whatever is shown of a match is drawn from these."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from tbgen.core import outcome
from tbgen.referee.match.ledger import Entry
from tbgen.referee.match.live import Live
from tbgen.referee.match.systems import Pairing


@dataclass(frozen=True)
class Note:
    """Something that a director should know."""

    words: str

    def as_dict(self) -> dict[str, Any]:
        return {"event": "note", "note": self.words}


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A game is over."""

    pairing: Pairing
    entry: Entry
    points: Fraction
    """White's."""
    whole: bool
    """Whether games are won, drawn or lost, and nothing between."""
    plies: int
    ending: str
    dtg: int | None
    late: bool
    """Whether the 50-move rule might have come before the goal of tables."""
    pgn: str
    digest: str
    """What tells a game from others: the players, the start and the moves."""
    missing: Mapping[str, int]
    """What tables would have been needed, and how often they were asked for."""
    story: Mapping[str, Any] | None = None
    """The moves as a page tells them, where the match is watched."""

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "event": "game",
            "round": self.entry.round,
            "white": self.entry.white,
            "black": self.entry.black,
            "fen": self.entry.fen,
            "record": None if self.entry.record is None else outcome.text(self.entry.record),
            "result": outcome.text(self.entry.result),
            "points": round(float(self.points), 6),
            "plies": self.plies,
            "termination": self.entry.termination,
            "ending": self.ending,
        }
        if self.dtg is not None:
            found |= {"dtg": self.dtg, "late": self.late}
        return found


@dataclass(frozen=True)
class Unplayed:
    """A game that nobody could play: neither engine starts. It is to come when the match is taken up again."""

    pairing: Pairing
    white: str
    black: str
    words: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "event": "unplayed",
            "round": self.pairing.round,
            "white": self.white,
            "black": self.black,
            "note": self.words,
        }


Event: TypeAlias = Note | Finished | Unplayed | Live
