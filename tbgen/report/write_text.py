"""A report on a terminal: plain columns, nothing cut off."""

import textwrap
from collections.abc import Iterator
from typing import Final

from tbgen.report.document import NUMBERS, Block, Document, Line, Lines, Remark, Table, cells
from tbgen.report.lines import words

_WIDTH: Final = 100


def text(document: Document) -> str:
    """All of it but the pictures."""
    return "\n".join(_document(document)) + "\n"


def _document(document: Document) -> Iterator[str]:
    for words_found in document.findings:
        yield from textwrap.wrap(words_found, _WIDTH)
    for place, section in enumerate(document.sections):
        yield from ("",) if place or document.findings else ()
        yield section.title
        yield "=" * len(section.title)
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Remark):
        yield from ("", *textwrap.wrap(block.text, _WIDTH))
    elif isinstance(block, Table) and block.rows:
        yield from ("", block.title, *_table(block))
        yield from textwrap.wrap(block.note, _WIDTH)
    elif isinstance(block, Lines) and block.lines:
        yield from ("", block.title)
        for line in block.lines:
            yield from _line(line)


def _table(table: Table) -> Iterator[str]:
    """Words to the left, numbers to the right; links are for pages."""
    shown = [place for place, column in enumerate(table.columns) if column.kind != "link"]
    kinds = [table.columns[place].kind for place in shown]
    rows = [[row[place] for place in shown] for row in ([column.title for column in table.columns], *cells(table))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rules = (1, len(rows) - 1) if table.total else (1,)
    for number, row in enumerate(rows):
        if number in rules:
            yield "  ".join("-" * width for width in widths)
        yield "  ".join(
            cell.rjust(width) if kind in NUMBERS else cell.ljust(width)
            for cell, width, kind in zip(row, widths, kinds, strict=True)
        ).rstrip()


def _line(line: Line) -> Iterator[str]:
    yield f"{line.title}  {line.fen}"
    yield from textwrap.wrap(words(line), _WIDTH, initial_indent="  ", subsequent_indent="  ")
