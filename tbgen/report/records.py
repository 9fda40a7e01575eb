"""The longest ways to each G-score, with the positions where they begin."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tbgen.board.geometry import FILES_MIRRORED, GEOMETRY
from tbgen.core import outcome, position
from tbgen.core.material import Material
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.index.layout import Layout
from tbgen.index.positions import fens, first_to_move, placed
from tbgen.index.symmetry import SymmetryClasses
from tbgen.probe import Tablebase
from tbgen.report import overview
from tbgen.report.census import WHITE, Case, Census
from tbgen.report.document import Block, Line, Lines, Remark, Section, Table, Value, columns
from tbgen.report.lines import best_line
from tbgen.store import PIECE, TableFile
from tbgen.system.text import plies

_IMAGES: Final = GEOMETRY.image.tolist()
_REMARK: Final = Remark(
    "Longest DTG in plies for each fresh outcome (White has the men named first), for each side to move that has it; "
    "“positions” counts those that have it, up to symmetry. A line is best play from the first of them; the record "
    "after a move follows it where it changes."
)


@dataclass(frozen=True)
class Longest:
    """The longest way to one outcome in one material with one side to move."""

    material: Material
    mover: int
    to_move: str
    """In a word."""
    outcome: int
    dtg: int
    count: int
    """How many positions have it, up to symmetry."""
    fens: tuple[str, ...]
    """The first of them."""
    line: Line | None = None

    @property
    def key(self) -> str:
        return f"{self.material}-{outcome.text(self.outcome)}"

    @property
    def title(self) -> str:
        return f"{self.material}: {outcome.text(self.outcome)} in {plies(self.dtg)}"


def find(table: TableFile, census: Census, limit: int, tablebase: Tablebase | None = None) -> list[Longest]:
    """The longest ways of a table, with the first positions of each; with a tablebase, a line for each outcome."""
    fens = _first_positions(table, census, limit)
    found = [
        Longest(
            census.material, mover, census.to_move(mover), value, spread.longest,
            int(spread.positions[spread.longest]), fens[mover, value],
        )
        for (mover, value), spread in census.cases.items()
    ]  # fmt: skip
    found.sort(key=lambda one: (-one.outcome, one.mover))
    if tablebase is None:
        return found
    return list(_with_lines(found, tablebase))


def _with_lines(ways: Sequence[Longest], tablebase: Tablebase) -> Iterator[Longest]:
    """The longer one of each outcome's two sides to move gets a line."""
    longest: dict[int, Longest] = {}
    for one in ways:
        if one.outcome not in longest or one.dtg > longest[one.outcome].dtg:
            longest[one.outcome] = one
    for one in ways:
        line = None
        if longest[one.outcome] is one and one.dtg and one.fens:
            line = best_line(tablebase, position.of_tables(one.fens[0]), one.key, one.title)
        yield replace(one, line=line)


def _first_positions(table: TableFile, census: Census, limit: int) -> Mapping[Case, tuple[str, ...]]:
    """At most `limit` positions where each longest way begins, as FENs, no two of them images of each other."""
    symmetry = SymmetryClasses(table.layout)
    wanted: defaultdict[int, list[Case]] = defaultdict(list)
    for case, spread in census.cases.items():
        for start in spread.blocks:
            wanted[start].append(case)
    found: dict[Case, dict[str, str]] = {case: {} for case in census.cases}
    for start in sorted(wanted):
        cases = [case for case in wanted[start] if len(found[case]) < limit]
        if not cases:
            continue
        end = min(start + PIECE, table.size)
        entries = table.entries(start, end)
        for case in cases:
            numbers = start + np.flatnonzero(entries == _entry(case, census.cases[case].longest))
            for number in numbers[symmetry.movers(numbers) == case[0]].tolist():
                text = fen_of(table.layout, number)
                found[case].setdefault(_class(text), text)
                if len(found[case]) == limit:
                    break
    return {case: tuple(texts.values()) for case, texts in found.items()}


