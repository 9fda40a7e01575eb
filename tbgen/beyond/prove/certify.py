"""Writing a certificate: what is held, and what local tables prove beyond that. docs/proofs.md has the format."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import chess

from tbgen.beyond.holding import Claim
from tbgen.beyond.prove.solution import Solution
from tbgen.beyond.prove.watch import Watch
from tbgen.errors import BadInput, MissingTable, OutOfRoom
from tbgen.probe import SureMove, SureResult, Tablebase
from tbgen.probe.sure import NOTHING
from tbgen.system import compressed_files, output_files

if TYPE_CHECKING:
    from tbgen.beyond.prove.strategy import Proved
    from tbgen.probe.bounds import LocalSource


_NO_PROOF: Final = (OutOfRoom, MissingTable)
"""What comes of a proof that is too long, or that needs a local table which another process has just removed."""


@contextmanager
def new_certificate(target: Path, tables: Tablebase) -> Iterator["Certificate"]:
    """A certificate that becomes the file at the end of the block, unless that raises."""
    with output_files.replacing(target) as stream, compressed_files.writing(stream, target) as lines:
        yield Certificate(lines, tables)


class Certificate:
    """A file of proofs, in the making. What local tables prove is written at once: it may be a gigabyte in memory."""

    def __init__(self, target: BinaryIO, tables: Tablebase) -> None:
        self._target = target
        self._tables = tables
        self._proved: set[chess.Color] = set()
        """The sides of which more is written than what is held."""
        self._is_empty = True
        self.left_out: list[str] = []
        """Which moves have no proof, and why."""
        self._failed: Exception | None = None

    def prove(self, solution: Solution, local: "LocalSource", answer: SureResult, watch: Watch) -> None:
        """Add what local tables prove and holding does not. What `solution` has so far is what is held."""
        for (held, _), bound in zip(solution.held, answer.sure[:2], strict=True):
            side = held.defender
            if bound != held.bound and (bound > held.bound) == side:
                try:
                    self._prove(local, solution.board, solution.record, side, bound, watch)
                    self._proved.add(side)
                except (*_NO_PROOF, OSError) as error:  # the answer is worth having all the same
                    self._failed = error
                    return

    def prove_moves(self, board: chess.Board, local: "LocalSource", moves: Sequence[SureMove], watch: Watch) -> None:
        """Add what local tables prove of the position after each move, unless a complete table has it."""
        for one in moves if self._failed is None else ():
            after = board.copy(stack=False)
            after.push(one.move)
            if not any(after.legal_moves) or self._tables.known(after, one.record) is not None:
                continue
            for side, bound in zip(chess.COLORS, one.sure[:2], strict=True):
                if bound == NOTHING[0 if side else 1]:
                    continue
                try:
                    self._prove(local, after, one.record, side, bound, watch)
                except _NO_PROOF as error:
                    self.left_out.append(f"{board.san(one.move)} is not in the certificate: {error}")
                except OSError as error:
                    self._failed = error
                    return

    def _prove(
        self, local: "LocalSource", board: chess.Board, record: int, side: chess.Color, bound: int, watch: Watch
    ) -> None:
        """Write how a side gets a bound; `_NO_PROOF` if that cannot be told."""
        from tbgen.beyond.prove.strategy import prove  # late: what is held needs none of it

        after = f" after {board.peek().uci()}" if board.move_stack else ""
        watch.begin(f"a proof for {chess.COLOR_NAMES[side].capitalize()}{after}", 1)
        self._write(prove(local, self._tables, board, record, side, bound, watch.at))

    def finish(self, solution: Solution) -> None:
        """Add what is held. BadInput where nothing is proved, or why the position's own proof is not there."""
        if self._failed is not None:
            raise self._failed
        for proof, held in solution.held:
            for claim in held:
                if proof.defender not in self._proved or claim.plies is not None:
                    self._write(claim)
        if self._is_empty:
            why = "nothing was proved here" if solution.table is None else "a complete table has the position"
            if not any(solution.board.legal_moves):
                why = "the game is over"
            raise BadInput(f"there is nothing to certify: {why}")

    def _write(self, proved: "Claim | Proved") -> None:
        self._is_empty = False
        for line in proved.lines():
            self._target.write(f"{line}\n".encode())
