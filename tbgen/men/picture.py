"""Boards as SVG. A man beyond chess is a circle with its letter."""

from typing import Final

import chess
import chess.svg

from tbgen.men.board import FairyBoard

_COLOURS: Final = {True: ("#fff", "#000"), False: ("#000", "#fff")}


def drawn(board: chess.Board) -> str:
    """The picture that python-chess draws, with a place for each man of chess."""
    if not isinstance(board, FairyBoard):
        return chess.svg.board(board, coordinates=True)
    of_chess = chess.BaseBoard(None)
    of_chess.set_piece_map({square: man for square, man in board.piece_map().items() if man.piece_type < ord("A")})
    return chess.svg.board(of_chess, coordinates=True)


def glyphs(board: chess.Board) -> str:
    """The men beyond chess, to be drawn above that."""
    if not isinstance(board, FairyBoard):
        return ""
    men = [(square, man) for square, man in board.piece_map().items() if man.piece_type >= ord("A")]
    return "".join(_glyph(square, man) for square, man in men)


def picture(board: chess.Board) -> str:
    """All of it."""
    return drawn(board).replace("</svg>", f"{glyphs(board)}</svg>")


def _glyph(square: chess.Square, man: chess.Piece) -> str:
    x, y = (chess.svg.MARGIN + chess.svg.SQUARE_SIZE * (place + 0.5) for place in (square % 8, 7 - square // 8))
    fill, ink = _COLOURS[man.color]
    return (
        f'<circle cx="{x}" cy="{y}" r="17" fill="{fill}" stroke="#000" stroke-width="1.5"/>'
        f'<text x="{x}" y="{y}" dy=".35em" text-anchor="middle" font-size="22" font-family="sans-serif" fill="{ink}">'
        f"{chr(man.piece_type)}</text>"
    )
