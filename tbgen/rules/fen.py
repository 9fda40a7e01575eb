"""FEN with an optional seventh field: the record, as in `8/8/8/2K3k1/8/8/8/8 w - - 12 71 -G5.5`.

The field says what a position cannot: the best goal since the last reset. Without it the
position's own goal is the record. It adds nothing when the halfmove clock is 0, or when the
position's own goal is better, or equal and of the same side; an equal goal of the other side came
first and stands.
"""

import re
from typing import Final, NamedTuple

import chess

from tbgen.board.men import Men
from tbgen.core import outcome, position
from tbgen.errors import BadInput, check_kind, quoted
from tbgen.rules.record import standing
from tbgen.rules.variants import CHESS, Variant
from tbgen.system.suggestions import hint
from tbgen.system.text import typed

FIELDS: Final = 6
LONGEST: Final = 200
"""No FEN is longer: 71 characters of board and a few dozen for the rest."""

_FIFTY: Final = 100
"""Plies."""
_COUNTER: Final = re.compile(r"[0-9]{1,6}\Z")
_RECORD: Final = re.compile(r"[+\-mM]?[gG]")
_FILES: Final = re.compile(r"[A-Ha-h]")
QUOTES: Final = "\"'"
"""Around a FEN they are left out."""
_OTHERWISE: Final = {"startpos": chess.STARTING_FEN}
_REQUIRED: Final = 2
_OPTIONAL: Final = ("-", "-", "0", "1")
"""What the fields behind the required ones are where they are missing."""
_COUNTERS: Final = ((4, "halfmove clock"), (5, "move number"))
_EXTRA: Final = 4
"""The place of a field that only a variant has; one with a sign before it stands behind the others."""


class Fen(NamedTuple):
    """What a FEN says."""

    board: chess.Board
    record: int | None
    """The one that stands; None without a seventh field. At a halfmove clock of 100 it is what the field says, mate and
    stalemate apart: the rules of a game say whether the position counts."""
    dropped: int | None = None
    """What the seventh field says where that is neither the record nor can it be: the halfmove clock is 0, and the
    position's own goal is another."""

    @property
    def note(self) -> str:
        """A sentence that says what is dropped."""
        if self.dropped is None or self.record is None:
            return ""
        return (
            f"the record {outcome.text(self.dropped)} is left out: the halfmove clock is 0, "
            f"so it is the position's own, {outcome.text(self.record)}"
        )


def read_fen(
    text: str,
    *,
    whole_game: bool = False,
    chess960: bool = False,
    variant: Variant = CHESS,
    men: Men | None = None,
) -> Fen:
    """The board, the record that stands on it if the seventh field is there, and what is dropped of it.

    The record is what counts for the game: the position's own goal is already counted in (see `Fen`), and a
    redundant field gives just that goal. Fields behind the side to move may be missing, as in
    python-chess; but the record is always the seventh. `whole_game`: nothing resets, so a halfmove clock of 0 does
    not make the field redundant. Castling rights by file (`HAha`) are those of Chess960, and so are
    others (`KQkq`) that fit kings and rooks in no other game. `men`: what letters stand for that chess does not have.

    BadInput for an illegal position, and for a record under which no game goes on.
    """
    fields, extra = _apart(_fields(text), variant)
    if len(fields) > FIELDS + 1:
        raise BadInput(f"a FEN has at most 7 fields, not {len(fields)}: {quoted(text, ascii)}")
    if not variant.placement.fullmatch(fields[0]):
        if meant := hint(text, otherwise=_OTHERWISE):
            raise BadInput(f"not a FEN: {quoted(text, ascii)} ({meant.rstrip()})")
        raise BadInput(f"not a FEN: a board has 8 rows: {quoted(text, ascii)}")
    written = None
    if len(fields) > FIELDS:
        written = outcome.parse(fields.pop())
    for place, name in _COUNTERS:
        if place < len(fields) and not _COUNTER.match(fields[place]):
            if _RECORD.match(fields[place]):
                raise BadInput(f"the record is field 7 of a FEN, not {place + 1}: {quoted(text, ascii)}")
            raise BadInput(f"the {name} of a FEN is a number, not {quoted(fields[place], ascii)}")
    chess960 = chess960 or bool(_FILES.search(" ".join(fields[2:3])))
    board = position.read(" ".join(_together(fields, extra)), chess960=chess960, kind=variant.board, men=men)
    if board.castling_rights:
        board.chess960 = chess960 or board.has_chess960_castling_rights()
    found = position.fault(board)
    if found is not None:
        raise BadInput(f"illegal position: {found}: {quoted(text, ascii)}")
    if written is None:
        return Fen(board, None)
    stands = _stands(board, written, whole_game=whole_game)
    is_void = board.halfmove_clock == 0 and not whole_game
    return Fen(board, stands, written if is_void and written != stands else None)


def format_fen(board: chess.Board, record: int | None = None, *, whole_game: bool = False) -> str:
    """The FEN, with a seventh field if a record is given: the one that will stand when read."""
    fen = board.fen()
    if record is None:
        return fen
    return f"{fen} {outcome.text(_stands(board, record, whole_game=whole_game))}"


def _stands(board: chess.Board, record: int, *, whole_game: bool) -> int:
    """The record that a FEN says."""
    return standing(board, record, whole_game=whole_game, closing=board.halfmove_clock >= _FIFTY).outcome


def with_record(text: str, record: str) -> str:
    """A FEN with this record as its seventh field, unless it has one. Fields that are missing before it are written."""
    fields = typed(text).split()
    if len(fields) < _REQUIRED or _RECORD.match(fields[-1]):
        return text
    return " ".join([*fields, *_OPTIONAL[len(fields) - _REQUIRED :], record])


def without_record(text: str) -> str:
    """Return a FEN without the record's field."""
    fields = typed(text).split()
    return " ".join(fields[:-1]) if fields and _RECORD.match(fields[-1]) else text


def _fields(text: str) -> list[str]:
    """The fields of a FEN, their number checked."""
    check_kind(text, str, "a FEN", "give the text of one")
    if len(text) > LONGEST:
        raise BadInput(f"too long for a FEN (more than {LONGEST} characters): {quoted(text, ascii)}")
    plain = typed(text).replace("\t", " ").strip().strip(QUOTES)
    if not plain.isascii() or not plain.isprintable():
        raise BadInput(f"a FEN has no such characters: {quoted(text, ascii)}")
    fields = plain.split()
    if not fields:
        raise BadInput("an empty text is not a FEN")
    return fields


def _apart(fields: list[str], variant: Variant) -> tuple[list[str], str]:
    """The fields of chess, and the one that only the variant has, if it is there."""
    if variant.extra is not None:
        for place, field in enumerate(fields):
            if place >= _EXTRA and variant.extra.fullmatch(field):
                return [*fields[:place], *fields[place + 1 :]], field
    return fields, ""


def _together(fields: list[str], extra: str) -> list[str]:
    """The fields as python-chess reads them."""
    if not extra:
        return fields
    fields = [*fields, *_OPTIONAL[len(fields) - _REQUIRED :]]
    return [*fields, extra] if extra.startswith("+") else [*fields[:_EXTRA], extra, *fields[_EXTRA:]]
