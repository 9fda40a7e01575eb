"""Processes that make attempts. If one hangs it is killed, and if one dies it is noticed; both times its seed is
known."""

import faulthandler
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Final

from soaking.case import Failed, Part

_ADDRESSES: Final = 8 << 30
"""Bytes of address space per process: a runaway process ends before the machine runs out of memory."""
_START: Final = 300.0
"""Seconds that a process may take to get ready."""
_ROOM: Final = 4000
"""Characters of a failure that are kept."""

Make = Callable[[Path], Part]


@dataclass
class Found:
    """The result of a part."""

    tried: int = 0
    did: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Seeds and what happened."""
    seconds: float = 0.0


class _Member:
    """A process, and its current attempt."""

    def __init__(self, make: Make, ground: Path, number: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.log = ground / f"log-{os.getpid()}-{number}"
        self.place = ground / f"place-{os.getpid()}-{number}"
        self._process = context.Process(target=_serve, args=(make, ground, self.place, self.log, theirs))
        self._process.start()
        theirs.close()
        self.seed = ""
        self.done = 0
        self.deadline = time.monotonic() + _START

    def give(self, seed: str, seconds: float) -> None:
        self.seed = seed
        self.deadline = time.monotonic() + seconds
        self.link.send(seed)

    def end(self) -> None:
        """Kill the process with its group: it may have started others."""
        if self._process.pid is not None:
            for kill in (os.killpg, os.kill):
                try:
                    kill(self._process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    continue
        self._process.join()
        self.link.close()
        shutil.rmtree(self.place, ignore_errors=True)
        self.log.unlink(missing_ok=True)

    def last_words(self) -> str:
        """How it died."""
        self._process.join(5)
        code = self._process.exitcode
        how = f"ended by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended with {code}"
        said = self.log.read_text(errors="backslashreplace")[-_ROOM:] if self.log.exists() else ""
        return f"its process {how}\n{said}".strip()


def work(
    make: Make, ground: Path, seeds: Iterator[str], members: int, until: float, hear: Callable[[Found], None]
) -> Found:
    """Make attempts until the seeds or the time are over. `hear` is called after each."""
    found, begun = Found(), time.monotonic()
    limits = make.limits  # type: ignore[attr-defined]
    crew: list[_Member] = []
    made = 0

    def next_seed() -> str | None:
        return next(seeds, None) if time.monotonic() < until else None

    def replace(old: _Member | None) -> None:
        nonlocal made
        if old is not None:
            crew.remove(old)
            old.end()
        if time.monotonic() < until:
            made += 1
            crew.append(_Member(make, ground, made))

    def note(member: _Member, trouble: str | None, did: Counter[str] | None) -> None:
        found.tried += bool(member.seed)
        found.did.update(did or {})
        if trouble is not None:
            found.failures.append((member.seed or "start", trouble[-_ROOM:]))
        found.seconds = time.monotonic() - begun
        hear(found)

    try:
        for _ in range(members):
            replace(None)
        while crew:
            ready = wait([member.link for member in crew], timeout=0.5)
            for member in list(crew):
                if member.link in ready:
                    try:
                        trouble, did = member.link.recv()
                    except (EOFError, OSError):
                        trouble, did = member.last_words(), None
                        if not member.seed:  # it could not even begin, nor would another
                            note(member, trouble, None)
                            crew.remove(member)
                            member.end()
                            continue
                elif time.monotonic() > member.deadline:
                    trouble, did = f"no end after {limits.seconds:.0f} s", None
                else:
                    continue
                if member.seed or trouble:
                    note(member, trouble, did)
                    member.done += 1
                if trouble is not None or member.done >= limits.lives:
                    replace(member)
                    continue
                seed = next_seed()
                if seed is None:
                    crew.remove(member)
                    member.end()
                else:
                    member.give(seed, limits.seconds)
    finally:
        for member in crew:
            member.end()
    found.seconds = time.monotonic() - begun
    return found


def _serve(make: Make, ground: Path, place: Path, log: Path, link: "Connection[object, object]") -> None:
    """The main function of a process: make attempts until no more are wanted."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    part = make(ground)
    link.send((None, None))
    while True:
        try:
            seed = link.recv()
        except EOFError:
            return
        os.truncate(log, 0)
        link.send(attempt(part, str(seed), place))


def attempt(part: Part, seed: str, place: Path) -> tuple[str | None, Counter[str] | None]:
    """Make one attempt. Returns what went wrong, if anything did, and what was done."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    before = _memory("VmRSS")
    home = Path.cwd()
    os.chdir(place)
    try:
        did = part.attempt(random.Random(seed), place)
    except Failed as failure:
        return str(failure), None
    except BaseException:  # a SystemExit of the code under attack as well
        return f"an exception came out:\n{traceback.format_exc()}", None
    finally:
        os.chdir(home)
        shutil.rmtree(place, ignore_errors=True)
    grown = _memory("VmHWM") - before
    if grown > part.limits.memory:
        return f"the process grew by {grown >> 20} MiB", did
    return None, did


def _memory(name: str) -> int:
    """Bytes that this process holds now, or the most since the last call for that."""
    if name == "VmRSS":
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) << 10


def tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
