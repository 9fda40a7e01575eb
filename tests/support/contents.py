"""Contents that no solver has made: anything the store must be able to keep."""

import numpy as np

from tbgen.core.material import Material
from tbgen.core.table_contents import Contents, Steps
from tbgen.core.table_rules import TableRules
from tbgen.index import layout_of


def random_contents(
    material: Material, *, seed: int, staircases: int, rules: str = "r", legal: float = 0.8, longest: int = 90
) -> Contents:
    """Entries and staircases at random, many staircases repeating the fresh entry or a step before.

    Distances go up to `longest`."""
    rng = np.random.default_rng(seed)
    size = layout_of(material).size
    outcomes = rng.choice(np.array([-512, -511, -500, -3, 7, 300, 511, 512]), size)
    entries = np.where(rng.random(size) < legal, outcomes * 65536 + rng.integers(0, longest + 1, size), 0)
    staircase = rng.integers(0, staircases + 1, size) * (rng.random(size) < 0.7) * (entries != 0)

    start, steps = [0, 0], []
    for nth in range(1, staircases + 1):
        levels = sorted(rng.integers(2, 256, rng.integers(1, 9)).tolist())
        where = np.flatnonzero(staircase == nth)
        entry = int(entries[where[0]]) if len(where) else 65536
        before = None
        for level in levels:
            outcome, distance = int(rng.choice([-512, -4, 9, 512])), int(rng.integers(0, longest + 1))
            if rng.random() < 0.4:
                outcome, distance = entry >> 16, entry & 0xFFFF
            elif before and rng.random() < 0.4:
                outcome, distance = before
            before = outcome, distance
            steps.append((int(rng.integers(2)), level, outcome, distance))
        start.append(len(steps))
    columns = np.array(steps, np.int64).reshape(-1, 4).T
    kinds = (np.uint8, np.uint8, np.int16, np.uint16)
    return Contents(
        material,
        TableRules(rules),
        entries.astype(np.int32),
        staircase.astype(np.int32),
        Steps(np.array(start, np.int64), *(c.astype(k) for c, k in zip(columns, kinds, strict=True))),
    )


def steps_at(contents: Contents, number: int) -> tuple[tuple[int, int, int, int], ...]:
    """The staircase of a position, as the store gives it."""
    steps, staircase = contents.steps, int(contents.staircases[number])
    part = slice(int(steps.start[staircase]), int(steps.start[staircase + 1]))
    return tuple(zip(*(column[part].tolist() for column in steps[1:]), strict=True))
