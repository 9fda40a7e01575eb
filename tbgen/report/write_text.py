"""A report as text: plain columns. On a terminal it fits, in a file nothing is left out."""

from collections.abc import Iterator
from typing import Final

from tbgen.report.document import NUMBERS, Block, Document, Exhibits, Line, Lines, Remark, Table, cells
from tbgen.report.lines import to_move, words
from tbgen.system import text_tables
from tbgen.system.text import wrapped

_WIDTH: Final = 100
"""The width of paragraphs, where there is room for it."""


def text(document: Document, width: int | None = None) -> str:
    """All of it but the pictures. `width`: of the terminal that it goes to, if it does."""
    return "\n".join(_document(document, width)) + "\n"


def _document(document: Document, width: int | None) -> Iterator[str]:
    for words_found in document.findings:
        yield from wrapped(words_found, min(_WIDTH, width or _WIDTH))
    for place, section in enumerate(document.sections):
        yield from ("",) if place or document.findings else ()
        yield section.title
        yield "=" * len(section.title)
        for block in section.blocks:
            yield from _block(block, width)


def _block(block: Block, width: int | None) -> Iterator[str]:
    room = min(_WIDTH, width or _WIDTH)
    if isinstance(block, Remark):
        yield from ("", *wrapped(block.text, room))
    elif isinstance(block, Table) and block.rows:
        yield from ("", block.title, *_table(block, width))
        yield from wrapped(block.note, room)
    elif isinstance(block, Lines) and block.lines:
        yield from ("", block.title)
        for line in block.lines:
            yield from _line(line, room)
    elif isinstance(block, Exhibits):
        for exhibit in block.exhibits:
            yield from ("", exhibit.title, *wrapped(exhibit.text, room))
            yield f"{to_move(exhibit.line)}: {exhibit.line.fen}"


def _table(table: Table, width: int | None) -> Iterator[str]:
    """Words to the left, numbers to the right; links are for pages."""
    shown = [place for place, column in enumerate(table.columns) if column.kind != "link"]
    given = [table.columns[place] for place in shown]
    rows = [[row[place] for place in shown] for row in cells(table)]
    footer = rows.pop() if table.total else ()
    has_fen = any(column.kind == "fen" for column in given)  # which says who is to move
    heads = [
        text_tables.Column(one.title, left=one.kind not in NUMBERS, spare=int(has_fen and one.key == "to_move"))
        for one in given
    ]
    yield from text_tables.table(heads, rows, footer=footer, width=width)


def _line(line: Line, room: int) -> Iterator[str]:
    yield f"{line.title}  {line.fen}"
    yield from wrapped(words(line), room, "  ")
