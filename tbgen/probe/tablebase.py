"""`Tablebase`: the tables of a directory and of the package, asked for positions."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, overload

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.board.men import known
from tbgen.core import outcome as outcomes
from tbgen.core.material import MEN_IN_TABLES, Material
from tbgen.core.position import check_legal, check_record, goal, is_plain, record_of
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, CorruptTable, MissingTable, UnsupportedPosition, check_kind
from tbgen.probe import bounds, play
from tbgen.probe.local import LocalFiles
from tbgen.probe.numbering import check, check_men, is_sound, material_of
from tbgen.probe.result import Answers, MoveResult, Positions, Result, ResultWithMoves, UnknownMove
from tbgen.probe.staircase import Staircase, staircase
from tbgen.probe.sure import OnlyBounds, SureResult
from tbgen.probe.tables import OpenTables
from tbgen.probe.view import View
from tbgen.rules.fen import read_fen
from tbgen.store import BUNDLED, TableFile
from tbgen.system.locations import VARIABLE, existing

T = TypeVar("T")

Record = int | str | None
"""An outcome as tbgen/core/outcome.py makes it, or as text; None where the position's own goal is the record."""


class Tablebase:
    """Tables of one rule set. Use it in a `with` block, or close it. A copy that is sent to another process (pickled)
    opens the files for itself.

    >>> with open_tablebase() as tablebase:  # doctest: +SKIP
    ...     tablebase.probe(chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")).gscore
    'G1.5'
    """

    def __init__(
        self, directory: str | PathLike[str] | None = None, rules: str = TableRules.RESET, threads: int = 1
    ) -> None:
        self._directory = directory
        self._threads = threads
        self._tables = OpenTables(BUNDLED if directory is None else directory, rules, threads=threads)
        self._local = LocalFiles(directory) if directory is not None and self.rules == TableRules.RESET else None

    def __reduce__(self) -> tuple[type[Self], tuple[str | PathLike[str] | None, str, int]]:
        return type(self), (self._directory, self.rules.value, self._threads)

    @property
    def directory(self) -> Path | None:
        """Where its tables are; None: the package's alone."""
        return None if self._directory is None else Path(self._directory)

    @property
    def local(self) -> LocalFiles | None:
        """The local tables that are kept in the directory."""
        return self._local

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
        if self._local is not None:
            self._local.close()

    def table(self, material: Material) -> TableFile:
        """The complete table of a normal material, to be read as a whole. It closes with the tablebase.

        Raises MissingTable, CorruptTable."""
        check_kind(material, Material, "a material", "parse in tbgen.core.material makes one from its name")
        return self._tables.table(material)

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
        With `partial`, moves that lead to missing tables are in `unknown`, and no error; the line ends where one may
        be best.

        Local tables, which `tbgen solve --keep` leaves, are asked where no complete table has the position. A mate or a
        stalemate needs no table.

        Raises MissingTable, UnsupportedPosition, BadInput for an illegal position, CorruptTable; and OnlyBounds, a
        MissingTable, where local tables know bounds: they are in its `known`, and `sure` gives them.
        """
        board, given = self._asked(position, record)
        try:
            found = play.result(self._tables, board, given)
        except (MissingTable, UnsupportedPosition):
            over = play.at_end(goal(board))
            if over is None:
                known = self._sure(board, given, line=line)
                if known is None:
                    raise
                return _as_result(known, moves=moves, line=line, partial=partial)
            found = over._replace(material=material_of(board).normal.name)
        if moves:
            unknown: list[UnknownMove] | None = [] if partial else None
            there = play.moves(self._tables, board, found.record, unknown)
            found = ResultWithMoves(*found)._replace(moves=tuple(there), unknown=tuple(unknown or ()))
        if line:
            found = found._replace(line=tuple(play.line(self._tables, board, found, partial=partial)))
        return found

    def staircase(self, position: chess.Board | str, record: Record = None) -> Staircase:
        """What a position is worth under every record that a game can bring along. Raises what `probe` raises."""
        board, given = self._asked(position, record)
        return staircase(self.probe, board.copy(stack=False), self.probe(board, given).record)

    def show(self, position: chess.Board | str, record: Record = None) -> View:
        """All that is known of a position, for people: a notebook shows board, verdict, moves, line and staircase.
        Raises what `probe` raises."""
        board, given = self._asked(position, record)
        found = self.probe(board, given, moves=True, line=True, partial=True)
        return View(board.copy(stack=False), found, self.staircase(board, given))

    def sure(self, position: chess.Board | str, record: Record = None, *, line: bool = False) -> SureResult | None:
        """What local tables prove of a position and of each of its moves; None where no local table has it."""
        return self._sure(*self._asked(position, record), line=line)

    def complete(self, board: chess.Board, record: int | None = None) -> Result:
        """What complete tables alone say of a legal position. MissingTable and UnsupportedPosition where they say
        nothing."""
        if not is_plain(board, MEN_IN_TABLES):
            check(board)
            check_men(board.occupied.bit_count())
        return play.result(self._tables, board, record)

    def known(self, board: chess.Board, record: int | None = None) -> Result | None:
        """What complete tables alone say of a legal position; None where there is none for it."""
        try:
            return self.complete(board, record)
        except (MissingTable, UnsupportedPosition):
            return None

    def beyond(self, board: chess.Board, record: int | None = None) -> list[MoveResult]:
        """Of a legal position that no table has, the moves that end the game or lead to a complete table. Best first,
        as far as that can be said: other moves may be better."""
        check_legal(board)
        own = goal(board)
        return play.moves(_Few(self._tables), board, own if record is None else outcomes.improved(record, own), [])

    def _asked(self, position: chess.Board | str, record: Record) -> tuple[chess.Board, int | None]:
        """A legal position, and the record of the game."""
        if isinstance(position, chess.Board):
            board = position
        else:
            check_kind(position, str, "a position", "give a FEN or a chess.Board")
            board, record = self._read(position, record)
        if not is_plain(board, MEN_IN_TABLES):
            check(board)
        return board, None if record is None else _outcome(board, record)

    def _sure(self, board: chess.Board, record: int | None, *, line: bool) -> SureResult | None:
        if self._local is not None and board.pawns:
            with suppress(MissingTable, UnsupportedPosition):  # of two looks, the second may not find what was there
                if self._local.covers(board):
                    return bounds.answer(self._local, board, record, self, line=line)
        return None

    def get(self, position: chess.Board | str, default: T | None = None, *, record: Record = None) -> Result | T | None:
        """As `probe`, but `default` for a position that no table covers. An illegal position is still an error."""
        try:
            return self.probe(position, record)
        except (MissingTable, UnsupportedPosition):
            return default

    def _read(self, fen: str, record: Record) -> tuple[chess.Board, Record]:
        """A FEN's board, and the record: the given one, else the FEN's."""
        read = read_fen(fen, whole_game=self.rules == TableRules.WHOLE_GAME, men=known())
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
        if isinstance(positions, str | chess.Board):
            raise BadInput("probe_many takes a list of positions: probe answers one")
        boards = list(positions)
        if records is None:
            return [self.probe(board) for board in boards]
        given: list[Record] = list(records)
        if len(given) != len(boards):
            raise BadInput(f"{len(given)} records for {len(boards)} positions")
        return [self.probe(board, record) for board, record in zip(boards, given, strict=True)]


def open_tablebase(
    directory: str | PathLike[str] | None = None, rules: str = TableRules.RESET, *, threads: int = 1
) -> Tablebase:
    """The tables for `r` (captures and pawn moves reset the record) or `wg` (nothing does).

    The directory's tables come first; the package's own, of two and three men, fill the gaps. Without a directory, the
    environment's `TBGEN_TABLES` names one; without that, the package's tables are all there is.
    A table is opened when a position first needs it, so tables built meanwhile are found. `threads`: how many decode
    when much of a table is read in order."""
    if directory is None:
        directory = os.environ.get(VARIABLE) or None
    return Tablebase(None if directory is None else existing(directory), rules, threads=threads)


class _Few:
    """Tables, asked for boards that may have more men than any table."""

    def __init__(self, tables: OpenTables) -> None:
        self._tables = tables
        self.whole_game = tables.whole_game
        self.name = tables.name
        self.source = tables.source

    def result(self, board: chess.Board, record: int | None) -> Result:
        if not is_sound(board):
            raise MissingTable("no table has such a position")
        try:
            return self._tables.result(board, record)
        except CorruptTable as error:  # what is known of the other moves is true all the same
            raise MissingTable(str(error)) from error


def _number(record: Record) -> int:
    """The outcome; 0 for None."""
    return 0 if record is None else record_of(record)


def _outcome(board: chess.Board, record: int | str) -> int:
    found = _number(record)
    check_record(found, board)
    return found


def _as_result(known: SureResult, *, moves: bool, line: bool, partial: bool) -> Result:
    """What local tables prove, if that is the outcome; OnlyBounds if it is less, or if it is so of a move."""
    if known.sure.dtg is None:
        from tbgen.probe.words import bounds as told  # late: words are made of results

        raise OnlyBounds(f"local tables of {known.material} know bounds only: {told(known.sure)}", "", known)
    found = Result(known.material, known.sure.white, known.sure.dtg, True, known.record)
    if line:
        found = found._replace(line=tuple(known.line))
    if not moves:
        return found
    sure = [
        MoveResult(one.move, one.sure.white, one.sure.dtg, True, one.reset, one.record)
        for one in known.moves
        if one.sure.dtg is not None
    ]
    unknown = [UnknownMove(one.move, one.reset, "") for one in known.moves if one.sure.dtg is None]
    if unknown and not partial:
        move = unknown[0].move.uci()
        raise OnlyBounds(f"local tables of {known.material} know only bounds of what {move} leads to", "", known)
    ranked = play.ranked(sure, known.turn, known.record)
    return ResultWithMoves(*found)._replace(moves=tuple(ranked), unknown=tuple(unknown))
