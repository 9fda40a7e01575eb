"""The certificate that `tbgen solve` writes: what is held, and what local tables prove beyond that."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import chess

from tbgen import files, packed
from tbgen.cli.display import Counter
from tbgen.cli.solve_show import Found
from tbgen.errors import BadInput, MissingTable, OutOfRoom
from tbgen.fortress import Claim
from tbgen.probe import Answer, SureMove, Tablebase
from tbgen.probe.sure import NOTHING
from tbgen.text import say

if TYPE_CHECKING:
    from tbgen.local.strategy import Proved
    from tbgen.probe.bounds import LocalSource


_NO_PROOF: Final = (OutOfRoom, MissingTable)
"""What comes of a proof that is too long, or that needs a local table which another process has just removed."""


@contextmanager
def new_certificate(target: Path, tables: Tablebase) -> Iterator["Certificate"]:
    """A certificate that becomes the file at the end of the block, unless that raises."""
    with files.replacing(target) as stream, packed.writing(stream, target) as lines:
        yield Certificate(lines, tables)


class Certificate:
    """A file of proofs, in the making. What local tables prove is written at once: it may be a gigabyte in memory."""

    def __init__(self, target: BinaryIO, tables: Tablebase) -> None:
        self._target = target
        self._tables = tables
        self._proved: set[chess.Color] = set()
        """The sides of which more is written than what is held."""
        self._is_empty = True
        self._left_out: list[str] = []
        """Why moves have no proof."""
        self._failed: Exception | None = None

    def prove(self, found: Found, own: "LocalSource", answer: Answer, counter: Counter) -> None:
        """Add what local tables prove and holding does not. What `found` has so far is what is held."""
        for (held, _), bound in zip(found.held, answer.sure[:2], strict=True):
            side = held.defender
            if bound != held.bound and (bound > held.bound) == side:
                try:
                    self._prove(own, found.board, found.record, side, bound, counter)
                    self._proved.add(side)
                except (*_NO_PROOF, OSError) as error:  # the answer is worth having all the same
                    self._failed = error
                    return

    def prove_moves(self, board: chess.Board, own: "LocalSource", moves: Sequence[SureMove], counter: Counter) -> None:
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
                    self._prove(own, after, one.record, side, bound, counter)
                except _NO_PROOF as error:
                    self._left_out.append(f"{board.san(one.move)} is not in the certificate: {error}")
                except OSError as error:
                    self._failed = error
                    return

    def _prove(
        self, own: "LocalSource", board: chess.Board, record: int, side: chess.Color, bound: int, counter: Counter
    ) -> None:
        """Write how a side gets a bound; `_NO_PROOF` if that cannot be told."""
        from tbgen.local.strategy import prove

        after = f" after {board.peek().uci()}" if board.move_stack else ""
        counter.begin(f"a proof for {chess.COLOR_NAMES[side].capitalize()}{after}", 1)
        self._write(prove(own, self._tables, board, record, side, bound, counter.at))

    def finish(self, found: Found) -> None:
        """Add what is held. BadInput where nothing is proved, or why the position's own proof is not there."""
        if self._failed is not None:
            raise self._failed
        for proof, held in found.held:
            for claim in held:
                if proof.defender not in self._proved or claim.plies is not None:
                    self._write(claim)
        if self._is_empty:
            why = "nothing was proved here" if found.table is None else "a complete table has the position"
            if not any(found.board.legal_moves):
                why = "the game is over"
            raise BadInput(f"there is nothing to certify: {why}")
        say(*(f"tbgen: {one}" for one in self._left_out), file=sys.stderr)

    def _write(self, proved: "Claim | Proved") -> None:
        self._is_empty = False
        for line in proved.lines():
            self._target.write(f"{line}\n".encode())
