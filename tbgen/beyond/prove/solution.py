"""What is known of a position, in words and as JSON."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import chess

from tbgen.beyond.holding import Claim, Proof
from tbgen.board.men.board import FairyPiece
from tbgen.core import outcome
from tbgen.probe import LineMove, Result, Sure, SureMove, line_as_dicts, sure_as_dict
from tbgen.probe.html import beside
from tbgen.probe.sure import NOTHING
from tbgen.probe.words import bounds, late, situation
from tbgen.system.text import SIDES, plies, wrapped

if TYPE_CHECKING:
    from tbgen.beyond.local.attempt import Attempt

_WIDTH: Final = 100
_MATES: Final = {True: "can force mate", False: "can never force mate", None: "may or may not be able to force mate"}


class Solution(NamedTuple):
    """All that is known of a position under a record. `print` it for words."""

    board: chess.Board
    record: int
    """The one that stands, the position's own goal counted in: an outcome (tbgen/core/outcome.py)."""
    table: Result | None = None
    """What a complete table says."""
    held: Sequence[tuple[Proof, list[Claim]]] = ()
    """What holding proves: White's, then Black's; none where that was not asked."""
    kept: Sure | None = None
    """What local tables of the directory say, if that is less than a result."""
    attempt: "Attempt | None" = None
    """What local tables say that were solved, or read instead."""
    refused: str = ""
    """Why none were."""
    moves: Sequence[SureMove] = ()
    """Those that are known, the best first."""
    line: Sequence[LineMove] = ()
    """Best play, as far as it is known."""

    @property
    def sure(self) -> Sure:
        """All proofs together: what White is sure of, what Black is, and the distance if it is known."""
        if self.table is not None:
            return Sure(self.table.outcome, self.table.outcome, self.table.dtg)
        if not any(self.board.legal_moves):  # the game is over
            return Sure(self.record, self.record, 0)
        white, black = (proof.bound for proof, _ in self.held)
        found = (self.kept or NOTHING).with_bounds(white, black)
        if self.attempt is not None and self.attempt.answer is not None:
            found = self.attempt.answer.sure.with_bounds(found.white, found.black)
        return found._replace(dtg=0) if found.exact and found.white == self.record and found.dtg is None else found

    @property
    def white(self) -> str:
        """The G-score that White is sure of: `-G4.0` is Black's."""
        return outcome.text(self.sure.white)

    @property
    def black(self) -> str:
        """The G-score that Black is sure of."""
        return outcome.text(self.sure.black)

    @property
    def exact(self) -> bool:
        """Whether both are the same: then that is the result."""
        return self.sure.exact

    @property
    def dtg(self) -> int | None:
        """The distance in plies, if it is known; 0 where the record stands."""
        return self.sure.dtg

    def mates(self, side: chess.Color) -> bool | None:
        """Whether a side can force mate. The record does not matter: mate betters all others. None: not known."""
        own, others = (self.sure.white, self.sure.black) if side else (self.sure.black, self.sure.white)
        mate = outcome.goal(0, not side)
        return True if own == mate else None if others == mate else False

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Solution of {self.board.fen()}: {bounds(self.sure)}>"

    def _repr_html_(self) -> str:
        return beside(self.board, f"<pre>{escape(str(self))}</pre>")

    def lines(self, *, moves: bool = True, line: bool = True, mater: chess.Color | None = None) -> Iterator[str]:
        """For people; moves and line where these are known. `mater`: of whom it is asked whether he can mate."""
        record = outcome.text(self.record)
        yield f"{SIDES[self.board.turn]} to move; the record is {record}, for {SIDES[self.record > 0]}."
        for proof, claims in self.held:
            yield from self._held(proof, claims)
        yield from self._local()
        sure = self.sure
        if sure.exact:
            how = "" if sure.dtg is None else f": in {plies(sure.dtg)}"
            if sure.white == self.record:
                how = ": the record stands"
            yield from ("", f"The result is {outcome.text(sure.white)}{how}.")
            yield from filter(None, [late(self.board.halfmove_clock, sure.dtg)])
        elif self.attempt is not None or self.kept is not None:
            yield from ("", f"Proved: {bounds(sure)}." if sure.known else "Nothing is known.")
        if moves and self.moves:
            yield from ("", "Moves, the best first:")
            for one in self.moves:
                yield f"  {self.board.san(one.move):8} {bounds(one.sure)}{'; a new record begins' if one.reset else ''}"
        if line and sure.dtg:
            title = "Best play" if len(self.line) == sure.dtg else "Best play, as far as it is known"
            words = f"{title}: {' '.join(map(str, self.line))}" if self.line else "Best play is not known."
            yield from ("", *wrapped(words, _WIDTH))
        if mater is not None:
            yield from ("", f"{SIDES[mater]} {_MATES[self.mates(mater)]}.")

    def _held(self, proof: Proof, claims: list[Claim]) -> Iterator[str]:
        """What holding proves for one side."""
        record = outcome.text(self.record)
        side, other = SIDES[proof.defender], SIDES[not proof.defender]
        yield ""
        if proof.bound == self.record:
            yield f"{side} is sure of {record}: {other} cannot improve on the record."
        elif proof.held is not None:
            more = "" if proof.bound == outcome.goal(0, not proof.defender) else ", or better"
            yield f"{side} is sure of {outcome.text(proof.bound)}{more}."
        else:
            yield from wrapped(f"{side} is not sure of anything by holding: {proof.obstacle}.", _WIDTH)
        for claim in claims:
            if claim.plies is not None:
                yield f"{other} needs at least {claim.plies} plies to improve on the record."
            yield from wrapped(_how(claim), _WIDTH, "  ")

    def _local(self) -> Iterator[str]:
        """What local tables say, or why there are none."""
        if self.kept is not None and not (self.attempt is not None and self.attempt.read):
            yield from ("", "Local tables kept from before:", f"  {bounds(self.kept)}.")
        if self.refused:
            yield from ("", *wrapped(f"No local table: {self.refused}.", _WIDTH))
        if self.attempt is None:
            return
        yield ""
        if self.attempt.answer is not None:
            from tbgen.beyond.prove.plans import (
                materials_of,  # late: what solves is not needed where nothing was solved
            )

            kept = ", kept from before" if self.attempt.read else ""
            yield from wrapped(f"Local tables of {materials_of(self.attempt.plan)}{kept}:", _WIDTH)
            sure = self.attempt.answer.sure
            yield f"  {bounds(sure)}."
            for bound, side in ((sure.white, True), (sure.black, False)):
                if not sure.exact and outcome.level(bound) > 1:
                    yield f"  {outcome.text(bound)}: {situation(bound)}, or better for {SIDES[side]}."
        if self.attempt.time_ran_out:
            yield "The time was over before all was solved that fits (--time allows more)."

    def as_dict(
        self,
        fen: str | None = None,
        dropped: int | None = None,
        *,
        moves: bool = True,
        line: bool = True,
        mater: chess.Color | None = None,
    ) -> dict[str, Any]:
        """For programs: what `tbgen solve --json` prints (`tbgen solve --help` explains it). `fen` as it was given.
        `dropped`: what it gave as the record in vain."""
        words: dict[str, Any] = {
            "fen": fen or self.board.fen(),
            "record": outcome.text(self.record),
            **sure_as_dict(self.sure, self.board.halfmove_clock),
        }
        if dropped is not None:
            words["dropped"] = outcome.text(dropped)
        words["proofs"] = [_claim_as_dict(claim) for _, claims in self.held for claim in claims]
        words["local"] = self._local_as_dict()
        if moves:
            words["moves"] = [
                {"uci": one.move.uci(), "san": self.board.san(one.move), "reset": one.reset, **sure_as_dict(one.sure)}
                for one in self.moves
            ]
        if line:
            words["line"] = line_as_dicts(self.line)
        if mater is not None:
            words["mates"] = self.mates(mater)
        return words

    def _local_as_dict(self) -> dict[str, Any] | None:
        if self.attempt is None:
            return {"refused": self.refused} if self.refused else None
        from tbgen.beyond.prove.plans import parts_as_dicts

        return {
            "parts": parts_as_dicts(self.attempt.plan),
            "in_time": not self.attempt.time_ran_out,
            "read": self.attempt.read,
        }


def _how(claim: Claim) -> str:
    """Which men hold, and on which squares."""
    men = [
        f"the {_name(piece)} from {chess.square_name(square)} on " + " ".join(map(chess.square_name, squares))
        for square, piece, squares in claim.holding
    ]
    return f"{SIDES[claim.defender]} moves only {', and '.join(men)}." if men else "No move is needed."


def _name(piece: chess.Piece) -> str:
    """That of a man beyond chess is its letter, as it stands in its FEN."""
    return piece.symbol() if isinstance(piece, FairyPiece) else chess.piece_name(piece.piece_type)


def _claim_as_dict(claim: Claim) -> dict[str, Any]:
    return {
        "defender": chess.COLOR_NAMES[claim.defender],
        "bound": outcome.text(claim.bound),
        "plies": claim.plies,
        "men": {
            chess.square_name(square): [chess.square_name(one) for one in squares]
            for square, _, squares in claim.holding
        },
    }
