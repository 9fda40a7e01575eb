"""The certificate that `tbgen solve` writes: what is held, and what own tables prove beyond that."""

from pathlib import Path
from typing import TYPE_CHECKING

import chess

from tbgen import files, packed
from tbgen.cli.progress import Counter
from tbgen.cli.solve_show import Found
from tbgen.errors import BadInput, OutOfRoom
from tbgen.fortress import Claim
from tbgen.probe import Answer, Tablebase

if TYPE_CHECKING:
    from tbgen.own.strategy import Proved
    from tbgen.probe.bounds import Own


class Certificate:
    """A file of proofs, in the making."""

    def __init__(self, target: Path, tables: Tablebase) -> None:
        self._target = target
        self._tables = tables
        self._proved: dict[chess.Color, Proved] = {}
        self._failed: OutOfRoom | None = None

    def prove(self, found: Found, own: "Own", answer: Answer, counter: Counter) -> None:
        """Add what own tables prove and holding does not. What `found` has so far is what is held."""
        from tbgen.own.strategy import prove

        for (held, _), bound in zip(found.held, answer.sure[:2], strict=True):
            side = held.defender
            if bound == held.bound or (bound > held.bound) != side:
                continue
            counter.begin(f"a proof for {chess.COLOR_NAMES[side].capitalize()}", 1)
            try:
                self._proved[side] = prove(own, self._tables, found.board, found.record, side, bound, counter.at)
            except OutOfRoom as error:  # the answer is worth having all the same
                self._failed = error

    def write(self, found: Found) -> None:
        """Write all that is proved. BadInput where that is nothing, OutOfRoom where a proof is too long."""
        if self._failed is not None:
            raise self._failed
        those: list[Claim | Proved] = []
        for proof, held in found.held:
            better = self._proved.get(proof.defender)
            those += [claim for claim in held if better is None or claim.plies is not None]
            those += [] if better is None else [better]
        if not those:
            why = "nothing was proved here" if found.table is None else "a complete table has the position"
            raise BadInput(f"there is nothing to certify: {why}")
        with files.replacing(self._target) as stream, packed.writing(stream, self._target) as target:
            for one in those:
                for line in one.lines():
                    target.write(f"{line}\n".encode())
