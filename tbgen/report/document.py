"""A report as data: findings, then sections of tables, lines of play, charts and remarks. Every form of output is
made of this.

Cells hold plain values: numbers as numbers, G-scores as outcomes (tbgen/core/outcome.py). A column's kind says how they
are written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import chess

from tbgen.core import outcome, position
from tbgen.core.table_rules import TableRules
from tbgen.report.charts import Chart

Kind = Literal["text", "count", "share", "gscore", "plies", "mean", "points", "fen", "link"]
Value = str | int | float | None

NUMBERS: Final = ("count", "share", "gscore", "plies", "mean", "points")
"""Kinds that are set flush right."""
_FINDINGS: Final = 5


@dataclass(frozen=True)
class Column:
    key: str
    """The name that programs know it by."""
    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    total: tuple[Value, ...] = ()
    """A row that stays last when rows are sorted."""
    detail: bool = False
    """Whether it is long, and printed on request only."""
    on_page: bool = True
    """False where a page has the same figures in another table."""


@dataclass(frozen=True)
class Step:
    """A move, and the record after it."""

    san: str
    record: int


@dataclass(frozen=True)
class Line:
    """Best play from a position to the goal that decides."""

    key: str
    title: str
    fen: str
    outcome: int
    steps: tuple[Step, ...]
    rules: TableRules = TableRules.RESET
    record: int | None = None
    """The record of the position, where it brings one along."""

    def board(self) -> chess.Board:
        """Where it begins."""
        return position.of_tables(self.fen)


@dataclass(frozen=True)
class Lines:
    key: str
    title: str
    lines: tuple[Line, ...]
    boards: bool = False
    """Whether they are few enough to have pictures each."""
    detail: bool = False


@dataclass(frozen=True)
class Exhibit:
    """Something found, told at length, with a line that shows it."""

    title: str
    text: str
    line: Line


@dataclass(frozen=True)
class Exhibits:
    """Their lines stand in the same section."""

    key: str
    title: str
    exhibits: tuple[Exhibit, ...]


@dataclass(frozen=True)
class Remark:
    text: str


Block = Table | Lines | Exhibits | Remark | Chart


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    blocks: tuple[Block, ...]
    findings: tuple[str, ...] = ()
    """What the section found, in sentences."""


@dataclass(frozen=True)
class Document:
    title: str
    sections: tuple[Section, ...]
    command: str = ""
    """The command line that makes it."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What the whole found: as much as one reads at once."""
        return tuple(words for section in self.sections for words in section.findings)[:_FINDINGS]


def written(value: Value, kind: Kind) -> str:
    """A cell as people read it."""
    if value is None:
        return ""
    if kind == "gscore":
        return outcome.text(int(value))
    if kind == "share":
        return _share(float(value))
    if kind == "mean":
        return f"{float(value):.2f}"
    if kind == "points":
        return f"{float(value):.3f}"
    if kind in ("count", "plies"):
        return f"{int(value):,}"
    return str(value)


def _share(value: float) -> str:
    """Percent. Only nothing is written as 0, and only all as 100."""
    if 0 < value < 0.0001:
        return "<0.01 %"
    if 0.9999 < value < 1:
        return ">99.99 %"
    return f"{100 * value:.2f} %"


def plain(value: Value, kind: Kind) -> Value:
    """A cell as programs read it."""
    if kind == "gscore" and value is not None:
        return outcome.text(int(value))
    if isinstance(value, float):
        return round(value, 6)
    return value


def columns(*given: tuple[str, str] | tuple[str, str, Kind]) -> tuple[Column, ...]:
    """Columns from (key, title) or (key, title, kind)."""
    return tuple(Column(*one) for one in given)


def without_detail(document: Document) -> Document:
    """The document without what is printed on request only."""
    sections = []
    for section in document.sections:
        kept = tuple(block for block in section.blocks if not getattr(block, "detail", False))
        sections.append(replace(section, blocks=kept))
    return Document(document.title, tuple(sections), document.command)


def tables(document: Document) -> list[Table]:
    """All tables in order."""
    return [block for section in document.sections for block in section.blocks if isinstance(block, Table)]


def lines(document: Document) -> list[Line]:
    """All lines in order, each once."""
    found: dict[str, Line] = {}
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Lines):
                for line in block.lines:
                    found.setdefault(line.key, line)
    return list(found.values())


def each_line_once(document: Document) -> Document:
    """The document with each line where it stands first, and nowhere else."""
    seen: set[str] = set()
    sections = []
    for section in document.sections:
        blocks = []
        for block in section.blocks:
            if isinstance(block, Lines):
                block = replace(block, lines=tuple(line for line in block.lines if line.key not in seen))
                seen.update(line.key for line in block.lines)
            blocks.append(block)
        sections.append(replace(section, blocks=tuple(blocks)))
    return replace(document, sections=tuple(sections))


def cells(table: Table) -> Sequence[Sequence[str]]:
    """All rows as people read them, the total last."""
    rows = [*table.rows, table.total] if table.total else table.rows
    return [[written(value, column.kind) for value, column in zip(row, table.columns, strict=True)] for row in rows]
