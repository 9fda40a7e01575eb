"""Whom scores of perpetual check favour: G1.0 and G2.0 are in check with one or two replies, G1.5 is one move and no
check."""

from collections.abc import Sequence
from typing import Final

from tbgen.core import outcome
from tbgen.report.census import Census
from tbgen.report.document import Remark, Section, Table, Value, columns
from tbgen.report.findings import share
from tbgen.report.potential import Shares, shares
from tbgen.rules.potential.pair_o_max import advise

_SCORES: Final = tuple(outcome.parse(text) for text in ("G1.0", "G1.5", "G2.0"))
_CHECKS: Final = (_SCORES[0], _SCORES[2])
_SIDES: Final = ("White", "Black")

_REMARK: Final = Remark(
    "A side that can only give check for ever leaves its opponent in check with few replies: with one it is G1.0, "
    "with two G2.0; G1.5 is one move and no check. Shares are of placements, either side to move; White has the men "
    "named first. “Ahead” is the side with more value in men. “Checks favour” names the side that forces G1.0 or G2.0 "
    "more often."
)


def section(counted: Sequence[Shares]) -> Section:
    table = Table(
        "checks",
        "Who forces one or two replies",
        columns(
            ("material", "material"),
            ("ahead", "ahead"),
            *(
                (f"{side.lower()}_{outcome.text(score)}", f"{side}’s {outcome.text(score)}", "share")
                for score in _SCORES
                for side in _SIDES
            ),
            ("favoured", "checks favour"),
        ),
        tuple(map(_row, counted)),
    )
    return Section("checks", "Perpetual check", (_REMARK, table), (_finding(counted),))


def of(censuses: Sequence[Census]) -> Section:
    return section([shares(census) for census in censuses])


def _share(counted: Shares, *values: int) -> float:
    found = sum(weight for (_, value), weight in counted.weights.items() if value in values)
    return found / sum(counted.weights.values())


def _row(counted: Shares) -> tuple[Value, ...]:
    figures = [_share(counted, sign * score) for score in _SCORES for sign in (1, -1)]
    side = favoured(counted)
    return (counted.name, ahead(counted) or "nobody", *figures, side or "nobody")


def ahead(counted: Shares) -> str | None:
    leader = advise(counted.material, pair=counted.pair).leader
    return None if leader is None else _SIDES[leader]


def favoured(counted: Shares) -> str | None:
    """The side that forces a score in check more often."""
    white, black = (_share(counted, *(sign * score for score in _CHECKS)) for sign in (1, -1))
    return None if abs(white - black) < 1e-12 else _SIDES[int(black > white)]


def _finding(counted: Sequence[Shares]) -> str:
    parts: dict[str, float] = {"ahead": 0.0, "behind": 0.0, "level": 0.0}
    for one in counted:
        leader = ahead(one)
        for sign, side in ((1, "White"), (-1, "Black")):
            weight = sum(w for (_, value), w in one.weights.items() if value in [sign * score for score in _CHECKS])
            parts["level" if leader is None else "ahead" if leader == side else "behind"] += weight
    whole = sum(parts.values())
    if not whole:
        return "Nobody forces G1.0 or G2.0."
    return (
        f"Of the placements that come to G1.0 or G2.0, the side with more men wins {share(parts['ahead'] / whole)}, "
        f"the side with less {share(parts['behind'] / whole)}; in the others both have the same."
    )
