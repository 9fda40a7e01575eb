"""What is asked: the parameters of a request as a position, a record and rules."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import chess

from tbgen import outcome
from tbgen.errors import BadInput
from tbgen.rules.fen import Fen, read_fen
from tbgen.table_rules import TableRules

_TRUE: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
_MOST: Final = 20
"""Parameters."""
_Default = TypeVar("_Default", TableRules, None)


class Question(NamedTuple):
    fen: str
    """As it was asked."""
    read: Fen
    rules: TableRules

    @property
    def board(self) -> chess.Board:
        return self.read.board

    @property
    def record(self) -> int | None:
        return self.read.record

    @property
    def whole_game(self) -> bool:
        return self.rules == TableRules.WHOLE_GAME


def question(fen: str, record: str | None, rules: TableRules) -> Question:
    """A record that is given counts in any case, as `tbgen probe --record` does."""
    fen = fen.replace("_", " ").strip()
    read = read_fen(fen, whole_game=rules == TableRules.WHOLE_GAME)
    if record:
        read = read._replace(record=outcome.parse(record), dropped=None)
    return Question(fen, read, rules)


def asked(params: Mapping[str, str], default: TableRules, *more: str) -> Question:
    """The question in a query. `more` are the parameters that may be there beside those of every question."""
    check_names(params, "fen", "record", "rules", *more)
    if "fen" not in params:
        raise BadInput("the parameter fen is missing: ?fen=8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    return question(params["fen"], params.get("record"), rules_of(params, default))


def params_of(query: bytes) -> dict[str, str]:
    """The parameters of a query; the last of several with a name."""
    try:
        return dict(parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST, errors="strict"))
    except ValueError:
        raise BadInput(
            "a query that cannot be read: write ?name=value&name=value, and other characters than ASCII as %xx"
        ) from None


def check_names(params: Mapping[str, str], *known: str) -> None:
    """A parameter that nothing reads is a slip that should not pass unseen."""
    for name in params:
        if name not in known:
            raise BadInput(f"no such parameter: {name[:40]!r} (there are: {', '.join(known)})")


def rules_of(params: Mapping[str, str], default: _Default) -> TableRules | _Default:
    return TableRules.of(params["rules"]) if params.get("rules") else default


def switch(params: Mapping[str, str], name: str) -> bool:
    found = _TRUE.get(params.get(name, ""))
    if found is None:
        raise BadInput(f"{name} is true or false, not {params[name][:40]!r}")
    return found
