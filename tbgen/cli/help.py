"""Help that fits the terminal: examples and lists stay line by line as they were written, as far as there is room."""

import re
import textwrap
from collections.abc import Iterator
from typing import Final

_LEAST: Final = 40
"""Columns: for less nothing is broken any further."""
_ROOM: Final = 20
"""Columns that what is said of an example needs beside it."""
_HANGING: Final = 2
_ITEM: Final = re.compile(r"\d+\. ")
"""How an item of a list begins; what follows stands below its text."""
_REMARK: Final = re.compile(r"(?<=\S) {2,}(?=\S)")
"""Between an example and what is said of it."""
_COMMAND: Final = re.compile(r" +(?:\S*tbgen|curl) ")
"""A line to be copied: the terminal breaks it so that it stays one."""


def fill(text: str, width: int) -> str:
    """Return a text in which what is too wide is broken between words."""
    return "\n".join(line for part in _parts(text) for line in _fitted(part, max(width, _LEAST)))


def _parts(text: str) -> Iterator[list[str]]:
    """Paragraphs and items of a list; lines that are indented otherwise, and empty ones, each by itself."""
    part: list[str] = []
    for line in text.splitlines():
        if part and _goes_on(part[0], line):
            part.append(line)
            continue
        if part:
            yield part
        part = [line]
    yield part


def _goes_on(first: str, line: str) -> bool:
    """Whether a line belongs to the paragraph or item that begins so."""
    if not first or first.startswith(" ") or not line:
        return False
    item = _ITEM.match(first)
    return _indent(line) == (item.end() if item is not None else 0)


def _fitted(part: list[str], width: int) -> Iterator[str]:
    first = part[0]
    remark = _REMARK.search(first) if first.startswith(" ") else None
    if all(len(line) <= width for line in part) or (remark is None and _COMMAND.match(first)):
        yield from part
        return
    item = _ITEM.match(first)
    if item is not None:
        below = item.end()
    elif remark is not None and remark.end() <= width - _ROOM:
        below = remark.end()
    else:
        below = _indent(first) + (_HANGING if first.startswith(" ") else 0)
    words = " ".join([first, *(line.strip() for line in part[1:])])
    yield from textwrap.wrap(
        words, width, subsequent_indent=" " * below, break_long_words=False, break_on_hyphens=False
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
