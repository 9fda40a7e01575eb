"""Rule C's end of a game with bare kings: whether two G8.5 in a row leave a record that nobody can better."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import chess

from tbgen.core import outcome
from tbgen.probe import Tablebase
from tbgen.report.document import Remark, Section, Table, columns

_RECORD: Final = outcome.parse("-G8.5")
_MOVES: Final = 8
"""Of a king in the open: G8.5."""

_REMARK: Final = Remark(
    "White to move has eight moves, so Black's G8.5 is on the board and the record; each row counts White's moves to "
    "positions in which Black has eight as well. There rule set C ends the game, because “in optimal play the G-score "
    "can no longer be improved”. Positions are counted on all squares."
)


class Twice(NamedTuple):
    """Moves that bring a second G8.5."""

    moves: int
    standing: int
    """After which neither side can better the record."""
    first: str
    """A position after which it is bettered; none if there is none."""


def find(tablebase: Tablebase) -> tuple[Twice, Twice]:
    """White's best moves, and its others."""
    found: dict[bool, list[int]] = {True: [0, 0], False: [0, 0]}
    first = {True: "", False: ""}
    for board in _open_kings():
        worth = tablebase.probe(board, record=_RECORD).outcome
        for move in list(board.legal_moves):
            board.push(move)
            if board.legal_moves.count() == _MOVES:
                after = tablebase.probe(board, record=_RECORD).outcome
                best = after == worth
                found[best][0] += 1
                found[best][1] += after == _RECORD
                if after != _RECORD and not first[best]:
                    first[best] = board.fen()
            board.pop()
    return _twice(found[True], first[True]), _twice(found[False], first[False])


def _twice(counts: list[int], first: str) -> Twice:
    moves, standing = counts
    return Twice(moves, standing, first)


def _open_kings() -> Iterator[chess.Board]:
    """Bare kings, White to move with eight moves."""
    for white in chess.SQUARES:
        for black in chess.SQUARES:
            if chess.square_distance(white, black) > 1:
                board = chess.Board(None)
                board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
                if board.legal_moves.count() == _MOVES:
                    yield board


def section(best: Twice, other: Twice) -> Section:
    table = Table(
        "kings",
        "Bare kings at G8.5 twice running",
        columns(
            ("after", "after"),
            ("moves", "moves", "count"),
            ("standing", "the record stands", "count"),
            ("bettered", "it can be bettered", "count"),
            ("fen", "a position", "fen"),
        ),
        tuple((name, one.moves, one.standing, one.moves - one.standing, one.first)
              for name, one in (("best moves", best), ("other moves", other))),
    )  # fmt: skip
    found = (
        f"After best moves a second G8.5 leaves a record that stands in {best.standing:,} of {best.moves:,} cases, "
        f"after other moves in {other.standing:,} of {other.moves:,}."
    )
    return Section("kings", "Bare kings", (_REMARK, table), (found,))
