"""What the board's page tells of a position: everything at once, and in place of what is wrong, that it is.

The folder of `tbgen publish` tells the same from tables alone: `static/published.js`."""

from contextlib import suppress
from typing import Any

from tbgen.board.men.board import FairyBoard
from tbgen.core import outcome, position
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable, TbgenError
from tbgen.probe import Tablebase
from tbgen.rules.fen import format_fen
from tbgen.web.server import answers
from tbgen.web.server.problem import problem_of
from tbgen.web.server.question import Question, after, question


def board(fen: str, rules: TableRules, tablebase: Tablebase, *, moves: str = "", with_line: bool) -> dict[str, Any]:
    """`moves` lead from there to the position, as UCI with commas between."""
    try:
        asked = question(fen, None, rules)
        if moves:
            asked = after(asked, moves)
    except TbgenError as error:
        return _unread(fen, rules, error)
    return _steps(asked) | _told(asked, tablebase, with_line=with_line)


def _unread(fen: str, rules: TableRules, error: TbgenError) -> dict[str, Any]:
    fen = fen.replace("_", " ")
    found = {"fen": fen, "rules": rules.value, "error": problem_of(error).as_dict()}
    with suppress(BadInput):
        if lacks := position.fault(position.of_tables(fen)):  # men on their way to a position: nothing has gone wrong
            found["lacks"] = lacks
    return found


def _steps(asked: Question) -> dict[str, Any]:
    return {"steps": [step._asdict() for step in asked.steps]} if asked.steps else {}


def _told(asked: Question, tablebase: Tablebase, *, with_line: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"rules": asked.rules.value, "check": asked.board.is_check()}
    if isinstance(asked.board, FairyBoard):
        found["men"] = {letter: man.name or letter for letter, man in asked.board.definitions.items()}
    try:
        answer = answers.moves(asked, tablebase, fens=True)
    except TbgenError as error:
        beyond = answers.moves_beyond(asked, tablebase)
        return found | {"fen": _fen(asked, asked.record), "error": problem_of(error).as_dict(), "beyond": beyond}
    record = outcome.parse(answer["record"])
    is_said = asked.board.halfmove_clock or asked.whole_game or asked.record is not None
    found |= {"fen": _fen(asked, record if is_said else None), "answer": answer}
    if "white" in answer:  # bounds
        return found
    with suppress(MissingTable):  # under some records local tables may know bounds only
        found["staircase"] = answers.staircase(asked, tablebase)["staircase"]
    if with_line and not answer["stands"]:
        try:
            found["line"] = answers.line(asked, tablebase, fens=True)["line"]
        except TbgenError as error:
            found["line_error"] = problem_of(error).as_dict()
    return found


def _fen(asked: Question, record: int | None) -> str:
    return format_fen(asked.board, record, whole_game=asked.whole_game)
