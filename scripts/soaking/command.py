"""Running tbgen's commands, in this process or another, and what must hold for each whatever its input."""

import argparse
import io
import os
import resource
import subprocess
import sys
import traceback
from collections.abc import Collection, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

from soaking.case import Failed, shown
from soaking.ground import TBGEN
from tbgen.errors import TbgenError

CODES: Final = (0, 1, 2, 3, 4, 5, 6, 130)
"""The exit codes that `tbgen --help` lists."""
_MOST: Final = 4 << 20
_MOST_TIMES: Final = 1500
"""Bytes that a command may print: this many, and this many per byte of its input."""
_CONTROLS: Final = frozenset(chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))) - {"\n", "\t"}
_LONGEST: Final = (128 << 10) // 4 - 1
"""Characters of up to four bytes in a word of a command line: the system starts no process with a longer word."""
_SECONDS: Final = 120
_TOLD: Final = (TbgenError, OSError, MemoryError, SystemExit, argparse.ArgumentError)
"""Exceptions with messages for the user."""


class Ran(NamedTuple):
    """A command that has ended."""

    words: Sequence[str]
    given: bytes
    """On standard input."""
    code: int
    out: bytes
    err: bytes
    faults: list[str]
    """Exceptions that were being handled when something was printed, and that are not tbgen's own."""

    def told(self) -> str:
        """The command, for a report."""
        given = f" < {shown(self.given)}" if self.given else ""
        return f"tbgen {' '.join(shown(repr(word)) for word in self.words)}{given}"

    def fail(self, what: str) -> Failed:
        said = "".join(f"\n  {name}: {shown(text)}" for name, text in (("out", self.out), ("err", self.err)) if text)
        return Failed(f"{what}: {self.told()}\n  exit {self.code}{said}")


class _Stream(io.TextIOWrapper):
    """A standard stream as Python opens it, which notes the exception that is being handled at each write."""

    def __init__(self, faults: list[str], encoding: str, errors: str) -> None:
        super().__init__(io.BytesIO(), encoding, errors, newline="\n", write_through=True)
        self._faults = faults

    def write(self, text: str) -> int:
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, _TOLD):
            self._faults.append("".join(traceback.format_exception(error)))
        return super().write(text)

    def bytes(self) -> bytes:
        self.flush()
        buffer: Any = self.buffer
        return bytes(buffer.getvalue())


def run_here(words: Sequence[str], given: bytes = b"", encoding: str = "utf-8") -> Ran:
    """Run a command in this process."""
    from tbgen.cli.main import main

    faults: list[str] = []
    out, err = _Stream(faults, encoding, "strict"), _Stream(faults, encoding, "backslashreplace")
    typed = io.TextIOWrapper(io.BytesIO(given), encoding, "strict")
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "stdin", typed))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            code = main(list(words))
        except BaseException:  # no exception may leave a command
            trouble: str | None = traceback.format_exc()
        else:
            trouble = None
    if trouble is not None:
        ran = Ran(words, given, -1, out.bytes(), err.bytes(), [])
        raise Failed(f"an exception came out: {ran.told()}\n{trouble}")
    return Ran(words, given, code, out.bytes(), err.bytes(), faults)


def run_apart(
    words: Sequence[str],
    given: bytes = b"",
    *,
    redirect: str = "",
    memory: int | None = None,
    seconds: float = _SECONDS,
    **environment: str,
) -> Ran:
    """Run a command in a process of its own. `redirect`: in the shell's words, such as `<&-`. `memory`: bytes that the
    process may take."""
    words = [word[:_LONGEST] for word in words]
    command = [TBGEN, *words] if not redirect else ["sh", "-c", f'exec "$0" "$@" {redirect}', TBGEN, *words]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    ) as process:
        try:
            out, err = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Ran(words, given, -1, out, err, []).fail(f"no end after {seconds:.0f} s") from None
    ran = Ran(words, given, process.returncode, out, err, [])
    if memory is not None:
        check_memory(ran, memory)
    return ran


def check_memory(ran: Ran, memory: int) -> None:
    """Bytes of the largest child process that has ended so far."""
    # a new process starts with the maximum of the one that started it
    peak, ours = (
        resource.getrusage(whose).ru_maxrss << 10 for whose in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    if peak > max(memory, ours):
        raise ran.fail(f"it took {peak >> 20} MiB of memory")


def judge(ran: Ran, codes: Collection[int] = CODES, *, raw: bool = False, tells: bool = False) -> None:
    """Check what must hold for every command. `raw`: it prints a user's file, which may hold anything. `tells`: it
    writes a report to standard error."""
    if ran.code not in codes:
        raise ran.fail(f"exit code {ran.code} (there are {', '.join(map(str, codes))})")
    if ran.faults:
        raise ran.fail(f"an exception was told as an answer:\n{ran.faults[0]}")
    if b"Traceback (most recent" in ran.err or b"Traceback (most recent" in ran.out:
        raise ran.fail("a traceback")
    size = len(ran.given) + sum(len(word) for word in ran.words)
    if len(ran.out) + len(ran.err) > _MOST + _MOST_TIMES * size:
        raise ran.fail(f"{len(ran.out) + len(ran.err)} bytes of output")
    for name, text in (("output", b"" if raw else ran.out), ("errors", ran.err)):
        found = _CONTROLS.intersection(text.decode("utf-8", "replace"))
        if found:
            raise ran.fail(f"control characters in its {name}: {min(found)!a}")
    for line in ran.err.splitlines():
        if not tells and not line.startswith(b"tbgen: "):
            raise ran.fail("a line on standard error that is not tbgen's")


def check_one_line(ran: Ran) -> None:
    """An error takes one line."""
    if ran.code and ran.err.count(b"\n") != 1:
        raise ran.fail(f"an error in {ran.err.count(bytes([10]))} lines")


def outside(place: Path) -> dict[str, str]:
    """An environment without default tables: a command has to name them."""
    return {"TBGEN_TABLES": str(place / "none")}
