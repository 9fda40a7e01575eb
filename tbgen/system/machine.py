"""The part of the machine that this process may use."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESS: Final = Path("/proc/self")
_LIMITS: Final = {"cgroup": "memory.limit_in_bytes", "cgroup2": "memory.max"}
"""The file with a control group's limit, by the file system of its version."""


def memory(process: Path = _PROCESS) -> int:
    """Return bytes of memory: the machine's, or fewer if a control group allows no more, as a container's may."""
    return min((os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), *_limits(process)))


def _limits(process: Path) -> Iterator[int]:
    for group in _groups(process):
        for directory in (group, *group.parents):  # a group has no more than those that it lies in
            for name in _LIMITS.values():
                with suppress(OSError, ValueError):  # no group, or "max"
                    yield int((directory / name).read_text())


def _groups(process: Path) -> Iterator[Path]:
    """Yield the directories of a process's control groups that may limit memory."""
    try:
        memberships = (process / "cgroup").read_text().splitlines()
        mounts = (process / "mountinfo").read_text().splitlines()
    except OSError:  # a system without control groups
        return
    places: dict[str, Path] = {}
    for line in memberships:
        _, controllers, path = line.split(":", 2)
        if not controllers or "memory" in controllers.split(","):
            places["cgroup" if controllers else "cgroup2"] = Path(path)
    for line in mounts:
        where, _, system = line.partition(" - ")
        root, mount = where.split()[3:5]
        kind, _, options = system.split(" ", 2)
        if kind in places and (kind == "cgroup2" or "memory" in options.split(",")):
            place = places[kind]
            # A container may have its own group in the place of the root.
            yield Path(mount, place.relative_to(root) if place.is_relative_to(root) else "")
