"""Whether a komi of G5.75 and a cutoff of G6.0 are fair: who forces what when the side to move is drawn by lot."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tbgen.core import outcome
from tbgen.report.census import MOVERS, Census
from tbgen.report.document import Remark, Section, Table, Value, columns
from tbgen.report.findings import share
from tbgen.report.potential import Shares, shares
from tbgen.rules.scoring import Exponential

CUTOFF: Final = outcome.level(outcome.parse("G6.0"))

_REMARK: Final = Remark(
    "White has the men named first; the side to move is drawn by lot, so that both halves of a table count alike. "
    "Below the cutoff a side wins, from G6.0 up on it is a draw. With a komi of G5.75 White wins what is White's "
    "below G6.0, and Black all others. The middle outcome is the fair komi: no more than half of the placements are "
    "better for White, and no more than half are worse; where both sides have the same men there is none. Points are "
    "White's by the exponential formula."
)


def section(counted: Sequence[Shares]) -> Section:
    every = _together([lot(one) for one in counted])
    table = Table(
        "komi",
        "The side to move drawn by lot",
        columns(
            ("material", "material"),
            ("share_white", "White below G6.0", "share"),
            ("share_black", "Black below G6.0", "share"),
            ("share_neither", "neither", "share"),
            ("share_mover", "the side to move", "share"),
            ("share_other", "the other side", "share"),
            ("middle", "middle outcome", "gscore"),
            ("points", "points", "points"),
        ),
        tuple(map(_row, counted)),
    )
    levels = sorted({outcome.level(value) for value in every})
    spread = Table(
        "spread",
        "What is forced, every material counting alike",
        columns(
            ("gscore", "G-score", "gscore"), ("share_white", "White’s", "share"), ("share_black", "Black’s", "share")
        ),
        tuple((held, every.get(held, 0.0), every.get(-held, 0.0)) for held in map(outcome.held_by_white, levels)),
    )
    return Section("komi", "Komi and cutoff", (_REMARK, table, spread), (_finding(every),))


def of(censuses: Sequence[Census]) -> Section:
    return section([shares(census) for census in censuses])


def lot(counted: Shares) -> Mapping[int, float]:
    """The share of each outcome, if either side to move is as likely."""
    found: defaultdict[int, float] = defaultdict(float)
    for mover in MOVERS:
        total = sum(weight for (side, _), weight in counted.weights.items() if side == mover)
        for (side, value), weight in counted.weights.items():
            if side == mover:
                found[value] += weight / total / len(MOVERS)
    return dict(found)


def _together(several: Collection[Mapping[int, float]]) -> dict[int, float]:
    found: defaultdict[int, float] = defaultdict(float)
    for weights in several:
        for value, weight in weights.items():
            found[value] += weight / len(several)
    return dict(found)


def middle(weights: Mapping[int, float]) -> int:
    """The outcome that has no more than half of the weight on either side."""
    seen, half = 0.0, sum(weights.values()) / 2
    for value in sorted(weights, reverse=True):
        seen += weights[value]
        if seen >= half:
            return value
    raise ValueError("no outcomes")


def _decided(weights: Mapping[int, float], sign: int) -> float:
    return sum(weight for value, weight in weights.items() if sign * value > 0 and outcome.level(value) < CUTOFF)


def _row(counted: Shares) -> tuple[Value, ...]:
    weights, rule = lot(counted), Exponential()
    white, black = _decided(weights, 1), _decided(weights, -1)
    points = sum(weight * float(rule.points(value)) for value, weight in weights.items())
    fair = None if counted.material.even else middle(weights)
    return (counted.name, white, black, 1 - white - black, *_by_move(counted), fair, points)


def _by_move(counted: Shares) -> tuple[float, float]:
    """How often the side to move wins, and the other one."""
    mover = lot(
        counted._replace(
            weights={(side, -value if side else value): weight for (side, value), weight in counted.weights.items()}
        )
    )
    return _decided(mover, 1), _decided(mover, -1)


def _finding(every: Mapping[int, float]) -> str:
    white, black = _decided(every, 1), _decided(every, -1)
    return (
        f"With the side to move drawn by lot, every material counting alike, the side named first wins {share(white)} "
        f"below G6.0 and the other {share(black)}; the cutoff leaves {share(1 - white - black)} drawn."
    )
