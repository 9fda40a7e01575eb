"""The whole page."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from tbgen._version import __version__
from tbgen.drawing import SHEET
from tbgen.drawing.board import shared
from tbgen.report.charts import Distances, HeatMap, Stack
from tbgen.report.document import Block, Document, Exhibits, Lines, Remark, Section, Table, each_line_once
from tbgen.report.glossary import GLOSSARY
from tbgen.report.html.charts import MANY, distances, heat, stack
from tbgen.report.html.lines import exhibits, lines
from tbgen.report.html.table import table

_STYLES: Final = ("page.css", "charts.css", "player.css")
_SCRIPTS: Final = ("page.js", "tables.js", "line.js", "player.js")
_CLASSES: Final = {Stack: "of-bars", HeatMap: "of-heat", Distances: "of-distances"}
_STRONG: Final = r"<strong>\g<0></strong>"
_FIGURES: Final = re.compile(r"(?:&[lg]t;)?\d[\d.,]* (?:%|plies|positions)")
"""Numbers and what they count, in HTML."""


def page(document: Document) -> str:
    return "\n".join(_page(each_line_once(document))) + "\n"


def _page(document: Document) -> Iterator[str]:
    title = escape(document.title)
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield f'<head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f'<meta name="generator" content="tbgen {__version__}">'
    yield f"<style>\n{SHEET.read_text(encoding='utf-8')}{_assets(_STYLES)}</style></head>"
    yield "<body>"
    yield '<a class="skip" href="#main">Skip to the content</a>'
    yield '<header><span class="brand">tbgen</span>'
    if len(document.sections) > 1:
        links = (f'<a href="#{section.key}">{escape(section.title)}</a>' for section in document.sections)
        yield f'<nav aria-label="Sections">{" ".join(links)}</nav>'
    yield "</header>"
    yield f'<main id="main"><h1>{title}</h1>'
    yield from _opening(document)
    yield shared()
    for section in document.sections:
        yield from _section(section)
    yield "</main>"
    yield f"<footer>Made by <code>{escape(document.command)}</code> ({__version__})</footer>"
    yield f'<script type="module">\n{_assets(_SCRIPTS)}</script>'
    yield "</body></html>"


def _assets(names: tuple[str, ...]) -> str:
    return "".join(files("tbgen.report.html").joinpath(name).read_text(encoding="utf-8") for name in names)


def _opening(document: Document) -> Iterator[str]:
    """What was found, and the words to read it by."""
    yield '<div class="opening">'
    if document.findings:
        yield '<section class="findings" aria-label="Findings"><h2>Findings</h2>'
        yield from (f"<p>{_FIGURES.sub(_STRONG, escape(words))}</p>" for words in document.findings)
        yield "</section>"
    yield '<section class="glossary" aria-label="Words"><h2>Words</h2><dl>'
    yield from (f"<div><dt>{escape(word)}</dt><dd>{escape(meaning)}.</dd></div>" for word, meaning in GLOSSARY)
    yield "</dl></section></div>"


def _section(section: Section) -> Iterator[str]:
    yield f'<section id="{section.key}"><h2>{escape(section.title)}</h2><div class="blocks">'
    linked = [block for block in section.blocks if _has_lines(block)]
    for block in section.blocks:
        if linked and block is linked[0]:
            yield from _replay(linked)
        elif block not in linked:
            yield from _block(block)
    yield "</div></section>"


def _replay(linked: Sequence[Block]) -> Iterator[str]:
    """What leads to lines, and the board: it stays in sight beside them."""
    yield '<div class="replay"><div class="player" hidden></div><div class="beside">'
    for block in linked:
        yield from _block(block)
    yield "</div></div>"


def _has_lines(block: Block) -> bool:
    """Whether it leads to lines."""
    if isinstance(block, Table):
        return any(column.kind == "link" for column in block.columns)
    return isinstance(block, Exhibits)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Remark():
            yield f'<p class="remark">{escape(block.text)}</p>'
        case HeatMap():
            yield from _chart(block, heat(block))
        case Stack():
            yield from _chart(block, stack(block))
        case Distances():
            yield from _chart(block, distances(block))
        case Exhibits():
            yield from exhibits(block)
        case Table() if block.rows and block.on_page:
            yield from _folded(block.title, "table", table(block), folded=block.detail)
        case Lines() if block.lines:
            yield from _folded(block.title, "text", lines(block), folded=block.detail)


def _chart(chart: HeatMap | Stack | Distances, inside: Iterator[str]) -> Iterator[str]:
    note = f'<p class="note">{escape(chart.note)}</p>' if chart.note else ""
    yield f'<figure class="chart {_class(chart)}" id="chart-{chart.key}">'
    yield f"<figcaption><h3>{escape(chart.title)}</h3>{note}</figcaption>"
    yield from inside
    yield "</figure>"


def _class(chart: HeatMap | Stack | Distances) -> str:
    wide = " wide" if isinstance(chart, HeatMap) and chart.scale == "difference" else ""
    wide = (
        " whole"
        if isinstance(chart, Stack) and (len(chart.bars) >= MANY or any(bar.under for bar in chart.bars))
        else wide
    )
    return _CLASSES[type(chart)] + wide


def _folded(title: str, kind: str, inside: Iterator[str], *, folded: bool) -> Iterator[str]:
    """Long parts are shut until the reader opens them."""
    if folded:
        yield f'<details class="block {kind}"><summary><h3>{escape(title)}</h3></summary>'
        yield from inside
        yield "</details>"
    else:
        yield f'<div class="block {kind}"><h3>{escape(title)}</h3>'
        yield from inside
        yield "</div>"
