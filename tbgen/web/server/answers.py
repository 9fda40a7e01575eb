"""What is said of a position, mostly by the tables, as the plain data that goes out. Its shape is that of
`tbgen probe --json`."""

from functools import lru_cache
from typing import Any, Final

import chess

from tbgen.core import outcome
from tbgen.core.position import goal
from tbgen.core.table_rules import TableRules
from tbgen.errors import MissingTable, TbgenError, UnsupportedPosition
from tbgen.probe import OnlyBounds, Result, SureResult, Tablebase, as_dict, bounds_as_dict, is_late, move_as_dict
from tbgen.rules.fen import format_fen
from tbgen.system.text import plies, to_json
from tbgen.web.server.problem import problem_of
from tbgen.web.server.question import Question, question

HEAD: Final = '{"fen": '


def position(asked: Question, tablebase: Tablebase) -> str:
    """An answer as JSON. Where local tables know only bounds, these."""
    try:
        found = tablebase.probe(asked.board, asked.record)
    except OnlyBounds as error:
        return to_json(_bounds(asked, error.known, moves=False))
    if asked.read.dropped is not None:
        return to_json(as_dict(asked.fen, asked.board, found, asked.read.dropped))
    late = is_late(asked.board.halfmove_clock, found.dtg)
    return with_fen(to_json(asked.fen), found.material, found.outcome, found.dtg, found.exact, found.record, late)


def with_fen(quoted: str, material: str, value: int, dtg: int, exact: bool, record: int, late: bool) -> str:
    """The JSON of `as_dict`, whose part behind the FEN is the same for many positions."""
    return f"{HEAD}{quoted}{behind_fen(material, value, dtg, exact, record, late)}"


@lru_cache(1 << 15)
def behind_fen(material: str, value: int, dtg: int, exact: bool, record: int, late: bool) -> str:
    words = to_json(as_dict("", chess.Board(None), Result(material, value, dtg, exact, record)) | {"late": late})
    return words.removeprefix(f'{HEAD}""')


def _bounds(asked: Question, known: SureResult, *, moves: bool) -> dict[str, Any]:
    return bounds_as_dict(asked.fen, asked.board, known, moves=moves, dropped=asked.read.dropped)


def moves(asked: Question, tablebase: Tablebase, *, fens: bool = False) -> dict[str, Any]:
    """Moves that lead to a missing table come last, with nothing known of them. `fens`: with the FEN after each."""
    try:
        result = tablebase.probe(asked.board, asked.record, moves=True, partial=True)
    except OnlyBounds as error:
        found = _bounds(asked, error.known, moves=True)
        if fens:
            for row, sure in zip(found["moves"], error.known.moves, strict=True):
                row["fen"] = fen_after(asked, sure.move, sure.record)
        return found
    found = as_dict(asked.fen, asked.board, result, asked.read.dropped)
    found.pop("unknown", None)
    for one in result.unknown:
        row = _of_unknown(asked.board, one.move, reset=one.reset)
        if one.table:  # else local tables know bounds
            row["missing"] = one.table
        found["moves"].append(row)
    if fens:
        known = {move.uci: move.record for move in result.moves or ()}
        for move in found["moves"]:
            move["fen"] = fen_after(asked, chess.Move.from_uci(move["uci"]), known.get(move["uci"]))
    return found


def moves_beyond(asked: Question, tablebase: Tablebase) -> list[dict[str, Any]]:
    """The moves of a position that no table has, with the FEN after each; what is not known of comes last."""
    board = asked.board
    known = tablebase.beyond(board, asked.record)
    found = [move_as_dict(board, move) | {"fen": fen_after(asked, move.move, move.record)} for move in known]
    there = {move.move for move in known}
    for move in sorted(board.legal_moves, key=board.uci):
        if move not in there:
            reset = not asked.whole_game and board.is_zeroing(move)
            found.append(_of_unknown(board, move, reset=reset) | {"fen": fen_after(asked, move)})
    return found


def _of_unknown(board: chess.Board, move: chess.Move, *, reset: bool) -> dict[str, Any]:
    """A move of which no table says more."""
    return {"uci": board.uci(move), "san": board.san(move), "reset": reset, "gscore": None, "dtg": None, "record": None}


def fen_after(asked: Question, move: chess.Move, record: int | None = None) -> str:
    """The FEN after a move, with the record that stands then: the one that the tables say, or without them by the
    rules."""
    board = asked.board.copy(stack=False)
    if record is None and (asked.whole_game or not board.is_zeroing(move)):
        own = goal(board)
        record = own if asked.record is None else outcome.improved(asked.record, own)
    board.push(move)
    return format_fen(board, goal(board) if record is None else record, whole_game=asked.whole_game)


def line(asked: Question, tablebase: Tablebase, *, fens: bool = False) -> dict[str, Any]:
    """`fens`: with the FEN after each move."""
    result = tablebase.probe(asked.board, asked.record, line=True)
    found = as_dict(asked.fen, asked.board, result, asked.read.dropped)
    if fens:
        board = asked.board.copy(stack=False)
        for row, step in zip(found["line"], result.line or (), strict=True):
            board.push(step.move)
            row["fen"] = format_fen(board, step.record, whole_game=asked.whole_game)
    return found


def line_as_pgn(asked: Question, tablebase: Tablebase) -> str:
    from tbgen.report.document import Line, Step  # late: a server that starts needs none of it
    from tbgen.report.lines import pgn

    result = tablebase.probe(asked.board, asked.record, line=True)
    board = asked.board.copy(stack=False)
    steps = tuple(Step(board.san_and_push(step.move), step.record) for step in result.line or ())
    title = f"{result.material}: {result.gscore} in {plies(result.dtg)}"
    start = asked.board.copy(stack=False)
    record = None if result.record == goal(start) else result.record
    if record is not None and not asked.whole_game:
        start.halfmove_clock = max(1, start.halfmove_clock)  # else whoever reads the game drops its record
    return pgn(Line("line", title, format_fen(start), result.outcome, steps, asked.rules, record)) + "\n"


def staircase(asked: Question, tablebase: Tablebase) -> dict[str, Any]:
    """What the position is worth under each record, from White's best to Black's."""
    result = tablebase.probe(asked.board, asked.record)
    steps = tablebase.staircase(asked.board, asked.record).steps
    return {
        "fen": asked.fen,
        "material": result.material,
        "gscore": result.gscore,
        "record": outcome.text(result.record),
        "staircase": [{"record": step.record_gscore, "gscore": step.gscore, "dtg": step.dtg} for step in steps],
    }


def one(fen: str, record: str | None, rules: TableRules, tablebase: Tablebase, *, with_moves: bool) -> str:
    """An answer in a batch, as JSON; what is wrong is said in its place."""
    try:
        asked = question(fen, record, rules)
        return to_json(moves(asked, tablebase)) if with_moves else position(asked, tablebase)
    except TbgenError as error:
        return to_json({"fen": fen, "error": problem_of(error).as_dict()})


def known_or_none(tablebase: Tablebase, board: chess.Board, record: int | None) -> Result | None:
    """What is known of a position, moves and all; None where no table here covers it."""
    try:
        return tablebase.probe(board, record, moves=True, partial=True)
    except (MissingTable, UnsupportedPosition):
        return None
