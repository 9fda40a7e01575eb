"""The summary of a table that was just built."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.contents import OUTCOME_SHIFT, Column, Told, outcomes
from tbgen.generate.usage import Clocks, peak_memory
from tbgen.index import Layout, layout_of
from tbgen.index.positions import fen
from tbgen.index.symmetry import SymmetryClasses
from tbgen.store.write import Census
from tbgen.table_rules import TableRules


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


def once_each(layout: Layout, entries: Column, census: Census) -> dict[int, int]:
    """Legal positions, each once up to symmetry, per fresh relative outcome, the best first."""
    twice = np.zeros_like(census.outcomes)
    for numbers in SymmetryClasses(layout).twice():
        if len(numbers):
            first, last = int(numbers[0]), int(numbers[-1])
            twice += _by_outcome(entries[first : last + 1][numbers - first])
    counts = census.outcomes - twice // 2
    return {int(value) - outcome.BASE: int(counts[value]) for value in np.flatnonzero(counts)[::-1]}


def _by_outcome(entries: NDArray[np.int32]) -> NDArray[np.int64]:
    """`[outcome + BASE]`: how many entries have it."""
    counts = np.bincount(outcomes(entries).astype(np.int64) + outcome.BASE, minlength=2 * outcome.BASE + 1)
    counts[outcome.BASE] = 0  # no legal position
    return counts


def summarise(
    contents: Told,
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
    entry_outcome = int(contents.entries[census.longest_at : census.longest_at + 1][0]) >> OUTCOME_SHIFT
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
