"""A result as plain data: the JSON of `tbgen probe --json` and of `tbgen serve`.

Every value has one point of view: a G-score is signed by the side that holds it, in a position and in its moves.
"""

from collections.abc import Iterable
from typing import Any

import chess

from tbgen.core import outcome as outcomes
from tbgen.probe.result import LineMove, MoveResult, Result, is_late
from tbgen.probe.sure import Sure, SureResult


def as_dict(fen: str, board: chess.Board, result: Result, dropped: int | None = None) -> dict[str, Any]:
    """`fen` is the question as it was asked, `dropped` what it gave as the record in vain."""
    found: dict[str, Any] = {
        "fen": fen,
        "material": result.material,
        "gscore": result.gscore,
        "winner": chess.COLOR_NAMES[result.winner],
        "dtg": result.dtg,
        "exact": result.exact,
        "record": outcomes.text(result.record),
        "stands": result.stands,
        "late": is_late(board.halfmove_clock, result.dtg),
    }
    if result.moves is not None:
        found["moves"] = [move_as_dict(board, move) for move in result.moves]
        if result.unknown:
            found["unknown"] = [
                {"uci": one.move.uci(), "san": board.san(one.move), "reset": one.reset, "table": one.table}
                for one in result.unknown
            ]
    if result.line is not None:
        found["line"] = line_as_dicts(result.line)
    if dropped is not None:
        found["dropped"] = outcomes.text(dropped)
    return found


def move_as_dict(board: chess.Board, move: MoveResult) -> dict[str, Any]:
    return {
        "uci": move.uci,
        "san": board.san(move.move),
        "gscore": move.gscore,
        "dtg": move.dtg,
        "reset": move.reset,
        "record": outcomes.text(move.record),
    }


def line_as_dicts(line: Iterable[LineMove]) -> list[dict[str, str]]:
    return [{"uci": step.uci, "san": step.san, "record": step.record_gscore} for step in line]


def sure_as_dict(sure: Sure, clock: int | None = None) -> dict[str, Any]:
    """What both sides are sure of; where that is the same, the outcome, and the distance if it is known. `clock`: of a
    position, which may be late."""
    found: dict[str, Any] = {}
    if sure.exact:
        found |= {"gscore": outcomes.text(sure.white), "winner": chess.COLOR_NAMES[sure.white > 0]}
        if sure.dtg is not None:
            found["dtg"] = sure.dtg
            if clock is not None:
                found["late"] = is_late(clock, sure.dtg)
    return found | {"white": outcomes.text(sure.white), "black": outcomes.text(sure.black)}


def bounds_as_dict(
    fen: str,
    board: chess.Board,
    answer: SureResult,
    *,
    moves: bool = False,
    line: bool = False,
    dropped: int | None = None,
) -> dict[str, Any]:
    """What local tables that know only bounds say, of the position or of moves. A line is there if the distance is."""
    found = {"fen": fen, "material": answer.material, **sure_as_dict(answer.sure, board.halfmove_clock)}
    found["record"] = outcomes.text(answer.record)
    if moves:
        found["moves"] = [
            {
                "uci": one.move.uci(),
                "san": board.san(one.move),
                "reset": one.reset,
                "record": outcomes.text(one.record),
                **sure_as_dict(one.sure),
            }
            for one in answer.moves
        ]
    if line and answer.sure.dtg is not None:
        found["line"] = line_as_dicts(answer.line)
    if dropped is not None:
        found["dropped"] = outcomes.text(dropped)
    return found
