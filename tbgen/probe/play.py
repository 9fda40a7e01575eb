"""Answers that take a look at further positions: ordered moves, the line of best play, rights to capture en passant.

A position with such a right has more moves than the one in the table, and so another level. It is on no cycle, so it
is worth what its best move is worth. So is any position: a slim table leaves out those of one side to move.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

import chess

from tbgen.core import outcome as outcomes
from tbgen.core.position import goal
from tbgen.errors import CorruptTable, MissingTable
from tbgen.probe.result import LineMove, MoveResult, Result, UnknownMove


class Tables(Protocol):
    """Whoever knows positions without such a right: the tables of a directory (tables.py), or others."""

    @property
    def whole_game(self) -> bool: ...

    def name(self, board: chess.Board) -> str:
        """The name of the table that a position is in."""

    def source(self, board: chess.Board) -> str:
        """The place where that table is."""

    def result(self, board: chess.Board, record: int | None) -> Result:
        """What a position is worth under a record; None: its own goal. MissingTable where that is not known."""


def has_right(board: chess.Board) -> bool:
    """Whether a capture en passant is legal."""
    return board.ep_square is not None and board.has_legal_en_passant()


def result(tables: Tables, board: chess.Board, record: int | None) -> Result:
    """What any sound board is worth under a record; None: its own goal."""
    return searched(tables, board, record) if has_right(board) else tables.result(board, record)


def searched(tables: Tables, board: chess.Board, record: int | None) -> Result:
    """The same by a ply of search, of a position that no table has though others have all that its moves lead to."""
    own = goal(board)
    standing = own if record is None else outcomes.improved(record, own)
    over = at_end(own)
    if over is not None:
        return over._replace(material=tables.name(board))
    found = moves(tables, board, standing)
    best = found[0]
    # A move that leads to the outcome of the record gains nothing: the record stands.
    distance = 0 if best.outcome == standing else best.dtg
    return Result(tables.name(board), best.outcome, distance, all(one.exact for one in found), standing)


def moves(
    tables: Tables, board: chess.Board, standing: int, unknown: list[UnknownMove] | None = None
) -> list[MoveResult]:
    """All legal moves under the record that stands, best first. Those that lead to a missing table are put into
    `unknown`, if it is given; but no table is needed where the game is over.

    Of equal outcomes that better or keep the record for the side to move the nearest comes first, of worse ones the
    farthest; moves that are still equal go by name."""
    board = board.copy(stack=False)
    there = list(board.legal_moves)
    return ranked(list(_each(tables, board, there, standing, unknown)), board.turn, standing)


def _each(
    tables: Tables, board: chess.Board, there: Iterable[chess.Move], standing: int, unknown: list[UnknownMove] | None
) -> Iterator[MoveResult]:
    """What each move is worth, looked up when it is asked for; the board is as it was by then."""
    for move in there:
        reset = not tables.whole_game and board.is_zeroing(move)
        board.push(move)
        try:
            after = result(tables, board, None if reset else standing)
        except MissingTable as error:
            over = at_end(goal(board))
            if over is not None:
                after = over
            elif unknown is not None:
                unknown.append(UnknownMove(move, reset, error.table))
                continue
            else:
                raise
        finally:
            board.pop()
        untouched = not reset and after.record == standing == after.outcome
        distance = 0 if untouched else after.dtg + 1
        yield MoveResult(move, after.outcome, distance, after.exact, reset, after.record)


def at_end(own: int) -> Result | None:
    """What a position with this goal is worth if the game is over there, whatever the record was; None if not."""
    return Result("", own, 0, True, own) if outcomes.level(own) < outcomes.FIRST_RECORD else None


def ranked(found: list[MoveResult], turn: chess.Color, standing: int) -> list[MoveResult]:
    """Moves of a side under a record, best first."""
    sign = 1 if turn else -1

    def rank(move: MoveResult) -> tuple[int, int, str]:
        gains = sign * move.outcome >= sign * standing
        return -sign * move.outcome, move.dtg if gains else -move.dtg, move.uci

    return sorted(found, key=rank)


def line(tables: Tables, board: chess.Board, start: Result, *, partial: bool = False) -> list[LineMove]:
    """Best play from a position to the goal that decides. Each move is one ply nearer to it, so the line ends; with
    `partial` also where no move is known to be nearer, because tables are missing."""
    board = board.copy(stack=False)
    record = start.record
    found = []
    for left in range(start.dtg, 0, -1):
        unknown: list[UnknownMove] | None = [] if partial else None
        best = _nearer(tables, board, record, (start.outcome, left), unknown)
        if best is None:
            break
        record = best.record
        found.append(LineMove(best.move, record, board.san_and_push(best.move)))
    return found


def _nearer(
    tables: Tables, board: chess.Board, standing: int, wanted: tuple[int, int], unknown: list[UnknownMove] | None
) -> MoveResult | None:
    """The first move by name with an outcome and a distance: the best one, if tables are right, so no other one has to
    be looked up. Without one the best of all; None if that may be among the unknown ones."""
    looked = []
    for one in _each(tables, board, sorted(board.legal_moves, key=chess.Move.uci), standing, unknown):
        if (one.outcome, one.dtg) == wanted:
            return one
        looked.append(one)
    if unknown:
        return None
    if not looked:  # right checksums do not make a table right
        raise CorruptTable(f"{tables.source(board)} is wrong: it has play go on where the game is over")
    return ranked(looked, board.turn, standing)[0]
