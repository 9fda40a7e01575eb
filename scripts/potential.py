"""Lay Pair-o-Max's rule beside all tables of three to five men, and write docs/potential.md and docs/potential.csv.

Tables of three and four men are counted, and so are pairs of bishops in tables of five that are there. What else tables
of five men hold is in docs/five-men/outcomes.csv. `--check` says whether the page and tbgen/potential/better.py are as
docs/potential.csv says.
"""

import argparse
import csv
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tbgen import files, outcome
from tbgen.index import layout_of
from tbgen.material import Material, build_key, parse
from tbgen.potential import better
from tbgen.potential.pair_o_max import Advice, advise
from tbgen.report.census import BLACK, WHITE, take
from tbgen.report.pairs import one_colour
from tbgen.report.potential import Potential, Shares, expected, observed, potential, shares
from tbgen.store import list_tables, open_table
from tbgen.table_rules import TableRules

ROOT: Final = Path(__file__).resolve().parent.parent
OUTCOMES: Final = ROOT / "docs" / "five-men" / "outcomes.csv"
DATA: Final = ROOT / "docs" / "potential.csv"
PAGE: Final = ROOT / "docs" / "potential.md"
TEXT: Final = ROOT / "scripts" / "potential_page.md"
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
    """Whether bishops are on both colours, or on one."""
    mates: float
    stalemates: float
    low: float
    more: float
    lost: float
    points: float

    @property
    def name(self) -> str:
        return self.material.name + (f", bishops on {_PAIRS[self.pair]}" if self.pair is not None else "")

    @property
    def advice(self) -> Advice:
        return advise(self.material, pair=bool(self.pair))

    @property
    def line(self) -> better.Line:
        return better.line(self.material, pair=self.pair)[1]


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/potential.py", description=__doc__)
    parser.add_argument("--tables", type=Path, metavar="DIR", help="count the tables that are there anew")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    if args.tables is not None:
        write_rows([*counted(args.tables), *stored()])
    rows = read_rows()
    page = written(rows)
    if not args.check:
        files.replace(PAGE, page.encode())
    elif page != PAGE.read_text():
        sys.exit(f"{PAGE.relative_to(ROOT)} is not what docs/potential.csv says: scripts/potential.py writes it")
    for line, fit in fitted(judged(rows)).items():
        if (line.mates, line.points) != fit:
            sys.exit(f"tbgen/potential/better.py: {line.why}: {fit[0]}, {fit[1]} are the means of the tables")


# The figures


def counted(directory: Path) -> Iterator[Row]:
    """Tables of three and four men, and their pairs of bishops and those of five men."""
    for path, material, rules in list_tables(directory):
        bound = one_colour(layout_of(material))
        if material.men < 3 or (material.men > 4 and bound is None):
            continue
        print(f"counting {path.name}", file=sys.stderr)
        with open_table(path) as table:
            whole = shares(take(table))
            if material.men < 5:
                yield row_of(whole, rules)
            if bound is not None:
                one = whole.one_colour(take(table, among=bound))
                yield from (row_of(part, rules) for part in (whole.both_colours(one), one))


def stored() -> Iterator[Row]:
    """Tables of five men, from what was counted when they were built."""
    found: defaultdict[tuple[str, str], defaultdict[tuple[int, int], float]]
    found = defaultdict(lambda: defaultdict(float))
    with OUTCOMES.open(newline="") as file:
        for line in csv.DictReader(file):
            value, weight = outcome.parse(line["gscore"]), float(line["placements"])
            weights = found[line["material"], line["rules"]]
            if line["to_move"] == "either":
                weights[WHITE, value] += weight / 2
                weights[BLACK, -value] += weight / 2
            else:
                weights[WHITE if line["to_move"].lower() == "white" else BLACK, value] += weight
    for (name, rules), weights in found.items():
        yield row_of(Shares(name, parse(name), weights), TableRules(rules))


