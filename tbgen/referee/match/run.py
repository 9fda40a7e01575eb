"""A match: games played side by side, entered when they are over, and taken up where they were left."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

import chess

from tbgen.errors import BadInput, OutOfRoom, TbgenError
from tbgen.referee.match.conditions import Setting
from tbgen.referee.match.desks import Desks, Processors
from tbgen.referee.match.events import Event, Finished, Note
from tbgen.referee.match.game_worker import Game, Start, Started
from tbgen.referee.match.ledger import Entry, Ledger
from tbgen.referee.match.openings import Openings
from tbgen.referee.match.standings import Standings
from tbgen.referee.match.systems import Format, Pairing
from tbgen.referee.match.xboard import can_be_edited
from tbgen.rules.statistics import SprtVerdict

Watch: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a match but its games."""

    setting: Setting
    form: Format
    openings: Openings
    last_opening: int | None
    """The last opening that is played; None: they are played again and again."""
    concurrency: int
    processors: Processors


class Match:
    """A match with what has been played of it."""

    def __init__(self, plan: Plan, standings: Standings, ledger: Ledger | None = None) -> None:
        self.plan = plan
        self.standings = standings
        self.todo: list[Pairing] = []
        """What is left of the batch that is being played."""
        self._ledger = ledger
        self._batches = plan.form.batches(standings)
        self._kept = [] if ledger is None else list(zip(ledger.entries, ledger.conditions, strict=True))
        self._played: dict[str, str] = {}
        """The games of this run by what was played, with their rounds."""
        self._advance()
        if self._kept:
            self._refuse(self._kept[0][0])
        if ledger is not None:
            ledger.accept()

    def _advance(self) -> None:
        """Go on to the batch that is not yet played. The games of an earlier run are counted on the way."""
        kept = {entry.round: (entry, conditions) for entry, conditions in self._kept}
        if len(kept) < len(self._kept):
            rounds = [entry.round for entry, _ in self._kept]
            self._refuse(next(entry for entry, _ in self._kept if rounds.count(entry.round) > 1))
        left: list[Pairing] = []
        for batch in self._batches:
            left = []
            for pairing in batch:
                if self.plan.last_opening is not None and pairing.opening > self.plan.last_opening:
                    continue
                if pairing.round in kept:
                    self._take_up(pairing, *kept.pop(pairing.round))
                else:
                    left.append(pairing)
            if left and not kept:  # a game of a later batch shows that no engine could play the rest of this one
                break
        self.todo = left
        self._kept = list(kept.values())

    def _take_up(self, pairing: Pairing, entry: Entry, conditions: Mapping[str, str]) -> None:
        """Count a game of an earlier run, which has to be of this match and played under its conditions."""
        setting = self.plan.setting
        opening = self.plan.openings.opening(pairing.opening)
        white, black = setting.engines[pairing.white], setting.engines[pairing.black]
        if (entry.white, entry.black) == (white.name, black.name):
            setting.conditions.check(conditions, white, black, opening.komi)
        if (entry.white, entry.black, entry.fen, entry.record) != (white.name, black.name, opening.fen, opening.record):
            self._refuse(entry)
        self.standings.add(entry)

    @staticmethod
    def _refuse(entry: Entry) -> NoReturn:
        raise BadInput(
            f"the PGN file is of another match: round {entry.round}, {entry.white} - {entry.black}"
            f"{'' if entry.fen is None else f', from {entry.fen}'}"
        )

    @property
    def games(self) -> int | None:
        """How many games the match has, if that does not depend on results."""
        return None if self.plan.last_opening is not None else self.plan.form.total

    @property
    def decided(self) -> bool:
        """Whether the sequential test has said what there is to say."""
        sprt = self.standings.sprt
        return sprt is not None and sprt.verdict is not SprtVerdict.CONTINUE

    def run(self, watch: Watch) -> None:
        """Play what is left. A KeyboardInterrupt ends it when all engines have gone."""
        if not self.todo or self.decided:
            return
        # All openings are read now: a bad one, or one that an engine cannot play, is to be found out at once.
        openings = [self.plan.openings.opening(pairing.opening) for pairing in self.todo]
        for words in self.plan.openings.notes():
            watch(Note(words))
        with Desks(self.plan.setting, self._concurrency, self.plan.processors) as desks:
            self._try_engines(desks, watch, [opening.board for opening in openings])
            while self.todo and not self.decided:
                self._play(desks, watch)
                self._advance()

    @property
    def _concurrency(self) -> int:
        """No more desks than there are games for."""
        most = max(len(self.todo), len(self.plan.setting.engines) // 2 * self.plan.form.games)
        return min(self.plan.concurrency, most)

    def _try_engines(self, desks: Desks, watch: Watch, starts: Iterable[chess.Board]) -> None:
        """Start every engine once: what is wrong with a command line is found out before anything is played.

        One that does not start may do so later. But a match of fewer than two engines is none.
        """
        faults: list[TbgenError] = []
        engines = len(self.plan.setting.engines)
        kinds = list(
            {(board.chess960, can_be_edited(board)): board for board in starts}.values()
        )  # one of each will do
        for number in range(engines):
            desks.give(Start(number, kinds))
            while not isinstance(told := desks.next(), Started):
                watch(told)
            if isinstance(told.fault, BadInput | OutOfRoom):
                raise told.fault
            if told.fault is not None:
                faults.append(told.fault)
                if engines - len(faults) < 2:
                    raise told.fault
                watch(Note(f"{told.fault}: it loses its games, and is started again for each"))

    def _play(self, desks: Desks, watch: Watch) -> None:
        todo = iter(self.todo)
        following = next(todo, None)
        while (following is not None or desks.busy) and not self.decided:
            while following is not None and desks.free:
                desks.give(Game(following, self.plan.openings.opening(following.opening)))
                following = next(todo, None)
            told = desks.next()
            if isinstance(told, Finished):
                self._enter(told)
                self._note_repeat(told, watch)
            if not isinstance(told, Started):
                watch(told)

    def _enter(self, finished: Finished) -> None:
        """Count a game, once it is safely written."""
        if self._ledger is not None:
            self._ledger.add(finished.pgn)
        self.standings.add(finished.entry)

    def _note_repeat(self, finished: Finished, watch: Watch) -> None:
        """Say of the first game that repeats another one that statistics count both."""
        first = self._played.setdefault(finished.digest, finished.entry.round)
        if first != finished.entry.round:
            if not self.standings.repeats:
                watch(
                    Note(
                        f"game {finished.entry.round} repeats game {first} move by move: such games are no further "
                        "evidence (more openings, or clocks instead of nodes, make them differ)"
                    )
                )
            self.standings.repeats += 1
