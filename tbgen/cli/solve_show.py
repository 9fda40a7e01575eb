"""What `tbgen solve` has found, in words and as JSON."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import chess

from tbgen import outcome
from tbgen.fortress import Claim, Proof
from tbgen.probe import LineMove, Result, Sure, SureMove, line_as_dicts, sure_as_dict
from tbgen.probe.sure import NOTHING
from tbgen.probe.words import bounds, late, situation
from tbgen.text import SIDES, counted, plies, size_of, time_of, wrapped

if TYPE_CHECKING:
    from tbgen.local.attempt import Attempt
    from tbgen.local.choose import Part
    from tbgen.local.stages import Cost

_WIDTH: Final = 100
_MATES: Final = {True: "can force mate", False: "can never force mate", None: "may or may not be able to force mate"}


class Found(NamedTuple):
    """All that is known of a position."""

    board: chess.Board
    record: int
    table: Result | None = None
    """What a complete table says."""
    held: list[tuple[Proof, list[Claim]]] = []  # noqa: RUF012
    """What holding proves: White's, then Black's; none where that was not asked."""
    kept: Sure | None = None
    """What local tables of the directory say, if that is less than a result."""
    own: "Attempt | None" = None
    refused: str = ""
    """Why there is no local table."""
    moves: Sequence[SureMove] = ()
    """Those that are known, the best first."""
    line: Sequence[LineMove] = ()
    """Best play, as far as it is known."""

    @property
    def sure(self) -> Sure:
        """All proofs together."""
        if self.table is not None:
            return Sure(self.table.outcome, self.table.outcome, self.table.dtg)
        if not any(self.board.legal_moves):  # the game is over
            return Sure(self.record, self.record, 0)
        white, black = (proof.bound for proof, _ in self.held)
        found = (self.kept or NOTHING).with_bounds(white, black)
        if self.own is not None and self.own.answer is not None:
            found = self.own.answer.sure.with_bounds(found.white, found.black)
        return found._replace(dtg=0) if found.exact and found.white == self.record and found.dtg is None else found

    def mates(self, side: chess.Color) -> bool | None:
        """Whether a side can force mate. The record does not matter: mate betters all others. None: not known."""
        own, others = (self.sure.white, self.sure.black) if side else (self.sure.black, self.sure.white)
        mate = outcome.goal(0, not side)
        return True if own == mate else None if others == mate else False


def as_object(
    fen: str, found: Found, dropped: int | None = None, *, moves: bool, line: bool, mater: chess.Color | None = None
) -> dict[str, Any]:
    """For programs. `dropped`: what the FEN gave as the record in vain. `mater`: who is asked about."""
    words: dict[str, Any] = {
        "fen": fen,
        "record": outcome.text(found.record),
        **sure_as_dict(found.sure, found.board.halfmove_clock),
    }
    if dropped is not None:
        words["dropped"] = outcome.text(dropped)
    words["proofs"] = [
        {
            "defender": chess.COLOR_NAMES[claim.defender],
            "bound": outcome.text(claim.bound),
            "plies": claim.plies,
            "men": {
                chess.square_name(square): [chess.square_name(one) for one in squares]
                for square, _, squares in claim.holding
            },
        }
        for _, those in found.held
        for claim in those
    ]
    words["local"] = _solved(found)
    if moves:
        words["moves"] = [
            {"uci": one.move.uci(), "san": found.board.san(one.move), "reset": one.reset, **sure_as_dict(one.sure)}
            for one in found.moves
        ]
    if line:
        words["line"] = line_as_dicts(found.line)
    if mater is not None:
        words["mates"] = found.mates(mater)
    return words


def _solved(found: Found) -> dict[str, Any] | None:
    if found.own is None:
        return {"refused": found.refused} if found.refused else None
    parts = [
        {"material": part.material.normal.name, "slices": len(part.placements), "numbers": part.numbers}
        for part in found.own.plan
    ]
    return {"parts": parts, "in_time": found.own.in_time, "read": found.own.read}


def plan_as_object(plan: "list[Part]", cost: "Cost") -> dict[str, Any]:
    """What a plan takes."""
    parts = [
        {
            "material": part.material.normal.name,
            "slices": len(part.placements),
            "numbers": part.numbers,
            "exact": part.exact,
            "times": part.times,
        }
        for part in plan
    ]
    return {"parts": parts, **cost._asdict(), "cpu_seconds": round(cost.cpu_seconds, 3)}


def plan_in_words(number: int, plan: "list[Part]", cost: "Cost", threads: int) -> Iterator[str]:
    """What a plan takes."""
    time = time_of(cost.cpu_seconds / threads)
    yield f"{'Then' if number > 1 else 'First'} {_materials(plan)}:"
    yield f"  {size_of(cost.memory)} of memory, {size_of(cost.scratch)} of disk, about {time}"
    for part in reversed(plan):
        how = "" if part.exact else ", solved twice" if part.times > 1 else ", for one side"
        yield f"  {part.material.normal.name:<9}{len(part.placements):>6,} slices {part.numbers:>15,} numbers{how}"
    if not plan[-1].exact:
        yield "  What some captures or promotions lead to is not known: the answer may be bounds."


def _materials(plan: "list[Part]") -> str:
    """The position's own, and how many others."""
    *others, root = plan
    count = len(root.placements)
    parts = f", and {counted(len(others), 'part')} that it leads to" if others else ""
    return f"{root.material.normal} ({counted(count, 'placement')} of pawns){parts}"


