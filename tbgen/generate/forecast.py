"""What a plan will take on this machine, and whether there is enough memory and disk for it."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path
from typing import Any, Final

from tbgen.errors import OutOfRoom
from tbgen.generate.calibration import known_pace
from tbgen.generate.estimate import Estimate, estimate
from tbgen.generate.plan import Plan
from tbgen.generate.schedule import seconds_on
from tbgen.memory.disk_arrays import SCRATCH, scratch_of
from tbgen.store import table_path
from tbgen.store.entry_cache import ROOM
from tbgen.store.leftovers import SNAPSHOT, used_bytes, workspace_of
from tbgen.system.text import size_of
from tbgen.system.thresholds import ENTRY

BUSY: Final = 0.85
"""The share of the time in which cores are at work."""


@dataclass(frozen=True)
class Forecast:
    plan: Plan
    rows: tuple[Estimate, ...]
    """One per table, in the order in which they are built."""
    threads: int
    """Threads per table."""
    at_once: int
    """Tables that are built side by side."""
    pace: float
    """The pace of this machine (calibration.py)."""

    @property
    def disk(self) -> int:
        """Bytes of the finished tables."""
        return sum(row.disk for row in self.rows)

    @property
    def scratch(self) -> int:
        """The most bytes on disk beside the tables, including entries that are kept for other tables."""
        kept = min(ROOM, sum(ENTRY * row.numbers for row in self.rows if row.scratch))
        return sum(max(kept, size) for size in nlargest(self.at_once, (row.scratch for row in self.rows)))

    @property
    def workspaces(self) -> int:
        """The part of `scratch` that lies in the directory of tables even if $TBGEN_SCRATCH names another place."""
        return sum(nlargest(self.at_once, (row.workspace for row in self.rows)))

    @property
    def snapshots(self) -> int:
        """The part of `scratch` and of `workspaces` that tables can be built without."""
        return sum(nlargest(self.at_once, (row.snapshots for row in self.rows)))

    @property
    def memory(self) -> int:
        return sum(nlargest(self.at_once, (row.memory for row in self.rows)))

    @property
    def cpu_seconds(self) -> float:
        return sum(row.cpu_seconds for row in self.rows)

    @property
    def seconds(self) -> float:
        return seconds_on(self.at_once, self.plan.todo, clock_seconds(self.rows, self.threads))

    def as_dict(self) -> dict[str, Any]:
        return {
            "build": [material.name for material in self.plan.todo],
            "present": [material.name for material in self.plan.present],
            "tables": [row.as_dict() for row in self.rows],
            **{name: getattr(self, name) for name in ("disk", "scratch", "memory")},
            **{name: round(getattr(self, name), 1) for name in ("cpu_seconds", "seconds")},
            "free": free_disk(self.plan.directory),
            "pace": round(self.pace, 2),
        }


def clock_seconds(rows: Iterable[Estimate], threads: int) -> dict[str, float]:
    """`[table]`: how long so many threads take for it."""
    return {row.material: row.cpu_seconds / (threads * BUSY) for row in rows}


def make_forecast(plan: Plan, threads: int, at_once: int = 1) -> Forecast:
    pace = known_pace().factor
    rows = tuple(estimate(material, plan.rules, threads, pace) for material in plan.todo)
    return Forecast(plan, rows, threads, at_once, pace)


def free_disk(directory: Path) -> int:
    """Free bytes on the disk of the tables, also before the directory exists."""
    return shutil.disk_usage(existing(directory)).free


def existing(directory: Path) -> Path:
    """The directory, or that in which it will be."""
    return next(place for place in (directory, *directory.resolve().parents) if place.exists())


def check_disk(forecast: Forecast) -> bool:
    """OutOfRoom if the disk is too small. What a stopped build left counts towards what its table needs. Returns
    whether there is room for snapshots, too."""
    directory = forecast.plan.directory
    places = [workspace_of(table_path(directory, material, forecast.plan.rules)) for material in forecast.plan.todo]
    kept = sum(used_bytes(path) for place in places for path in place.glob(f"{SNAPSHOT}*"))
    left = sum(map(used_bytes, places)) - kept
    more = max(0, forecast.snapshots - kept)
    if os.environ.get(SCRATCH):
        scratch = scratch_of(directory)
        if existing(directory).stat().st_dev != scratch.stat().st_dev:
            require_room(scratch, forecast.scratch - forecast.workspaces, "are needed while building")
            needed = forecast.disk + max(0, forecast.workspaces - forecast.snapshots - left)
            require_room(directory, needed, "are needed for the tables, and for going on after a stop")
            return needed + more <= free_disk(directory)
    building = forecast.scratch - forecast.snapshots
    needed = forecast.disk + max(0, building - left)
    free = free_disk(directory)
    if needed > free:
        raise OutOfRoom(
            f"{size_of(needed - free)} of disk are missing in {directory}: the tables take {size_of(forecast.disk)}, "
            f"building them {size_of(building)}, and {size_of(free)} are free"
        )
    return needed + more <= free


def require_room(directory: Path, needed: int, what: str) -> None:
    """OutOfRoom unless so many bytes are free. `what` is to become of them, as in `have yet to come`."""
    free = free_disk(directory)
    if needed > free:
        raise OutOfRoom(f"make room in {directory}: {size_of(needed)} {what}, {size_of(free)} are free")
