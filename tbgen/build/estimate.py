"""What building a table will take, from counting alone: also for materials that no machine at hand can build."""

from dataclasses import asdict, dataclass
from math import comb
from typing import Any, Final

from tbgen.index.groups import GROUP_SIZES
from tbgen.index.kings import FIXED, FREE, PAIRS
from tbgen.material import Material

# Averages over the built tables of four men and KNNNvK (docs/performance.md).
_LEGAL: Final = 0.8
"""Legal positions a number."""
_DISK: Final = 0.50
"""Bytes a legal position."""
_CPU: Final = 1.0e-6
"""Seconds a number, writing included."""
_SOLVING: Final = 26
"""Bytes a number of the slices at work, lists included."""
_TABLE: Final = 8
"""Bytes a number of the whole table, on disk where it is large."""


@dataclass(frozen=True)
class Estimate:
    material: str
    numbers: int
    """What the table stores, exactly."""
    slices: int
    """Placements of pawns, before symmetry."""
    positions: int
    """Legal ones, about."""
    largest_slice: int
    memory: int
    scratch: int
    """Bytes on disk while building."""
    disk: int
    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def estimate(material: Material, threads: int) -> Estimate:
    """For a normal material of any size."""
    inner = 1
    for side in (material.first, material.second):
        for letter in "QRBN":
            inner *= GROUP_SIZES[side.count(letter)]
    first, second = material.first.count("P"), material.second.count("P")
    slices = comb(48, first) * comb(48 - first, second)
    # both sides to move; mirrored files halve either the slices or the kings; swapped colours halve all
    half = PAIRS[FIXED if material.pawns else FREE] * inner
    numbers = half * slices if material.pawns else 2 * half
    if material.even:
        numbers //= 2
    largest = 2 * half if not (material.even and not material.pawns) else half
    at_work = largest if largest >= 1 << 21 else min(threads * largest, numbers)
    small = numbers * _TABLE if numbers < 1 << 26 else 0
    return Estimate(
        material=material.name,
        numbers=numbers,
        slices=slices,
        positions=int(numbers * _LEGAL),
        largest_slice=largest,
        memory=at_work * _SOLVING + (small if material.pawns else 0),
        scratch=0 if small or not material.pawns else numbers * _TABLE,
        disk=int(numbers * _LEGAL * _DISK),
        cpu_seconds=round(numbers * _CPU, 1),
    )
