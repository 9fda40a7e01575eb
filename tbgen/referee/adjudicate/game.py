"""One game of a PGN file: read, judged, and given its tags. `Result` and everything else stay as they are.

A game is scored as it was played to its last move, whatever happened on the way: tournaments let games go
on past a repetition.
"""

import enum
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import TracebackType
from typing import Final, NamedTuple, Self

import chess

from tbgen import outcome
from tbgen.errors import BadInput, MissingTable, UnsupportedPosition
from tbgen.pgn import moves as pgn_moves
from tbgen.pgn import san
from tbgen.pgn.moves import BadMoves
from tbgen.pgn.split import Unit
from tbgen.pgn.tags import BadTag, TagSection
from tbgen.probe import Tablebase, open_tablebase
from tbgen.referee.adjudicate.finish import Finish, finish_of
from tbgen.referee.adjudicate.settings import Settings
from tbgen.referee.syzygy import Syzygy
from tbgen.rules.ends import Game, Turn
from tbgen.rules.rulesets import RuleSet, W
from tbgen.rules.scoring import Scoring
from tbgen.rules.tags import (
    CUTOFF,
    KOMI,
    LEGACY,
    SCORING,
    TERMINATION,
    begin,
    read_tags,
    rules_of,
    says_rules,
    write_rules,
    write_tags,
)
from tbgen.table_rules import TableRules

_UNKNOWN: Final = frozenset({"", "?", "*"})
_NO_RESULT: Final = "*"
_NO_NAME: Final = "?"
_MATE: Final = {"1-0": outcome.held_by_white(0), "0-1": outcome.held_by_black(0)}
_TABLE: Final = re.compile(r"K[QRBNP]*vK[QRBNP]*")


class Basis(enum.Enum):
    """What the result of a game rests on."""

    PLAYED = "played"
    """The record as it stood when the game ended."""
    TABLEBASE = "tablebase"
    """What best play would have made of it."""
    STANDS = "stands"
    """The record, which by the tables nobody could have bettered."""
    SYZYGY = "syzygy"
    """The whole point, for what chess tables call won."""
    AWARDED = "awarded"
    """The whole point, for a game won without mate."""

    def __str__(self) -> str:
        return self.value


class Reach(enum.Enum):
    """Whether the tables had a say."""

    NOT_ASKED = "not asked"
    ANSWERED = "answered"
    OUT_OF_REACH = "out of reach"
    """Too many men, or a right to castle."""
    MISSING = "missing"


class Verdict(NamedTuple):
    """The result of a game."""

    white: str
    black: str
    outcome: int
    points: Fraction
    """White's."""
    finish: Finish
    basis: Basis
    reach: Reach
    table: str
    """The one that answered, or is missing."""
    dtg: int
    scheme: Scoring


class Fault(NamedTuple):
    """Why a game was passed on unchanged, or what else there is to say of it."""

    number: int
    """Of the game; 0 for text before the first."""
    line: int
    message: str

    def told(self, file: str) -> str:
        """In one line."""
        game = f"game {self.number}: " if self.number else ""
        return f"{file}:{self.line}: {game}{self.message}"


class Judged(NamedTuple):
    """What became of a unit: its new bytes, and one of these two unless it is nothing at all."""

    data: bytes
    verdict: Verdict | None = None
    fault: Fault | None = None
    note: Fault | None = None
    """What of a game that was judged has been left out."""


