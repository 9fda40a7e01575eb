"""What a process has used: time, memory, and its disks."""

import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self


class Clocks(NamedTuple):
    """Seconds of wall time, and of CPU time of all threads; bytes that came from disk and that went there, zeros where
    the system does not tell."""

    wall: float
    cpu: float
    came: int
    went: int

    @classmethod
    def read(cls) -> Self:
        return cls(time.perf_counter(), time.process_time(), *_disk_traffic())

    def since(self, begun: "Clocks") -> "Clocks":
        return Clocks(self.wall - begun.wall, self.cpu - begun.cpu, self.came - begun.came, self.went - begun.went)


def _disk_traffic() -> tuple[int, int]:
    try:
        rows = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
        return int(rows["read_bytes"]), int(rows["write_bytes"])
    except (OSError, ValueError, KeyError):
        return 0, 0


def begin_peak() -> None:
    """Measure the process's peak of memory anew, where the system allows that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """The most bytes of this process in memory since `begin_peak`."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split(maxsplit=1)[0]) << 10
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
