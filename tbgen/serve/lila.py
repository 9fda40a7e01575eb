"""The shape of lila-tablebase's `/standard`, for programs that know it.

| there | here |
|---|---|
| category `win`, `loss` | mate can be forced: G0.0, for or against the side to move |
| category `cursed-win`, `blessed-loss` | any other G-score: a draw in chess, which one side has the better of |
| category `unknown` | no table here |
| dtz, precise_dtz, dtc | plies to the deciding goal, negative where the side to move suffers it; 0: the record stands |
| dtm | the same where the goal is mate |
| dtw | null |

As there, what stands inside `moves` is told from the view of the side that moves next. `gscore` and `record`, which
are not there, are signed by who holds them.
"""

from typing import Any

import chess

from tbgen import outcome
from tbgen.probe import Tablebase
from tbgen.serve.answers import known_or_none
from tbgen.serve.question import Question

_MATE = 0
"""Its level."""
_UNKNOWN = {"category": "unknown", **dict.fromkeys(("dtz", "precise_dtz", "dtc", "dtm", "dtw", "gscore", "record"))}


def standard(asked: Question, tablebase: Tablebase) -> dict[str, Any]:
    board = asked.board
    result = known_or_none(tablebase, board, asked.record)
    found: dict[str, Any] = {
        **_of_board(board),
        **(_UNKNOWN if result is None else _value(result.outcome, result.dtg, result.record, board.turn)),
    }
    there = tablebase.beyond(board, asked.record) if result is None or result.moves is None else result.moves
    known = {move.move: move for move in there}
    moves = []
    for move in [*known, *(move for move in board.legal_moves if move not in known)]:
        row: dict[str, Any] = {"uci": board.uci(move), "san": board.san(move), "zeroing": board.is_zeroing(move)}
        board.push(move)
        row |= _of_board(board)
        after = known.get(move)
        if after is None:
            row |= _UNKNOWN
        else:
            row |= _value(after.outcome, max(0, after.dtg - 1), after.record, board.turn)
        board.pop()
        moves.append(row)
    return {**found, "moves": moves}


def mainline(asked: Question, tablebase: Tablebase) -> dict[str, Any]:
    """Raises MissingTable where lila-tablebase answers 404."""
    result = tablebase.probe(asked.board, asked.record, line=True)
    board = asked.board.copy(stack=False)
    sign = 1 if result.outcome > 0 else -1
    steps = []
    for place, step in enumerate(result.line or ()):
        left = result.dtg - place - 1
        row = {"uci": step.move.uci(), "san": board.san_and_push(step.move)}
        steps.append({**row, "dtz": left * sign * (1 if board.turn else -1)})
    is_mate = outcome.level(result.outcome) == _MATE
    value = _value(result.outcome, result.dtg, result.record, asked.board.turn)
    return {
        "mainline": steps,
        "winner": chess.COLOR_NAMES[result.winner][0] if is_mate else None,
        "dtz": value["dtz"],
        "precise_dtz": value["dtz"],
    }


def _of_board(board: chess.Board) -> dict[str, bool]:
    return {
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
    }


def _value(value: int, dtg: int, record: int, turn: chess.Color) -> dict[str, Any]:
    is_ours = (value > 0) == turn
    is_mate = outcome.level(value) == _MATE
    plies = dtg if is_ours else -dtg
    return {
        "category": ("win" if is_ours else "loss") if is_mate else "cursed-win" if is_ours else "blessed-loss",
        "dtz": plies,
        "precise_dtz": plies,
        "dtc": plies,
        "dtm": plies if is_mate else None,
        "dtw": None,
        "gscore": outcome.text(value),
        "record": outcome.text(record),
    }
