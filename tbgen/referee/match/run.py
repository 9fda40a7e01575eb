"""A match: games played side by side, entered when they are over, and taken up where they were left."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from tbgen.errors import BadInput, TbgenError
from tbgen.referee.match.desk import Game, Setting, Start, Started
from tbgen.referee.match.desks import ANY, Desks, Processors
from tbgen.referee.match.events import Event, Finished, Note
from tbgen.referee.match.ledger import Entry, Ledger
from tbgen.referee.match.openings import Openings
from tbgen.referee.match.schedule import Pairing
from tbgen.referee.match.standings import Standings
from tbgen.rules.statistics import Verdict

Watch: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a match but its games."""

    setting: Setting
    pairings: Sequence[Pairing]
    openings: Openings
    concurrency: int = 1
    processors: Processors = ANY


class Match:
    """A match with what has been played of it."""

    def __init__(self, plan: Plan, standings: Standings, ledger: Ledger | None = None) -> None:
        self.plan = plan
        self.standings = standings
        self._ledger = ledger
        self._played: dict[str, str] = {}
        """The games of this run by what was played, with their rounds."""
        done: set[str] = set()
        if ledger is not None:
            done = self._taken_up(ledger)
            ledger.accept()
        self.todo = [pairing for pairing in plan.pairings if pairing.round not in done]

    def _taken_up(self, ledger: Ledger) -> set[str]:
        """Count the games of an earlier run, which have to be of this match and played under its conditions."""
        setting = self.plan.setting
        known = {pairing.round: pairing for pairing in self.plan.pairings}
        done: set[str] = set()
        for entry, conditions in zip(ledger.entries, ledger.conditions, strict=True):
            pairing = known.get(entry.round)
            if pairing is not None:
                white, black = setting.engines[pairing.white], setting.engines[pairing.black]
                if (entry.white, entry.black) == (white.name, black.name):
                    komi = self.plan.openings.opening(pairing.opening).komi
                    setting.conditions.check(conditions, white, black, komi)
            if pairing is None or entry.round in done or not self._is_of(entry, pairing):
                raise BadInput(
                    f"the PGN file is of another match: round {entry.round}, {entry.white} - {entry.black}"
                    f"{'' if entry.fen is None else f', from {entry.fen}'}"
                )
            done.add(entry.round)
            self.standings.add(entry)
        return done

    def _is_of(self, entry: Entry, pairing: Pairing) -> bool:
        engines = self.plan.setting.engines
        names = (engines[pairing.white].name, engines[pairing.black].name)
        opening = self.plan.openings.opening(pairing.opening)
        return (entry.white, entry.black, entry.fen, entry.record) == (*names, opening.fen, opening.record)

    @property
    def games(self) -> int | None:
        """How many games the match has."""
        return len(self.plan.pairings)

    @property
    def decided(self) -> bool:
        """Whether the sequential test has said what there is to say."""
        sprt = self.standings.sprt
        return sprt is not None and sprt.verdict is not Verdict.CONTINUE

    def run(self, watch: Watch) -> None:
        """Play what is left. Ctrl-C and SIGTERM end it as KeyboardInterrupt, when all engines have gone."""
        # All openings are read now: a bad one, or one that an engine cannot play, is to be found out at once.
        openings = [self.plan.openings.opening(pairing.opening) for pairing in self.todo]
        if not self.todo or self.decided:
            return
        for words in self.plan.openings.notes():
            watch(Note(words))
        count = min(self.plan.concurrency, len(self.todo))
        with _terminable(), Desks(self.plan.setting, count, self.plan.processors) as desks:
            self._try_engines(desks, watch, chess960=any(opening.board.chess960 for opening in openings))
            self._play(desks, watch)

    def _try_engines(self, desks: Desks, watch: Watch, *, chess960: bool) -> None:
        """Start every engine once: what is wrong with a command line is found out before anything is played.

        One that does not start may do so later. But a match of fewer than two engines is none.
        """
        faults: list[TbgenError] = []
        engines = len(self.plan.setting.engines)
        for number in range(engines):
            desks.give(Start(number, chess960))
            while not isinstance(told := desks.next(), Started):
                watch(told)
            if isinstance(told.fault, BadInput):
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


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends a match as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
