"""The way to what can be proved of a position: tables, else holding, else local tables."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import chess

from tbgen.beyond.holding import claims, prove
from tbgen.beyond.prove.certify import Certificate, new_certificate
from tbgen.beyond.prove.solution import Solution
from tbgen.beyond.prove.watch import Nobody, Watch
from tbgen.board import men
from tbgen.board.men.board import FairyBoard
from tbgen.core import outcome, position
from tbgen.errors import BadInput, MissingTable, OutOfRoom, UnsupportedPosition, check_kind
from tbgen.probe import Sure, SureMove, SureResult, Tablebase, UnknownMove, open_tablebase
from tbgen.probe.sure import NOTHING
from tbgen.rules.fen import read_fen
from tbgen.system.parallel import cores

if TYPE_CHECKING:
    from tbgen.beyond.local.attempt import Attempt, Means
    from tbgen.beyond.local.choose import Part
    from tbgen.beyond.local.stages import Cost
    from tbgen.probe.bounds import LocalSource

MakeMeans = Callable[[], "AbstractContextManager[Means]"]
"""Called where local tables are to be solved, and left when that is done."""


def solve(
    board: chess.Board | str,
    record: int | str | None = None,
    *,
    tables: Tablebase | str | PathLike[str] | None = None,
    time: float = 600.0,
    memory: int = 4_000_000_000,
    threads: int | None = None,
    moves: bool = False,
    line: bool = False,
    keep: bool = False,
    certificate: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Solution:
    """What each side is sure of in a position of any number of men: `tbgen solve` in Python.

    `board` is a board, or a FEN with the record as its seventh field; `record` goes before that. `tables` is a
    `Tablebase`, or a directory as `open_tablebase` takes it. Local tables are solved within `time` seconds (0: none),
    `memory` bytes and `threads` (all cores, if not given); `keep`: they stay in the directory, for the next time.
    `moves` and `line` ask for more. `certificate` names a file for the proof, which `tbgen check` verifies.

    >>> solution = solve("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0", time=0)
    >>> solution.white, solution.black, solution.exact, solution.dtg
    ('-G3.0', '-G3.0', True, 0)

    Raises BadInput, UnsupportedPosition, CorruptTable."""
    with ExitStack() as stack:
        if not isinstance(tables, Tablebase):
            tables = stack.enter_context(open_tablebase(tables))
        if isinstance(board, str):
            read = read_fen(board, men=men.known())
            board, record = read.board, read.record if record is None else record
        check_kind(board, chess.Board, "a board", "chess.Board makes one from a FEN")
        stands = standing(board, None if record is None else position.record_of(record))
        means: MakeMeans | None = None
        if time:
            from tbgen.beyond.local.attempt import Means

            if keep and tables.directory is None:
                raise BadInput("local tables cannot be kept in the package: name a directory of tables")
            directory = tables.directory or Path(stack.enter_context(TemporaryDirectory()))
            means = _given(Means(directory, memory, time, threads or cores(), keeps=keep, resumes=keep))
        proof = None if certificate is None else stack.enter_context(new_certificate(Path(certificate), tables))
        solution = find(
            board, stands, tables, means, moves=moves, line=line, certificate=proof, watch=watch or Nobody()
        )
        if proof is not None:
            proof.finish(solution)
    return solution


def _given(means: "Means") -> MakeMeans:
    return lambda: nullcontext(means)


def standing(board: chess.Board, record: int | None) -> int:
    """The record that stands, the position's own goal counted in."""
    goal = position.goal(board)
    if record is None:
        return goal
    position.check_record(record, board)
    return outcome.improved(record, goal)


def no_local(board: chess.Board) -> str | None:
    """Why there is no local table."""
    if board.castling_rights:
        return "tables know no castling"
    if isinstance(board, FairyBoard):
        return "local tables know the men of chess only"
    return None


