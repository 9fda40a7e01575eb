"""A report as Markdown."""

from collections.abc import Iterator, Sequence

from tbgen._version import __version__
from tbgen.report.document import (
    NUMBERS,
    Block,
    Document,
    Exhibit,
    Exhibits,
    Line,
    Lines,
    Remark,
    Section,
    Table,
    cells,
)
from tbgen.report.glossary import GLOSSARY
from tbgen.report.lines import to_move, words


def markdown(document: Document) -> str:
    """All of it but the pictures."""
    return "\n".join(_document(document)) + "\n"


def _document(document: Document) -> Iterator[str]:
    yield f"# {document.title}"
    yield from ("", f"Made by `{document.command}` ({__version__}).")
    yield from ("", *(f"- {words}" for words in document.findings)) if document.findings else ()
    yield from ("", "Words:", "", *(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY))
    for section in document.sections:
        yield from section_lines(section)


def section_lines(section: Section) -> Iterator[str]:
    """An empty line, the title, and what stands below it."""
    yield from ("", f"## {section.title}")
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Remark):
        yield from ("", block.text)
    elif isinstance(block, Table) and block.rows:
        yield from ("", f"### {block.title}", "", *_table(block))
        yield from ("", block.note) if block.note else ()
    elif isinstance(block, Lines) and block.lines:
        yield from ("", f"### {block.title}", "")
        yield from map(_line, block.lines)
    elif isinstance(block, Exhibits):
        yield from (words for exhibit in block.exhibits for words in _exhibit(exhibit))


def _table(table: Table) -> Iterator[str]:
    """Links are for pages."""
    shown = [place for place, column in enumerate(table.columns) if column.kind != "link"]
    yield _row([table.columns[place].title for place in shown])
    yield _row(["--:" if table.columns[place].kind in NUMBERS else ":--" for place in shown])
    for row in cells(table):
        yield _row([_code(row[place]) if table.columns[place].kind == "fen" else row[place] for place in shown])


def _row(words: Sequence[str]) -> str:
    return f"| {' | '.join(word.replace('|', '/') for word in words)} |"


def _code(word: str) -> str:
    return f"`{word}`" if word else ""


def _line(line: Line) -> str:
    return f"- **{line.title}**, `{line.fen}`: {words(line)}"


def _exhibit(exhibit: Exhibit) -> Iterator[str]:
    """Its line is long: only where it begins."""
    yield from ("", f"### {exhibit.title}", "", exhibit.text, "", f"{to_move(exhibit.line)}: `{exhibit.line.fen}`")
