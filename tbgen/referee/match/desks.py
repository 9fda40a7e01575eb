"""All desks of a match, seen from the process that runs it: orders go out, and what happens comes in."""

import secrets
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Final, NamedTuple, Self

from tbgen.errors import TbgenError
from tbgen.referee.match import game_worker as desk_module
from tbgen.referee.match import orphans
from tbgen.referee.match.conditions import Setting
from tbgen.referee.match.events import Event, Note, Unplayed
from tbgen.referee.match.game_worker import Game, Start, Started, work
from tbgen.referee.match.live import Live
from tbgen.referee.workers import fork_server, started
from tbgen.system.signals import deaf

_FAREWELL: Final = 5.0
"""Seconds that a desk may take to end its engines."""
_ATTEMPTS: Final = 3
"""How often a game is begun whose desk is ended from outside."""


class _Desk:
    """One desk."""

    def __init__(self, process: ForkServerProcess, pipe: Connection, processors: frozenset[int], mark: str) -> None:
        self.process = process
        self.mark = mark
        self.pipe = pipe
        self.processors = processors
        self.order: Start | Game | None = None
        self.attempts = 0

    def end(self, patience: float | None = None) -> None:
        """Wait until it has gone, and its engines with it."""
        self.process.join(patience)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        if self.process.exitcode:
            orphans.end_marked(self.mark)


class Processors(NamedTuple):
    """The processors that desks and their engines may use."""

    all: Sequence[int]
    """Nothing: the system chooses."""

    def share(self, number: int, desks: int) -> frozenset[int]:
        """Those of one desk: with fewer processors than desks, several desks share one."""
        if not self.all:
            return frozenset()
        each = max(1, len(self.all) // desks)
        first = number * each % len(self.all)
        return frozenset(self.all[first : first + each])


class Desks:
    """Several processes that play. Use them in a `with` block."""

    def __init__(self, setting: Setting, count: int, processors: Processors) -> None:
        self._setting = setting
        self._context = fork_server(desk_module.__name__)
        shares = [processors.share(number, count) for number in range(count)]
        self._desks: list[_Desk] = []
        self._ready = deque[Event | Started]()
        try:
            self._desks.extend(self._open(share) for share in shares)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def free(self) -> int:
        """How many desks have nothing to do."""
        return sum(desk.order is None for desk in self._desks)

    @property
    def busy(self) -> bool:
        """Whether anything is under way, or has happened that nobody has heard of: games may end at the same time."""
        return bool(self._ready) or any(desk.order is not None for desk in self._desks)

    def give(self, order: Start | Game) -> None:
        """Have a desk that is free carry this out."""
        desk = next(desk for desk in self._desks if desk.order is None)
        desk.order, desk.attempts = order, 1
        self._send(desk)

    def next(self) -> Event | Started:
        """What happens next. Something has to be under way."""
        while not self._ready:
            self._wait()
        return self._ready.popleft()

    def close(self) -> None:
        """End all desks and their engines; games that are under way are lost."""
        for desk in self._desks:
            desk.pipe.close()
        try:
            for desk in self._desks:
                desk.end(_FAREWELL)
        except BaseException:  # who interrupts it again waits for no engine that does not listen
            with deaf():
                for desk in self._desks:
                    desk.end(0)
            raise
        self._desks = []

    def _open(self, processors: frozenset[int]) -> _Desk:
        ours, theirs = self._context.Pipe()
        mark = secrets.token_hex(8)
        with started(), deaf():  # a process that was half started would complain when its parent has gone
            process = self._context.Process(target=work, args=(theirs, self._setting, processors, mark), daemon=True)
            process.start()
        theirs.close()
        return _Desk(process, ours, processors, mark)

    def _send(self, desk: _Desk) -> None:
        with suppress(OSError):  # it has gone: `_wait` finds out
            desk.pipe.send(desk.order)

    def _wait(self) -> None:
        pipes = {desk.pipe: desk for desk in self._desks}
        for pipe in connection.wait(list(pipes)):
            assert isinstance(pipe, Connection)
            desk = pipes[pipe]
            try:
                told = pipe.recv()
            except (EOFError, OSError):
                self._reopen(desk)
                continue
            if isinstance(told, TbgenError):
                raise told
            if not isinstance(told, Note | Live):
                desk.order = None
            self._ready.append(told)

    def _reopen(self, desk: _Desk) -> None:
        """A desk was ended from outside, perhaps for want of memory: open another, and begin its game again."""
        desk.pipe.close()
        desk.end()
        other = self._open(desk.processors)
        self._desks[self._desks.index(desk)] = other
        self._ready.append(Note("a process that had a game played was ended from outside"))
        if isinstance(desk.order, Game) and desk.attempts >= _ATTEMPTS:
            pairing = desk.order.pairing
            white, black = (self._setting.engines[number].name for number in (pairing.white, pairing.black))
            self._ready.append(Unplayed(pairing, white, black, "its process was ended from outside"))
        elif desk.order is not None:
            other.order, other.attempts = desk.order, desk.attempts + 1
            self._send(other)
