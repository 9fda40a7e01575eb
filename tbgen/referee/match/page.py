"""A match as a page for the browser: the table, and every game to be played through. It needs no network.

It is written again after each game, and reloads itself while the match goes on.
"""

import time
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files as resources
from pathlib import Path
from typing import Final

import chess

from tbgen import files
from tbgen._version import __version__
from tbgen.errors import BadInput
from tbgen.pgn import moves as pgn_moves
from tbgen.pgn import san
from tbgen.pgn.tags import TagSection
from tbgen.referee.match import announce
from tbgen.referee.match.standings import Standings
from tbgen.rules.tags import read_start
from tbgen.text import to_json

_MARK: Final = b'<meta name="generator" content="tbgen match'
_HEAD: Final = 1024
"""Bytes in which the mark stands."""
_PAUSE: Final = 1.0
"""Seconds between two writings, for a match of many short games."""


class Page:
    """A page that grows with a match."""

    def __init__(self, path: Path, title: str) -> None:
        self._path = path
        self._title = title
        self._games: list[str] = []
        self._rows: list[str] = []
        self._written = 0.0
        if path.exists() and (not path.is_file() or not _is_page(path)):
            raise BadInput(f"{path} is not a page of a match: name another file, or remove it")

    def add(self, pgn: bytes) -> None:
        section = TagSection(pgn)
        headers = section.headers
        board = read_start(headers).board
        fen = board.fen()
        words = []
        for token in pgn_moves.read(section.text).tokens:
            step = san.step(token)
            if step is not None:
                san.play(board, step)
                words.append(token)
        end = headers.get("TerminationDetails", "")
        row = [headers[name] for name in ("Round", "White", "Black", "RMobilityResult", "Points")]
        game = {
            "round": row[0],
            "white": row[1],
            "black": row[2],
            "fen": fen,
            "moves": " ".join(map(chess.Move.uci, board.move_stack)),
            "words": " ".join(words),
            "end": f"{row[3]}, {row[4]}: {end}",
        }
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in [*row, end])
        self._rows.append(f'<tr data-game="{len(self._games)}">{cells}</tr>')
        self._games.append(to_json(game).replace("<", "\\u003c"))

    def write(self, standings: Standings, games: int | None, *, running: bool) -> None:
        """Put the page in its place, unless that was done a moment ago and will be done again."""
        if running and time.monotonic() - self._written < _PAUSE:
            return
        files.replace(self._path, "\n".join(self._page(standings, games, running)).encode())
        self._written = time.monotonic()

    def _page(self, standings: Standings, games: int | None, running: bool) -> Iterator[str]:
        title = escape(self._title)
        yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n{_MARK.decode()} {__version__}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{title}</title><style>\n{_asset('page.css')}</style></head>"
        attribute = ' data-running="1"' if running else ""
        yield f"<body{attribute}>"
        yield f"<h1>{title}</h1>"
        state = "The match goes on: this page reloads itself." if running else "This is how the match ended."
        if not running and games is not None and standings.games < games:
            state = "Nobody plays now. The same command goes on with the match."
        yield f"<p>{escape(announce.status_line(standings, games))}. {state}</p>"
        if standings.games:
            lines = standings.lines()
            yield _table(*announce.crosstable(standings, lines))
            yield _table(*announce.scorings(standings, lines))
        yield '<main><div id="play"><div id="black"></div><div id="board"></div><div id="white"></div><p>'
        for name, sign in (("first", "|◀"), ("back", "◀"), ("on", "▶"), ("last", "▶|")):
            yield f'<button data-step="{name}" title="{name}" aria-label="{name}">{sign}</button>'
        yield '</p><p id="said" aria-live="polite"></p><p>Choose a game; arrow keys move.</p></div>'
        yield '<div id="games" tabindex="0"><table>'
        heads = ("round", "White", "Black", "result", "points", "end")
        yield f"<thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>"
        yield from reversed(self._rows)
        yield "</tbody></table></div></main>"
        yield f'<script type="application/json" id="data">[{",".join(self._games)}]</script>'
        yield f"<script>\n{_asset('page.js')}</script></body></html>\n"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    def line(row: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    cells = line(heads, "th") + "".join(line(row, "td") for row in rows)
    return f'<div class="wide"><table>{cells}</table></div>'


@cache
def _asset(name: str) -> str:
    return resources("tbgen.referee.match").joinpath(name).read_text(encoding="utf-8")


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        return _MARK in file.read(_HEAD)
