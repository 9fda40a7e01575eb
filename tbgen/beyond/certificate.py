"""Certificates as they are written: a claim that a side is sure of a bound, with its replies. docs/proofs.md has the
format; tbgen/beyond/checker.py, which reads it, shares nothing with this.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import chess

from tbgen.core import outcome
from tbgen.system.text import to_json

FORMAT = "tbgen 2"


class Reply(NamedTuple):
    """What a side plays in a position."""

    position: str
    """The name that `name_of` gives it."""
    move: str
    record: int
    """Under this record, or one that is better for the side."""
    rank: int | None = None
    """Falls from reply to reply while the record is worse than the bound; None where it is not worse."""


def name_of(board: chess.Board) -> str:
    """The placement of the men, as in a FEN, the rights to castle, and the square of a legal capture en passant."""
    name = board.board_fen()
    if board.castling_rights:
        name += f":{board.castling_xfen()}"
    if board.ep_square is not None and board.has_legal_en_passant():
        name += f":{chess.square_name(board.ep_square)}"
    return name


def lines_of(
    board: chess.Board, record: int, defender: chess.Color, bound: int, plies: int | None, replies: Iterable[Reply]
) -> Iterator[str]:
    """A claim as text. `plies`: see the checker."""
    found = sorted(replies, key=lambda reply: reply.record)
    yield to_json(
        {
            "claim": FORMAT,
            "fen": board.fen(),
            "record": outcome.text(record),
            "defender": chess.COLOR_NAMES[defender],
            "bound": outcome.text(bound),
            "plies": plies,
            "replies": len(found),
        }
    )
    for under, those in groupby(found, key=lambda reply: reply.record):
        yield outcome.text(under)
        for reply in those:
            yield f"{reply.position} {reply.move}" + ("" if reply.rank is None else f" {reply.rank}")
