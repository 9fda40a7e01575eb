"""What is asked: the parameters of a request as a position, a record and rules."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes

import chess

from tbgen.board.men import known
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, quoted
from tbgen.rules.fen import Fen, format_fen, read_fen
from tbgen.rules.record import Record

SWITCHES: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_MOST: Final = 20
"""Parameters."""
_LONGEST: Final = 4096
"""Bytes of a query: it is read in the thread that all clients share, in a fifth of a millisecond."""
_PIECE: Final = 1 << 16
_FIELDS: Final = 4
"""Of a form."""
MOST_MOVES: Final = 400
"""That lead to a position: the page names so many at most."""
_Default = TypeVar("_Default", TableRules, None)


class Step(NamedTuple):
    fen: str
    uci: str | None = None
    """The move that led there, and its name."""
    san: str | None = None


class Question(NamedTuple):
    fen: str
    """As it was asked."""
    read: Fen
    rules: TableRules
    steps: tuple[Step, ...] = ()
    """How moves led here; the last one is this position."""

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
    read = read_fen(fen, whole_game=rules == TableRules.WHOLE_GAME, men=known())
    if record:
        read = read._replace(record=outcome.parse(record), dropped=None)
    return Question(fen, read, rules)


def after(asked: Question, moves: str) -> Question:
    """The question once moves are made, which are UCI with commas between."""
    words = moves.split(",")
    if len(words) > MOST_MOVES:
        raise BadInput(f"{len(words)} moves are too many: begin {MOST_MOVES} before the end, or later")
    game = Record(asked.board, asked.record, whole_game=asked.whole_game)
    steps = [Step(asked.fen)]
    for uci in words:
        try:
            move = game.board.parse_uci(uci)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise BadInput(f"move {len(steps)} is not possible: {uci[:20]!a}")
        san = game.board.san(move)
        game.push(move)
        steps.append(Step(format_fen(game.board, game.outcome, whole_game=asked.whole_game), uci, san))
    read = Fen(game.board.copy(stack=False), game.outcome)
    return Question(steps[-1].fen, read, asked.rules, tuple(steps))


def asked(params: Mapping[str, str], default: TableRules, *more: str) -> Question:
    """The question in a query. `more` are the parameters that may be there beside those of every question."""
    check_names(params, "fen", "record", "rules", *more)
    if "fen" not in params:
        raise BadInput("the parameter fen is missing: ?fen=8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    return question(params["fen"], params.get("record"), rules_of(params, default))


def params_of(query: bytes) -> dict[str, str]:
    """The parameters of a query; the last of several with a name."""
    if len(query) > _LONGEST:
        raise BadInput(f"a query of more than {_LONGEST:,} bytes")
    try:
        return dict(parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST, errors="strict"))
    except ValueError:
        raise BadInput(
            "a query that cannot be read: write ?name=value&name=value, and other characters than ASCII as %xx"
        ) from None


def fields_of(form: bytes) -> dict[str, bytes]:
    """The fields of a form."""
    pairs = form.split(b"&", _FIELDS)
    if len(pairs) > _FIELDS:
        raise BadInput(f"a form of more than {_FIELDS} fields")
    return {name.decode("latin-1"): _unquoted(value) for name, _, value in (pair.partition(b"=") for pair in pairs)}


def _unquoted(value: bytes) -> bytes:
    """Piece by piece: to take a large one apart at once keeps all threads waiting."""
    value, found, at = value.replace(b"+", b" "), [], 0
    while at < len(value):
        end = at + _PIECE
        cut = value.rfind(b"%", end - 2, end)
        end = end if cut < 0 else cut
        found.append(unquote_to_bytes(value[at:end]))
        at = end
    return b"".join(found)


def check_names(params: Iterable[str], *known: str) -> None:
    """A parameter that nothing reads is a slip that should not pass unseen."""
    for name in params:
        if name not in known:
            raise BadInput(f"no such parameter: {quoted(name)} (there are: {', '.join(known)})")


def rules_of(params: Mapping[str, str], default: _Default) -> TableRules | _Default:
    return TableRules.of(params["rules"]) if "rules" in params else default


def switch(params: Mapping[str, str], name: str) -> bool:
    found = SWITCHES.get(params.get(name, "false"))
    if found is None:
        raise BadInput(f"{name} is true or false, not {quoted(params[name])}")
    return found
