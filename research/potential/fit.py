"""Lay Pair-o-Max's rule beside all tables of three to five men, and write README.md and potential.csv.

Tables of three and four men are counted, and of five men what the study five_men does not say: pairs of bishops
and men beyond chess. `--check` says whether the page and tbgen/rules/potential/better.py are as
potential.csv says.
"""

import argparse
import csv
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from research.five_men import shares as five_men_shares
from tbgen.board.men import BUILT_IN, Man
from tbgen.core.material import Material, build_key, parse
from tbgen.core.table_rules import TableRules
from tbgen.index import layout_of
from tbgen.report.census import take
from tbgen.report.pairs import one_colour
from tbgen.report.potential import Potential, Shares, expected, observed, potential, shares
from tbgen.rules.potential import better
from tbgen.rules.potential.pair_o_max import Advice, advise
from tbgen.rules.potential.pieces import worth
from tbgen.store import list_tables, open_table
from tbgen.system import output_files

FOLDER: Final = Path(__file__).resolve().parent
DATA: Final = FOLDER / "potential.csv"
PAGE: Final = FOLDER / "README.md"
TEXT: Final = FOLDER / "page.md"
"""The page, with names of figures in braces."""
FOLDS: Final = 10
ROUNDS: Final = 20
_ALIKE: Final = 1e-4
_FIGURES: Final = ("mates", "stalemates", "low", "more", "lost", "points")
COLUMNS: Final = ("material", "rules", "pair", *_FIGURES)
_PAIRS: Final = {None: "", True: "both colours", False: "one colour"}


class Row(NamedTuple):
    """What the side ahead forces; White, where nobody is."""

    material: Material
    rules: TableRules
    pair: bool | None
    """Whether colour-bound men are on both colours, or on one."""
    mates: float
    stalemates: float
    low: float
    more: float
    lost: float
    points: float

    @property
    def name(self) -> str:
        return self.material.name + (f" on {_PAIRS[self.pair]}" if self.pair is not None else "")

    @property
    def advice(self) -> Advice:
        return advise(self.material, pair=self.pair)

    @property
    def line(self) -> better.Line:
        return better.line(self.material, pair=self.pair)[1]


