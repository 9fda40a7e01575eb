"""A match: games played side by side, entered when they are over, and taken up where they were left."""

import asyncio
import logging
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import chess

from tbgen.errors import BadInput
from tbgen.referee.match.bout import Bout, Conditions, play
from tbgen.referee.match.client import Client, quit_all
from tbgen.referee.match.contestants import Contestant
from tbgen.referee.match.export import write_game
from tbgen.referee.match.ledger import Entry, Ledger
from tbgen.referee.match.openings import Openings
from tbgen.referee.match.schedule import Pairing
from tbgen.referee.match.standings import Standings
from tbgen.rules.statistics import Verdict

_LOGGER: Final = logging.getLogger("chess.engine")
"""The client library's."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything about a match but its games."""

    engines: Sequence[Contestant]
    pairings: Sequence[Pairing]
    openings: Openings
    conditions: Conditions
    concurrency: int = 1
    event: str = "tbgen match"


class Witness(Protocol):
    """Who is told how the match goes."""

    def finished(self, bout: Bout) -> None:
        """A game is over and entered."""


class Match:
    """A match with what has been played of it."""

    def __init__(self, plan: Plan, standings: Standings, ledger: Ledger | None = None) -> None:
        self.plan = plan
        self.standings = standings
        self._ledger = ledger
        done: set[str] = set()
        if ledger is not None:
            done = self._taken_up(ledger.entries)
            ledger.accept()
        self.todo = [pairing for pairing in plan.pairings if pairing.round not in done]

    def _taken_up(self, entries: Sequence[Entry]) -> set[str]:
        """Count the games of an earlier run, which have to be of this match."""
        known = {pairing.round: pairing for pairing in self.plan.pairings}
        done: set[str] = set()
        for entry in entries:
            pairing = known.get(entry.round)
            if pairing is None or entry.round in done or not self._is_of(entry, pairing):
                raise BadInput(
                    f"the PGN file is of another match: round {entry.round}, {entry.white} - {entry.black}"
                    f"{'' if entry.fen is None else f', from {entry.fen}'}"
                )
            done.add(entry.round)
            self.standings.add(entry)
        return done

    def _is_of(self, entry: Entry, pairing: Pairing) -> bool:
        names = (self.plan.engines[pairing.white].name, self.plan.engines[pairing.black].name)
        return (entry.white, entry.black) == names and entry.fen == self.plan.openings.opening(pairing.opening).fen

    @property
    def decided(self) -> bool:
        """Whether the sequential test has said what there is to say."""
        sprt = self.standings.sprt
        return sprt is not None and sprt.verdict is not Verdict.CONTINUE

    def run(self, witness: Witness) -> None:
        """Play what is left. Ctrl-C and SIGTERM end it as KeyboardInterrupt, when all engines have gone."""
        # All openings are read now: a bad one, or one that an engine cannot play, is to be found out at once.
        openings = [self.plan.openings.opening(pairing.opening) for pairing in self.todo]
        if self.todo and not self.decided:
            asyncio.run(self._run(witness, chess960=any(opening.board.chess960 for opening in openings)))

    async def _run(self, witness: Witness, *, chess960: bool) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)
        # Lines of an engine that the client library stumbles over cost the engine its game, and that is all.
        loop.set_exception_handler(lambda _, context: _LOGGER.debug("%s", context))
        todo = iter(self.todo)
        desks = [_Desk(self.plan.engines) for _ in range(min(self.plan.concurrency, len(self.todo)))]
        try:
            # An engine that does not start at all is to be found out before anything is played.
            for number in range(len(self.plan.engines)):
                await desks[0].client(number).ready(chess960=chess960)
            await self._at_all(desks, todo, witness)
        finally:
            await quit_all([client for desk in desks for client in desk.clients.values()])

    async def _at_all(self, desks: Sequence["_Desk"], todo: Iterator[Pairing], witness: Witness) -> None:
        """Have games played at all desks until none is left, the test has decided, or something is wrong."""
        tasks = [asyncio.create_task(self._at(desk, todo, witness)) for desk in desks]
        pending = set(tasks)
        try:
            while pending and not self.decided:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _at(self, desk: "_Desk", todo: Iterator[Pairing], witness: Witness) -> None:
        for pairing in todo:
            opening = self.plan.openings.opening(pairing.opening)
            bout = await play(pairing, opening, await desk.set_for(pairing), self.plan.conditions)
            self._enter(bout)
            witness.finished(bout)
            if self.decided:
                break

    def _enter(self, bout: Bout) -> None:
        """Count a game, once it is safely written."""
        plan = self.plan
        if self._ledger is not None:
            self._ledger.add(write_game(bout, plan.engines, plan.conditions.rules, plan.event))
        names = (plan.engines[bout.pairing.white].name, plan.engines[bout.pairing.black].name)
        self.standings.add(
            Entry(
                bout.pairing.round,
                *names,
                bout.end.outcome,
                bout.termination,
                bout.opening.fen,
                bout.scoring.komi,
            )
        )


class _Desk:
    """Where one game at a time is played, with the engines that run there."""

    def __init__(self, engines: Sequence[Contestant]) -> None:
        self._engines = engines
        self.clients: dict[int, Client] = {}

    def client(self, number: int) -> Client:
        """An engine, not necessarily started."""
        return self.clients.setdefault(number, Client(self._engines[number]))

    async def set_for(self, pairing: Pairing) -> dict[chess.Color, Client]:
        """The engines of a game; those that are not in it go."""
        gone = [self.clients.pop(number) for number in list(self.clients) if number not in pairing[1:3]]
        await quit_all(gone)
        return {chess.WHITE: self.client(pairing.white), chess.BLACK: self.client(pairing.black)}