class Judge:
    """Judges games. Use it in a `with` block, or close it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._asks = settings.tables is not None and bool(settings.decide)
        self._tables: dict[TableRules, Tablebase] = {}
        self._syzygy = Syzygy(settings.syzygy, settings.syzygy_men) if settings.syzygy and settings.decide else None
        if self._asks:
            self._opened(settings.rules.of_tables)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the tables."""
        for tables in self._tables.values():
            tables.close()
        self._tables.clear()
        if self._syzygy is not None:
            self._syzygy.close()

    def _opened(self, rules: TableRules) -> Tablebase:
        """The tables of these rules."""
        directory = self._settings.tables
        assert directory is not None, "nobody asks"
        if rules not in self._tables:
            self._tables[rules] = open_tablebase(directory, rules)
        return self._tables[rules]

    def judge(self, unit: Unit) -> Judged:
        """The game with its tags; unchanged, with a fault, if it cannot be judged."""
        if unit.fault == "":
            return Judged(unit.data)
        line = 0
        try:
            nul = unit.data.find(b"\0")
            if nul >= 0:
                line = unit.data.count(b"\n", 0, nul)
                raise BadInput("NUL bytes (a file of UTF-16 has to be converted to UTF-8 first)")
            if unit.fault is not None:
                raise BadInput(unit.fault)
            section = TagSection(unit.data)
            text = unit.data[section.end :].decode("latin-1")  # byte by byte, and nothing in it is asked for
            if not section.headers and not text:
                return Judged(unit.data)
            try:
                return self._judge(unit, section, text)
            except BadMoves as error:
                line = min(section.lines + text.count("\n", 0, error.at), unit.data.rstrip().count(b"\n"))
                raise
        except BadTag as error:
            return Judged(unit.data, fault=Fault(unit.number, unit.line + error.line, str(error)))
        except BadInput as error:
            return Judged(unit.data, fault=Fault(unit.number, unit.line + line, str(error)))

    def _judge(self, unit: Unit, section: TagSection, text: str) -> Judged:
        headers = section.headers
        moves = pgn_moves.read(text)
        result = _result(headers, moves.result)
        settings = self._settings
        rules, start = begin(headers, settings.rules, own_rules=settings.own_rules, own_tables=settings.own_tables)
        board, given, dropped = start
        scheme = self._scheme_of(headers)
        _play(board, moves.tokens, text)
        board, turn = _ending(board, given, rules)
        finish = finish_of(result, headers, moves.comment, turn, board)
        if finish is Finish.AWARD:
            found, basis, reach, table, dtg, words = _MATE[result], Basis.AWARDED, Reach.NOT_ASKED, "", 0, ""
        else:
            found, basis, reach, table, dtg, words = self._ask(finish, board, turn.outcome, rules)
        verdict = Verdict(
            headers.get("White") or _NO_NAME,
            headers.get("Black") or _NO_NAME,
            found,
            scheme.points(found),
            finish,
            basis,
            reach,
            table,
            dtg,
            scheme,
        )
        return Judged(
            section.changed(_tags(headers, found, f"{basis}{words}", scheme, rules)),
            verdict,
            note=None if dropped is None else Fault(unit.number, unit.line, start.note),
        )

    def _scheme_of(self, headers: Mapping[str, str]) -> Scoring:
        """The scoring of a game: its own, unless another was asked for."""
        settings = self._settings
        if settings.own_scoring and SCORING in headers:
            own = {name: headers[name] for name in (SCORING, CUTOFF, KOMI) if name in headers}
            return read_tags(own).scheme or settings.scheme
        if settings.own_komi and settings.scheme.komi is not None and KOMI in headers:
            return replace(settings.scheme, komi=read_tags({KOMI: headers[KOMI]}).komi or settings.scheme.komi)
        return settings.scheme

    def _ask(
        self, finish: Finish, board: chess.Board, record: int, rules: RuleSet
    ) -> tuple[int, Basis, Reach, str, int, str]:
        """The result of a game without a winner, and what there is to say of it."""
        if finish not in self._settings.decide:
            return record, Basis.PLAYED, Reach.NOT_ASKED, "", 0, ""
        found = self._ask_tables(board, record, rules)
        won = None
        if self._syzygy is not None and found[2] is not Reach.ANSWERED:
            won = self._syzygy.verdict(board, rules)
        if won is None:
            return found
        return won.outcome, Basis.SYZYGY, Reach.ANSWERED, "Syzygy", 0, str(won).removeprefix(Basis.SYZYGY.value)

    def _ask_tables(self, board: chess.Board, record: int, rules: RuleSet) -> tuple[int, Basis, Reach, str, int, str]:
        """The same by our own tables."""
        if not self._asks:
            return record, Basis.PLAYED, Reach.NOT_ASKED, "", 0, ""
        try:
            answer = self._opened(rules.of_tables).probe(board, record)
        except UnsupportedPosition:
            return record, Basis.PLAYED, Reach.OUT_OF_REACH, "", 0, ""
        except MissingTable as error:
            if self._settings.strict and self._syzygy is None:
                raise
            named = _TABLE.search(str(error))
            return record, Basis.PLAYED, Reach.MISSING, named[0] if named else str(error), 0, ""
        basis = Basis.STANDS if answer.stands else Basis.TABLEBASE
        words = f", DTG {answer.dtg}"
        return answer.outcome, basis, Reach.ANSWERED, answer.material, answer.dtg, words


def _result(headers: Mapping[str, str], written: str) -> str:
    """The result, of which tag and moves have to say the same."""
    tag = headers.get("Result", "")
    if written == _NO_RESULT:
        raise BadInput("no result")
    if tag != written and tag not in _UNKNOWN:
        raise BadInput(f"the result is {ascii(tag)[1:-1]} by its tag, but {written} behind the moves")
    return written


def _play(board: chess.Board, tokens: list[str], text: str) -> None:
    """Make the moves of a game."""
    step, play = san.step, san.play
    for index, token in enumerate(tokens):
        move = step(token)
        if move is not None:
            try:
                play(board, move)
            except BadInput as error:
                raise BadMoves(f"{error} (ply {len(board.move_stack) + 1})", pgn_moves.place(text, index)) from None


def _ending(board: chess.Board, given: int | None, rules: RuleSet) -> tuple[chess.Board, Turn]:
    """The position that a game ended with, and what there is to say of it.

    The record is kept from the last capture or pawn move on: nothing before it counts.
    """
    moves = []
    while board.move_stack and (rules.whole_game or board.halfmove_clock):
        moves.append(board.pop())
    game = Game(board, None if board.move_stack else given, rules)
    for move in reversed(moves):
        game.push_legal(move)
    return game.board, game.turn


def _tags(
    headers: Mapping[str, str], result: int, termination: str, scheme: Scoring, rules: RuleSet
) -> dict[str, str | None]:
    """The tags to write, None for one to take out."""
    told = {name: headers[name] for name in (CUTOFF, KOMI, LEGACY) if name in headers}
    tags = dict(told)
    write_tags(tags, result, scheme, rules)
    if rules_of(headers) != rules if says_rules(headers) else rules != W:
        write_rules(tags, rules)
    wanted: dict[str, str | None] = {
        name: tags.get(name) for name in (*tags, *told) if tags.get(name) != told.get(name) or name not in told
    }
    wanted[TERMINATION] = termination
    return wanted
