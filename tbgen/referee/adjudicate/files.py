"""Whole files of games: read as they come, judged on all cores, written in the order they came in.

Nothing is ever lost: what cannot be judged is passed on as it is, and a run that breaks off leaves whatever was
there before, even if that was the input.
"""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from tbgen.errors import MissingTable, TbgenError
from tbgen.referee.adjudicate.decide import Solve
from tbgen.referee.adjudicate.game import Fault, GameVerdict, Judge
from tbgen.referee.adjudicate.settings import Settings
from tbgen.referee.game_files import name_of, opened, replaced
from tbgen.referee.workers import fork_server, started
from tbgen.rules.pgn.split import Unit, about, units
from tbgen.system.signals import deaf
from tbgen.system.text import BOM, named

_CHUNK: Final = 1 << 16
"""Bytes of games that go to a process at once: a tenth of a second of work."""

_AHEAD: Final = 3
"""Chunks for each process that are read before they are needed."""


class Chunk(NamedTuple):
    """Some games of a file, one after the other."""

    source: int
    """The file's place among all."""
    name: str
    games: list[Unit]


class Done(NamedTuple):
    """What became of a chunk."""

    source: int
    name: str
    """The name of the file."""
    read: int
    """How many bytes it was."""
    data: bytes
    verdicts: list[GameVerdict]
    faults: list[Fault]
    notes: list[Fault]
    """What of games that were judged has been left out or overruled."""


def adjudicate(
    sources: Sequence[Path],
    target: Path | None,
    settings: Settings,
    jobs: int = 1,
    *,
    watch: Callable[[Done], None] = lambda done: None,
    solve: Solve | None = None,
) -> int:
    """Judge all games of all files, and write them with their tags into one file, if one is given.

    `watch` hears of every chunk when it is written. With `solve` games are judged one after the other, in this process.
    Gives the number of faults.
    """
    faults = 0
    chunks = _chunks(sources, 1 if solve else _CHUNK)
    with _writer(target) as write, closing(judged(chunks, settings, jobs, solve)) as all_done:
        for done in all_done:
            write(done.source, done.data)
            watch(done)
            faults += len(done.faults)
    return faults


def judged(chunks: Iterable[Chunk], settings: Settings, jobs: int = 1, solve: Solve | None = None) -> Generator[Done]:
    """What becomes of the chunks, in order. No more of them are read than are needed to keep all busy."""
    chunks = iter(chunks)
    first = list(islice(chunks, 2))
    if solve is not None or jobs == 1 or len(first) < 2:  # it takes less time than to start processes
        with Judge(settings, solve) as judge:
            for queue in (first, chunks):
                for chunk in queue:
                    yield _judged(chunk, judge)
        return
    context = fork_server(__name__)
    waiting: deque[Future[Done]] = deque()
    with started(), deaf():  # a lock that was half made would be left behind
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(settings,))
    try:
        for queue in (iter(first), chunks):
            for chunk in queue:
                with started(), deaf():  # a process that was half started would complain when its parent has gone
                    waiting.append(pool.submit(_work, chunk))
                if len(waiting) >= _AHEAD * jobs:
                    yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise TbgenError("a process that judged games was ended from outside, perhaps for want of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


_judge: Judge | None = None
"""The judge of this process, where it is one of the pool."""


def _start(settings: Settings) -> None:
    """Begin a process of the pool."""
    global _judge  # noqa: PLW0603  what a pool's initializer is for
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _judge = Judge(settings)


def _leave_with_parent() -> None:
    """A process whose parent is killed would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(chunk: Chunk) -> Done:
    assert _judge is not None, "the pool has started this process"
    return _judged(chunk, _judge)


def _judged(chunk: Chunk, judge: Judge) -> Done:
    found = []
    for unit in chunk.games:
        try:
            found.append(judge.judge(unit))
        except MissingTable as error:
            raise MissingTable(f"{chunk.name}:{about(unit.line, unit.number, error)}") from None
    return Done(
        chunk.source,
        chunk.name,
        sum(len(unit.data) for unit in chunk.games),
        b"".join(one.data for one in found),
        [one.verdict for one in found if one.verdict is not None],
        [one.fault for one in found if one.fault is not None],
        [note for one in found for note in one.notes],
    )


def _chunks(sources: Sequence[Path], least: int = _CHUNK) -> Iterator[Chunk]:
    """Games, together so many bytes at least."""
    for place, path in enumerate(sources):
        name = name_of(path)
        with named(name), opened(path) as stream:
            games: list[Unit] = []
            size = 0
            for unit in units(stream):
                games.append(unit)
                size += len(unit.data)
                if size >= least:
                    yield Chunk(place, name, games)
                    games, size = [], 0
            if games:
                yield Chunk(place, name, games)


@contextmanager
def _writer(target: Path | None) -> Iterator[Callable[[int, bytes], None]]:
    """What takes the bytes of a file, by its place, one piece after the other."""
    if target is None:
        yield lambda source, data: None
    else:
        with replaced(target) as stream:
            yield _Joined(stream).write


class _Joined:
    """Files written one behind the other, an empty line between them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._source: int | None = None
        self._end = b""

    def write(self, source: int, data: bytes) -> None:
        """A piece of a file."""
        if source != self._source and self._source is not None:
            data = data.removeprefix(BOM)
            if self._end and not self._end.endswith((b"\n\n", b"\n\r\n")):
                self._stream.write(b"\n" if self._end.endswith(b"\n") else b"\n\n")
        self._source = source
        self._stream.write(data)
        self._end = (self._end + data[-3:])[-3:]
