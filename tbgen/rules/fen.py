"""FEN with an optional seventh field: the record, as in `8/8/8/2K3k1/8/8/8/8 w - - 12 71 -G5.5`.

The field says what a position cannot: the best goal since the last reset. Without it the
position's own goal is the record. It adds nothing when the halfmove clock is 0, or when the
position's own goal is better, or equal and of the same side; an equal goal of the other side came
first and stands.
"""

import re
from typing import Final

import chess

from tbgen import outcome, position
from tbgen.errors import BadInput
from tbgen.rules.record import standing

FIELDS: Final = 6
LONGEST: Final = 200
"""No FEN is longer: 71 characters of board and a few dozen for the rest."""

_SHOWN: Final = 60
_COUNTER: Final = re.compile(r"[0-9]{1,6}\Z")
_RECORD: Final = re.compile(r"[+\-mM]?[gG]")
_FILES: Final = re.compile(r"[A-Ha-h]")
_COUNTERS: Final = ((4, "halfmove clock"), (5, "move number"))


def parse_fen(text: str, *, whole_game: bool = False, chess960: bool = False) -> tuple[chess.Board, int | None]:
    """The board, and the record that stands on it if the seventh field is there.

    The record is what counts for the game: the position's own goal is already counted in, and a
    redundant field gives just that goal. As in python-chess, the last fields may be missing; but
    the record is always the seventh. `whole_game`: nothing resets, so a halfmove clock of 0 does
    not make the field redundant. Castling rights by file (`HAha`) are those of Chess960, and so are
    others (`KQkq`) that fit kings and rooks in no other game.
    """
    fields = _fields(text)
    written = None
    if len(fields) > FIELDS:
        written = outcome.parse(fields.pop())
    for place, name in _COUNTERS:
        if place < len(fields) and not _COUNTER.match(fields[place]):
            if _RECORD.match(fields[place]):
                raise BadInput(f"the record is field 7 of a FEN, not {place + 1}: {_shown(text)}")
            raise BadInput(f"the {name} of a FEN is a number, not {fields[place]!r}")
    chess960 = chess960 or bool(_FILES.search(" ".join(fields[2:3])))
    try:
        board = chess.Board(" ".join(fields))
    except ValueError as error:
        raise BadInput(f"not a FEN: {error}") from None
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    found = position.fault(board)
    if found is not None:
        raise BadInput(f"illegal position: {found}: {_shown(text)}")
    if written is None:
        return board, None
    return board, standing(board, written, whole_game=whole_game).outcome


def format_fen(board: chess.Board, record: int | None = None, *, whole_game: bool = False) -> str:
    """The FEN, with a seventh field if a record is given: the one that will stand when read."""
    fen = board.fen()
    if record is None:
        return fen
    return f"{fen} {outcome.text(standing(board, record, whole_game=whole_game).outcome)}"


def _fields(text: str) -> list[str]:
    """The fields of a FEN, their number checked."""
    if len(text) > LONGEST:
        raise BadInput(f"too long for a FEN ({len(text)} characters): {_shown(text)}")
    if not text.isascii() or not text.replace("\t", " ").strip().isprintable():
        raise BadInput(f"a FEN has no such characters: {_shown(text)}")
    fields = text.split()
    if not fields:
        raise BadInput("an empty text is not a FEN")
    if len(fields) > FIELDS + 1:
        raise BadInput(f"a FEN has at most 7 fields, not {len(fields)}: {_shown(text)}")
    return fields


def _shown(text: str) -> str:
    """A text as it may stand in a message: one line, not too long."""
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
