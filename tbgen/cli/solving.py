"""What can be proved of a position: by tables, else by holding, else by local tables. For `solve` and `adjudicate`."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import chess

from tbgen import outcome, position
from tbgen.cli.solve_show import Found
from tbgen.errors import MissingTable, OutOfRoom, UnsupportedPosition
from tbgen.fortress import Proof, claims, prove
from tbgen.probe import Sure, SureMove, Tablebase, UnknownMove
from tbgen.probe.sure import NOTHING

if TYPE_CHECKING:
    from tbgen.local.attempt import Attempt, Means
    from tbgen.local.choose import Part
    from tbgen.local.stages import Cost


NO_CASTLING: Final = "tables know no castling"
"""Why there is none."""


def find(
    board: chess.Board,
    record: int,
    tables: Tablebase,
    own: "Callable[[Found], Attempt] | None",
    *,
    moves: bool = False,
    certified: bool = False,
    hold: Callable[[chess.Board, int, Tablebase], list[Proof]] = prove,
) -> Found:
    """All that can be proved, with local tables where these can be asked, given what is held. `moves`: of moves and the
    line as well. `certified`: no local table is taken at its word. `hold` finds what can be held."""
    known = tables.known(board, record) if certified else tables.get(board, record=record)
    found = Found(board, record, known)
    if not any(board.legal_moves):
        return found
    if found.table is not None:
        if not moves:
            return found
        with suppress(MissingTable):  # a local table may be gone by now
            return _from_table(found, tables)
        found = found._replace(table=None)
    proofs = hold(board, record, tables)
    found = found._replace(held=[(proof, claims(board, record, proof, tables)) for proof in proofs])
    if board.castling_rights:
        return found._replace(refused=NO_CASTLING)
    kept = None if certified else tables.sure(board, record, line=moves)
    if kept is not None:  # what is solved now may be less
        found = found._replace(kept=kept.sure, moves=kept.moves, line=kept.line)
    if own is None or (found.sure.exact and not moves):
        return found
    try:
        attempt = own(found)
    except (OutOfRoom, UnsupportedPosition) as error:
        return found._replace(refused=str(error))
    said = attempt.answer
    return found._replace(own=attempt, moves=said.moves, line=said.line) if said else found._replace(own=attempt)


def _from_table(found: Found, tables: Tablebase) -> Found:
    """Moves and line of a position that a table covers."""
    asked = tables.probe(found.board, found.record, moves=True, line=True, partial=True)
    moves = [
        SureMove(one.move, one.reset, Sure(one.outcome, one.outcome, one.dtg if one.exact else None), one.record)
        for one in asked.moves
    ]
    moves += [_unknown(found, one) for one in asked.unknown]
    return found._replace(moves=moves, line=asked.line or ())


def _unknown(found: Found, move: UnknownMove) -> SureMove:
    """A move that leads to a table that is missing."""
    after = found.board.copy(stack=False)
    after.push(move.move)
    own = position.goal(after)
    return SureMove(move.move, move.reset, NOTHING, own if move.reset else outcome.improved(found.record, own))


def announce(begin: Callable[[str, int], None]) -> "Callable[[list[Part], Cost], None]":
    """Begins to show each plan that is solved."""
    from tbgen.local.stages import numbers_to_solve

    return lambda plan, cost: begin(f"solving {plan[-1].material.normal}", numbers_to_solve(plan))


class Watch(Protocol):
    """Shows how far solving a position is."""

    def begin(self, what: str, total: int) -> None:
        """`total` numbers are to be solved."""

    def solved(self, numbers: int) -> None:
        """So many more of them are."""

    def end(self) -> None:
        """The position is done with."""


class Solver:
    """Solves the positions of games, each within a time. Local tables stay for the next one."""

    def __init__(self, means: "Means", warm_up: Callable[[], None], watch: Watch) -> None:
        """`warm_up` is called before the first local table is solved."""
        self._means = means
        self._warm_up: Callable[[], None] | None = warm_up
        self._watch = watch
        self._tables = Tablebase(means.directory)

    def __call__(self, board: chess.Board, record: int) -> Sure:
        """What is proved."""
        return find(board, record, self._tables, lambda held: self._attempt(board, record)).sure

    def close(self) -> None:
        self._tables.close()

    def _attempt(self, board: chess.Board, record: int) -> "Attempt":
        from tbgen.local.attempt import attempt

        if self._warm_up is not None:
            self._warm_up()
            self._warm_up = None
        try:
            return attempt(board, record, self._tables, self._means, announce(self._watch.begin), self._watch.solved)
        finally:
            self._watch.end()
