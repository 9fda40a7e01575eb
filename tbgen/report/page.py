"""A report as one page that needs no network: tables to sort and filter, pictures, boards, links to lines."""

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

import chess
import chess.svg

from tbgen._version import __version__
from tbgen.report.document import NUMBERS, Block, Column, Document, Line, Lines, Remark, Section, Table, Value, written
from tbgen.report.lines import spans
from tbgen.report.picture import can_draw, draw

_MANY: Final = 25
"""A table with this many rows can be filtered."""
_MEN: Final = re.compile(r"<use [^>]*/>")
_NO_PICTURES: Final = 'Made without pictures: they need matplotlib (pip install "tbgen[report]").'


def page(document: Document) -> str:
    """The whole page."""
    return "\n".join(_page(document)) + "\n"


def _page(document: Document) -> Iterator[str]:
    title = escape(document.title)
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield f'<head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f'<meta name="generator" content="tbgen {__version__}">'
    yield f"<style>\n{_asset('page.css')}</style></head>"
    yield "<body>"
    yield f"<header><h1>{title}</h1>"
    if len(document.sections) > 1:
        links = (f'<a href="#{section.key}">{escape(section.title)}</a>' for section in document.sections)
        yield f'<nav aria-label="Sections">{" ".join(links)}</nav>'
    yield "</header>"
    yield "<main>"
    if not can_draw():
        yield f'<p class="notice">{escape(_NO_PICTURES)}</p>'
    yield _shared_board()
    for section in document.sections:
        yield from _section(section)
    yield "</main>"
    yield f"<footer>Made by <code>{escape(document.command)}</code> ({__version__})</footer>"
    yield f"<script>\n{_asset('page.js')}</script>"
    yield "</body></html>"


def _asset(name: str) -> str:
    return files("tbgen.report").joinpath(name).read_text(encoding="utf-8")


def _section(section: Section) -> Iterator[str]:
    yield f'<section id="{section.key}"><h2>{escape(section.title)}</h2>'
    for block in section.blocks:
        yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Remark):
        yield f"<p>{escape(block.text)}</p>"
    elif isinstance(block, Table) and block.rows:
        yield from _folded(block.title, _table(block), folded=block.detail)
    elif isinstance(block, Lines) and block.lines:
        yield from _folded(block.title, _lines(block), folded=block.detail)


def _folded(title: str, inside: Iterator[str], *, folded: bool) -> Iterator[str]:
    """Long parts are shut until the reader opens them."""
    if folded:
        yield f"<details><summary><h3>{escape(title)}</h3></summary>"
        yield from inside
        yield "</details>"
    else:
        yield f"<h3>{escape(title)}</h3>"
        yield from inside


def _table(table: Table) -> Iterator[str]:
    if table.bars is not None and can_draw():
        yield f"<figure>{draw(table.bars, table.key)}</figure>"
    name = escape(table.title)
    if len(table.rows) >= _MANY:
        yield (
            f'<input type="search" class="filter" placeholder="filter" '
            f'data-table="table-{escape(table.key)}" aria-label="Filter: {name}">'
        )
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">'
    yield f'<table id="table-{escape(table.key)}"><thead><tr>'
    yield "".join(f'<th scope="col"{_side(column)}><button type="button">{escape(column.title)}</button></th>'
                  for column in table.columns)  # fmt: skip
    yield "</tr></thead><tbody>"
    yield from (_row(table, row) for row in table.rows)
    yield "</tbody>"
    if table.total:
        yield f"<tfoot>{_row(table, table.total)}</tfoot>"
    yield "</table></div>"
    if table.note:
        yield f'<p class="note">{escape(table.note)}</p>'


def _side(column: Column) -> str:
    return ' class="number"' if column.kind in NUMBERS else ""


def _row(table: Table, row: tuple[Value, ...]) -> str:
    cells = (_cell(value, column) for value, column in zip(row, table.columns, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: Value, column: Column) -> str:
    words = escape(written(value, column.kind))
    if column.kind == "link":
        return "<td></td>" if value is None else f'<td><a href="#line-{words}">line</a></td>'
    if column.kind == "fen":
        return f"<td><code>{words}</code></td>" if words else "<td></td>"
    if column.kind in NUMBERS:
        # The outcome of a G-score is a number as well, and the best one for White is the largest.
        return f'<td class="number" data-value="{"" if value is None else value}">{words}</td>'
    return f"<td>{words}</td>"


def _lines(block: Lines) -> Iterator[str]:
    yield f'<div class="{"boards" if block.boards else "lines"}">'
    for line in block.lines:
        yield f'<article id="line-{escape(line.key)}"><h4>{escape(line.title)}</h4>'
        if block.boards:
            yield f'<div class="pair">{_board(line, 0)}{_board(line, len(line.steps))}</div>'
        yield f"<p><code>{escape(line.fen)}</code></p>"
        yield f'<p class="moves">{_moves(line)}</p></article>'
    yield "</div>"


def _moves(line: Line) -> str:
    """The record stands behind the move that changes it."""
    return " ".join(f"<b>{escape(word)}</b>" if is_record else escape(word) for word, is_record in spans(line))


@cache
def _shared_board() -> str:
    """The empty board and all men, once for the page: boards refer to them."""
    empty = chess.svg.board(None, coordinates=True)
    squares = empty[empty.index(">") + 1 : empty.rindex("</svg>")]
    men = "".join(chess.svg.PIECES.values())
    symbol = f'<symbol id="empty-board" viewBox="{_view(empty)}">{squares}</symbol>'
    return f'<svg class="shared" width="0" height="0" aria-hidden="true">{men}{symbol}</svg>'


def _view(picture: str) -> str:
    return picture.split('viewBox="', 1)[1].split('"', 1)[0]


def _board(line: Line, plies: int) -> str:
    """The position after `plies` moves of a line."""
    board = chess.Board(line.fen)
    for step in line.steps[:plies]:
        board.push_san(step.san)
    picture = chess.svg.board(board, coordinates=True)
    men = "".join(re.sub(r' xlink:href="[^"]*"', "", man) for man in _MEN.findall(picture))
    label = escape(f"{'After the last move' if plies else 'At the start'}: {board.fen()}")
    return (
        f'<svg class="board" viewBox="{_view(picture)}" role="img" aria-label="{label}">'
        f'<use href="#empty-board"/>{men}</svg>'
    )
