"""Results as notebooks show them."""

from collections.abc import Iterable
from html import escape
from typing import Final

import chess

from tbgen.probe.result import Result
from tbgen.probe.staircase import Staircase
from tbgen.probe.words import record_sentence, sentence

_BOARD: Final = 300
"""Pixels."""
_ROW: Final = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"
_SCROLLS: Final = "max-height:20em;overflow:auto;display:inline-block;vertical-align:top;margin-right:1.5em"


def html(result: Result, board: chess.Board | None = None) -> str:
    """The verdict, then the moves and the line as far as they were asked for. With a board, moves are written as
    players do: `Kh5` for `g5h5`."""
    parts = [
        f"<p><b>{escape(result.material)}</b>: {escape(sentence(result))}<br>{escape(record_sentence(result))}</p>"
    ]
    if result.moves is not None:
        names = (move.uci if board is None else board.san(move.move) for move in result.moves)
        rows = (
            (name, move.gscore, str(move.dtg) if move.dtg else "record stands")
            for name, move in zip(names, result.moves, strict=True)
        )
        parts.append(_table(("move", "outcome", "plies"), rows))
    if result.line:
        parts.append(_table(("line", "record"), ((move.san, move.record_gscore) for move in result.line)))
    return "".join(parts)


def page(board: chess.Board, result: Result, staircase: Staircase) -> str:
    """All that is known of a position."""
    found = beside(board, html(result, board))
    goal = ""
    if result.line:
        end = board.copy(stack=False)
        for move in result.line:
            end.push(move.move)
        goal = f"<figure style='margin:0'>{_drawn(end)}<figcaption>After the line</figcaption></figure>"
    return f"{found}<div style='{_ROW}'>{goal}<div>{staircase._repr_svg_()}</div></div>"


def beside(board: chess.Board, words: str) -> str:
    """A board, and words beside it."""
    return f"<div style='{_ROW}'><div>{_drawn(board)}</div><div style='flex:1;min-width:15em'>{words}</div></div>"


def _drawn(board: chess.Board) -> str:
    from tbgen.drawing.board import picture  # late: few ask for pictures

    return picture(board, size=_BOARD)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A long one scrolls."""

    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = line(heads, "th") + "".join(line(row, "td") for row in rows)
    return f"<div style='{_SCROLLS}'><table>{body}</table></div>"