def in_words(found: Found, *, moves: bool, line: bool, mater: chess.Color | None = None) -> Iterator[str]:
    """For people. `mater`: of whom it is asked whether he can mate."""
    record, board = found.record, found.board
    yield f"{SIDES[board.turn]} to move; the record is {outcome.text(record)}, for {SIDES[record > 0]}."
    for proof, those in found.held:
        yield from _held(found, proof, those)
    yield from _own_in_words(found)
    sure = found.sure
    if sure.exact:
        how = "" if sure.dtg is None else f": in {plies(sure.dtg)}"
        if sure.white == record:
            how = ": the record stands"
        yield from ("", f"The result is {outcome.text(sure.white)}{how}.")
        yield from filter(None, [late(board.halfmove_clock, sure.dtg)])
    elif found.own is not None or found.kept is not None:
        yield from ("", f"Proved: {bounds(sure)}." if sure.known else "Nothing is known.")
    if moves and found.moves:
        yield from ("", "Moves, the best first:")
        for one in found.moves:
            yield f"  {board.san(one.move):8} {bounds(one.sure)}{'; a new record begins' if one.reset else ''}"
    if line and sure.dtg:
        title = "Best play" if len(found.line) == sure.dtg else "Best play, as far as it is known"
        told = f"{title}: {' '.join(map(str, found.line))}" if found.line else "Best play is not known."
        yield from ("", *wrapped(told, _WIDTH))
    if mater is not None:
        yield from ("", f"{SIDES[mater]} {_MATES[found.mates(mater)]}.")


def _held(found: Found, proof: Proof, those: list[Claim]) -> Iterator[str]:
    """What holding proves for one side."""
    record = outcome.text(found.record)
    side, other = SIDES[proof.defender], SIDES[not proof.defender]
    yield ""
    if proof.bound == found.record:
        yield f"{side} is sure of {record}: {other} cannot improve on the record."
    elif proof.held is not None:
        yield f"{side} is sure of {outcome.text(proof.bound)}, or better."
    else:
        why = f": {other} may castle" if found.board.has_castling_rights(not proof.defender) else ""
        yield f"{side} is not sure of anything by holding{why}."
    for claim in those:
        if claim.plies is not None:
            yield f"{other} needs at least {claim.plies} plies to improve on the record."
        yield from wrapped(_how(claim), _WIDTH, "  ")


def _how(claim: Claim) -> str:
    """Which men hold, and on which squares."""
    men = [
        f"the {chess.piece_name(piece.piece_type)} from {chess.square_name(square)} on "
        + " ".join(map(chess.square_name, squares))
        for square, piece, squares in claim.holding
    ]
    return f"{SIDES[claim.defender]} moves only {', and '.join(men)}." if men else "No move is needed."


def _own_in_words(found: Found) -> Iterator[str]:
    """What the local table says, or why there is none."""
    if found.kept is not None and not (found.own is not None and found.own.read):
        yield from ("", "Local tables kept from before:", f"  {bounds(found.kept)}.")
    if found.refused:
        yield from ("", *wrapped(f"No local table: {found.refused}.", _WIDTH))
    if found.own is None:
        return
    yield ""
    if found.own.answer is not None:
        kept = ", kept from before" if found.own.read else ""
        yield from wrapped(f"Local tables of {_materials(found.own.plan)}{kept}:", _WIDTH)
        sure = found.own.answer.sure
        yield f"  {bounds(sure)}."
        for bound, side in ((sure.white, True), (sure.black, False)):
            if not sure.exact and outcome.level(bound) > 1:
                yield f"  {outcome.text(bound)}: {situation(bound)}, or better for {SIDES[side]}."
    if not found.own.in_time:
        yield "The time was over before all was solved that fits (--time allows more)."
