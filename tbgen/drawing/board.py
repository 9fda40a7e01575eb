"""Positions as SVG: the men that python-chess draws, and for a man beyond chess a circle with its letter."""

import re
from functools import cache
from html import escape
from typing import Final

import chess
import chess.svg

from tbgen.board.men.board import FairyBoard
from tbgen.drawing import palette

_MEN: Final = re.compile(r"<use [^>]*/>")


def picture(board: chess.Board, *, size: int | None = None, coordinates: bool = True) -> str:
    """A picture of its own."""
    drawn = chess.svg.board(_of_chess(board), size=size, coordinates=coordinates, colors=_colours())
    return drawn.replace("</svg>", f"{_beyond_chess(board, chess.svg.MARGIN * coordinates)}</svg>")


@cache
def shared() -> str:
    """The empty board and the men, once for a page of many boards."""
    empty = chess.svg.board(None, colors=_colours())
    squares = empty[empty.index(">") + 1 : empty.rindex("</svg>")]
    men = "".join(chess.svg.PIECES.values())
    symbol = f'<symbol id="empty-board" viewBox="{_view(empty)}">{squares}</symbol>'
    return f'<svg class="shared" width="0" height="0" aria-hidden="true">{men}{symbol}</svg>'


def sharing(board: chess.Board, told: str) -> str:
    """A position on a page that has what is `shared`, with a few words of which one it is."""
    drawn = chess.svg.board(_of_chess(board))
    men = "".join(re.sub(r' xlink:href="[^"]*"', "", man) for man in _MEN.findall(drawn))
    label = escape(f"{told}: {board.fen()}")
    return (
        f'<svg class="board" viewBox="{_view(drawn)}" role="img" aria-label="{label}">'
        f'<use href="#empty-board"/>{men}{_beyond_chess(board, chess.svg.MARGIN)}</svg>'
    )


def _colours() -> dict[str, str]:
    colours = palette()
    return {
        "square light": colours["light-square"],
        "square dark": colours["dark-square"],
        "margin": "#00000000",
        "coord": colours["coordinate"],
    }


def _view(picture: str) -> str:
    return picture.split('viewBox="', 1)[1].split('"', 1)[0]


def _of_chess(board: chess.Board) -> chess.BaseBoard:
    """The board without its men beyond chess: python-chess has no picture of them."""
    if not isinstance(board, FairyBoard):
        return board
    found = chess.BaseBoard(None)
    found.set_piece_map({square: man for square, man in board.piece_map().items() if man.piece_type < ord("A")})
    return found


def _beyond_chess(board: chess.Board, margin: float) -> str:
    men = ((square, man) for square, man in board.piece_map().items() if man.piece_type >= ord("A"))
    return "".join(_glyph(square, man, margin) for square, man in men)


def _glyph(square: chess.Square, man: chess.Piece, margin: float) -> str:
    x, y = (margin + chess.svg.SQUARE_SIZE * (place + 0.5) for place in (square % 8, 7 - square // 8))
    white, black = palette()["white-man"], palette()["black-man"]
    fill, ink = (white, black) if man.color else (black, white)
    return (
        f'<circle cx="{x}" cy="{y}" r="17" fill="{fill}" stroke="{black}" stroke-width="1.5"/>'
        f'<text x="{x}" y="{y}" dy=".35em" text-anchor="middle" font-size="22" font-family="sans-serif" fill="{ink}">'
        f"{chr(man.piece_type)}</text>"
    )
