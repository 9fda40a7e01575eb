"""One game of a PGN file: read, judged, and given its tags. `Result` and everything else stay as they are.

A game is scored as it was played to its last move, whatever happened on the way: tournaments let games go
on past a repetition.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple, Self

import chess

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.probe import Sure, is_late
from tbgen.probe.numbering import material_of
from tbgen.probe.words import LATE
from tbgen.referee.adjudicate.decide import Basis, Decider, Decision, Reach, Solve
from tbgen.referee.adjudicate.finish import Finish, agreed, finish_of
from tbgen.referee.adjudicate.settings import Settings
from tbgen.rules.ends import Game, Turn
from tbgen.rules.pgn import moves as pgn_moves
from tbgen.rules.pgn.moves import BadMoves
from tbgen.rules.pgn.replay import Replay, play_all
from tbgen.rules.pgn.split import BadLine, Unit, about
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.scoring import Scoring
from tbgen.rules.tags import (
    CUTOFF,
    KOMI,
    LEGACY,
    NO_RESULT,
    OVERRULED,
    TERMINATION,
    as_played,
    begin,
    cutoff_of,
    fen_with_record,
    overruled_by,
    rules_of,
    scoring_of,
    write_rules,
    write_tags,
)

_UNKNOWN: Final = frozenset({"", "?", "*"})
_NO_NAME: Final = "?"
_MATE: Final = {"1-0": outcome.held_by_white(0), "0-1": outcome.held_by_black(0)}


class Solved(NamedTuple):
    """A position without tables, and what is proved of it."""

    material: str
    record: int
    """The record as played."""
    sure: Sure


class GameVerdict(NamedTuple):
    """The result of a game."""

    white: str
    black: str
    decision: Decision
    finish: Finish
    late: bool
    """Whether the 50-move rule may come before the goal."""
    scheme: Scoring
    solved: Solved | None = None
    """What solving the position alone has shown, if it was tried."""
    leaves_record_out: bool = False
    """Whether a record that the start position could not have is left out."""
    overrules: bool = False
    """Whether its tags told another result."""


class Fault(NamedTuple):
    """Why a game was passed on unchanged, or what else there is to say of it."""

    number: int
    """The number of the game; 0 for text before the first."""
    line: int
    message: str

    def words(self, file: str) -> str:
        """In one line."""
        return f"{file}:{about(self.line, self.number, self.message)}"


class Judged(NamedTuple):
    """What became of a unit: its new bytes, and one of these two unless it is nothing at all."""

    data: bytes
    verdict: GameVerdict | None = None
    fault: Fault | None = None
    notes: tuple[Fault, ...] = ()
    """What of a game that was judged has been left out or overruled."""


class Judge:
    """Judges games. Use it in a `with` block, or close it."""

    def __init__(self, settings: Settings, solve: Solve | None = None) -> None:
        self._settings = settings
        self._decider = Decider(settings, solve)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._decider.close()

    def judge(self, unit: Unit) -> Judged:
        """The game with its tags; unchanged, with a fault, if it cannot be judged."""
        if unit.fault == "":
            return Judged(unit.data)
        try:
            unit.check()
            section = TagSection(unit.data)
            text = section.text
            if not section.headers and not text:
                return Judged(unit.data)
            try:
                return self._judge(unit, section, text)
            except BadMoves as error:
                raise section.bad_line(error, text) from None
        except BadLine as error:
            return Judged(unit.data, fault=Fault(unit.number, unit.line + error.line, str(error)))
        except BadInput as error:
            return Judged(unit.data, fault=Fault(unit.number, unit.line, str(error)))

    def _judge(self, unit: Unit, section: TagSection, text: str) -> Judged:
        headers = section.headers
        moves = pgn_moves.read(text)
        result = _result(headers, moves.result)
        settings = self._settings
        rules, start = begin(headers, settings.rules, own_rules=settings.own_rules, own_tables=settings.own_tables)
        if settings.fifty is not None:
            rules = replace(rules, fifty=settings.fifty)
        if settings.cutoff is not None:
            rules = replace(rules, cutoff=settings.cutoff)
        board, given, dropped = start
        fen = fen_with_record(headers, start, whole_game=rules.whole_game) if settings.record_in_fen else None
        scheme = self._scheme_of(headers)
        replay = Replay(board, whole_game=rules.whole_game)
        play_all(moves.tokens, text, replay.play)
        board, turn = _ending(replay, given, rules)
        finish = finish_of(result, headers, moves.comment, turn, board)
        if finish is Finish.AWARD:
            agreement = agreed(headers, moves.comment)
            basis = Basis.AWARDED if agreement is None else Basis.AGREED
            found = Decision(_MATE[result] if agreement is None else agreement, basis, Reach.NOT_ASKED)
        else:
            found = self._decider.decide(finish, board, turn.outcome, rules)
        late = is_late(turn.quiet, found.dtg, rules.fifty.limit(board.occupied.bit_count()))
        stated = overruled_by(headers, found.outcome)
        notes = [] if dropped is None else [start.note]
        if stated is not None:
            notes.append(
                f"another result than the tags told: {outcome.text(found.outcome)} ({found.basis}, rule set {rules}) "
                f"replaces {stated}, which the tag {OVERRULED} keeps"
            )
        verdict = GameVerdict(
            headers.get("White") or _NO_NAME,
            headers.get("Black") or _NO_NAME,
            found,
            finish,
            late,
            scheme,
            Solved(material_of(board).normal.name, turn.outcome, found.sure) if found.sure is not None else None,
            dropped is not None,
            stated is not None,
        )
        tags = _tags(headers, found.outcome, f"{found.basis}{found.words}{f', {LATE}' * late}", scheme, rules)
        if fen is not None:
            tags["FEN"] = fen
        return Judged(
            section.changed(tags),
            verdict,
            notes=tuple(Fault(unit.number, unit.line, words) for words in notes),
        )

    def _scheme_of(self, headers: Mapping[str, str]) -> Scoring:
        """The scoring of a game: its own, unless another was asked for."""
        settings = self._settings
        scheme = scoring_of(headers) if settings.own_scoring else None
        if scheme is None:
            scheme = settings.scheme
            scheme = as_played(scheme, headers) if settings.own_komi else scheme.under(cutoff_of(headers))
        return scheme.under(settings.cutoff)


def _result(headers: Mapping[str, str], written: str) -> str:
    """The result, of which tag and moves have to say the same."""
    tag = headers.get("Result", "")
    if tag != written and tag not in _UNKNOWN:
        raise BadInput(f"the result is {ascii(tag)[1:-1]} by its tag, but {written} behind the moves")
    if written == NO_RESULT:
        raise BadInput("no result")
    return written


def _ending(replay: Replay, given: int | None, rules: RuleSet) -> tuple[chess.Board, Turn]:
    """The position that a game ended with, and what there is to say of it.

    The record is kept from the last capture or pawn move on: nothing before it counts.
    """
    game = Game(replay.begun, None if replay.reset else given, rules)
    for move in replay.moves:
        game.push_legal(move)
    return game.board, game.turn


def _tags(
    headers: Mapping[str, str], result: int, termination: str, scheme: Scoring, rules: RuleSet
) -> dict[str, str | None]:
    """The tags to write, None for one to take out."""
    told = {name: headers[name] for name in (CUTOFF, KOMI, LEGACY) if name in headers}
    tags = dict(told)
    write_tags(tags, result, scheme, rules)
    if rules_of({**headers, **tags}) != rules:
        write_rules(tags, rules)
    wanted: dict[str, str | None] = {
        name: value for name, value in tags.items() if value != told.get(name) or name not in told
    }
    stated = headers.get(OVERRULED) or overruled_by(headers, result)
    wanted[OVERRULED] = None if stated is None or outcome.text(result) == stated else stated
    wanted[TERMINATION] = termination
    return wanted