def _entry(case: Case, dtg: int) -> np.int32:
    """What a table says of such positions."""
    mover, value = case
    return np.int32(((value if mover == WHITE else -value) << OUTCOME_SHIFT) + dtg)


def fen_of(layout: Layout, number: int) -> str:
    """The FEN of a number, with White to move where both sides have the same men."""
    men = placed(layout, np.array([number]))
    return str(fens(layout, first_to_move(layout, men) if layout.material.even else men)[0], "ascii")


def _class(text: str) -> str:
    """The same text for a position and all its images; with pawns only the mirrored files are one."""
    board = position.of_tables(text)
    men = [(square, man.symbol()) for square, man in board.piece_map().items()]
    images = _IMAGES[: FILES_MIRRORED + 1] if board.pawns else _IMAGES
    return str(min(sorted((image[square], letter) for square, letter in men) for image in images))


def section(ways: Sequence[Longest]) -> Section:
    """The longest ways of all tables together, then of each material."""
    best = list(overall(ways))
    best_lines = tuple(dict.fromkeys(one.line for one in best if one.line is not None))
    others = tuple(one.line for one in ways if one.line is not None and one.line not in best_lines)
    blocks: tuple[Block, ...] = (
        _REMARK,
        overview.longest((one.material.name, one.outcome, one.dtg) for one in ways),
        table("overall", "The longest of all tables", best),
        Lines("overall-lines", "Lines of the longest", best_lines, boards=True),
        table("records", "The longest by material", ways, detail=True),
        Lines("lines", "Lines by material", others, detail=True),
    )
    return Section("records", "Records", blocks, (sentence(ways),) if ways else ())


def sentence(ways: Sequence[Longest]) -> str:
    """The longest way of all, and the longest mate."""
    farthest = max(ways, key=lambda one: one.dtg)
    mates = [one for one in ways if outcome.level(one.outcome) == 0]
    if not farthest.dtg:
        return "Every goal that decides is on the board already."
    goal = outcome.text(farthest.outcome)
    if outcome.level(farthest.outcome) == 0:
        return f"The longest way is to a mate: {plies(farthest.dtg)}, in {farthest.material}."
    found = f"The longest way to a goal is {plies(farthest.dtg)}, to {goal} in {farthest.material}"
    if not mates:
        return f"{found}; no mate can be forced."
    mate = max(mates, key=lambda one: one.dtg)
    return f"{found}; the longest forced mate takes {plies(mate.dtg)}, in {mate.material}."


def overall(ways: Sequence[Longest]) -> Iterator[Longest]:
    """The longest way to each level, forced by either side; several if they are equally long."""
    by_level: defaultdict[int, list[Longest]] = defaultdict(list)
    for one in ways:
        by_level[outcome.level(one.outcome)].append(one)
    for level in sorted(by_level):
        longest = max(one.dtg for one in by_level[level])
        equal = [one for one in by_level[level] if one.dtg == longest]
        yield from equal if longest else equal[:1]


def table(key: str, title: str, ways: Sequence[Longest], *, detail: bool = False) -> Table:
    """Positions where these begin, and the way to their lines."""
    return Table(
        key,
        title,
        columns(
            ("material", "material"),
            ("gscore", "G-score", "gscore"),
            ("to_move", "to move"),
            ("longest_dtg", "longest", "plies"),
            ("positions", "positions", "count"),
            ("fen", "FEN", "fen"),
            ("line", "line", "link"),
        ),
        tuple(row for one in ways for row in _rows(one)),
        detail=detail,
    )


def _rows(one: Longest) -> Iterator[tuple[Value, ...]]:
    line = None if one.line is None else one.line.key
    for place, text in enumerate(one.fens):
        yield (
            one.material.name, one.outcome, one.to_move, one.dtg, one.count, text, line if place == 0 else None,
        )  # fmt: skip
