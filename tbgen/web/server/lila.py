"""The shape of lila-tablebase's `/standard`, for programs that know it.

| there | here |
|---|---|
| category `win`, `loss` | mate can be forced: G0.0, for or against the side to move |
| category `maybe-win`, `maybe-loss` | the same, but the 50-move rule may come first |
| category `cursed-win`, `blessed-loss` | any other G-score: a draw in chess, which one side has the better of |
| category `unknown` | no table here |
| dtz, precise_dtz, dtc | plies to the deciding goal, negative where the side to move suffers it; 0: the record stands |
| dtm | the same where the goal is mate |
| dtw | null |

As there, what stands inside `moves` is told from the view of the side that moves next. `gscore`, `record` and
`late` are not there: the first two are signed by who holds them, and `late` says that halfmove clock and dtz add up
to more than 100.
"""

from typing import Any

import chess

from tbgen.core import outcome
from tbgen.probe import Tablebase, is_late
from tbgen.web.server.answers import known_or_none
from tbgen.web.server.question import Question

_MATE = 0
"""Its level."""
_VALUES = ("dtz", "precise_dtz", "dtc", "dtm", "dtw", "gscore", "record", "late")
_UNKNOWN = {"category": "unknown", **dict.fromkeys(_VALUES)}


def standard(asked: Question, tablebase: Tablebase) -> dict[str, Any]:
    board = asked.board
    result = known_or_none(tablebase, board, asked.record)
    found: dict[str, Any] = {
        **_of_board(board),
        **(_UNKNOWN if result is None else _value(result.outcome, result.dtg, result.record, board)),
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
            row |= _value(after.outcome, max(0, after.dtg - 1), after.record, board)
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
    value = _value(result.outcome, result.dtg, result.record, asked.board)
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


def _value(value: int, dtg: int, record: int, board: chess.Board) -> dict[str, Any]:
    is_ours = (value > 0) == board.turn
    is_mate = outcome.level(value) == _MATE
    late = is_late(board.halfmove_clock, dtg)
    shade = "maybe-" * late if is_mate else "cursed-" if is_ours else "blessed-"
    plies = dtg if is_ours else -dtg
    return {
        "category": shade + ("win" if is_ours else "loss"),
        "dtz": plies,
        "precise_dtz": plies,
        "dtc": plies,
        "dtm": plies if is_mate else None,
        "dtw": None,
        "gscore": outcome.text(value),
        "record": outcome.text(record),
        "late": late,
    }
