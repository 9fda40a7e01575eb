"""What a material can force, mate or stalemate, beside what the engines' rule of thumb thinks of it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from tbgen import outcome
from tbgen.report import findings
from tbgen.report.census import BLACK, WHITE, Census
from tbgen.report.document import Column, Remark, Section, Table, Value, columns
from tbgen.report.thumb import Advice, advise
from tbgen.rules.scoring import Exponential

_OFTEN: Final = 3 / 4
_SELDOM: Final = 1 / 4
_CLASSES: Final = ("seldom", "at times", "mostly")
_HALF: Final = Fraction(1, 2)
_SIDES: Final = ("White", "Black")

_REMARK: Final = Remark(
    "“Ahead” is the side with more value in men (queen 9.5 pawns, rook 5, bishop and knight 3.25), White having the "
    "men named first. The rule of thumb multiplies its advantage by a factor: 1 expects it to mate mostly, 1/2 at "
    "times, 1/4 and 1/8 seldom. The tables say in which share of all placements, either side to move, it forces mate: "
    "mostly is three quarters or more, seldom less than one. They part where these two do not agree: the rule is too "
    "hopeful or too gloomy. Stalemate or better, and the mean of the points that r-mobility gives for what is forced "
    "(1 for mate, 3/4 for stalemate, 5/8 for G1.0 ... 1/2 for nothing), say what the advantage is worth where draws "
    "count."
)


class Potential(NamedTuple):
    """What one side forces, as shares of all placements."""

    mate: float
    mate_to_move: float
    mate_other_to_move: float
    stalemate: float
    points: float


def section(censuses: Sequence[Census]) -> Section:
    """All of it: a row for each side of each material that has more than its king."""
    gaps = {census.material.name: gap for census in censuses if (gap := _gap(census)) is not None}
    hopeful = [name for name, gap in gaps.items() if gap > 0]
    gloomy = [name for name, gap in gaps.items() if gap < 0]
    finding = findings.judged(hopeful, gloomy, len(gaps))
    blocks = (*((Remark(finding),) if finding else ()), _REMARK, _leaders(censuses), _sides(censuses))
    return Section("potential", "Potential", blocks, (finding,) if finding else ())


def potential(census: Census, side: int) -> Potential:
    """What the first (0) or the second side forces."""
    sign = -1 if side else 1
    weights = census.weights
    total = sum(weights.values())
    of_mover = {mover: sum(weight for (one, _), weight in weights.items() if one == mover) for mover in (WHITE, BLACK)}
    points = Exponential()

    def mated(mover: int) -> float:
        return weights.get((mover, sign * outcome.BASE), 0)

    mover, other = (BLACK, WHITE) if side else (WHITE, BLACK)
    share = sum(weight * float(points.points(sign * value)) for (_, value), weight in weights.items())
    stalemated = sum(weight for (_, value), weight in weights.items() if sign * value == outcome.BASE - 1)
    return Potential(
        (mated(WHITE) + mated(BLACK)) / total,
        mated(mover) / of_mover[mover],
        mated(other) / of_mover[other],
        stalemated / total,
        share / total,
    )


def expected(advice: Advice) -> int:
    """The class of mates that the rule expects of a factor."""
    return 2 if advice.factor == 1 else 1 if advice.factor == _HALF else 0


def observed(share: float) -> int:
    """The class of mates that tables have, by their share."""
    return 2 if share >= _OFTEN else 1 if share >= _SELDOM else 0


def _gap(census: Census) -> int | None:
    """By how many classes the rule expects too much; None where neither side is ahead."""
    advice = advise(census.material)
    if advice.leader is None:
        return None
    return expected(advice) - observed(potential(census, advice.leader).mate)


def _leaders(censuses: Sequence[Census]) -> Table:
    rows = tuple(_leader_row(census) for census in censuses if census.material.men > 2)
    return Table(
        "potential",
        "The side ahead",
        columns(
            ("material", "material"),
            ("ahead", "ahead"),
            ("advantage", "by", "mean"),
            ("factor", "factor"),
            ("why", "why"),
            ("expected", "expected"),
            ("share_mate", "mates", "share"),
            ("found", "in tables"),
            ("parts", "the rule is"),
            ("share_stalemate_or_better", "stalemate or better", "share"),
            ("points", "points", "points"),
        ),
        rows,
    )


def _leader_row(census: Census) -> tuple[Value, ...]:
    """Where neither side is ahead the rule says nothing, and the tables' figures are White's."""
    advice = advise(census.material)
    says = potential(census, advice.leader or 0)
    numbers = (says.mate, _CLASSES[observed(says.mate)])
    worth = (says.mate + says.stalemate, says.points)
    name = census.material.name
    if advice.leader is None:
        return (name, "nobody", 0.0, "", advice.why, "", *numbers, "", *worth)
    gap = _gap(census) or 0
    parts = "too hopeful" if gap > 0 else "too gloomy" if gap < 0 else ""
    return (
        name, _SIDES[advice.leader], advice.advantage / 100, str(advice.factor), advice.why,
        _CLASSES[expected(advice)], *numbers, parts, *worth,
    )  # fmt: skip


def _sides(censuses: Sequence[Census]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for census in censuses:
        for side in (0,) if census.material.even else (0, 1):
            says = potential(census, side)
            men = (census.material.first, census.material.second)[side]
            if men:
                rows.append((census.material.name, _SIDES[side], f"K{men}", *says))
    names: tuple[Column, ...] = columns(
        ("material", "material"),
        ("side", "side"),
        ("men", "men"),
        ("share_mate", "mates", "share"),
        ("share_mate_to_move", "when to move", "share"),
        ("share_mate_other_to_move", "when not", "share"),
        ("share_stalemate", "stalemates", "share"),
        ("points", "points", "points"),
    )
    return Table("sides", "Either side", names, tuple(rows), detail=True)
