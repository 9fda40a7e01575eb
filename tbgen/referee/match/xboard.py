"""The protocol of xboard and Winboard, its first version included, which has no `setboard` and no `ping`.

The client library refuses engines that know no more than that. Here they are stood in for: positions are set up by
`edit`, and a `ping` is answered in the engine's place.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import chess
from chess.engine import InfoDict, XBoardProtocol

from tbgen.referee.match.figures import xboard_figures
from tbgen.referee.match.protocol import LONGEST, WATCHED, Guarded
from tbgen.rules import variants
from tbgen.system.text import decoded

_STOOD_IN_FOR: Final = ("ping", "setboard")
_NOT_KNOWN: Final = re.compile(
    rb"\s*(?:Error|Illegal move)\b.*:\s*"
    rb"(?:protover|accepted|rejected|random|computer|name|rating|post|nopost|easy|hard)\b"
)
"""What an engine says of a command that it may leave alone."""
_FIGURES: Final = re.compile(rb"\s*\d+\s+-?\d+\s+\d+\s+\d+\b")
"""Depth, score, time, nodes."""
_HOMES: Final = ((chess.WHITE, chess.E1, chess.BB_RANK_1), (chess.BLACK, chess.E8, chess.BB_RANK_8))
"""Where kings and rooks may castle."""


class _Features(dict[str, Any]):
    """What an engine says that it knows; the client library is told of more."""

    def get(self, key: str, default: Any = None) -> Any:
        return 1 if key in _STOOD_IN_FOR else super().get(key, default)

    def says(self, key: str) -> bool:
        """Whether the engine itself says so."""
        return bool(super().get(key))


class XBoard(Guarded, XBoardProtocol):
    """An engine of this protocol. There is no place for a record in it."""

    _figures = b""
    """Its last line of thinking since it moved."""

    def __init__(self) -> None:
        super().__init__()
        self.features: _Features = _Features()

    def send_line(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        if command == "new":
            self._figures = b""
        if command == "setboard" and not self.features.says(command):
            self._edit(chess.Board(rest))
        elif command == "ping" and not self.features.says(command):
            self.loop.call_soon(super(Guarded, self).pipe_data_received, 1, f"pong {rest}\n".encode())
        else:
            super().send_line(line)

    def _edit(self, board: chess.Board) -> None:
        """Set a position up, from that of the start: `edit` does not change whose turn it is, but a move does."""
        if board.turn is chess.BLACK:
            super().send_line("usermove a2a3" if self.features.says("usermove") else "a2a3")
        white, black = _men(board, chess.WHITE), _men(board, chess.BLACK)
        for line in ("edit", "#", *white, "c", *black, "."):
            super().send_line(line)

    def choose(self, lines: list[bytes]) -> Iterable[bytes]:
        self._figures = next(filter(_FIGURES.match, reversed(lines)), self._figures)
        return (line for line in lines if not _NOT_KNOWN.match(line))

    def thinks(self, board: chess.Board) -> InfoDict:
        return xboard_figures(decoded(self._figures[:LONGEST]), board, WATCHED)

    def line_received(self, line: str) -> None:
        if line.startswith("move "):
            self.answer = line.removeprefix("move").strip()
            self._figures = b""
        super().line_received(line)

    def lacks(self, board: chess.Board) -> str:
        is_chess = variants.of(board) is variants.CHESS
        played = "fischerandom" if is_chess and board.chess960 else board.xboard_variant or ""
        if played != "normal":
            if played not in str(self.features.get("variants", "")).split(","):
                return "Chess960" if is_chess else f"variant {played}"
            return "" if is_chess or self.features.says("setboard") else "setboard"
        return "" if self.features.says("setboard") or can_be_edited(board) else "setboard"


def _men(board: chess.Board, colour: chess.Color) -> list[str]:
    """Where a side's men stand: `Ke1`, `Pa2`."""
    men = board.piece_map(mask=board.occupied_co[colour])
    return [f"{piece.symbol().upper()}{chess.square_name(square)}" for square, piece in men.items()]


def can_be_edited(board: chess.Board) -> bool:
    """Whether `edit` says all of a position: men at home may castle, and nothing is taken en passant."""
    home = chess.BB_EMPTY
    for colour, king, rank in _HOMES:
        if board.king(colour) == king:
            home |= board.pieces_mask(chess.ROOK, colour) & rank & chess.BB_CORNERS
    return board.clean_castling_rights() == home and not board.has_legal_en_passant()
