"""`Tablebase`: the tables of a directory and of the package, asked for positions."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Self, TypeVar, overload

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen import outcome as outcomes
from tbgen.errors import BadInput, MissingTable, UnsupportedPosition
from tbgen.position import check_record
from tbgen.probe import play
from tbgen.probe.numbering import check, is_sound
from tbgen.probe.result import Answers, Fresh, Positions, Result, ResultWithMoves, UnknownMove
from tbgen.probe.tables import OpenTables
from tbgen.rules.fen import read_fen
from tbgen.store import BUNDLED
from tbgen.table_rules import TableRules

T = TypeVar("T")

Record = int | str | None
"""An outcome as tbgen/outcome.py makes it, or as text; None where the position's own goal is the record."""


class Tablebase:
    """Tables of one rule set. Use it in a `with` block, or close it.

    >>> with open_tablebase() as tablebase:  # doctest: +SKIP
    ...     tablebase.probe(chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")).gscore
    'G1.5'
    """

    def __init__(self, directory: str | PathLike[str] | None = None, rules: str = TableRules.RESET) -> None:
        self._tables = OpenTables(BUNDLED if directory is None else directory, rules)

    @property
    def rules(self) -> TableRules:
        return self._tables.rules

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files. A later probe opens them again."""
        self._tables.close()

    @overload
    def probe(
        self,
        position: chess.Board | str,
        record: Record = None,
        *,
        moves: Literal[True],
        line: bool = False,
        partial: bool = False,
    ) -> ResultWithMoves: ...

    @overload
    def probe(
        self,
        position: chess.Board | str,
        record: Record = None,
        *,
        moves: bool = False,
        line: bool = False,
        partial: bool = False,
    ) -> Result: ...

    def probe(
        self,
        position: chess.Board | str,
        record: Record = None,
        *,
        moves: bool = False,
        line: bool = False,
        partial: bool = False,
    ) -> Result:
        """What a position, a board or a FEN, is worth under the record of the game so far.

        A FEN may have the record as its seventh field; `record` counts in its place.
        The position's own goal always counts: it is the record if none is given, or if the given one is weaker.
        The board's counters and its move stack are ignored.
        With `partial`, moves that lead to missing tables are in `unknown`, and no error.

        Raises MissingTable, UnsupportedPosition, BadInput for an illegal position, CorruptTable.
        """
        if isinstance(position, str):
            board, record = self._read(position, record)
        else:
            board = position
        if not is_sound(board):
            check(board)
        given = None if record is None else _outcome(board, record)
        found = play.result(self._tables, board, given)
        if moves:
            unknown: list[UnknownMove] | None = [] if partial else None
            known = play.moves(self._tables, board, found.record, unknown)
            found = ResultWithMoves(*found)._replace(moves=tuple(known), unknown=tuple(unknown or ()))
        if line:
            found = found._replace(line=tuple(play.line(self._tables, board, found)))
        return found

    def get(self, position: chess.Board | str, default: T | None = None, *, record: Record = None) -> Result | T | None:
        """As `probe`, but `default` for a position that no table covers. An illegal position is still an error."""
        try:
            return self.probe(position, record)
        except (MissingTable, UnsupportedPosition):
            return default

    def probe_fresh(self, board: chess.Board) -> Fresh:
        """Outcome and distance just after a capture or a pawn move: the same as without a record, but faster."""
        if not is_sound(board):
            check(board)
        if play.has_right(board):
            found = play.result(self._tables, board, None)
            return Fresh(found.outcome, found.dtg)
        return self._tables.fresh(board)

    def _read(self, fen: str, record: Record) -> tuple[chess.Board, Record]:
        """A FEN's board, and the record: the given one, else the FEN's."""
        read = read_fen(fen, whole_game=self.rules == TableRules.WHOLE_GAME)
        if record is not None:
            return read.board, record
        if read.dropped is not None and read.record is not None:
            raise BadInput(
                f"a FEN with a halfmove clock of 0 has the position's own G-score, {outcomes.text(read.record)}, as "
                f"record, not {outcomes.text(read.dropped)}"
            )
        return read.board, read.record

    @overload
    def probe_many(
        self, positions: Positions, records: Sequence[Record] | NDArray[np.integer] | None = None
    ) -> Answers: ...

    @overload
    def probe_many(
        self, positions: Iterable[chess.Board | str], records: Sequence[Record] | None = None
    ) -> list[Result]: ...

    def probe_many(
        self, positions: Positions | Iterable[chess.Board | str], records: Any = None
    ) -> Answers | list[Result]:
        """Probe arrays at once, see `Positions` and `Answers`, or boards and FENs, as `probe` does, one by one.

        `records` holds one record per position; in an array of integers, 0 is the position's own goal."""
        if isinstance(positions, Positions):
            from tbgen.probe import many  # late: one probe needs none of it

            if records is not None and not isinstance(records, np.ndarray):
                records = [_number(record) for record in records]
            return many.answer(self._tables, positions, records)
        boards = list(positions)
        if records is None:
            return [self.probe(board) for board in boards]
        given: list[Record] = list(records)
        if len(given) != len(boards):
            raise BadInput(f"{len(given)} records for {len(boards)} positions")
        return [self.probe(board, record) for board, record in zip(boards, given, strict=True)]


def open_tablebase(directory: str | PathLike[str] | None = None, rules: str = TableRules.RESET) -> Tablebase:
    """The tables for `r` (captures and pawn moves reset the record) or `wg` (nothing does).

    The directory's tables come first; the package's own, of two and three men, fill the gaps. Without a directory
    they are all there is.
    A table is opened when a position first needs it, so tables built meanwhile are found."""
    return Tablebase(directory, rules)


def _number(record: Record) -> int:
    """The outcome; 0 for None."""
    if record is None:
        return 0
    return outcomes.parse(record) if isinstance(record, str) else outcomes.checked(record)


def _outcome(board: chess.Board, record: int | str) -> int:
    found = _number(record)
    check_record(found, board)
    return found
