"""Groups of processes, as a terminal tells them of a Ctrl-C."""

import time
from contextlib import suppress
from pathlib import Path

from tests.support.patience import PATIENCE


def members(group: int) -> set[int]:
    """The processes of a group that are not yet dead."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.add(int(stat.parent.name))
    return found


def wait_until_more_than(count: int, group: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(members(group)) <= count:
        assert time.monotonic() < end
        time.sleep(0.05)


def wait_until_nobody(group: int, end: float) -> None:
    """Until all of its processes are dead: what keeps count of semaphores ends a moment after the command. `end` is the
    latest time, by time.monotonic()."""
    while members(group):
        assert time.monotonic() < end
        time.sleep(0.05)
