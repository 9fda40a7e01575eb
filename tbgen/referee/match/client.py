"""A running engine, and what it may do wrong.

Every engine runs in a process group of its own: a Ctrl-C is for the referee, not for it. What it has started
goes with it, also from sessions of its own (`strays`). Whatever it does within a game is either a legal move in time
or a `Breach`.
"""

import asyncio
import enum
import os
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import chess
from chess.engine import EngineError, EngineTerminatedError, Info, InfoDict, Limit, PovScore

from tbgen.errors import NO_MORE, BadInput, OutOfRoom, TbgenError
from tbgen.referee.match import orphans
from tbgen.referee.match.contestants import Contestant
from tbgen.referee.match.protocol import Guarded, Uci
from tbgen.referee.match.xboard import XBoard
from tbgen.system.text import shown

_ATTEMPTS: Final = 3
_PAUSE: Final = 0.5
_FAREWELL: Final = 1.0
_SHOWN: Final = 40
_FIRST_NOTE: Final = 5.0
"""Seconds after which a note says that an engine is waited for."""
_NEXT_NOTE: Final = 30.0
_SETTLING: Final = ", without an answer to 'isready' after its last move"
FIGURES: Final = Info.BASIC | Info.SCORE
"""What an engine is asked about its thinking."""
_TURN: Final = 0.01
_LINGER: Final = 0.1
"""Seconds that the loop goes on after the last engine has gone."""
_PROTOCOLS: Final[Mapping[str, type[Uci | XBoard]]] = {"uci": Uci, "xboard": XBoard}


class Misconduct(enum.Enum):
    """How an engine loses a game that is not lost. The values are those of the PGN tag `Termination`."""

    CRASH = "abandoned"
    SILENCE = "stalled connection"
    ILLEGAL = "illegal move"
    TIME = "time forfeit"


class Breach(Exception):
    """An engine has lost its game by this."""

    def __init__(self, misconduct: Misconduct, words: str) -> None:
        super().__init__(words)
        self.misconduct = misconduct


class Resigns(Exception):
    """An engine gives its game up, as those of xboard may."""


class CannotStart(TbgenError):
    """An engine that is not there, does not speak its protocol, or does not know its options."""


class EngineMove(NamedTuple):
    """What an engine plays, and what it took."""

    move: chess.Move
    seconds: float
    info: InfoDict


