"""What a material can force, and by what it wins, beside what Pair-o-Max's rule of thumb thinks of it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, Self

from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.report import findings
from tbgen.report.census import BLACK, WHITE, Case, Tally
from tbgen.report.document import Column, Remark, Section, Table, Value, columns
from tbgen.report.grades import GRADES, grade
from tbgen.rules.potential import better
from tbgen.rules.potential.pair_o_max import Advice, advise, may_pair
from tbgen.rules.scoring import Exponential

_OFTEN: Final = 3 / 4
_SELDOM: Final = 1 / 4
_CLASSES: Final = ("seldom", "at times", "mostly")
_HALF: Final = Fraction(1, 2)
_SIDES: Final = ("White", "Black")

_REMARK: Final = Remark(
    "“Ahead” is the side with more value in men (queen 9.5 pawns, rook 5, bishop and knight 3.25, men beyond chess by "
    "their moves), White having the men named first. Pair-o-Max’s rule multiplies its advantage by a factor: 1 expects "
    "it to mate mostly, 1/2 at times, 1/4 and 1/8 seldom. The tables say in which share of all placements, either side "
    "to move, it forces mate: mostly is three quarters or more, seldom less than one. They part where these two do not "
    "agree: the rule is too hopeful or too gloomy. What it forces otherwise follows, and how often the other side "
    "forces its own; “by the better rule” is the share of mates that a rule of the same size expects. Points are the "
    "mean of what r-mobility gives for what is forced: 1 for mate, 3/4 for stalemate, 5/8 for G1.0 ... 1/2 for nothing."
)


class Shares(NamedTuple):
    """A table counted, or a part of it; or what no table is there of."""

    name: str
    material: Material
    weights: Mapping[Case, float]
    """Placements by side to move and outcome; none without a table."""
    pair: bool | None = None
    """Whether a side's bishops, or other such men, stand on both colours, or on one; None: on either."""

    def one_colour(self, weights: Mapping[Case, float]) -> Self:
        return self._replace(name=f"{self.name} on one colour", weights=weights, pair=False)

    def both_colours(self, one: Self) -> Self:
        """What is left."""
        weights = {case: weight - one.weights.get(case, 0) for case, weight in self.weights.items()}
        return self._replace(name=f"{self.name} on both colours", weights=weights, pair=True)


class Potential(NamedTuple):
    """What one side forces, as shares of all placements."""

    mate: float
    mate_to_move: float
    mate_other_to_move: float
    stalemate: float
    low: float
    """G1.0 to G3.5."""
    more: float
    lost: float
    """What the other side forces."""
    points: float


def shares(census: Tally) -> Shares:
    return Shares(census.material.name, census.material, census.weights)


def without_table(material: Material) -> list[Shares]:
    """A material of which the rule alone speaks, and behind one that may have a pair its halves."""
    whole = Shares(material.name, material, {})
    one = whole.one_colour({})
    return [whole, whole.both_colours(one), one] if may_pair(material) else [whole]


def section(rows: Sequence[Shares]) -> Section:
    """All of it: a row for each side of each material that has more than its king. Engines see where bishops stand:
    the rule is judged by the parts of a table, if they were counted."""
    counted = [one for one in rows if one.weights]
    lacking = [one.name for one in rows if not one.weights and one.pair is None]
    parted = {one.material for one in counted if one.pair is not None}
    judged = [one for one in counted if one.pair is not None or one.material not in parted]
    gaps = {one.name: gap for one in judged if (gap := _gap(one)) is not None}
    hopeful = [name for name, gap in gaps.items() if gap > 0]
    gloomy = [name for name, gap in gaps.items() if gap < 0]
    finding = findings.judged(hopeful, gloomy, len(gaps))
    lack = f"No table of {findings.listed(lacking)} is there to compare." if lacking else ""
    remarks = [*(Remark(words) for words in (finding, lack) if words), _REMARK]
    tables = (_leaders(rows), _sides(counted))
    return Section("potential", "Potential", (*remarks, *tables), (finding,) if finding else ())


def potential(counted: Shares, side: int) -> Potential:
    """What the first (0) or the second side forces."""
    sign = -1 if side else 1
    weights = counted.weights
    total = sum(weights.values())
    of_mover = {mover: sum(weight for (one, _), weight in weights.items() if one == mover) for mover in (WHITE, BLACK)}
    grades = [0.0] * (len(GRADES) + 1)
    for (_, value), weight in weights.items():
        grades[grade(value) if sign * value > 0 else -1] += weight
    points = Exponential()

    def mated(mover: int) -> float:
        return weights.get((mover, sign * outcome.BASE), 0) / of_mover[mover]

    mover, other = (BLACK, WHITE) if side else (WHITE, BLACK)
    share = sum(weight * float(points.points(sign * value)) for (_, value), weight in weights.items())
    mate, stalemate, low, more, lost = (count / total for count in grades)
    return Potential(mate, mated(mover), mated(other), stalemate, low, more, lost, share / total)


def expected(advice: Advice) -> int:
    """The class of mates that the rule expects of a factor."""
    return 2 if advice.factor == 1 else 1 if advice.factor == _HALF else 0


def observed(share: float) -> int:
    """The class of mates that tables have, by their share."""
    return 2 if share >= _OFTEN else 1 if share >= _SELDOM else 0


def _gap(counted: Shares) -> int | None:
    """By how many classes the rule expects too much; None where neither side is ahead."""
    advice = advise(counted.material, pair=counted.pair)
    if advice.leader is None:
        return None
    return expected(advice) - observed(potential(counted, advice.leader).mate)


def _leaders(shares: Sequence[Shares]) -> Table:
    rows = tuple(leader_row(one) for one in shares if one.material.men > 2)
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
            ("share_better_rule", "by the better rule", "share"),
            ("share_stalemate", "stalemates", "share"),
            ("share_low", "G1.0 to G3.5", "share"),
            ("share_more", "more", "share"),
            ("share_lost", "the other side’s", "share"),
            ("points", "points", "points"),
        ),
        rows,
    )


def leader_row(counted: Shares) -> tuple[Value, ...]:
    """Where neither side is ahead the rule says nothing, and the tables' figures are White's."""
    advice = advise(counted.material, pair=counted.pair)
    numbers: tuple[Value, ...] = (None, "no table")
    otherwise: tuple[Value, ...] = (None,) * 5
    if counted.weights:
        says = potential(counted, advice.leader or 0)
        numbers = (says.mate, _CLASSES[observed(says.mate)])
        otherwise = (says.stalemate, says.low, says.more, says.lost, says.points)
    if advice.leader is None:
        return (counted.name, "nobody", 0.0, "", advice.why, "", *numbers, "", None, *otherwise)
    gap = (_gap(counted) if counted.weights else 0) or 0
    _, by_better = better.line(counted.material, pair=counted.pair)
    parts = "too hopeful" if gap > 0 else "too gloomy" if gap < 0 else ""
    return (
        counted.name, _SIDES[advice.leader], advice.advantage / 100, str(advice.factor), advice.why,
        _CLASSES[expected(advice)], *numbers, parts, by_better.mates, *otherwise,
    )  # fmt: skip


def _sides(counted: Sequence[Shares]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for one in counted:
        for side in (0,) if one.material.even else (0, 1):
            says = potential(one, side)
            men = (one.material.first, one.material.second)[side]
            if men:
                kept = (says.mate, says.mate_to_move, says.mate_other_to_move, says.stalemate, says.points)
                rows.append((one.name, _SIDES[side], f"K{men}", *kept))
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
