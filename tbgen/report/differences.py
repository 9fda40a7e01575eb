"""How often two sets of rules differ: in a sentence, as a picture and as a table."""

from collections.abc import Sequence

from tbgen.core.table_rules import TableRules
from tbgen.report import findings
from tbgen.report.charts import Bar, Stack
from tbgen.report.compare import KINDS, SAME, TITLES, Kinds
from tbgen.report.document import Remark, Table, Value, columns


def title(rules: tuple[TableRules, TableRules]) -> str:
    return f"Rules compared: {rules[0]} and {rules[1]}"


def remark(rules: tuple[TableRules, TableRules]) -> Remark:
    """What the figures mean."""
    first, second = rules
    if rules != (TableRules.RESET, TableRules.WHOLE_GAME):
        return Remark(f"Fresh outcomes under {first} beside those under {second}, position by position.")
    return Remark(
        f"Fresh outcomes under {first} (captures and pawn moves reset the record) beside those under {second} (nothing "
        f"does), position by position; shares are of placements. “Lower G-score”: the same side forces a lower one "
        f"under {first} than under {second}. “By” is the mean difference of the two G-scores, over positions where the "
        "side is the same."
    )


def finding(compared: Sequence[Kinds]) -> str:
    """How often two sets of rules agree."""
    first, second = compared[0].rules
    same, slower, _, _, other = _shares(compared)
    least = min(compared, key=lambda one: one.share(SAME))
    if least.share(SAME) == 1:
        return f"Outcomes and distances are the same under {first} and {second}."
    found = (
        f"Under {first} and {second} the outcome is the same in {findings.share(same + slower)} of the placements, its "
        f"distance as well in {findings.share(same)}; the other side wins in {findings.share(other)}"
    )
    if len(compared) == 1:
        return f"{found}."
    return f"{found}; they differ most in {least.material}, in {findings.share(1 - least.share(SAME))}."


def chart(compared: Sequence[Kinds]) -> Stack:
    """How often they differ, as a picture."""
    bars = [Bar(one.material.name, _shares([one])) for one in compared]
    if len(compared) > 1:
        bars.insert(0, Bar("all", _shares(compared)))
    names = tuple((f"k{kind}", TITLES[kind]) for kind in KINDS)
    return Stack("kinds", "How often they differ", names, tuple(bars))


def table(compared: Sequence[Kinds]) -> Table:
    return Table(
        "compare",
        "How often they differ",
        columns(
            ("material", "material"),
            ("positions", "positions", "count"),
            ("share_same", "the same", "share"),
            ("share_slower", "other DTG", "share"),
            ("share_lower", "lower G-score", "share"),
            ("share_higher", "higher G-score", "share"),
            ("share_other", "other side", "share"),
            ("mean_difference", "by", "mean"),
        ),
        tuple(_row(one.material.name, [one]) for one in compared),
        total=_row("all", compared) if len(compared) > 1 else (),
    )


def _row(name: str, compared: Sequence[Kinds]) -> tuple[Value, ...]:
    positions = sum(one.positions for one in compared)
    return name, positions, *_shares(compared), _mean_difference(compared)


def _shares(compared: Sequence[Kinds]) -> tuple[float, ...]:
    """The share of each kind among all placements."""
    placements = sum(one.placements for one in compared)
    return tuple(sum(one.share(kind) * one.placements for one in compared) / placements for kind in KINDS)


def _mean_difference(compared: Sequence[Kinds]) -> float | None:
    """The mean difference in G-scores, where the side is the same."""
    if len(compared) == 1:
        return compared[0].mean_difference
    counted = sum(one.counted for one in compared)
    return sum((one.mean_difference or 0) * one.counted for one in compared) / counted if counted else None
