"""One game of a PGN file, gone through move by move. All its bytes are kept; comments come between them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import chess

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable, UnsupportedPosition
from tbgen.probe import Tablebase, is_late
from tbgen.probe.words import LATE, reached
from tbgen.rules.ends import Game
from tbgen.rules.fen import format_fen
from tbgen.rules.pgn import moves as pgn_moves
from tbgen.rules.pgn import san
from tbgen.rules.pgn.moves import BadMoves
from tbgen.rules.pgn.split import Unit
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.rulesets import W
from tbgen.rules.tags import begin, fen_with_record, variant_of
from tbgen.rules.variants import CHESS

_GAVE: Final = "$2"
_GAVE_ALL: Final = "$4"
"""The other side holds the score now."""
_OURS: Final = re.compile(
    r"[ \t\r\n](?:\$[24]_)?\{(?:_)?-?G\d+\.[05],_record_-?G[^{}]*\}".replace("_", r"[ \t\r\n]+"), re.ASCII
)
"""What `comment` writes, also where another program has wrapped it or put spaces inside its braces."""


class Worth(NamedTuple):
    """What a table says of a position under its record."""

    outcome: int
    dtg: int
    late: bool
    """Whether the 50-move rule may come before the goal."""

    def __str__(self) -> str:
        return f"{reached(self.outcome, self.dtg)}{f', {LATE}' * self.late}"


class Ply(NamedTuple):
    """A move and what is so after it."""

    uci: str
    san: str
    number: str
    """The number as it is written before the move: `12.` or `12...`."""
    fen: str
    """The position with the record as seventh field."""
    goal: int
    record: int
    is_new_record: bool
    reset: bool
    """Whether it begins a new record: a capture or a pawn move, unless nothing resets."""
    verdict: Worth | None
    """None where there is no table."""
    gave: int | None
    """The outcome that the side to move had before, where this move is worth less."""
    better: str
    """The move that would have kept it."""


class Told(NamedTuple):
    """A game."""

    headers: Mapping[str, str]
    start: str
    """The first position, as a FEN with its record."""
    verdict: Worth | None
    """What the table says of the first position."""
    plies: list[Ply]
    data: bytes
    """The game with comments."""
    rules: TableRules
    """The rules by which the game is annotated."""
    note: str
    """What of it is left out, in words."""


class Teller:
    """Tells games, each by the tables of its rules: `rules` if they are given, else those that its tags name, else
    the `usual` ones."""

    def __init__(
        self,
        tables: Callable[[TableRules], Tablebase],
        rules: TableRules | None = None,
        usual: TableRules = TableRules.RESET,
        *,
        chess_only: bool = False,
        record_in_fen: bool = False,
    ) -> None:
        self._tables = tables
        self._own = rules is None
        self._chess_only = chess_only
        self._record_in_fen = record_in_fen
        self._rules = replace(W, whole_game=(rules or usual) == TableRules.WHOLE_GAME)

    def tell(self, unit: Unit, most: int | None = None) -> Told:
        """BadInput for what is no game, BadLine where its moves cannot be read or are more than `most`."""
        unit.check()
        section = TagSection(unit.data)
        text = section.text
        try:
            return self._tell(unit, section, _OURS.sub("", text), most)
        except BadMoves as error:
            raise section.bad_line(error, text, _place_with_ours(text, error.at)) from None

    def _tell(self, unit: Unit, section: TagSection, text: str, most: int | None) -> Told:
        if self._chess_only and (variant := variant_of(section.headers)) is not CHESS:
            raise BadInput(f"not a game of chess: {variant.name} (tbgen annotate tells it)")
        tokens = pgn_moves.read(text).tokens
        rules, begun = begin(section.headers, self._rules, own_tables=self._own)
        tables = self._tables(rules.of_tables)
        game = Game(begun.board, begun.record, rules)
        start = _fen(game)
        verdict = first = _verdict(tables, game)
        plies: list[Ply] = []
        pieces, at = [], 0
        for token, place in zip(tokens, pgn_moves.places(text), strict=False):
            step = san.step(token)
            if step is None:
                continue
            if len(plies) == most:
                raise BadMoves(f"more than {most} moves", place)
            ply = _ply(tables, game, step, verdict, place)
            verdict = ply.verdict
            plies.append(ply)
            end = place + len(token)
            pieces += [text[at:end], " ", comment(ply)]
            at = end
        head = unit.data[: section.end]
        if self._record_in_fen and (fen := fen_with_record(section.headers, begun, whole_game=rules.whole_game)):
            head = section.changed({"FEN": fen}).removesuffix(unit.data[section.end :])
        data = head + "".join([*pieces, text[at:]]).encode("latin-1")
        return Told(section.headers, start, first, plies, data, rules.of_tables, begun.note)


def _place_with_ours(text: str, at: int) -> int:
    """Where in a text stands what has this place in it without comments of an earlier run."""
    for match in _OURS.finditer(text):
        if match.start() > at:
            break
        at += len(match[0])
    return at


def _ply(tables: Tablebase, game: Game, step: san.Step, before: Worth | None, place: int) -> Ply:
    """Make a move, and see what is so after it."""
    board, standing = game.board, game.record.outcome
    number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
    played = board.copy(stack=False)
    try:
        san.play(played, step)
    except BadInput as error:
        raise BadMoves(f"{error} (ply {game.record.ply + 1})", place) from None
    move = played.peek()
    words, uci = board.san(move), board.uci(move)
    position = board.copy(stack=False)
    after = game.push_legal(move).standing
    reset = after.reset and not game.rules.whole_game
    verdict = _verdict(tables, game)
    sign = 1 if position.turn else -1
    gave, better = None, ""
    if before is not None and verdict is not None and sign * verdict.outcome < sign * before.outcome:
        gave, better = before.outcome, _best(tables, position, standing)
    return Ply(
        uci,
        words,
        number,
        _fen(game),
        after.goal,
        after.outcome,
        after.just_set and not reset,
        reset,
        verdict,
        gave,
        better,
    )


def _fen(game: Game) -> str:
    return format_fen(game.board, game.record.outcome, whole_game=game.rules.whole_game)


def _verdict(tables: Tablebase, game: Game) -> Worth | None:
    if game.record.variant is not CHESS:
        return None
    try:
        found = tables.probe(game.board, game.record.outcome)
    except (MissingTable, UnsupportedPosition):
        return None
    late = is_late(game.turn.quiet, found.dtg, game.rules.fifty.limit(game.board.occupied.bit_count()))
    return Worth(found.outcome, found.dtg, late)


def _best(tables: Tablebase, board: chess.Board, record: int) -> str:
    found = tables.probe(board, record, moves=True, partial=True).moves
    return board.san(found[0].move) if found else ""


def comment(ply: Ply) -> str:
    """What stands behind a move."""
    words = [outcome.text(ply.goal), f"record {outcome.text(ply.record)}"]
    if ply.verdict is not None:
        words.append(f"table {ply.verdict}")
    if ply.gave is not None:
        words.append(f"{outcome.text(ply.gave)} was there: {ply.better}")
    mark = f"{glyph(ply)} " if ply.gave is not None else ""
    return f"{mark}{{{', '.join(words)}}}"


def glyph(ply: Ply) -> str:
    """The numeric annotation of a move that gave something away."""
    lost = ply.gave is not None and ply.verdict is not None and (ply.gave > 0) != (ply.verdict.outcome > 0)
    return _GAVE_ALL if lost else _GAVE
