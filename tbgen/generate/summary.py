"""The summary of a table that was just built."""

import resource
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.contents import OUTCOME_SHIFT, Contents, outcomes
from tbgen.index import Layout, layout_of
from tbgen.index.positions import fen
from tbgen.index.symmetry import SymmetryClasses
from tbgen.store.write import Census
from tbgen.table_rules import TableRules


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


@dataclass(frozen=True)
class Summary:
    material: str
    rules: TableRules
    positions: int
    """Legal positions, each once up to symmetry."""
    stored_entries: int
    """Numbers with a legal position."""
    mover: dict[str, int]
    """Positions per fresh outcome, as the side to move sees it: `G1.5` is good for it."""
    longest: int
    """The longest distance, in plies."""
    longest_fen: str
    longest_gscore: str
    staircases: int
    attractions: float
    """How often a stored entry was settled or reached by resets, on average."""
    looks: float
    """How often a stored entry was reviewed, on average."""
    seconds: float
    cpu_seconds: float | None
    """CPU time of all threads; None if the process built other tables meanwhile."""
    pace: float | None
    """The machine's pace as it was known (generate/calibration.py); None where CPU seconds are."""
    bytes: int
    peak_memory: int | None
    """Bytes, of the process while it was built; since it began where the system does not let it measure anew. None if
    it built other tables meanwhile."""
    scratch: int
    """The most bytes on disk while it was built: large arrays, those of other tables included."""
    from_disk: int | None
    to_disk: int | None
    """Bytes that were read and written; None where CPU seconds are. What the system still has in memory is not
    read, and what it has not written yet counts as written."""

    @property
    def bytes_per_position(self) -> float:
        return self.bytes / self.positions

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "bytes_per_position": round(self.bytes_per_position, 4)}


def once_each(layout: Layout, entries: NDArray[np.int32], census: Census) -> dict[int, int]:
    """Legal positions, each once up to symmetry, per fresh relative outcome, the best first."""
    twice = np.zeros_like(census.outcomes)
    for numbers in SymmetryClasses(layout).twice():
        twice += _by_outcome(entries[numbers])
    counts = census.outcomes - twice // 2
    return {int(value) - outcome.BASE: int(counts[value]) for value in np.flatnonzero(counts)[::-1]}


def _by_outcome(entries: NDArray[np.int32]) -> NDArray[np.int64]:
    """`[outcome + BASE]`: how many entries have it."""
    counts = np.bincount(outcomes(entries).astype(np.int64) + outcome.BASE, minlength=2 * outcome.BASE + 1)
    counts[outcome.BASE] = 0  # no legal position
    return counts


def summarise(
    contents: Contents,
    census: Census,
    path: Path,
    begun: Clocks,
    pace: float | None,
    scratch: int,
    attractions: int,
    looks: int,
    alone: bool,
) -> Summary:
    took = Clocks.read().since(begun)
    layout = layout_of(contents.material)
    found = once_each(layout, contents.entries, census)
    entry_outcome = int(contents.entries[census.longest_at]) >> OUTCOME_SHIFT
    text = fen(layout, census.longest_at)
    white_view = entry_outcome if " w " in text else outcome.flip(entry_outcome)
    return Summary(
        material=contents.material.name,
        rules=contents.rules,
        positions=sum(found.values()),
        stored_entries=census.legal,
        mover={outcome.text(value): count for value, count in found.items()},
        longest=census.longest,
        longest_fen=text,
        longest_gscore=outcome.text(white_view),
        staircases=len(contents.steps.start) - 1,
        attractions=round(attractions / census.legal, 3),
        looks=round(looks / census.legal, 3),
        seconds=round(took.wall, 3),
        cpu_seconds=round(took.cpu, 3) if alone else None,
        pace=pace and round(pace, 3),
        bytes=path.stat().st_size,
        peak_memory=peak_memory() if alone else None,
        scratch=scratch,
        from_disk=took.came if alone else None,
        to_disk=took.went if alone else None,
    )


def histogram(counts: dict[str, int], width: int = 40) -> list[str]:
    """Bars of text, one line per G-score."""
    total, most = sum(counts.values()), max(counts.values())
    return [
        f"  {score:>7} {count:>12,} {count / total:7.2%} {'#' * max(1, round(width * count / most))}"
        for score, count in counts.items()
    ]
