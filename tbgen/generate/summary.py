"""The summary of a table that was just built."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tbgen.core import outcome
from tbgen.core.table_contents import OUTCOME_SHIFT, Column, Told, outcomes
from tbgen.core.table_rules import TableRules
from tbgen.generate.usage import Clocks, peak_memory
from tbgen.index import Layout, layout_of
from tbgen.index.positions import fen
from tbgen.index.symmetry import HALVES, KEYS, KINDS, SymmetryClasses
from tbgen.store.write import Census
from tbgen.system.parallel import ranges

_TOGETHER: Final = 1 << 18
"""Numbers that are counted at a time."""


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
    outcomes: dict[str, int]
    """The same per outcome of White's and Black's: `-G1.5` is Black's. Where both sides have the same men, White is to
    move."""
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


def count_outcomes(layout: Layout, entries: Column) -> dict[tuple[int, int], int]:
    """Legal positions, each once up to symmetry, by side to move and fresh relative outcome."""
    classes = SymmetryClasses(layout)
    counts = np.zeros((KEYS, 2 * outcome.BASE + 1), np.int64)
    for numbers in ranges(range(layout.size), _TOGETHER):
        places = outcomes(entries[numbers.start : numbers.stop]).astype(np.int64) + outcome.BASE
        for key, run in classes.runs(numbers.start, numbers.stop):
            counts[key] += np.bincount(places[run], minlength=counts.shape[1])
    counts[:, outcome.BASE] = 0  # no legal position
    positions = np.tensordot(counts.reshape(2, KINDS, -1), HALVES, (1, 0)) // 2
    return {
        (side, place - outcome.BASE): int(positions[side, place]) for side, place in np.argwhere(positions).tolist()
    }


def _by_outcome(counts: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Counts of outcomes added up, the best outcome first."""
    found = Counter[int]()
    for value, count in counts:
        found[value] += count
    return {outcome.text(value): found[value] for value in sorted(found, reverse=True)}


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
    counts = count_outcomes(layout, contents.entries)
    entry_outcome = int(contents.entries[census.longest_at : census.longest_at + 1][0]) >> OUTCOME_SHIFT
    text = fen(layout, census.longest_at)
    white_view = entry_outcome if " w " in text else outcome.flip(entry_outcome)
    return Summary(
        material=contents.material.name,
        rules=contents.rules,
        positions=sum(counts.values()),
        stored_entries=census.legal,
        mover=_by_outcome((value, count) for (_, value), count in counts.items()),
        outcomes=_by_outcome((-value if side else value, count) for (side, value), count in counts.items()),
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