Find = Mapping[tuple[str, TableRules], Row]
"""By name."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run potential", description=__doc__)
    parser.add_argument("--tables", type=Path, nargs="+", metavar="DIR", help="count the tables that are there anew")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    if args.tables is not None:
        write_rows([*stored(), *(row for directory in args.tables for row in counted(directory))])
    rows = read_rows()
    page = written(rows)
    if not args.check:
        output_files.replace(PAGE, page.encode())
    elif page != PAGE.read_text():
        sys.exit(f"{PAGE} is not what potential.csv says: research/run potential writes it")
    for line, fit in fitted(judged(rows)).items():
        if (line.mates, line.points) != fit:
            sys.exit(f"tbgen/rules/potential/better.py: {line.why}: {fit[0]}, {fit[1]} are the means of the tables")


# The figures


def counted(directory: Path) -> Iterator[Row]:
    """Tables of three and four men, and of five men the pairs and those with men beyond chess."""
    for path, material, rules in list_tables(directory):
        bound = one_colour(layout_of(material))
        if material.men < 3 or (material.men > 4 and bound is None and not material.fairy):
            continue
        print(f"counting {path.name}", file=sys.stderr)
        with open_table(path) as table:
            whole = shares(take(table))
            if material.men < 5 or material.fairy:
                yield row_of(whole, rules)
            if bound is not None:
                one = whole.one_colour(take(table, among=bound).weights)
                yield from (row_of(part, rules) for part in (whole.both_colours(one), one))


def stored() -> Iterator[Row]:
    """Tables of five men, from what was counted when they were built."""
    for one, rules in five_men_shares.stored():
        yield row_of(one, rules)


def row_of(one: Shares, rules: TableRules) -> Row:
    leader = advise(one.material, pair=one.pair).leader
    says: Potential = potential(one, leader or 0)
    figures = (says.mate, says.stalemate, says.low, says.more, says.lost, says.points)
    return Row(one.material, rules, one.pair, *(round(figure, 6) + 0.0 for figure in figures))


def write_rows(rows: Iterable[Row]) -> None:
    """Each once, where several directories have it."""
    in_order = sorted(
        {(row.name, row.rules): row for row in rows}.values(),
        key=lambda row: (row.rules, build_key(row.material), _PAIRS[row.pair]),
    )
    with output_files.replacing(DATA) as stream:
        lines = [",".join(COLUMNS)]
        for row in in_order:
            figures = (str(getattr(row, name)) for name in _FIGURES)
            lines.append(",".join((row.material.name, row.rules, _PAIRS[row.pair], *figures)))
        stream.write(("\n".join(lines) + "\n").encode())


def read_rows() -> list[Row]:
    pairs = {words: pair for pair, words in _PAIRS.items()}
    with DATA.open(newline="") as file:
        return [
            Row(
                parse(line["material"]), TableRules(line["rules"]), pairs[line["pair"]],
                *(float(line[name]) for name in _FIGURES),
            )
            for line in csv.DictReader(file)
        ]  # fmt: skip


def judged(rows: Iterable[Row]) -> list[Row]:
    """Those of chess."""
    return [row for row in _ahead(rows) if not row.material.fairy]


def beyond(rows: Iterable[Row]) -> list[Row]:
    return [row for row in _ahead(rows) if row.material.fairy]


def _ahead(rows: Iterable[Row]) -> list[Row]:
    """Materials where a side is ahead; parts in place of the whole where they were counted."""
    rows = [row for row in rows if row.rules == TableRules.RESET]
    parted = {row.material for row in rows if row.pair is not None}
    return [
        row for row in rows if row.advice.leader is not None and (row.pair is not None or row.material not in parted)
    ]


# The rules, judged


def fitted(rows: Sequence[Row]) -> dict[better.Line, tuple[float, float]]:
    """What each line of the better rule is to say."""
    return {line: means([row for row in rows if row.line is line]) for line in better.LINES}


def means(rows: Sequence[Row]) -> tuple[float, float]:
    count = len(rows) or 1
    return round(sum(row.mates for row in rows) / count, 3), round(sum(row.points for row in rows) / count, 3)


def error(rows: Sequence[Row], share: Callable[[Row], float]) -> float:
    return sum(abs(share(row) - row.mates) for row in rows) / len(rows)


def left_out(rows: Sequence[Row], kind: Callable[[Row], object]) -> float:
    """The mean error for materials that the fit has not seen: a tenth at a time, in many orders."""
    drawn, wrong = random.Random(7), 0.0
    for _ in range(ROUNDS):
        order = list(rows)
        drawn.shuffle(order)
        for fold in range(FOLDS):
            asked = order[fold::FOLDS]
            known = [row for place, row in enumerate(order) if place % FOLDS != fold]
            wrong += sum(abs(learnt(known, kind, kind(row)) - row.mates) for row in asked)
    return wrong / (ROUNDS * len(rows))


def learnt(known: Sequence[Row], kind: Callable[[Row], object], wanted: object) -> float:
    alike = [row for row in known if kind(row) == wanted] or known
    return means(alike)[0]


def by_factor(row: Row) -> float:
    return float(row.advice.factor)


def by_better(row: Row) -> float:
    return row.line.mates


def by_reason(row: Row) -> str:
    return row.advice.why


def by_line(row: Row) -> str:
    return row.line.why


# The page


def written(rows: Sequence[Row]) -> str:
    find = {(row.name, row.rules): row for row in rows}
    return TEXT.read_text().format(
        **of_the_rule(judged(rows)),
        **of_the_better_rule(judged(rows)),
        **beyond_chess(beyond(rows)),
        **under_both(judged(rows), find),
        examples=named(find, ("KRNvKR", "KQBvKQ", "KBNvKB", "KRBvKR", "KQNvKQ", "KBNvKN")),
        jeopardy=named(find, ("KNPvKN", "KNPvKB", "KBPvKN", "KBPvKB", "KRPvKR", "KQPvKQ")),
        two=named(find, ("KRvKN", "KRvKB", "KQvKR", "KRBvKQ", "KRNvKQ", "KQRvKQ")),
        pairs=pairs(find, fairy=False),
        fairy_pairs=pairs(find, fairy=True),
        alone=named(find, ("KCvK", "KOvK", "KNOvKN", "KNNvKN")),
        tough=named(find, ("KQvKC", "KQvKR", "KRvKC", "KRvKN")),
        bound=named(find, ("KEvK", "KJvK", "KFFvK", "KWWvK", "KRvKJ")),
    )


def of_the_rule(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "count": len(rows),
        "five": sum(row.material.men == 5 for row in rows),
        "reasons": reasons(rows),
        "right": sum(expected(row.advice) == observed(row.mates) for row in rows),
        "error": error(rows, by_factor),
        "hopeful": ", ".join(row.name for row in rows if expected(row.advice) > observed(row.mates)),
        "gloomy": ", ".join(row.name for row in rows if expected(row.advice) < observed(row.mates)),
    }


def of_the_better_rule(rows: Sequence[Row]) -> dict[str, object]:
    five = [row for row in rows if row.material.men == 5]
    few = [row for row in rows if row.material.men < 5]

    def across(kind: Callable[[Row], object]) -> float:
        return sum(abs(learnt(few, kind, kind(row)) - row.mates) for row in five) / len(five)

    lines = [
        (line.why, f"{100 * line.mates:.0f} %", f"{line.points:.2f}", str(sum(row.line is line for row in rows)))
        for line in better.LINES
    ]
    farthest = sorted(rows, key=lambda row: -abs(row.line.mates - row.mates))[:8]
    worst = [
        (row.name, f"{100 * row.mates:.0f} %", f"{100 * row.line.mates:.0f} %", str(row.advice.factor))
        for row in farthest
    ]
    return {
        "right_ours": sum(observed(row.line.mates) == observed(row.mates) for row in rows),
        "error_refit": left_out(rows, by_reason),
        "error_ours": error(rows, by_better),
        "error_left": left_out(rows, by_line),
        "across_reason": across(by_reason),
        "across_ours": across(by_line),
        "rounds": ROUNDS,
        "lines": table(("the first that holds", "mates", "points", "materials"), lines),
        "worst": table(("material", "mates", "the better rule says", "Pair-o-Max's factor"), worst),
    }


def beyond_chess(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "fairy": len(rows),
        "values": ", ".join(f"{man.name} {worth(man)}" for man in BUILT_IN.values()),
        "rook": worth(Man("R", "R")),
        "bishop": worth(Man("B", "B")),
        "fairy_reasons": reasons(rows),
        "fairy_right": sum(expected(row.advice) == observed(row.mates) for row in rows),
        "fairy_right_ours": sum(observed(row.line.mates) == observed(row.mates) for row in rows),
        "fairy_error": error(rows, by_factor),
        "fairy_error_ours": error(rows, by_better),
    }


def under_both(rows: Sequence[Row], find: Find) -> dict[str, object]:
    both = [(row, other) for row in rows if (other := find.get((row.name, TableRules.WHOLE_GAME))) is not None]
    return {
        "under_both": len(both),
        "same": sum(abs(row.mates - other.mates) < _ALIKE for row, other in both),
        "apart": max(abs(row.points - other.points) for row, other in both),
    }


def pairs(find: Find, *, fairy: bool) -> str:
    rows = [
        row for row in find.values() if row.pair and bool(row.material.fairy) is fairy and row.rules == TableRules.RESET
    ]
    lines = []
    for row in sorted(rows, key=lambda row: -row.mates):
        one, whole = (find[name, row.rules] for name in (f"{row.material} on {_PAIRS[False]}", row.material.name))
        shares = (f"{100 * share:.1f} %" for share in (row.mates, one.mates, whole.mates))
        lines.append((row.material.name, *shares, str(row.advice.factor), str(one.advice.factor)))
    head = ("material", "mates, on both colours", "on one", "all", "factor, on both", "on one")
    return table(head, lines)


def reasons(rows: Sequence[Row]) -> str:
    kinds = sorted({(row.advice.factor, row.advice.why) for row in rows})
    found = []
    for factor, why in kinds:
        here = [row for row in rows if row.advice.why == why]
        mates, points = means(here)
        in_order = sorted(here, key=lambda row: row.mates)
        found.append(
            (
                why,
                str(factor),
                str(len(here)),
                f"{100 * mates:.0f} %",
                *(f"{row.name} {100 * row.mates:.0f} %" for row in (in_order[0], in_order[-1])),
                f"{points:.2f}",
            )
        )
    return table(("Pair-o-Max says", "factor", "materials", "mates: mean", "least", "most", "points"), found)


def named(find: Find, names: Sequence[str]) -> str:
    head = ("material", "factor", "mates", "stalemates", "G1.0 to G3.5", "more", "the other side's", "points")
    lines = []
    for name in names:
        row = find[name, TableRules.RESET]
        shares = (row.mates, row.stalemates, row.low, row.more, row.lost)
        lines.append((name, str(row.advice.factor), *(f"{100 * share:.1f} %" for share in shares), f"{row.points:.2f}"))
    return table(head, lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
