"""Where one game at a time is played: a process, so that whatever engines say there delays no other game.

It is told what to do over a pipe, and says over the same pipe what happens. When the pipe is closed, its engines go.
"""

import asyncio
import hashlib
import logging
import os
import select
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import chess
from chess.engine import Info

from tbgen.errors import TbgenError
from tbgen.referee.match import orphans
from tbgen.referee.match.client import FIGURES, Client, quit_all
from tbgen.referee.match.conditions import Setting
from tbgen.referee.match.events import Finished, Note, Unplayed
from tbgen.referee.match.export import PV, write_game
from tbgen.referee.match.game_loop import Bout, Judges, NobodyStarts, play
from tbgen.referee.match.ledger import Entry
from tbgen.referee.match.live import Live, Story, Tell, of_plies
from tbgen.referee.match.openings import Opening
from tbgen.referee.match.protocol import LOGGER
from tbgen.referee.match.systems import Pairing
from tbgen.referee.match.table_judge import TableJudge, TableVerdict
from tbgen.referee.syzygy import Syzygy
from tbgen.system import output_files


class Start(NamedTuple):
    """The order to start an engine."""

    engine: int
    positions: Sequence[chess.Board]
    """Some that its games begin with."""


class Started(NamedTuple):
    """The answer."""

    engine: int
    fault: TbgenError | None


class Game(NamedTuple):
    """The order to play a game."""

    pairing: Pairing
    opening: Opening


def work(pipe: Connection, setting: Setting, processors: frozenset[int], mark: str) -> None:
    """Be a desk: obey orders until the pipe is closed. The marks of its engines begin with its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orphans.adopt()
    if processors:
        os.sched_setaffinity(0, processors)
    log_to(setting.log)
    asyncio.run(_serve(pipe, setting, mark))


def log_to(path: Path | None) -> None:
    """Send what the client library has to say to a file, or nowhere: it is not for the screen."""
    LOGGER.propagate = False
    if path is None:
        LOGGER.addHandler(logging.NullHandler())
        return
    stream = os.fdopen(output_files.append(path), "w", encoding="utf-8", errors="backslashreplace")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.DEBUG)


async def _serve(pipe: Connection, setting: Setting, mark: str) -> None:
    loop = asyncio.get_running_loop()
    # Lines of an engine that the client library stumbles over cost the engine its game, and that is all.
    loop.set_exception_handler(lambda _, context: LOGGER.debug("%s", context))
    orders: asyncio.Queue[Start | Game] = asyncio.Queue()
    task = asyncio.current_task()
    assert task is not None

    def listen() -> None:
        try:
            orders.put_nowait(pipe.recv())
        except (EOFError, OSError):
            loop.remove_reader(pipe.fileno())
            task.cancel()

    loop.add_reader(pipe.fileno(), listen)

    def tell(picture: Live) -> None:
        # Nobody waits for whoever reads: there will be another picture.
        if select.select([], [pipe], [], 0)[1]:
            pipe.send(picture)

    desk = _Desk(setting, mark, lambda words: pipe.send(Note(words)), tell)
    try:
        while True:
            pipe.send(await desk.obey(await orders.get()))
    except asyncio.CancelledError:
        pass
    except TbgenError as error:
        with suppress(OSError):
            pipe.send(error)
    except BrokenPipeError:
        pass
    finally:
        await quit_all(list(desk.clients.values()))


class _Desk:
    """The engines that run here."""

    def __init__(self, setting: Setting, mark: str, note: Callable[[str], None], tell: Tell) -> None:
        self._setting = setting
        self._mark = mark
        self._note = note
        self._tell = tell
        self.clients: dict[int, Client] = {}
        self._played = False
        conditions = setting.conditions
        self._judges = Judges(
            None if conditions.tables is None else TableJudge(conditions.tables, conditions.rules),
            Syzygy(conditions.syzygy, conditions.syzygy_men) if conditions.syzygy else None,
        )

    async def obey(self, order: Start | Game) -> Started | Finished | Unplayed:
        if isinstance(order, Start):
            try:
                await self._client(order.engine).ready(order.positions)
            except TbgenError as error:
                return Started(order.engine, error)
            return Started(order.engine, None)
        return await self._play(*order)

    def _client(self, number: int) -> Client:
        """An engine, not necessarily started."""
        one = Client(self._setting.engines[number], f"{self._mark}_{number}", self._note)
        return self.clients.setdefault(number, one)

    async def _play(self, pairing: Pairing, opening: Opening) -> Finished | Unplayed:
        if self._played:
            await asyncio.sleep(self._setting.wait)
        self._played = True
        gone = [self.clients.pop(number) for number in list(self.clients) if number not in pairing[1:3]]
        await quit_all(gone)
        clients = {chess.WHITE: self._client(pairing.white), chess.BLACK: self._client(pairing.black)}
        try:
            info = FIGURES | Info.PV if PV in self._setting.comments else FIGURES
            tell = self._tell if self._setting.live else None
            bout = await play(pairing, opening, clients, self._setting.conditions, self._judges, info, tell)
        except NobodyStarts as error:
            white, black = (client.contestant.name for client in clients.values())
            return Unplayed(pairing, white, black, str(error))
        identities = (clients[chess.WHITE].identity, clients[chess.BLACK].identity)
        for client in clients.values():
            await client.rest()
        return self._finished(bout, identities)

    def _finished(self, bout: Bout, identities: tuple[str, str]) -> Finished:
        engines = self._setting.engines
        missing = {}
        if self._judges.tables is not None:
            missing = dict(self._judges.tables.missing)
            self._judges.tables.missing.clear()
        verdict = bout.end.verdict if isinstance(bout.end.verdict, TableVerdict) else None
        return Finished(
            pairing=bout.pairing,
            entry=Entry(
                bout.pairing.round,
                engines[bout.pairing.white].name,
                engines[bout.pairing.black].name,
                bout.end.outcome,
                bout.termination,
                bout.opening.fen,
                bout.opening.record,
                self._setting.conditions.komi_with(bout.opening.komi),
            ),
            points=bout.points,
            whole=bout.scoring.whole,
            plies=bout.game.record.ply,
            ending=bout.end.words,
            dtg=verdict and verdict.dtg,
            late=verdict is not None and verdict.late,
            pgn=write_game(bout, self._setting, identities),
            digest=_digest(bout),
            missing=missing,
            story=_story(bout) if self._setting.live else None,
        )


def _story(bout: Bout) -> dict[str, Any]:
    return Story(bout.game, bout.game.record.ply - len(bout.plies)).told(of_plies(bout.plies))


def _digest(bout: Bout) -> str:
    moves = " ".join(move.uci() for move in bout.game.board.move_stack)
    told = f"{bout.pairing.white} {bout.pairing.black} {bout.opening.fen} {bout.opening.record} {moves}"
    return hashlib.sha256(told.encode()).hexdigest()
