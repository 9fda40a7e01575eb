"""Boards as SVG. The empty board and the men are on the page once; boards refer to them."""

import re
from functools import cache
from html import escape
from typing import Final

import chess
import chess.svg

from tbgen.men.picture import drawn, glyphs

_MEN: Final = re.compile(r"<use [^>]*/>")
_COLOURS: Final = {"square light": "#f0d9b5", "square dark": "#b58863", "margin": "#00000000", "coord": "#7d7a75"}


@cache
def shared() -> str:
    empty = chess.svg.board(None, coordinates=True, colors=_COLOURS)
    squares = empty[empty.index(">") + 1 : empty.rindex("</svg>")]
    men = "".join(chess.svg.PIECES.values())
    symbol = f'<symbol id="empty-board" viewBox="{_view(empty)}">{squares}</symbol>'
    return f'<svg class="shared" width="0" height="0" aria-hidden="true">{men}{symbol}</svg>'


def _view(picture: str) -> str:
    return picture.split('viewBox="', 1)[1].split('"', 1)[0]


def board(position: chess.Board, told: str) -> str:
    """A position, with a few words of which one it is."""
    picture = drawn(position)
    men = "".join(re.sub(r' xlink:href="[^"]*"', "", man) for man in _MEN.findall(picture)) + glyphs(position)
    label = escape(f"{told}: {position.fen()}")
    return (
        f'<svg class="board" viewBox="{_view(picture)}" role="img" aria-label="{label}">'
        f'<use href="#empty-board"/>{men}</svg>'
    )
