"""The pages on five men, boards.html and README.md, and the games of longest.pgn, from the rows that are kept."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from research.five_men import figures
from research.five_men import findings as surprises
from tbgen.core import outcome
from tbgen.core.material import every
from tbgen.core.table_rules import TableRules
from tbgen.report import differences, findings, overview, records, stats
from tbgen.report.census import Tally
from tbgen.report.document import Block, Document, Lines, Remark, Section, Table, Value, columns, lines, without_detail
from tbgen.report.findings import share
from tbgen.report.lines import pgn
from tbgen.report.write import write as written
from tbgen.report.write_markdown import section_lines
from tbgen.system import output_files
from tbgen.system.text import SIDES, plies

FOLDER: Final = Path(__file__).resolve().parent
PAGE: Final = FOLDER / "boards.html"
TEXT: Final = FOLDER / "README.md"
GAMES: Final = FOLDER / "longest.pgn"
MEN: Final = 5
_SHORT: Final = 60
"""A table of more rows is on the page alone."""
RULES: Final = {TableRules.RESET: "resets end the record", TableRules.WHOLE_GAME: "whole-game mobility"}

Row = Mapping[str, Any]
Data = figures.Data

HEAD: Final = """\
# Five men

**[The page with boards](boards.html)** has all of it: pictures, all 110 materials in tables to sort and filter, and
{lines:,} lines of best play to play through, the longest of {longest}. Here is what plain text can tell.

As CSV: [tables](tables.csv), [outcomes](outcomes.csv), [records](records.csv) with their
lines under both rules, [comparison of the rules](compare.csv); as PGN: [the longest
lines](longest.pgn). [digests.txt](../../docs/digests.txt) has the digest of each table: `tbgen verify --digests
docs/digests.txt` compares yours. `research/run five_men` collects the figures and writes both pages; without tables it
makes the pages anew from the files. The files do not say how many positions are how far from their goal: `tbgen report
stats KRBvKR -o KRBvKR.html` draws it from a table that you have built.