def find(
    board: chess.Board,
    record: int,
    tables: Tablebase,
    means: MakeMeans | None,
    *,
    moves: bool = False,
    line: bool = False,
    certificate: Certificate | None = None,
    watch: Watch,
) -> Solution:
    """All that can be proved; with no `means`, without solving local tables. With a certificate local tables are not
    taken at their word: what they say is written as a strategy."""
    more = moves or line
    known = tables.get(board, record=record) if certificate is None else tables.known(board, record)
    if isinstance(board, FairyBoard) and certificate is not None:
        raise UnsupportedPosition("certificates know the men of chess only, as tbgen check does")
    solution = Solution(board, record, known)
    if not any(board.legal_moves):
        return solution
    if solution.table is not None:
        if not more:
            return solution
        with suppress(MissingTable):  # a local table may be gone by now
            return _from_table(solution, tables)
        solution = solution._replace(table=None)
    watch.begin("trying what can be held", 1)
    proofs = prove(board, record, tables, report=watch.at)
    solution = solution._replace(held=[(proof, claims(board, record, proof, tables)) for proof in proofs])
    if (why := no_local(board)) is not None:
        return solution._replace(refused=why)

    def certify(source: "LocalSource", answer: SureResult) -> None:
        assert certificate is not None
        certificate.prove(solution, source, answer, watch)
        if moves:
            certificate.prove_moves(board, source, answer.moves, watch)

    kept = None if certificate else tables.sure(board, record, line=more)
    if kept is not None:  # what is solved now may be less
        solution = _with(solution, kept)
    # Holding tells no distance of a goal that is forced: local tables do.
    is_settled = solution.sure.exact and (solution.sure.dtg is not None or kept is not None)
    if (more or not is_settled) and means is not None:
        try:
            attempt = _attempt(solution, tables, means, watch, certify if certificate else None, distance=more)
            solution = solution._replace(attempt=attempt)
            if attempt.answer is not None:
                return solution._replace(moves=attempt.answer.moves, line=attempt.answer.line)
        except (OutOfRoom, UnsupportedPosition) as error:
            solution = solution._replace(refused=str(error))
    if certificate is None or tables.local is None or solution.sure.exact:
        return solution
    kept = tables.sure(board, record, line=more)  # nothing was solved, but these may prove something
    if kept is None:
        return solution
    certify(tables.local, kept)
    return _with(solution, kept)


def _attempt(
    solution: Solution,
    tables: Tablebase,
    means: MakeMeans,
    watch: Watch,
    use: "Callable[[LocalSource, SureResult], None] | None",
    *,
    distance: bool,
) -> "Attempt":
    """What local tables prove that are solved now, or kept and as good."""
    from tbgen.beyond.local.attempt import attempt
    from tbgen.beyond.local.stages import numbers_to_solve

    def began(plan: "list[Part]", cost: "Cost") -> None:
        watch.begin(f"solving {plan[-1].material.normal}", numbers_to_solve(plan))

    with means() as given:
        return attempt(
            solution.board, solution.record, tables, given, began, watch.advance, use, distance, watch.remark
        )


def _with(solution: Solution, kept: SureResult) -> Solution:
    """What is known if kept local tables are asked too."""
    return solution._replace(kept=kept.sure, moves=kept.moves, line=kept.line)


def _from_table(solution: Solution, tables: Tablebase) -> Solution:
    """Moves and line of a position that a table covers."""
    asked = tables.probe(solution.board, solution.record, moves=True, line=True, partial=True)
    moves = [
        SureMove(one.move, one.reset, Sure(one.outcome, one.outcome, one.dtg if one.exact else None), one.record)
        for one in asked.moves
    ]
    moves += [_unknown(solution, one) for one in asked.unknown]
    return solution._replace(moves=moves, line=asked.line or ())


def _unknown(solution: Solution, move: UnknownMove) -> SureMove:
    """A move that leads to a table that is missing."""
    after = solution.board.copy(stack=False)
    after.push(move.move)
    goal = position.goal(after)
    return SureMove(move.move, move.reset, NOTHING, goal if move.reset else outcome.improved(solution.record, goal))
