"""`tbgen serve` as a process of its own, as everybody else has it."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP

PROBE: Final = "/v1/probe?fen=" + BISHOP.replace(" ", "_")


class Server(NamedTuple):
    url: str
    """Without a slash at its end."""
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def descriptors(self) -> int:
        """Of all but tables, which stay open once they have been asked for."""
        return sum(path.suffix != ".h5" for path in self._open())

    def holds(self, name: str) -> int:
        """How often a file is open."""
        return sum(path.name == name for path in self._open())

    def _open(self) -> Iterator[Path]:
        for path in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                yield path.readlink()


def wait_for(done: Callable[[], bool], seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


_WITHOUT_OWN: Final = """
import sys
from pathlib import Path
from tbgen.store import directory
directory.BUNDLED = Path("/nowhere")
from tbgen.cli.main import main
sys.exit(main())
"""


def start(tables: Path, *options: str, bundled: bool = True) -> Server:
    """Who starts it ends it."""
    program = ["-m", "tbgen"] if bundled else ["-c", _WITHOUT_OWN]
    command = [sys.executable, *program, "serve", "--tables", str(tables), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"(http://\S+)/ ", line)
    if not found:
        process.kill()
    assert found, f"{line!r} {process.communicate()}"
    return Server(found[1], process)


@contextmanager
def serving(tables: Path, *options: str, bundled: bool = True, log: list[str] | None = None) -> Iterator[Server]:
    """It has to end well, whatever was asked of it, and to have said nothing on standard error. `log`: gets the lines
    that it said there, where some are expected."""
    server = start(tables, *options, bundled=bundled)
    process = server.process
    try:
        yield server
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        if log is None:
            assert not errors, errors
        else:
            log += errors.splitlines()
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
