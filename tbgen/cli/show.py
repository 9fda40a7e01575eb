"""How a probe is shown to people: the board, and its result beside it.

All of it is made of spans, each a text and its style, so that it reads the same with colours and without.
"""

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

import chess

from tbgen import outcome
from tbgen.probe import MoveResult, Result

Span = tuple[str, str]
Line = list[Span]

_WIDTH: Final = 100
_GAP: Final = "    "
_STRONG: Final = "bold"
_FAINT: Final = "dim"
_SQUARES: Final = {True: "on #b58863", False: "on #8a6a4f"}
"""By whether a square is light."""
_MEN: Final = {chess.WHITE: "bold #ffffff", chess.BLACK: "bold #000000"}
_ENDS: Final = {0: "mate", 1: "stalemate"}
"""By level."""
_SIDES: Final = {chess.WHITE: "White", chess.BLACK: "Black"}


def position(board: chess.Board, result: Result, notes: list[str], *, colours: bool) -> Iterator[Line]:
    """A position and its result, with its moves and line if they were asked for."""
    for left, right in zip_longest(_board(board, colours), _facts(board, result, notes), fillvalue=[("", "")]):
        if right == [("", "")]:
            yield left
        else:
            yield [*left, (_GAP, ""), *right]


def brief(result: Result) -> str:
    """A result in one short line."""
    return f"{result.gscore} {result.dtg}"


def line(board: chess.Board, result: Result) -> Iterator[Line]:
    """The principal line; where the record changes, the new one stands behind the move."""
    words, record = [], result.record
    board = board.copy(stack=False)
    for number, step in enumerate(result.line or ()):
        if board.turn == chess.WHITE:
            words.append(f"{board.fullmove_number}.")
        elif number == 0:
            words.append(f"{board.fullmove_number}...")
        words.append(board.san_and_push(step.move))
        if step.record != record:
            words.append(f"({outcome.text(step.record)})")
            record = step.record
    for row in textwrap.wrap(" ".join(words), _WIDTH) or ["no line: the record stands"]:
        yield [(row, "")]


def moves(board: chess.Board, found: tuple[MoveResult, ...]) -> Iterator[Line]:
    """All moves as a table."""
    if not found:
        yield [("no moves", "")]
        return
    yield [(f"{'move':<8}{'result':<9}plies", _FAINT)]
    for move in found:
        row = f"{board.san(move.move):<8}{move.gscore:<9}{move.dtg:<7}{'reset' if move.reset else ''}"
        yield [(row.rstrip(), _STRONG if _as_good(move, found[0]) else "")]


def _board(board: chess.Board, colours: bool) -> Iterator[Line]:
    for rank in reversed(range(8)):
        row: Line = [(f"{rank + 1} ", _FAINT)]
        for file in range(8):
            man = board.piece_at(chess.square(file, rank))
            if colours:
                square = _SQUARES[(file + rank) % 2 == 1]
                # The filled signs for both colours: the hollow ones look like the other colour on a dark screen.
                sign = chess.UNICODE_PIECE_SYMBOLS[man.symbol().lower()] if man else " "
                row.append((f" {sign} ", f"{_MEN[man.color]} {square}" if man else square))
            else:
                row.append((f" {man.symbol() if man else '.'}", ""))
        yield row
    yield [("  " + "".join(f" {name} " if colours else f" {name}" for name in chess.FILE_NAMES), _FAINT)]


def _facts(board: chess.Board, result: Result, notes: list[str]) -> Iterator[Line]:
    yield [(f"{result.material}, {_SIDES[board.turn]} to move", "")]
    yield [("", "")]
    yield [(result.gscore, _STRONG), (f" for {_SIDES[result.winner]}{_how(result)}", "")]
    own = "" if result.stands else f"record: {outcome.text(result.record)} for {_SIDES[result.record > 0]}"
    yield [(own, "")]
    best = [board.san(move.move) for move in result.moves or () if result.moves and _as_good(move, result.moves[0])]
    if best:
        yield [("best: ", ""), (", ".join(best), _STRONG)]
    for note in notes:
        yield [("", "")]
        for row in textwrap.wrap(note, _WIDTH - 36):
            yield [(row, _FAINT)]


def _how(result: Result) -> str:
    if not result.stands:
        return f", in {result.dtg} {'ply' if result.dtg == 1 else 'plies'}"
    return f": {_ENDS.get(outcome.level(result.outcome), 'the record stands')}"


def _as_good(move: MoveResult, best: MoveResult) -> bool:
    return (move.outcome, move.dtg) == (best.outcome, best.dtg)