class Client:
    """An engine that is started when it is needed, and again when it has gone."""

    def __init__(self, contestant: Contestant, mark: str, note: Callable[[str], None] = lambda words: None) -> None:
        self.contestant = contestant
        self._mark = mark
        self._note = note
        self._transport: asyncio.SubprocessTransport | None = None
        self._protocol: Uci | XBoard | None = None
        self._starting: Guarded | None = None
        self.identity = ""
        """What the engine called itself when it was last started."""
        self._game = object()
        """Another one for each game."""

    async def ready(self, starts: Iterable[chess.Board] = ()) -> None:
        """Start the engine if it is not running, and see that it knows how to begin from these positions."""
        await self._tried(self._running)
        for board in starts:
            self._require(board)

    def _require(self, start: chess.Board) -> None:
        """BadInput if the engine cannot be told of a position."""
        lacking = "" if self._protocol is None else self._protocol.lacks(start)
        if lacking:
            raise BadInput(f"{self.contestant.name} does not know {lacking}, as this opening asks for: {start.fen()}")

    async def new_game(self, start: chess.Board, record: str | None) -> None:
        """Announce a game from a position, which bears this record."""

        async def announce() -> None:
            protocol = await self._running()
            protocol.record = record if self.contestant.record else None
            self._game = object()
            if isinstance(protocol, Uci):
                protocol.begin(start, self._game)
            await protocol.ping()

        await self._tried(announce)
        self._require(start)

    async def _tried(self, action: Callable[[], Awaitable[object]]) -> None:
        """Do what needs an engine, with another one if it dies of it, a few times.

        One that has just been started and says nothing would say nothing again.
        """
        start = self.contestant.start
        for attempt in range(1, _ATTEMPTS + 1):
            fresh = self._protocol is None
            notes = asyncio.create_task(self._notes())
            try:
                async with asyncio.timeout(start):
                    await action()
                return
            except (EngineError, OSError, TimeoutError) as error:
                said = "" if self._starting is None else self._starting.last_words
                await self.kill()
                if attempt == _ATTEMPTS and isinstance(error, OSError) and error.errno in NO_MORE:
                    raise OutOfRoom(
                        f"{self.contestant.name} cannot be started: {error.strerror}; "
                        "with fewer games at a time, the same command goes on"
                    ) from None
                hopeless = isinstance(error, FileNotFoundError | PermissionError)
                if attempt == _ATTEMPTS or hopeless or (fresh and isinstance(error, TimeoutError)):
                    words = str(error) or f"no answer to 'uci' or 'isready' in {start:g} seconds"
                    raise CannotStart(f"{self.contestant.name} does not start: {words}{_saying(said)}") from None
            except BaseException:
                await self.kill()
                raise
            finally:
                notes.cancel()
            await asyncio.sleep(_PAUSE)

    async def _notes(self) -> None:
        """Say that the engine is waited for, again and again."""
        waited = _FIRST_NOTE
        await asyncio.sleep(waited)
        while True:
            self._note(
                f"{self.contestant.name} is starting: {waited:g} s so far, "
                f"of {self.contestant.start:g} s (start=S allows more)"
            )
            await asyncio.sleep(_NEXT_NOTE)
            waited += _NEXT_NOTE

    async def _running(self) -> Uci | XBoard:
        if self._protocol is not None:
            return self._protocol
        one = self.contestant
        self._transport, protocol = await _PROTOCOLS[one.protocol].popen(
            list(one.command), setpgrp=True, cwd=one.directory, env=orphans.marked(self._mark)
        )
        orphans.RUNNING[self._transport.get_pid()] = self._mark
        self._starting = protocol
        for line in one.setup:
            protocol.send_line(line)
        await protocol.initialize()
        known = {name.casefold(): name for name in protocol.options}
        try:
            await protocol.configure({known.get(name.casefold(), name): value for name, value in one.options.items()})
        except EngineTerminatedError:
            raise
        except EngineError as error:
            raise BadInput(f"{one.name}: {error}") from None
        self._protocol = protocol
        self.identity = shown(protocol.id.get("name", ""))
        return protocol

    async def move(
        self, board: chess.Board, limit: Limit, allowed: float | None, patience: float, info: Info = FIGURES
    ) -> EngineMove:
        """The engine's move. It is `allowed` so many seconds by its clock, and waited for no longer.

        Where no clock says, `patience` is how long it may be silent. After a breach the engine is gone.
        """
        protocol = self._protocol
        if protocol is None:
            raise Breach(Misconduct.CRASH, "is not running")
        loop = asyncio.get_running_loop()
        deadline = patience if allowed is None else allowed
        protocol.answer = ""
        begun = loop.time()
        try:
            async with asyncio.timeout(deadline):
                played = await protocol.play(board, limit, game=self._game, info=info, ponder=self.contestant.ponder)
            seconds = loop.time() - begun
            if seconds > deadline:
                raise TimeoutError
            if played.resigned:
                raise Resigns
            if played.move is None:
                raise Breach(Misconduct.ILLEGAL, "gives no move")
            if not board.is_legal(played.move):
                raise Breach(Misconduct.ILLEGAL, f"plays an illegal move: {_shown(protocol.answer)}")
            return EngineMove(played.move, seconds, self._own_view(played.info, board.turn))
        except TimeoutError:
            more = _SETTLING if protocol.settling and not protocol.answer else ""
            breach = (
                Breach(Misconduct.SILENCE, f"has not answered for {deadline:g} seconds{more}")
                if allowed is None
                else Breach(Misconduct.TIME, f"loses on time{more}")
            )
        except EngineTerminatedError:
            code = None if self._transport is None else self._transport.get_returncode()
            breach = Breach(Misconduct.CRASH, f"crashes{_left_with(code)}{_saying(protocol.last_words)}")
        except EngineError as error:
            breach = Breach(Misconduct.ILLEGAL, f"plays an illegal move: {_shown(protocol.answer or str(error))}")
        except Breach as error:
            breach = error
        except Resigns:
            raise
        except BaseException:
            await self.kill()
            raise
        await self.kill()
        raise breach

    def thinks(self, board: chess.Board) -> InfoDict:
        """What it says while it thinks about this position."""
        return {} if self._protocol is None else self._own_view(self._protocol.thinks(board), board.turn)

    def _own_view(self, info: InfoDict, turn: chess.Color) -> InfoDict:
        """What the engine said, the score being its own."""
        if not self.contestant.white_view or turn or "score" not in info:
            return info
        return {**info, "score": PovScore(-info["score"].relative, turn)}

    async def rest(self) -> None:
        """A game is over: think no more of it, and go if the next one is to find another process."""
        if self.contestant.restart:
            await self.quit()
        elif self.contestant.ponder and self._protocol is not None:
            # An engine that still thinks may not hear of a new game.
            try:
                async with asyncio.timeout(_FAREWELL):
                    await self._protocol.ping()
            except (EngineError, OSError, TimeoutError):
                await self.kill()

    async def quit(self) -> None:
        """End the engine, asking it first."""
        protocol = self._protocol
        if protocol is not None and not protocol.returncode.done():
            with suppress(EngineError, OSError, TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await protocol.quit()
        await self.kill()

    async def kill(self) -> None:
        """End the engine and whatever it has started."""
        transport, self._transport, self._protocol, self._starting = self._transport, None, None, None
        if transport is None:
            return
        pid = transport.get_pid()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        orphans.RUNNING[pid] = ""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                while transport.get_returncode() is None or orphans.end():
                    await asyncio.sleep(_TURN)
        if transport.get_returncode() is not None:
            del orphans.RUNNING[pid]
        protocol = transport.get_protocol()
        if isinstance(protocol, Guarded):
            # Pipes that a stray grandchild holds open must not hold us up.
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await asyncio.shield(protocol.returncode)
        transport.close()


async def quit_all(clients: Sequence[Client]) -> None:
    if not clients:
        return
    await asyncio.gather(*(client.quit() for client in clients))
    # A closed transport lets go of its pipes in later turns of the loop; one that the loop does not outlive
    # would complain when it is collected.
    await asyncio.sleep(_LINGER)


def _left_with(code: int | None) -> str:
    """What a process said with its end, if that is known."""
    if code is None:
        return ""
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _saying(last_words: str) -> str:
    """The last words of an engine on its standard error."""
    return f", saying: {last_words}" if last_words else ""


def _shown(answer: str) -> str:
    """A move that is none, as it may stand in a message."""
    return ascii((answer.split() or [answer])[0])[1:-1][:_SHOWN]
