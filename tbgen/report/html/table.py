"""Tables of a report. Scripts sort, filter and save them by what the cells bear."""

from collections.abc import Iterator
from html import escape
from typing import Final

from tbgen.report.document import NUMBERS, Column, Table, Value, plain, written
from tbgen.report.html.filter import scrolled, search

_MANY: Final = 25
"""A table with this many rows can be filtered, by names."""

_WIDE: Final = 14
"""So many columns are set closely."""


def table(block: Table) -> Iterator[str]:
    if len(block.rows) >= _MANY and block.columns[0].kind not in NUMBERS:
        yield search(f"table-{block.key}", block.title)
    yield from scrolled(block.title, _table(block))
    if block.note:
        yield f'<p class="note">{escape(block.note)}</p>'


def _table(block: Table) -> Iterator[str]:
    wide = " wide" if len(block.columns) >= _WIDE else ""
    yield f'<table id="table-{escape(block.key)}" class="data{wide}">'
    yield f"<thead><tr>{''.join(map(_head, block.columns))}</tr></thead><tbody>"
    yield from (_row(block, row) for row in block.rows)
    yield "</tbody>"
    if block.total:
        yield f"<tfoot>{_row(block, block.total)}</tfoot>"
    yield "</table>"


def _head(column: Column) -> str:
    side = ' class="number"' if column.kind in NUMBERS else ""
    return (
        f'<th scope="col"{side} data-key="{escape(column.key)}" data-kind="{column.kind}">'
        f'<button type="button">{escape(column.title)}</button></th>'
    )


def _row(block: Table, row: tuple[Value, ...]) -> str:
    cells = (_cell(value, column, with_bar=not block.detail) for value, column in zip(row, block.columns, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: Value, column: Column, *, with_bar: bool) -> str:
    if value is None:
        return "<td></td>"
    words = escape(written(value, column.kind))
    if column.kind == "link":
        return f'<td class="t"><a href="#line-{words}">line</a></td>'
    if column.kind == "fen":
        return f'<td class="t"><code>{words}</code></td>'
    if column.kind not in NUMBERS:
        return f'<td class="t">{words}</td>'
    # The outcome of a G-score is a number as well, and the best one for White is the largest.
    data = value if column.kind == "gscore" else plain(value, column.kind)
    shown = "" if str(data) == words else f' data-v="{data}"'
    bar = f' style="--s:{float(value):.3f}"' if with_bar and column.kind == "share" and float(value) >= 0.0005 else ""
    return f"<td{shown}{bar}>{words}</td>"
