"""A result as plain data: the JSON of `tbgen probe --json` and of `tbgen serve`.

Every value has one point of view: a G-score is signed by the side that holds it, in a position and in its moves.
"""

from typing import Any

import chess

from tbgen import outcome as outcomes
from tbgen.probe.result import Result


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
    }
    if result.moves is not None:
        found["moves"] = [
            {
                "uci": move.uci,
                "san": board.san(move.move),
                "gscore": move.gscore,
                "dtg": move.dtg,
                "reset": move.reset,
                "record": outcomes.text(move.record),
            }
            for move in result.moves
        ]
        if result.unknown:
            found["unknown"] = [
                {"uci": one.move.uci(), "san": board.san(one.move), "reset": one.reset, "table": one.table}
                for one in result.unknown
            ]
    if result.line is not None:
        board = board.copy(stack=False)
        found["line"] = [
            {"uci": step.move.uci(), "san": board.san_and_push(step.move), "record": outcomes.text(step.record)}
            for step in result.line
        ]
    if dropped is not None:
        found["dropped"] = outcomes.text(dropped)
    return found
