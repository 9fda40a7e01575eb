"""What a probe says, in sentences for people who do not know the notation."""

from typing import Final

from tbgen.core import outcome as outcomes
from tbgen.probe.result import FIFTY, Result, is_late
from tbgen.probe.sure import Sure
from tbgen.rules.scoring import Exponential, decimal
from tbgen.system.text import SIDES, plies

_POINTS: Final = Exponential()
_COUNTS: Final = "no one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_ENDS: Final = {0: "mated", 1: "stalemated"}
"""What has become of the loser, by level."""
LATE: Final = "50-move rule may come first"
"""What stands behind an outcome that may come too late."""


def situation(outcome: int) -> str:
    """What an outcome looks like on the board: `Black left with one move, not in check`."""
    level = outcomes.level(outcome)
    loser = SIDES[outcome < 0]
    if level in _ENDS:
        return f"{loser} {_ENDS[level]}"
    count = level // 2
    number = _COUNTS[count] if count < len(_COUNTS) else str(count)
    moves = f"{number} {'move' if count == 1 else 'moves'}"
    return f"{loser} left with {moves}, {'not in check' if level % 2 else 'in check'}"


def points(outcome: int) -> str:
    """What the holder gets for an outcome: `0.5625 points`."""
    share = _POINTS.share(outcomes.level(outcome))
    number = decimal(share).rstrip("0").rstrip(".")
    if number == "0.5":  # no holder of a record gets just that
        return "just over 0.5 points"
    return f"{number} {'point' if share == 1 else 'points'}"


def reached(outcome: int, dtg: int | None) -> str:
    """`G1.5 in 4 plies`; `G1.5` where it stands, or nobody knows how far off it is."""
    return outcomes.text(outcome) + (f" in {plies(dtg)}" if dtg else "")


def late(clock: int, dtg: int | None) -> str:
    """That the goal may come too late; nothing where it does not."""
    if not is_late(clock, dtg):
        return ""
    return f"The {LATE}: the halfmove clock is at {clock} of {FIFTY}, and the goal is {plies(dtg or 0)} away."


def bounds(sure: Sure) -> str:
    """What both sides are sure of: `White is sure of -G4.0, Black of G3.5`, or `G3.5 in 4 plies` where that is one."""
    if not sure.known:
        return "nothing is known"
    if sure.exact:
        return reached(sure.white, sure.dtg)
    return f"White is sure of {outcomes.text(sure.white)}, Black of {outcomes.text(sure.black)}"


def sentence(result: Result) -> str:
    """What a position is worth: `White forces G1.5 (...) in 4 plies (2 moves); worth 0.5625 points`."""
    level = outcomes.level(result.outcome)
    winner = SIDES[result.winner]
    score = f"{outcomes.text(result.outcome)} ({situation(result.outcome)})"
    worth = f"worth {points(result.outcome)} to {winner}"
    if result.stands and level in _ENDS:
        return f"The game is over. {winner} has {score}; {worth}."
    if result.stands:
        return f"The record stands: {winner} keeps {score}; {worth}."
    moves = (result.dtg + 1) // 2  # the winner makes the last one
    way = f"in {plies(result.dtg)} ({moves} {'move' if moves == 1 else 'moves'})"
    # A reset can leave the holder of a record with a weaker one.
    verb = "forces" if _gains(result.outcome, result.record, result.winner) else "is left with"
    return f"{winner} {verb} {score} {way}; {worth}."


def record_sentence(result: Result) -> str:
    """The record so far, and whether it lasts: `The record so far, G3.5 (...), is White's. White betters it.`"""
    holder = SIDES[result.record > 0]
    record = f"The record so far, {outcomes.text(result.record)} ({situation(result.record)}), is {holder}'s."
    if result.stands:
        return f"{record} Neither side can better it."
    return f"{record} {SIDES[result.outcome > result.record]} betters it."


def _gains(outcome: int, record: int, white: bool) -> bool:
    """Whether an outcome is better for a side than a record."""
    return outcome > record if white else outcome < record
