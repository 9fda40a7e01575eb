"""`tbgen solve`: what each side is sure of in a position that no table covers."""

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess

from tbgen import files, outcome, position
from tbgen.cli import common
from tbgen.cli.fens import fens
from tbgen.errors import BadInput, UnsupportedPosition
from tbgen.fortress import Claim, Proof, claims, prove
from tbgen.probe import Result, open_tablebase
from tbgen.rules.fen import Fen, read_fen
from tbgen.text import say, to_json

_WIDTH: Final = 100
_SIDES: Final = {chess.WHITE: "White", chess.BLACK: "Black"}

_EPILOG: Final = """\
A side that moves only one man, or a few, and lets nothing be taken can often be sure of the record: a king
that keeps the other king out, a queen that checks for ever. That is tried with the men of each side, against
all that the other side may do. Where tables know what captures lead to, they are asked.

What is said is proved: White gets no less than what White is sure of, and neither does Black. Where both are
sure of the same, that is the result. The certificate shows it to those who do not believe: see tbgen check.

examples:
  tbgen solve "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
      a position of Fine's: Black's king keeps White's out, so the record stands
  tbgen solve --record -G3.0 "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 10 60"
      with the move White gets in, but not before his 14th move
  tbgen solve --certificate proof.txt "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
      also write the proof

fields of a JSON object:
  fen, record; white, black: the G-scores that each side is sure of; where these are equal gscore and dtg (0:
  the record stands), and winner; proofs: for each side defender, bound, plies (the first ply at which the record
  may change for the worse; null: it never does), men: those that hold, with the squares that they need
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("fen", nargs="+", metavar="FEN", help="a position, with the record as its seventh field")
    parser.add_argument("--record", metavar="G", help="the record of the game so far, as in G3.5 or -G8.5")
    parser.add_argument("--certificate", metavar="FILE", type=Path, help="write the proof to a file")
    common.add_json(parser)
    common.add_tables(parser)


def run(args: argparse.Namespace) -> int:
    words = list(fens(args.fen))
    if len(words) != 1:
        raise BadInput(f"one position at a time, not {len(words)}")
    read = read_fen(words[0])
    board, record = read.board, _record(read, args.record)
    if board.castling_rights:
        raise UnsupportedPosition(f"with rights to castle nothing is proved: {board.fen()}")
    with open_tablebase(common.present_tables_directory(args)) as tables:
        table = tables.get(board, record=record)
        proofs = [] if table is not None or not any(board.legal_moves) else prove(board, record, tables)
        found = [(proof, claims(board, record, proof, tables)) for proof in proofs]
    answer = _Answer(board, record, _exact(record, table, proofs), found)
    if args.certificate is not None:
        _write(args.certificate, [claim for _, those in found for claim in those])
    if args.json:
        say(to_json(_object(words[0], answer)))
    else:
        say(*_in_words(answer))
    return 0


class _Answer(NamedTuple):
    board: chess.Board
    record: int
    exact: tuple[int, int] | None
    """Outcome and distance, if known."""
    found: list[tuple[Proof, list[Claim]]]
    """White's, then Black's; none where that is not needed."""


def _exact(record: int, table: Result | None, proofs: list[Proof]) -> tuple[int, int] | None:
    if table is not None:
        return table.outcome, table.dtg
    bounds = {proof.bound for proof in proofs} or {record}  # without moves the game is over
    return (record, 0) if bounds == {record} else None


def _record(read: Fen, given: str | None) -> int:
    """The one that stands, the position's own goal counted in."""
    own = position.goal(read.board)
    record = outcome.parse(given) if given is not None else read.record
    if record is not None and outcome.level(record) <= position.STALEMATE and record != own:
        raise BadInput(f"no game goes on after {outcome.text(record)}: it cannot be the record here")
    return own if record is None else outcome.improved(record, own)


def _write(target: Path, those: list[Claim]) -> None:
    if not those:
        raise BadInput("there is nothing to certify: nothing was proved here")
    with files.replacing(target) as stream:
        for claim in those:
            for line in claim.lines():
                stream.write(f"{line}\n".encode())


def _object(fen: str, answer: _Answer) -> dict[str, Any]:
    words: dict[str, Any] = {"fen": fen, "record": outcome.text(answer.record)}
    bounds = [proof.bound for proof, _ in answer.found]
    if answer.exact is not None:
        result, distance = answer.exact
        words |= {"gscore": outcome.text(result), "winner": chess.COLOR_NAMES[result > 0], "dtg": distance}
        bounds = [result, result]
    words |= dict(zip(("white", "black"), map(outcome.text, bounds), strict=True))
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
        for _, those in answer.found
        for claim in those
    ]
    return words


def _in_words(answer: _Answer) -> Iterator[str]:
    record, board = answer.record, answer.board
    yield f"{_SIDES[board.turn]} to move; the record is {outcome.text(record)}, for {_SIDES[record > 0]}."
    for proof, those in answer.found:
        side, other = _SIDES[proof.defender], _SIDES[not proof.defender]
        yield ""
        if proof.bound == record:
            yield f"{side} is sure of {outcome.text(record)}: {other} cannot improve on the record."
        elif proof.held is not None:
            yield f"{side} is sure of {outcome.text(proof.bound)}, or better."
        else:
            yield f"{side} is not known to be sure of anything."
        for claim in those:
            if claim.plies is not None:
                yield f"{other} needs at least {claim.plies} plies to improve on the record."
            yield from textwrap.wrap(_how(claim), _WIDTH, initial_indent="  ", subsequent_indent="  ")
    if answer.exact is not None:
        result, distance = answer.exact
        how = "the record stands" if result == record else f"in {distance} {'ply' if distance == 1 else 'plies'}"
        yield from ("", f"The result is {outcome.text(result)}: {how}.")


def _how(claim: Claim) -> str:
    """Which men hold, and on which squares."""
    men = [
        f"the {chess.piece_name(piece.piece_type)} from {chess.square_name(square)} on "
        + " ".join(map(chess.square_name, squares))
        for square, piece, squares in claim.holding
    ]
    return f"{_SIDES[claim.defender]} moves only {', and '.join(men)}." if men else "No move is needed."
