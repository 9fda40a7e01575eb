"""What all slices of a table share while they are solved, and the table that they make."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_rules import TableRules
from tbgen.index.atlas import Atlas
from tbgen.index.exits import Reached
from tbgen.index.layout import Layout
from tbgen.retro.checkpoint import Checkpoint, Counts
from tbgen.retro.survey.en_passant import Finished
from tbgen.retro.survey.resets import Routes
from tbgen.retro.threads.team import Team
from tbgen.retro.values.staircase import Links


class Stopped(Exception):
    """Another slice has failed, or the caller has asked for an end: no other is begun."""


@dataclass
class Solved:
    """A finished table in the arrays that it was solved in."""

    layout: Layout
    rules: TableRules
    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]
    links: Links
    counts: Counts = field(default_factory=Counts)


@dataclass
class Job:
    """The table that is being solved."""

    solved: Solved
    tables: list[Reached]
    """The table itself, then those that its resets lead to: `routes` has the addresses of their entries."""
    atlas: Atlas
    routes: Routes
    finished: Finished
    checkpoint: Checkpoint
    report: Callable[[int], None]
    found: Callable[[int], None]
    tell_round: Callable[[int, int], None]
    teams: dict[int, Team] = field(default_factory=dict)
    """The teams at work, by slice."""
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)