"""
COUNTED: Final = """\
The tables of all 110 materials have 25,870,681,552 legal positions, each once up to symmetry. A second program, which
shares nothing with the tables, counts the same (`scripts/test --full -k legal_positions`). K. Kryukov published
[25,912,594,054 for five men](http://kirill-kryukov.com/chess/nulp/results.html). The difference is explained to the
last position. He counts rights as states of their own. A right to capture en passant is one pawn that can have been
pushed past a pawn of the other side: no pawn stands where it came from, but a king or a piece may. The tables have none
of these states. `tbgen probe` answers for a right to capture en passant by looking one ply ahead; nobody castles in the
game of the tables."""
COUNT: Final = Table(
    "count",
    "Every position is counted",
    columns(
        ("what", "positions"),
        ("two", "two men", "count"),
        ("three", "three", "count"),
        ("four", "four", "count"),
        ("five", "five", "count"),
    ),
    (
        ("of the tables", 462, 367_868, 125_110_423, 25_870_681_552),
        ("with castling rights", 0, 211, 113_158, 29_955_209),
        ("with a right to capture en passant, and no castling rights", 0, 0, 23_017, 11_957_293),
        ("Kryukov’s total", 462, 368_079, 125_246_598, 25_912_594_054),
    ),
)
WINS: Final = """\
Who can force mate in chess can force it here, and nobody else can. So a table must have as many wins, draws and
losses, for either side to move, as chess has, if wins that the 50-move rule spoils are wins. The generator of the
Syzygy tables printed its counts
([syzygy-tables.info](https://github.com/niklasf/syzygy-tables.info/tree/master/stats/regular)). All tables that have a
pawn agree with them to the last position. In the others a position whose men all stand on one long diagonal is its own
mirror image: it counts as half of another one here, and in full there. The differences are exactly these positions
(`research/six_men/tests/test_chess_wins.py`). Mates take as long as in chess: their lengths are those of Nalimov's
tables (`research/five_men/tests/test_five_men.py`)."""


def write(data: Data) -> None:
    document = made(data)
    output_files.replace(PAGE, written(document, "html").encode())
    output_files.replace(TEXT, text(document, data).encode())
    output_files.replace(GAMES, ("\n\n".join(map(pgn, _longest(document).lines)) + "\n").encode())


def made(data: Data) -> Document:
    """The page as data."""
    first, second = (figures.tallies(data["outcomes"], rules, data["tables"]) for rules in RULES)
    ways = figures.ways(data["records"], TableRules.RESET, lambda one: True)
    sections = (
        surprises.section(surprises.Figures(first, ways)),
        _without_outcomes(stats.section(first)),
        records.section(ways),
        *([_compared(data, first, second)] if data["compare"] else []),
        _checked(data["tables"], _plain),
    )
    return Document("Chess without draws: all endgames of five men", sections, "research/run five_men")


def text(document: Document, data: Data) -> str:
    """What plain text can tell of it."""
    longest = max(len(line.steps) for line in lines(document))
    parts = [HEAD.format(lines=len(lines(document)), longest=plies(longest))]
    parts += [f"- {words}\n" for words in document.findings]
    *sections, _ = document.sections
    for section in (*sections, _checked(data["tables"], str)):
        parts += [f"{line}\n" for line in section_lines(_in_text(section))]
    return "".join(parts)


def _in_text(section: Section) -> Section:
    """Without what is long: lines, and tables of all materials."""
    kept = [
        block
        for block in without_detail(Document("", (section,))).sections[0].blocks
        if not isinstance(block, Lines) and not (isinstance(block, Table) and len(block.rows) > _SHORT)
    ]
    return replace(section, blocks=tuple(kept))


def _without_outcomes(section: Section) -> Section:
    """The table of every outcome would double the weight of the page; outcomes.csv has it."""
    return replace(section, blocks=tuple(block for block in section.blocks if getattr(block, "key", "") != "outcomes"))


def _longest(document: Document) -> Lines:
    """The lines of the longest ways."""
    blocks = [block for section in document.sections for block in section.blocks]
    return next(block for block in blocks if isinstance(block, Lines) and block.key == "overall-lines")


def _compared(data: Data, first: Sequence[Tally], second: Sequence[Tally]) -> Section:
    """Where both rules part: of the tables that are known under both."""
    there = {row["material"] for row in data["compare"]}
    first, second = ([one for one in some if one.material.name in there] for some in (first, second))
    kinds = figures.kinds(data["compare"], first)
    unlined = figures.ways(data["records"], TableRules.WHOLE_GAME)
    wanted = {one.key for one in records.overall(unlined)}
    ways = figures.ways(data["records"], TableRules.WHOLE_GAME, lambda one: one.key in wanted)
    best = list(records.overall(ways))
    blocks: tuple[Block, ...] = (
        differences.chart(kinds),
        overview.heat_map_of_differences(first, second),
        differences.remark(figures.COMPARED),
        Remark(_parting(data["compare"])),
        differences.table(kinds),
        _other_side(data["compare"]),
        records.table("overall-wg", "The longest under wg", best, detail=True),
        Lines("overall-wg-lines", "Lines of the longest under wg", tuple(one.line for one in best if one.line), True),
    )
    title = differences.title(figures.COMPARED)
    return Section("compare", title, blocks, (differences.finding(kinds),))


def _parting(rows: Sequence[Row]) -> str:
    """Where the rules part most, in sentences."""
    alike = sum(_same(row) >= 0.99 for row in rows)
    most = [f"{row['material']} ({share(_same(row))})" for row in sorted(rows, key=_same)]
    other = max(rows, key=lambda row: float(row["share_other"]))
    ways = [_forced(other, rules) for rules in RULES]
    return (
        f"Mates are the same under both rules. In {alike} of these {len(rows)} tables 99 % of placements or more are "
        f"the same, the fewest in {findings.listed(most[:3])}. The winner changes most often in "
        f"{other['material']}: in {share(float(other['share_other']))} of placements. An example is "
        f"{other['other_fen']}: under r {ways[0]}; under wg {ways[1]}."
    )


def _same(row: Row) -> float:
    return float(row["share_same"])


def _forced(row: Row, rules: str) -> str:
    """What is forced from the row's example."""
    gscore, distance = str(row[f"other_{rules}"]), int(row[f"other_{rules}_dtg"])
    side = SIDES[not gscore.startswith("-")]
    return f"{side} wins by {gscore}, " + (f"after {plies(distance)}" if distance else "which is on the board")


def _other_side(rows: Sequence[Row]) -> Table:
    return Table(
        "other-side",
        "The largest changes after which the other side wins",
        columns(
            ("material", "material"),
            ("first", "under r", "gscore"),
            ("first_dtg", "DTG", "plies"),
            ("second", "under wg", "gscore"),
            ("second_dtg", "DTG", "plies"),
            ("fen", "FEN", "fen"),
        ),
        tuple(
            (
                row["material"], outcome.parse(row["other_r"]), int(row["other_r_dtg"]),
                outcome.parse(row["other_wg"]), int(row["other_wg_dtg"]), row["other_fen"],
            )
            for row in rows
            if row["other_fen"]
        ),
        detail=True,
    )  # fmt: skip


def _checked(tables: Sequence[Row], words: Callable[[str], str]) -> Section:
    """How the figures are known, and what they cost. `words`: what a form of output makes of Markdown."""
    there = tuple(Remark(words(_there(tables, rules))) for rules in RULES)
    costs = tuple(_costs(tables, rules) for rules in RULES)
    blocks: tuple[Block, ...] = (*there, COUNT, Remark(words(COUNTED)), Remark(words(WINS)), *costs)
    return Section("checks", "How it was checked, and what it took", blocks)


def _plain(markdown: str) -> str:
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown).replace("`", "")


def _there(tables: Sequence[Row], rules: TableRules) -> str:
    rows = [row for row in tables if row["rules"] == rules]
    positions, size = (sum(int(row[column]) for row in rows) for column in ("positions", "bytes"))
    verified = [row["verified"] for row in rows]
    proved, sampled = verified.count("all"), sum(map(str.isdigit, map(str, verified)))
    checked = f"every position of {proved} tables is verified"
    others = "the other" if sampled == 1 else f"each of {sampled} others"
    checked += f", a million of {others}" if sampled else ""
    return (
        f"Under `{rules}` ({RULES[rules]}): {len(rows)} of {len(list(every(MEN)))} tables, {positions:,} positions in "
        f"{size / 1e9:.2f} GB; {checked}.{_again(rows)}"
    )


def _again(rows: Sequence[Row]) -> str:
    """What building took, the first time and the last."""
    again = [row for row in rows if row["last_cpu_seconds"]]
    if not again:
        return ""
    first, last = (sum(float(row[column]) for row in again) for column in ("cpu_seconds", "last_cpu_seconds"))
    return (
        f" {len(again)} were built again, by a later version: in {last / 3600:.1f} hours of CPU, where the first build "
        f"took {first / 3600:.1f}."
    )


def _costs(tables: Sequence[Row], rules: TableRules) -> Table:
    return Table(
        f"costs-{rules}",
        f"What building took under {rules}",
        columns(
            ("material", "material"),
            ("bytes", "bytes", "count"),
            ("bytes_a_position", "a position", "mean"),
            ("planned_bytes", "plan/bytes", "mean"),
            ("staircases", "staircases", "count"),
            ("cpu_seconds", "CPU s", "count"),
            ("planned_cpu", "plan/CPU", "mean"),
            ("last_cpu_seconds", "CPU s, last build", "count"),
            ("peak_gb", "peak GB", "mean"),
            ("verified", "verified"),
            ("verified_on", "on"),
            ("verified_seconds", "in s", "count"),
        ),
        tuple(_cost(row) for row in tables if row["rules"] == rules),
        note="On two cores that did other work as well; CPU seconds are of all threads. A table that was built again "
        "has the disk and the memory of its last build; the plan was made for the machine and the time of its first. "
        "Each was verified by the program of that day, and had the digest that docs/digests.txt has. How long it took "
        "was not kept before November 28.",
        detail=True,
    )


def _cost(row: Row) -> tuple[Value, ...]:
    names = ("bytes", "cpu_seconds", "last_cpu_seconds", "peak_memory", "verified_seconds")
    size, seconds, last, peak, verifying = (float(row[name]) if row[name] else None for name in names)
    assert size is not None
    return (
        row["material"], round(size), size / int(row["positions"]), float(row["planned_bytes"]) / size,
        int(row["staircases"]), None if seconds is None else round(seconds),
        None if seconds is None else float(row["planned_cpu_seconds"]) / seconds, None if last is None else round(last),
        None if peak is None else peak / 1e9, row["verified"], row["verified_on"],
        None if verifying is None else round(verifying),
    )  # fmt: skip