def row_of(one: Shares, rules: TableRules) -> Row:
    leader = advise(one.material, pair=bool(one.pair)).leader
    says: Potential = potential(one, leader or 0)
    figures = (says.mate, says.stalemate, says.low, says.more, says.lost, says.points)
    return Row(one.material, rules, one.pair, *(round(figure, 6) + 0.0 for figure in figures))


def write_rows(rows: Iterable[Row]) -> None:
    in_order = sorted(rows, key=lambda row: (row.rules, build_key(row.material), _PAIRS[row.pair]))
    with files.replacing(DATA) as stream:
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
    r = judged(rows)
    five = [row for row in r if row.material.men == 5]
    few = [row for row in r if row.material.men < 5]
    across = [
        sum(abs(learnt(few, kind, kind(row)) - row.mates) for row in five) / len(five) for kind in (by_reason, by_line)
    ]
    right = sum(expected(row.advice) == observed(row.mates) for row in r)
    right_ours = sum(observed(row.line.mates) == observed(row.mates) for row in r)
    find = {(row.name, row.rules): row for row in rows}
    both, one = (find[f"KBBvK, bishops on {words}", TableRules.RESET] for words in ("both colours", "one colour"))
    knight_both, knight_one = (
        find[f"KBBvKN, bishops on {words}", TableRules.RESET] for words in ("both colours", "one colour")
    )
    whole = find["KBBvK", TableRules.RESET]
    under_both = [(row, other) for row in r if (other := find.get((row.name, TableRules.WHOLE_GAME))) is not None]
    same = sum(abs(row.mates - other.mates) < _ALIKE for row, other in under_both)
    apart = max(abs(row.points - other.points) for row, other in under_both)
    return TEXT.read_text().format(
        count=len(r),
        five=len(five),
        reasons=table(("Pair-o-Max says", "factor", "materials", "mates: mean", "least", "most", "points"), reasons(r)),
        right=right,
        right_ours=right_ours,
        error=error(r, by_factor),
        error_refit=left_out(r, by_reason),
        error_ours=error(r, by_better),
        error_left=left_out(r, by_line),
        across_reason=across[0],
        across_ours=across[1],
        examples=named(find, ("KRNvKR", "KQBvKQ", "KBNvKB", "KRBvKR", "KQNvKQ", "KBNvKN")),
        jeopardy=named(find, ("KNPvKN", "KNPvKB", "KBPvKN", "KBPvKB", "KRPvKR", "KQPvKQ")),
        two=named(find, ("KRvKN", "KRvKB", "KQvKR", "KRBvKQ", "KRNvKQ", "KQRvKQ")),
        whole=100 * whole.mates, both=100 * both.mates, one=100 * one.mates,
        knight_both=100 * knight_both.mates, knight_one=100 * knight_one.mates,
        hopeful=", ".join(row.name for row in r if expected(row.advice) > observed(row.mates)),
        gloomy=", ".join(row.name for row in r if expected(row.advice) < observed(row.mates)),
        lines=table(("the first that holds", "mates", "points", "materials"), [
            (line.why, f"{100 * line.mates:.0f} %", f"{line.points:.2f}", str(sum(row.line is line for row in r)))
            for line in better.LINES
        ]),
        worst=table(("material", "mates", "the better rule says", "Pair-o-Max's factor"), [
            (row.name, f"{100 * row.mates:.0f} %", f"{100 * row.line.mates:.0f} %", str(row.advice.factor))
            for row in sorted(r, key=lambda row: -abs(row.line.mates - row.mates))[:8]
        ]),
        under_both=len(under_both), same=same, apart=apart, rounds=ROUNDS,
    )  # fmt: skip


def reasons(rows: Sequence[Row]) -> list[tuple[str, ...]]:
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
    return found


def named(find: Mapping[tuple[str, TableRules], Row], names: Sequence[str]) -> str:
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


if __name__ == "__main__":
    main()
