"""What there is to say of a comparison: shares, the commonest changes, examples with both lines."""

from collections.abc import Sequence
from typing import Final

from tbgen.report import findings, overview
from tbgen.report.census import Census
from tbgen.report.charts import Bar, Stack
from tbgen.report.compare import HIGHER, LOWER, OTHER, SAME, SLOWER, TITLES, Comparison, Example
from tbgen.report.document import Block, Lines, Remark, Section, Table, Value, columns
from tbgen.table_rules import TableRules

_KINDS: Final = (SAME, SLOWER, LOWER, HIGHER, OTHER)
_TOP: Final = 30
"""Changes of outcome that are listed."""


def section(
    comparisons: Sequence[Comparison], censuses: tuple[Sequence[Census], Sequence[Census]] | None = None
) -> Section:
    """All of it; with pictures of what the tables hold under either rules, where these are counted."""
    first, second = rules = comparisons[0].rules
    remark = Remark(
        f"Fresh outcomes under {first} (captures and pawn moves reset the record) beside those under {second} (nothing "
        f"does), position by position; shares are of placements. “Lower G-score”: the same side forces a lower one "
        f"under {first} than under {second}. “By” is the mean difference of the two G-scores, over positions where the "
        "side is the same."
        if (first, second) == (TableRules.RESET, TableRules.WHOLE_GAME)
        else f"Fresh outcomes under {first} beside those under {second}, position by position."
    )
    examples = [example for one in comparisons for example in one.examples]
    largest = [
        max(of_kind, key=lambda one: one.size)
        for kind in (OTHER, LOWER, HIGHER, SLOWER)
        if (of_kind := [one for one in examples if one.kind == kind])
    ]
    blocks: tuple[Block, ...] = (
        _kinds(comparisons),
        *((overview.heat_map_of_differences(*censuses), overview.holders_beside(*censuses)) if censuses else ()),
        remark,
        _differences(comparisons),
        _top(comparisons),
        _examples("largest", "The largest change of each kind", largest, rules),
        _lines("largest-lines", "Lines of the largest changes", largest, boards=True),
        _examples("examples", "The largest changes by material", examples, rules, detail=True),
        _lines("examples-lines", "Lines by material", [one for one in examples if one not in largest], detail=True),
    )
    found = (_finding(comparisons),)
    return Section("compare", f"Rules compared: {first} and {second}", blocks, found)


def _finding(comparisons: Sequence[Comparison]) -> str:
    """How often two sets of rules agree."""
    first, second = comparisons[0].rules
    same, slower, _, _, other = _shares(comparisons)
    least = min(comparisons, key=lambda one: one.share(SAME))
    if least.share(SAME) == 1:
        return f"Outcomes and distances are the same under {first} and {second}."
    found = (
        f"Under {first} and {second} the outcome is the same in {findings.share(same + slower)} of the placements, its "
        f"distance as well in {findings.share(same)}; the other side wins in {findings.share(other)}"
    )
    if len(comparisons) == 1:
        return f"{found}."
    return f"{found}; they differ most in {least.material}, in {findings.share(1 - least.share(SAME))}."


def _kinds(comparisons: Sequence[Comparison]) -> Stack:
    """How often they differ, as a picture."""
    bars = [Bar(one.material.name, _shares([one])) for one in comparisons]
    if len(comparisons) > 1:
        bars.insert(0, Bar("all", _shares(comparisons)))
    names = tuple((f"k{kind}", TITLES[kind]) for kind in _KINDS)
    return Stack("kinds", "How often they differ", names, tuple(bars))


def _differences(comparisons: Sequence[Comparison]) -> Table:
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
        tuple(_row(one.material.name, [one]) for one in comparisons),
        total=_row("all", comparisons) if len(comparisons) > 1 else (),
    )


def _row(name: str, comparisons: Sequence[Comparison]) -> tuple[Value, ...]:
    positions = sum(one.positions for one in comparisons)
    return name, positions, *_shares(comparisons), _mean_difference(comparisons)


def _shares(comparisons: Sequence[Comparison]) -> tuple[float, ...]:
    """The share of each kind among all placements."""
    placements = sum(one.placements for one in comparisons)
    return tuple(sum(one.share(kind) * one.placements for one in comparisons) / placements for kind in _KINDS)


def _mean_difference(comparisons: Sequence[Comparison]) -> float | None:
    """The mean difference in G-scores, where the side is the same."""
    same_side = [change for one in comparisons for change in one.changes if change.kind != OTHER]
    positions = sum(change.positions for change in same_side)
    if not positions:
        return None
    return sum(change.size * change.positions for change in same_side) / positions / 2


def _top(comparisons: Sequence[Comparison]) -> Table:
    """The commonest changes, added up over all materials."""
    first, second = comparisons[0].rules
    added: dict[tuple[int, int], list[int]] = {}
    for one in comparisons:
        for change in one.changes:
            counts = added.setdefault((change.first, change.second), [0, 0])
            counts[0] += change.positions
            counts[1] += change.placements
    total = sum(one.placements for one in comparisons)
    ranked = sorted(added.items(), key=lambda item: -item[1][1])[:_TOP]
    return Table(
        "changes",
        "The commonest changes",
        columns(
            ("first", f"under {first}", "gscore"),
            ("second", f"under {second}", "gscore"),
            ("positions", "positions", "count"),
            ("placements", "placements", "count"),
            ("share", "share", "share"),
        ),
        tuple((*pair, *counts, counts[1] / total) for pair, counts in ranked),
        note="Seen from the side to move: a G-score without a sign is its own.",
    )


def _examples(
    key: str, title: str, examples: Sequence[Example], rules: tuple[TableRules, TableRules], *, detail: bool = False
) -> Table:
    first, second = rules
    return Table(
        key,
        title,
        columns(
            ("material", "material"),
            ("kind", "kind"),
            ("first", f"under {first}", "gscore"),
            ("first_dtg", "DTG", "plies"),
            ("second", f"under {second}", "gscore"),
            ("second_dtg", "DTG", "plies"),
            ("fen", "FEN", "fen"),
            ("first_line", f"{first} line", "link"),
            ("second_line", f"{second} line", "link"),
        ),
        tuple(map(_example_row, examples)),
        detail=detail,
    )


def _example_row(example: Example) -> tuple[Value, ...]:
    first, second = example.lines
    return (
        example.material.name,
        TITLES[example.kind],
        *((None, None) if first is None else (first.outcome, len(first.steps))),
        *((None, None) if second is None else (second.outcome, len(second.steps))),
        example.fen,
        None if first is None else first.key,
        None if second is None else second.key,
    )


def _lines(key: str, title: str, examples: Sequence[Example], *, boards: bool = False, detail: bool = False) -> Lines:
    lines = tuple(line for example in examples for line in example.lines if line is not None)
    return Lines(key, title, lines, boards, detail)
