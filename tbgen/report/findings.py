"""What was found, in sentences: each is made of the figures, and says what is true of any set of tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from tbgen.core import outcome
from tbgen.probe.words import situation
from tbgen.report.census import Tally, total_weights
from tbgen.report.document import written

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")
_NAMED: Final = 3
"""Materials of a kind that are listed."""


def share(value: float) -> str:
    return written(value, "share")


def listed(names: Sequence[str]) -> str:
    """`KQvK, KRvK and KPvK`, or `KQvK, KRvK and 4 more`."""
    shown = list(names) if len(names) <= _NAMED + 1 else [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def tables(censuses: Sequence[Tally]) -> str:
    """`36 tables of two to four men hold`."""
    counts = sorted({census.material.men for census in censuses})
    words = [_NUMBERS[count] if count < len(_NUMBERS) else str(count) for count in counts]
    men = " and ".join(words) if len(words) <= 2 else f"{words[0]} to {words[-1]}"
    return f"One table of {men} men holds" if len(censuses) == 1 else f"{len(censuses)} tables of {men} men hold"


def decided(censuses: Sequence[Tally]) -> Iterator[str]:
    """What chess decides, and what r-mobility makes of the rest."""
    placements = sum(census.placements for census in censuses)
    weights: dict[int, float] = {}
    for (_, value), weight in total_weights(censuses).items():
        level = outcome.level(value)
        weights[level] = weights.get(level, 0) + weight / placements
    positions = sum(census.positions for census in censuses)
    mated = weights.pop(0, 0.0)
    mates = f"in {share(mated)} of all placements of their men one side forces mate, as in chess"
    if not mated or not weights:
        mates = f"in {'each' if mated else 'none'} of them mate can be forced"
    yield f"{tables(censuses)} {positions:,} positions, each counted once up to symmetry; {mates}."
    if not weights:
        return
    commonest = max(weights, key=lambda level: weights[level])
    named = outcome.held_by_white(commonest)
    loser = situation(named).replace("Black", "the loser", 1)
    yield (
        f"Chess without its fifty-move rule calls {'the others' if mated else 'them'} drawn; r-mobility finds a winner "
        f"in each, most often by {outcome.text(named)}, {loser}: in {share(weights[commonest])} of all placements."
    )


def recorded(censuses: Sequence[Tally]) -> str:
    """How often it matters what was scored before."""
    positions = sum(census.positions for census in censuses)
    inside = sum(census.recorded[0] for census in censuses)
    if not inside:
        return "Whatever was scored before, a record either stands or gives way to what can be forced without it."
    found = (
        f"In {share(inside / positions)} of the positions a record from earlier in the game does more than stand or "
        "give way: it changes what can be forced"
    )
    most = max(censuses, key=lambda census: census.recorded[0] / census.positions)
    if len(censuses) == 1:
        return f"{found}."
    return f"{found}, most often in {most.material} ({share(most.recorded[0] / most.positions)})."


def judged(hopeful: Sequence[str], gloomy: Sequence[str], judged_in_all: int) -> str:
    """How the engines' rule of thumb does."""
    if not judged_in_all:
        return ""
    wrong = [f"too {word} in {listed(names)}" for word, names in (("hopeful", hopeful), ("gloomy", gloomy)) if names]
    found = "The engines’ rule of thumb for mating chances agrees with"
    if not wrong:
        return f"{found} the tables of all materials where a side is ahead."
    right = judged_in_all - len(hopeful) - len(gloomy)
    return f"{found} {right} of {judged_in_all} tables where a side is ahead; it is {' and '.join(wrong)}."
