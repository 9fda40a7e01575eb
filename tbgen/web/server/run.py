"""The server from its start to its end."""

import asyncio
import ctypes
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import uvicorn

from tbgen.errors import TbgenError
from tbgen.web.server.app import make_app
from tbgen.web.server.protocol import Protocol
from tbgen.web.server.service import Service, Settings
from tbgen.web.server.work import Work

_GRACE: Final = 16.0
"""Seconds in which what is begun may end. Who still waits then is told so."""
_TELLING: Final = 2.0
"""Seconds for that. Of the 20 that are promised, the others are for the end itself."""
_SWITCH: Final = 0.001
"""Seconds that a thread computes before another one has its turn: the one that answers single positions waits for it
several times a request."""
_BACKLOG: Final = 2048
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit code."""
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_LARGE: Final = 1 << 18
"""Bytes of a block that goes back to the system when it is freed."""
_ARENAS: Final = 2


class _Server(uvicorn.Server):
    """uvicorn's, but signals are heard in the loop, and the caller decides what they mean for the exit code."""

    stopped_by: int | None = None

    def __init__(self, config: uvicorn.Config, work: Work) -> None:
        super().__init__(config)
        self._work = work

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        for number in heard:
            loop.add_signal_handler(number, self._stop, number)
        try:
            yield
        finally:
            for number in heard:
                loop.remove_signal_handler(number)

    def _stop(self, number: int) -> None:
        """What the first signal lets end, the second breaks off; uvicorn's own way leaves tasks that complain."""
        if self.should_exit:
            self._work.stop()
            self._break_off()
        self.stopped_by, self.should_exit = number, True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        ends = (
            loop.call_later(_GRACE, self._work.stop),
            loop.call_later(_GRACE + _TELLING, self._break_off),
        )
        await super().shutdown(sockets)
        for end in ends:
            end.cancel()

    def _break_off(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def listen(host: str, port: int) -> socket.socket:
    """A socket that is ours before anything is made; port 0 is any that is free."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except OSError:
            made.close()
            raise
    except (OSError, UnicodeError) as error:  # a name that no host can have is not encoded
        why = error.strerror if isinstance(error, OSError) else "no host has such a name"
        raise TbgenError(f"cannot listen at {host}, port {port}: {why} (--host and --port name others)") from None
    return made


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(settings: Settings, listening: socket.socket, ready: Callable[[], None]) -> int | None:
    """Serve until a signal, which is given back."""
    _give_memory_back()
    _open_more_files()
    sys.setswitchinterval(_SWITCH)
    Protocol.limits, Protocol.places = settings.limits, settings.limits.share(settings.limits.connections)
    service = Service(settings)
    config = uvicorn.Config(
        make_app(service),
        http=Protocol,
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=20,
    )
    server = _Server(config, service.work)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_serve(server, listening, ready))
    if service.work.at_work:  # nobody waits for it, and Python would
        sys.stdout.flush()
        os._exit(_INTERRUPTED if server.stopped_by == signal.SIGINT else 0)
    return server.stopped_by


def _give_memory_back() -> None:
    """Have the C library return what is freed.

    Left alone, glibc keeps blocks of up to 32 MiB once it has seen one, and an arena of that for each thread: after
    an hour of mixed requests a server holds 50 MiB that nothing uses. Other C libraries have nothing to be told.
    """
    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(_M_MMAP_THRESHOLD, _LARGE)
        tell(_M_ARENA_MAX, _ARENAS)


def _open_more_files() -> None:
    """Each connection and each table that is read takes an open file. Shells allow a program 1,024 unless it asks."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _serve(server: _Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not running.done():
        await asyncio.sleep(0.005)
    if server.started:
        ready()
    await running
