"""Tables of text: columns set straight, as wide as they need to be, or so that they fit a terminal.

Where there is no room, titles take several lines, then columns that can be spared are left out, then what is left
becomes several tables one below the other, each with the columns that tell its rows apart.

This stands beside rich.table, which, where there is no room, wraps or cuts cells in the middle of numbers, and neither
leaves out whole columns and says which nor makes several tables of one.
"""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from tbgen.system.text import shown

_GAP: Final = "  "


class Column(NamedTuple):
    title: str
    left: bool = False
    """Whether it is set flush left, as words are; numbers are not."""
    spare: int = 0
    """Columns with the highest number are left out first; with 0, never."""


class _Set(NamedTuple):
    """A column ready to be printed."""

    title: list[str]
    """Lines."""
    cells: list[str]
    width: int
    column: Column


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    footer: Sequence[str] = (),
    ruled: bool = True,
    width: int | None = None,
) -> Iterator[str]:
    """The lines of a table: titles, rows, and a footer that stays last; with rules between them, unless told otherwise.
    `width`: of the terminal that it goes to, if it does."""
    cells = [[shown(row[place]) for row in (*rows, *([footer] if footer else []))] for place in range(len(columns))]
    given = list(zip(columns, cells, strict=True))
    parts = [[_set(column, texts, len(column.title)) for column, texts in given]]
    spared: list[str] = []
    if width is not None and _width(parts[0]) > width:
        every = [_set(column, texts, 0) for column, texts in given]
        kept = _without_spares(every, width)
        spared = [one.column.title for one in every if one not in kept]
        parts = list(_one_below_the_other(kept, width))
    for number, part in enumerate(parts):
        yield from [""] if number else []
        yield from _lines(part, bool(footer), ruled)
    if spared:
        yield f"not shown, for want of room: {', '.join(spared)}"


def plain(
    heads: Sequence[str], rows: Sequence[Sequence[object]], width: int | None, *, words: int = 0
) -> Iterator[str]:
    """The lines of a table without rules. The column at `words` is of words, all others are of numbers."""
    titles = [Column(head, left=place == words) for place, head in enumerate(heads)]
    yield from table(titles, [[str(cell) for cell in row] for row in rows], ruled=False, width=width)


def _set(column: Column, cells: Sequence[str], room: int) -> _Set:
    """`room`: for the title, which has more if the cells or its longest word do."""
    room = max(room, *(len(text) for text in (*cells, *column.title.split())), 1)
    title = textwrap.wrap(column.title, room) or [""]
    return _Set(title, list(cells), max(len(text) for text in (*title, *cells)), column)


def _width(part: Sequence[_Set]) -> int:
    return sum(one.width for one in part) + len(_GAP) * (len(part) - 1)


def _without_spares(part: Sequence[_Set], width: int) -> list[_Set]:
    kept = list(part)
    while _width(kept) > width and (spare := max(kept, key=lambda one: one.column.spare)).column.spare:
        kept.remove(spare)
    return kept


def _one_below_the_other(part: Sequence[_Set], width: int) -> Iterator[list[_Set]]:
    names = _names(part, width)
    here = list(part[:names])
    for one in part[names:]:
        if len(here) > names and _width([*here, one]) > width:
            yield here
            here = list(part[:names])
        here.append(one)
    yield here


def _names(part: Sequence[_Set], width: int) -> int:
    """How many columns stand in each of several tables: up to the first one of words, and on until no two rows are
    alike in them, unless they leave no room for the others."""
    least = 1 + next((place for place, one in enumerate(part) if one.column.left), 0)
    for names in range(least, len(part)):
        if _width(part[:names]) > width // 2:
            break
        rows = [*zip(*(one.cells for one in part[:names]), strict=True)]
        if len(set(rows)) == len(rows):
            return names
    return least


def _lines(part: Sequence[_Set], has_footer: bool, ruled: bool) -> Iterator[str]:
    rule = _GAP.join("-" * one.width for one in part)
    titles = [*zip_longest(*(one.title[::-1] for one in part), fillvalue="")][::-1]
    rows = [*zip(*(one.cells for one in part), strict=True)]
    lines = [*titles, *rows]
    ruled_at = {len(titles), *([len(lines) - 1] if has_footer else [])} if ruled else set[int]()
    for number, line in enumerate(lines):
        if number in ruled_at:
            yield rule
        yield _GAP.join(
            text.ljust(one.width) if one.column.left else text.rjust(one.width)
            for text, one in zip(line, part, strict=True)
        ).rstrip()
