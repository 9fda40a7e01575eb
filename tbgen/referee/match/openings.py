"""The openings of a match, in the order in which they are played."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import chess

from tbgen.errors import BadInput
from tbgen.referee.match.books import BookLine, Kind, OpeningText, is_polyglot, read, understood
from tbgen.rules.ends import Game
from tbgen.rules.record import standing
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.scoring import Komi
from tbgen.rules.tags import fen_of_start
from tbgen.rules.variants import CHESS, Variant

_TOLD: Final = 3
"""Notes about openings, each in a line."""
_DIGITS: Final = 16
"""Digits of a hash."""


@dataclass(frozen=True)
class Opening:
    """A start position and the moves that are made for the players."""

    board: chess.Board
    record: int | None = None
    """The record of the start position, if it is better than its own goal."""
    moves: tuple[chess.Move, ...] = ()
    komi: Komi | None = None
    note: str = ""
    """What of it is left out, in words."""

    def game(self, rules: RuleSet) -> Game:
        """The game as the players get it."""
        game = Game(self.board, self.record, rules)
        for move in self.moves:
            game.push_legal(move)
            if game.ended:
                raise BadInput(
                    f"an opening ends the game: {game.turn.ending} after {game.record.ply} plies "
                    f"(--plies N makes fewer of its moves)"
                )
        if game.ended:
            raise BadInput(f"an opening begins with the end of the game: {game.turn.ending}")
        return game

    @property
    def fen(self) -> str | None:
        """The start position; None for the usual one."""
        return fen_of_start(self.board, self.record)


class Openings:
    """Openings by number; after the last comes the first."""

    def __init__(self, sources: Sequence[OpeningText], where: str, kind: Kind, identity: str = "") -> None:
        kind.variant.check(whole_game=kind.rules.whole_game)
        self._sources = sources
        self._where = where
        self._kind = kind
        self._known: dict[int, Opening] = {}
        self.identity = identity
        """What tells these openings from others, and their order."""

    @classmethod
    def none(cls, rules: RuleSet, *, chess960: bool = False, variant: Variant = CHESS) -> Self:
        """The usual start position, again and again."""
        kind = Kind(rules, chess960=chess960, variant=variant)
        return cls([OpeningText(1, variant.board.starting_fen)], "", kind, kind.name)

    @classmethod
    def read(
        cls,
        path: Path,
        rules: RuleSet,
        *,
        order: str = "sequential",
        seed: int = 0,
        plies: int | None = None,
        start: int = 1,
        wanted: int = 1,
        chess960: bool = False,
        variant: Variant = CHESS,
    ) -> Self:
        """The openings of a file: a PGN, a polyglot book, or lines of FEN and EPD, by the end of its name.

        `plies` is how many moves of each are made at most, `start` the first that is played in its order, `wanted` how
        many there should be if the file has no certain number of them.
        """
        kind = Kind(rules, plies, chess960, variant)
        sources = read(path, wanted + start - 1, kind, seed)
        if not sources:
            raise BadInput(f"no openings in {path}")
        if order == "random" and not is_polyglot(path):  # which is played at random as it is
            random.Random(seed).shuffle(sources)
        if start > len(sources):
            raise BadInput(f"no opening {start}: {path} has {len(sources)}")
        sources = sources[start - 1 :] + sources[: start - 1]
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
        choice = f"random {seed}" if order == "random" or is_polyglot(path) else order
        more = [(start > 1, f"from {start}"), (plies is not None, f"{plies} plies"), (bool(kind.name), kind.name)]
        identity = "; ".join([f"sha256 {digest}", choice, *(words for given, words in more if given)])
        return cls(sources, str(path), kind, identity)

    def __len__(self) -> int:
        return len(self._sources)

    def opening(self, number: int) -> Opening:
        """An opening, counted from 0, of which the game is sure to go on."""
        number %= len(self._sources)
        known = self._known.get(number)
        if known is None:
            source = self._sources[number]
            try:
                known = _opening(understood(source, self._kind), self._kind.rules)
                known.game(self._kind.rules)
            except BadInput as error:
                raise BadInput(f"{self._where}:{source.line}: {error}") from None
            self._known[number] = known
        return known

    def notes(self) -> list[str]:
        """What of the openings that have been read is left out."""
        found = [(self._sources[number].line, known.note) for number, known in self._known.items() if known.note]
        told = [f"{self._where}:{line}: {note}" for line, note in sorted(found)[:_TOLD]]
        return (
            told if len(found) <= _TOLD else [*told, f"{self._where}: {len(found) - _TOLD} more records are left out"]
        )


def _opening(found: BookLine, rules: RuleSet) -> Opening:
    start = found.start
    stands = standing(start.board, start.record, whole_game=rules.whole_game)
    better = None if stands.set_at == 0 else stands.outcome  # says more than the position itself
    return Opening(start.board, better, found.moves, found.komi, "" if start.dropped is None else start.note)
