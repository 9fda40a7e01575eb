"""A running engine, and what it may do wrong.

Every engine runs in a process group of its own: a Ctrl-C is for the referee, not for it, and what it has
started goes with it. Whatever it does within a game is either a legal move in time or a `Breach`.
"""

import asyncio
import enum
import os
import re
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import chess
from chess.engine import EngineError, EngineTerminatedError, Info, InfoDict, Limit, UciProtocol

from tbgen.errors import BadInput, TbgenError
from tbgen.referee.match.contestants import Contestant
from tbgen.text import decoded

START: Final = 60.0
"""Seconds that an engine may take to start and to set its options."""

_ATTEMPTS: Final = 3
_PAUSE: Final = 0.5
_FAREWELL: Final = 1.0
_QUOTED: Final = re.compile(r"uci: '([^']*)'")
_SHOWN: Final = 40
_CHESS960: Final = "UCI_Chess960"
_LONGEST: Final = 1 << 20
"""Bytes of a line that are kept."""


_LINGER: Final = 0.1
"""Seconds that the loop goes on after the last engine has gone."""


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


class CannotStart(TbgenError):
    """An engine that is not there, does not speak UCI, or does not know its options."""


class Answer(NamedTuple):
    """A move, and what it took."""

    move: chess.Move
    seconds: float
    info: InfoDict


class _Protocol(UciProtocol):
    """UCI, except that a position may bear a record, and that every line can be read."""

    record: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self._begun: dict[int, bytes] = {}

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """The client library leaves out lines that are not UTF-8, and keeps what never ends."""
        *whole, rest = (self._begun.get(fd, b"") + (data.encode() if isinstance(data, str) else data)).split(b"\n")
        self._begun[fd] = rest[:_LONGEST]
        super().pipe_data_received(fd, b"".join(decoded(line).encode() + b"\n" for line in whole))

    def send_line(self, line: str) -> None:
        if self.record is not None and line.startswith("position fen "):
            head, moves, rest = line.partition(" moves ")
            line = f"{head} {self.record}{moves}{rest}"
        super().send_line(line)


class Client:
    """An engine that is started when it is needed, and again when it has gone."""

    def __init__(self, contestant: Contestant) -> None:
        self.contestant = contestant
        self._transport: asyncio.SubprocessTransport | None = None
        self._protocol: _Protocol | None = None

    async def ready(self, *, chess960: bool = False) -> None:
        """Start the engine if it is not running, and see that it knows the kind of chess to be played."""
        await self._tried(self._running)
        if chess960 and self._protocol is not None and _CHESS960 not in self._protocol.options:
            raise BadInput(f"{self.contestant.name} does not play Chess960, as openings ask for")

    async def new_game(self, record: str | None) -> None:
        """Announce a game, in which the start position bears this record."""

        async def announce() -> None:
            protocol = await self._running()
            protocol.record = record if self.contestant.record else None
            # What `play` would do at the first move, but then it would be on the engine's time.
            protocol.game = object()
            protocol.first_game = False
            protocol.send_line("ucinewgame")
            await protocol.ping()

        await self._tried(announce)

    async def _tried(self, action: Callable[[], Awaitable[object]]) -> None:
        """Do what needs an engine, with another one if it dies of it, a few times.

        One that has just been started and says nothing would say nothing again.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            fresh = self._protocol is None
            try:
                async with asyncio.timeout(START):
                    await action()
                return
            except (EngineError, OSError, TimeoutError) as error:
                await self.kill()
                hopeless = isinstance(error, FileNotFoundError | PermissionError)
                if attempt == _ATTEMPTS or hopeless or (fresh and isinstance(error, TimeoutError)):
                    words = str(error) or f"no answer to 'uci' or 'isready' in {START:g} seconds"
                    raise CannotStart(f"{self.contestant.name} does not start: {words}") from None
            except BaseException:
                await self.kill()
                raise
            await asyncio.sleep(_PAUSE)

    async def _running(self) -> _Protocol:
        if self._protocol is not None:
            return self._protocol
        one = self.contestant
        self._transport, protocol = await _Protocol.popen(list(one.command), setpgrp=True, cwd=one.directory)
        await protocol.initialize()
        known = {name.casefold(): name for name in protocol.options}
        try:
            await protocol.configure({known.get(name.casefold(), name): value for name, value in one.options.items()})
        except EngineError as error:
            raise BadInput(f"{one.name}: {error}") from None
        self._protocol = protocol
        return protocol

    async def move(self, board: chess.Board, limit: Limit, allowed: float | None, patience: float) -> Answer:
        """The engine's move. It is `allowed` so many seconds by its clock, and waited for no longer.

        Where no clock says, `patience` is how long it may be silent. After a breach the engine is gone.
        """
        protocol = self._protocol
        if protocol is None:
            raise Breach(Misconduct.CRASH, "is not running")
        loop = asyncio.get_running_loop()
        deadline = patience if allowed is None else allowed
        begun = loop.time()
        try:
            async with asyncio.timeout(deadline):
                played = await protocol.play(board, limit, game=protocol.game, info=Info.BASIC | Info.SCORE)
            seconds = loop.time() - begun
            if seconds > deadline:
                raise TimeoutError
            if played.move is None:
                raise Breach(Misconduct.ILLEGAL, "gives no move")
            if not board.is_legal(played.move):
                raise Breach(Misconduct.ILLEGAL, f"plays an illegal move: {played.move.uci()}")
            return Answer(played.move, seconds, played.info)
        except TimeoutError:
            breach = (
                Breach(Misconduct.SILENCE, f"has not answered for {deadline:g} seconds")
                if allowed is None
                else Breach(Misconduct.TIME, "loses on time")
            )
        except EngineTerminatedError:
            code = None if self._transport is None else self._transport.get_returncode()
            breach = Breach(Misconduct.CRASH, f"crashes{_left_with(code)}")
        except EngineError as error:
            breach = Breach(Misconduct.ILLEGAL, f"plays an illegal move: {_move_in(str(error))}")
        except Breach as error:
            breach = error
        except BaseException:
            await self.kill()
            raise
        await self.kill()
        raise breach

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
        transport, self._transport, self._protocol = self._transport, None, None
        if transport is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(transport.get_pid(), signal.SIGKILL)
        protocol = transport.get_protocol()
        if isinstance(protocol, UciProtocol):
            # Pipes that a stray grandchild holds open must not hold us up.
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await asyncio.shield(protocol.returncode)
        transport.close()


async def quit_all(clients: Sequence[Client]) -> None:
    """End several engines at once."""
    await asyncio.gather(*(client.quit() for client in clients))
    # A closed transport lets go of its pipes in later turns of the loop; one that the loop does not outlive
    # would complain when it is collected.
    await asyncio.sleep(_LINGER)


def _left_with(code: int | None) -> str:
    """What a process said with its end, if that is known."""
    if code is None:
        return ""
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _move_in(complaint: str) -> str:
    """The move that the client library complains of."""
    found = _QUOTED.search(complaint)
    return ascii(found[1] if found else complaint)[1:-1][:_SHOWN]
