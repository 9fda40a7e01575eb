"""The openings of a match, from PGN or EPD. Only those that are played are read."""

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import chess

from tbgen.errors import BadInput
from tbgen.pgn import moves as pgn_moves
from tbgen.pgn import san
from tbgen.pgn.split import units
from tbgen.pgn.tags import TagSection
from tbgen.rules.ends import Game
from tbgen.rules.fen import parse_fen
from tbgen.rules.record import standing
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.scoring import Komi
from tbgen.rules.tags import KOMI, start_of
from tbgen.text import lines

_PGN: Final = (".pgn",)
_EPD_FIELDS: Final = 4
_LONGEST: Final = 1 << 16
"""Bytes of a line of EPD that are read."""
_DIGITS: Final = 16
"""Of a hash."""
_OPERATION: Final = re.compile(r"[A-Za-z]\w* [^;]*;|[A-Za-z]\w*;")


@dataclass(frozen=True)
class Opening:
    """A start position and the moves that are made for the players."""

    board: chess.Board
    record: int | None = None
    """Of the start position, if it is better than its own goal."""
    moves: tuple[chess.Move, ...] = ()
    komi: Komi | None = None

    def game(self, rules: RuleSet) -> Game:
        """The game as the players get it."""
        game = Game(self.board, self.record, rules)
        for move in self.moves:
            game.push_legal(move)
            if game.ended:
                raise BadInput(f"an opening ends the game: {game.turn.ending} after {game.record.ply} plies")
        if game.ended:
            raise BadInput(f"an opening begins with the end of the game: {game.turn.ending}")
        return game

    @property
    def fen(self) -> str | None:
        """The start position; None for the usual one."""
        fen = self.board.fen()
        if self.record is not None:
            return fen
        return None if fen == chess.STARTING_FEN and not self.board.chess960 else fen


class Openings:
    """The openings of a file, by number; after the last comes the first."""

    def __init__(
        self,
        sources: Sequence[tuple[int, bytes | str]],
        where: str,
        rules: RuleSet,
        plies: int | None = None,
        identity: str = "",
    ) -> None:
        self.identity = identity
        """What tells these openings from others, and their order."""
        self._sources = sources
        self._where = where
        self._rules = rules
        self._plies = plies
        self._known: dict[int, Opening] = {}

    @classmethod
    def none(cls, rules: RuleSet) -> Self:
        """The usual start position, again and again."""
        return cls([(1, chess.STARTING_FEN)], "", rules)

    @classmethod
    def read(
        cls, path: Path, rules: RuleSet, *, order: str = "sequential", seed: int = 0, plies: int | None = None
    ) -> Self:
        """The openings of a PGN or, if its name does not end so, of an EPD file: one FEN or EPD a line.

        `plies` is how many moves of each are made at most.
        """
        sources: list[tuple[int, bytes | str]]
        if path.suffix.casefold() in _PGN:
            with path.open("rb") as file:
                sources = [(unit.line, unit.data) for unit in units(file) if unit.fault is None and unit.data.strip()]
        else:
            with path.open("rb") as file:
                sources = [
                    (number, line.text.strip())
                    for number, line in enumerate(lines(file, _LONGEST), start=1)
                    if line.text.strip() and not line.text.startswith(("#", "%"))
                ]
        if not sources:
            raise BadInput(f"no openings in {path}")
        if order == "random":
            random.Random(seed).shuffle(sources)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
        choice = [f"sha256 {digest}", order if order != "random" else f"random {seed}"]
        if plies is not None:
            choice.append(f"{plies} plies")
        return cls(sources, str(path), rules, plies, "; ".join(choice))

    def __len__(self) -> int:
        return len(self._sources)

    def opening(self, number: int) -> Opening:
        """An opening, counted from 0, of which the game is sure to go on."""
        number %= len(self._sources)
        found = self._known.get(number)
        if found is None:
            line, source = self._sources[number]
            try:
                found = self._from_pgn(source) if isinstance(source, bytes) else _from_line(source, self._rules)
                found.game(self._rules)
            except BadInput as error:
                raise BadInput(f"{self._where}:{line}: {error}") from None
            self._known[number] = found
        return found

    def _from_pgn(self, source: bytes) -> Opening:
        section = TagSection(source)
        board, record = start_of(section.headers, whole_game=self._rules.whole_game)
        komi = section.headers.get(KOMI)
        text = source[section.end :].decode("latin-1")
        playing = board.copy(stack=False)
        # A book's games may end without a result.
        for token in pgn_moves.read(f"{text}\n*").tokens:
            if self._plies is not None and len(playing.move_stack) >= self._plies:
                break
            step = None if token in pgn_moves.RESULTS else san.step(token)
            if step is not None:
                san.play(playing, step)
        return Opening(
            board,
            _better(board, record, self._rules),
            tuple(playing.move_stack),
            None if komi is None else Komi.parse(komi),
        )


def _from_line(line: str, rules: RuleSet) -> Opening:
    """An opening from an EPD, or from a FEN with or without a record."""
    fields = line.split()
    if len(fields) > _EPD_FIELDS and _OPERATION.search(line):
        board = chess.Board(chess960=True)  # others forget rights that only Chess960 knows
        try:
            board.set_epd(line)
        except ValueError as error:
            raise BadInput(f"not an EPD: {error}") from None
        line = board.fen()
    board, given = parse_fen(line, whole_game=rules.whole_game)
    return Opening(board, _better(board, given, rules))


def _better(board: chess.Board, record: int | None, rules: RuleSet) -> int | None:
    """The record of a start position, if it says more than the position itself."""
    found = standing(board, record, whole_game=rules.whole_game)
    return None if found.set_at == 0 else found.outcome
