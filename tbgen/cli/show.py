"""How a probe is shown to people: the board, and its result in words beside it.

All of it is made of spans, each a text and its style, so that it reads the same with colours and without.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final

import chess

from tbgen.core import outcome
from tbgen.probe import MoveResult, Result, SureResult, words
from tbgen.probe.words import record_sentence, sentence, situation
from tbgen.system.text import SIDES, plies, wrapped

Span = tuple[str, str]
Line = list[Span]

WIDTH: Final = 80
"""Columns, where there is no terminal to ask."""
_WIDEST: Final = 120
_NARROWEST: Final = 36
"""Columns of text beside a board; where there are fewer, the text goes below it."""
_GAP: Final = "    "
_STRONG: Final = "bold"
_FAINT: Final = "dim"
_SQUARES: Final = {True: "on #b58863", False: "on #8a6a4f"}
"""By whether a square is light."""
_MEN: Final = {chess.WHITE: "bold #ffffff", chess.BLACK: "bold #000000"}
_GROUPS: Final = {1: "green", 0: "yellow", -1: "red"}
"""Styles of moves, by whether they better the record for the side to move, leave it as it is, or worsen it."""
_MARKS: Final = {
    "": "",
    "?": "a worse G-score than the best move",
    "??": "gives the score to the other side",
}
"""What a mark behind a move means."""


def position(board: chess.Board, result: Result, notes: list[str], *, width: int, colours: bool) -> Iterator[Line]:
    yield from _beside(board, lambda room: _facts(board, result, notes, room), width, colours)


def bounds(board: chess.Board, answer: SureResult, notes: list[str], *, width: int, colours: bool) -> Iterator[Line]:
    """A position of which bounds are known."""
    yield from _beside(board, lambda room: _bounds(board, answer, notes, room), width, colours)


def _beside(board: chess.Board, facts: Callable[[int], Iterator[Line]], width: int, colours: bool) -> Iterator[Line]:
    """A board, and beside it what there is to say in so many columns; below it where these are few."""
    left = list(_board(board, colours))
    taken = len("".join(text for text, _ in left[0])) + len(_GAP)
    room = min(width, _WIDEST) - taken
    if room < _NARROWEST:
        yield from [*left, [("", "")], *facts(width)]
        return
    for row, fact in zip_longest(left, facts(room), fillvalue=[("", "")]):
        if fact == [("", "")]:
            yield row
        else:
            indent = " " * (taken - len("".join(text for text, _ in row)))
            yield [*row, (indent, ""), *fact]


def line(board: chess.Board, result: Result, *, whole_game: bool, width: int) -> Iterator[Line]:
    """The principal line. Behind a move stands the new record, or that a new one starts."""
    told, record = [], result.record
    board = board.copy(stack=False)
    for number, step in enumerate(result.line or ()):
        if board.turn == chess.WHITE:
            told.append(f"{board.fullmove_number}.")
        elif number == 0:
            told.append(f"{board.fullmove_number}...")
        reset = not whole_game and board.is_zeroing(step.move)
        told.append(board.san_and_push(step.move))
        if reset or step.record != record:
            told.append(f"({'reset: ' if reset else ''}{outcome.text(step.record)})")
            record = step.record
    yield [("Best play, with each new record:" if told else "No line: the record stands.", _FAINT)]
    for row in wrapped(" ".join(told), min(width, _WIDEST)):
        yield [(row, "")]


def moves(board: chess.Board, result: Result) -> Iterator[Line]:
    """All moves, in groups by what becomes of the record."""
    found = result.moves or ()
    if not found:
        yield [("No moves: the game is over.", "")]
        return
    used = []
    for group, members in groupby(found, lambda move: _group(board, result, move)):
        yield [(f"{_title(board, result, group)}:", f"{_STRONG} {_GROUPS[group]}")]
        for move in members:
            mark = _mark(board, found[0], move)
            used.append(mark)
            best = "best" if _as_good(move, found[0]) else ""
            reset = "reset" if move.reset else ""
            way = plies(move.dtg) if move.dtg else "stands"
            row = f"  {board.san(move.move) + mark:<10}{move.gscore:<8}{way:<11}{best:<6}{reset}"
            yield [(row.rstrip(), _STRONG if best else "")]
    for mark, meaning in _MARKS.items():
        if mark and mark in used:
            yield [(f"{mark:<3} {meaning}", _FAINT)]


def _board(board: chess.Board, colours: bool) -> Iterator[Line]:
    for rank in reversed(range(8)):
        row: Line = [(f"{rank + 1} ", _FAINT)]
        for file in range(8):
            man = board.piece_at(chess.square(file, rank))
            if colours:
                square = _SQUARES[(file + rank) % 2 == 1]
                # The filled signs for both colours: the hollow ones look like the other colour on a dark screen.
                sign = chess.UNICODE_PIECE_SYMBOLS.get(man.symbol().lower(), man.symbol().upper()) if man else " "
                row.append((f" {sign} ", f"{_MEN[man.color]} {square}" if man else square))
            else:
                row.append((f" {man.symbol() if man else '.'}", ""))
        yield row
    yield [("  " + "".join(f" {name} " if colours else f" {name}" for name in chess.FILE_NAMES), _FAINT)]


def _facts(board: chess.Board, result: Result, notes: list[str], width: int) -> Iterator[Line]:
    yield [(f"{result.material}, {SIDES[board.turn]} to move", "")]
    yield from _paragraph(sentence(result), _STRONG, width)
    if not result.stands:
        yield from _paragraph(record_sentence(result), "", width)
    known = result.moves or ()
    if known and known[0].outcome == result.outcome:  # else nobody knows the best
        yield from _paragraph(f"Best: {', '.join(_best_moves(board, known))}", "", width)
    for note in notes:
        yield from _paragraph(note, _FAINT, width)


def _bounds(board: chess.Board, answer: SureResult, notes: list[str], width: int) -> Iterator[Line]:
    yield [(f"{answer.material}, {SIDES[board.turn]} to move", "")]
    if answer.sure.exact:
        forced = f"{SIDES[answer.sure.white > 0]} forces {outcome.text(answer.sure.white)}"
        said = f"{forced} ({situation(answer.sure.white)}); the distance is not known."
        yield from _paragraph(said, _STRONG, width)
    else:
        said = words.bounds(answer.sure)
        yield from _paragraph(f"{said[0].upper()}{said[1:]}.", _STRONG, width)
        for bound, side in ((answer.sure.white, True), (answer.sure.black, False)):
            if outcome.level(bound):
                said = f"{outcome.text(bound)}: {situation(bound)}, or better for {SIDES[side]}."
                yield from _paragraph(said, "", width)
    record = f"The record so far, {outcome.text(answer.record)} ({situation(answer.record)})"
    yield from _paragraph(f"{record}, is {SIDES[answer.record > 0]}'s.", "", width)
    for note in notes:
        yield from _paragraph(note, _FAINT, width)


def sure_moves(board: chess.Board, answer: SureResult) -> Iterator[Line]:
    """All moves with what both sides are sure of."""
    yield [("Moves, the best first:", _STRONG)]
    for one in answer.moves:
        reset = "; a new record begins" if one.reset else ""
        yield [(f"  {board.san(one.move):<8} {words.bounds(one.sure)}{reset}", "")]


def _paragraph(text: str, style: str, width: int) -> Iterator[Line]:
    yield [("", "")]
    for row in wrapped(text, width):
        yield [(row, style)]


def _best_moves(board: chess.Board, found: Sequence[MoveResult]) -> list[str]:
    return [board.san(move.move) for move in found if _as_good(move, found[0])]


def _as_good(move: MoveResult, best: MoveResult) -> bool:
    return (move.outcome, move.dtg) == (best.outcome, best.dtg)


def _group(board: chess.Board, result: Result, move: MoveResult) -> int:
    """1 where a move betters the record for the side to move, 0 where the record stands, -1 where it worsens it."""
    gain = (move.outcome - result.record) * (1 if board.turn == chess.WHITE else -1)
    return (gain > 0) - (gain < 0)


def _title(board: chess.Board, result: Result, group: int) -> str:
    record = outcome.text(result.record)
    if group == 0:
        return f"The record stands, {record}"
    return f"{'Better' if group > 0 else 'Worse'} for {SIDES[board.turn]} than the record, {record}"


def _mark(board: chess.Board, best: MoveResult, move: MoveResult) -> str:
    """`??` for a move that loses a score that the side to move could hold, `?` for one that makes it worse."""
    if move.outcome == best.outcome:
        return ""
    return "??" if ((best.outcome > 0) == board.turn) and (move.outcome > 0) != board.turn else "?"
