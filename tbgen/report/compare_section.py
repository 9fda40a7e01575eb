"""What there is to say of a comparison: how often, the commonest changes, examples with both lines."""

from collections.abc import Sequence
from typing import Final

from tbgen.core.table_rules import TableRules
from tbgen.report import differences, overview
from tbgen.report.census import Census
from tbgen.report.compare import HIGHER, LOWER, OTHER, SLOWER, TITLES, Comparison, Example
from tbgen.report.document import Block, Lines, Section, Table, Value, columns

_TOP: Final = 30
"""Changes of outcome that are listed."""


def section(
    comparisons: Sequence[Comparison], censuses: tuple[Sequence[Census], Sequence[Census]] | None = None
) -> Section:
    """All of it; with pictures of what the tables hold under either rules, where these are counted."""
    rules = comparisons[0].rules
    kinds = [one.kinds for one in comparisons]
    examples = [example for one in comparisons for example in one.examples]
    largest = [
        max(of_kind, key=lambda one: one.size)
        for kind in (OTHER, LOWER, HIGHER, SLOWER)
        if (of_kind := [one for one in examples if one.kind == kind])
    ]
    blocks: tuple[Block, ...] = (
        differences.chart(kinds),
        *((overview.heat_map_of_differences(*censuses), overview.holders_beside(*censuses)) if censuses else ()),
        differences.remark(rules),
        differences.table(kinds),
        _top(comparisons),
        _examples("largest", "The largest change of each kind", largest, rules),
        _lines("largest-lines", "Lines of the largest changes", largest, boards=True),
        _examples("examples", "The largest changes by material", examples, rules, detail=True),
        _lines("examples-lines", "Lines by material", [one for one in examples if one not in largest], detail=True),
    )
    return Section("compare", differences.title(rules), blocks, (differences.finding(kinds),))


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
