"""The certificate that `tbgen solve` writes: what is held, and what own tables prove beyond that."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from tbgen import files, packed
from tbgen.cli.progress import Counter
from tbgen.cli.solve_show import Found
from tbgen.errors import BadInput, OutOfRoom
from tbgen.fortress import Claim
from tbgen.probe import Answer, SureMove, Tablebase
from tbgen.probe.sure import NOTHING

if TYPE_CHECKING:
    from tbgen.own.strategy import Proved
    from tbgen.probe.bounds import OwnSource


class Certificate:
    """A file of proofs, in the making."""

    def __init__(self, target: Path, tables: Tablebase) -> None:
        self._target = target
        self._tables = tables
        self._proved: dict[chess.Color, Proved] = {}
        self._of_moves: list[Proved] = []
        self._failed: OutOfRoom | None = None

    def prove(self, found: Found, own: "OwnSource", answer: Answer, counter: Counter) -> None:
        """Add what own tables prove and holding does not. What `found` has so far is what is held."""
        for (held, _), bound in zip(found.held, answer.sure[:2], strict=True):
            side = held.defender
            if bound != held.bound and (bound > held.bound) == side:
                proved = self._prove(own, found.board, found.record, side, bound, counter)
                if proved is not None:
                    self._proved[side] = proved

    def prove_moves(self, board: chess.Board, own: "OwnSource", moves: Sequence[SureMove], counter: Counter) -> None:
        """Add what own tables prove of the position after each move, unless a complete table has it."""
        for one in moves:
            after = board.copy(stack=False)
            after.push(one.move)
            if not any(after.legal_moves) or self._tables.known(after, one.record) is not None:
                continue
            for side, bound in zip(chess.COLORS, one.sure[:2], strict=True):
                if bound != NOTHING[0 if side else 1]:
                    proved = self._prove(own, after, one.record, side, bound, counter)
                    self._of_moves += [] if proved is None else [proved]

    def _prove(
        self, own: "OwnSource", board: chess.Board, record: int, side: chess.Color, bound: int, counter: Counter
    ) -> "Proved | None":
        """How a side gets a bound; None where that takes too much."""
        from tbgen.own.strategy import prove

        after = f" after {board.peek().uci()}" if board.move_stack else ""
        counter.begin(f"a proof for {chess.COLOR_NAMES[side].capitalize()}{after}", 1)
        try:
            return prove(own, self._tables, board, record, side, bound, counter.at)
        except OutOfRoom as error:  # the answer is worth having all the same
            self._failed = error
            return None

    def write(self, found: Found) -> None:
        """Write all that is proved. BadInput where that is nothing, OutOfRoom where a proof is too long."""
        if self._failed is not None:
            raise self._failed
        those: list[Claim | Proved] = []
        for proof, held in found.held:
            better = self._proved.get(proof.defender)
            those += [claim for claim in held if better is None or claim.plies is not None]
            those += [] if better is None else [better]
        those += self._of_moves
        if not those:
            why = "nothing was proved here" if found.table is None else "a complete table has the position"
            raise BadInput(f"there is nothing to certify: {why}")
        with files.replacing(self._target) as stream, packed.writing(stream, self._target) as target:
            for one in those:
                for line in one.lines():
                    target.write(f"{line}\n".encode())
