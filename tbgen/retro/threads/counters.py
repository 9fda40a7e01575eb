"""Counters that kernels write while they run, and others read: progress, contradictions, what the work was.

Two arrays: `tally` for survey and sweep of a slice, `Schedule.counts` for the sweep alone.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# slots of `tally`
CONTRADICTIONS: Final = 0
"""Cases that cannot occur: an entry missing from a finished table, a level or a payoff that does not fit."""
LINKS_FULL: Final = 1
"""1 once a staircase got no next link: no number, slot or room on disk was left."""
SURVEYED: Final = 2
"""Numbers surveyed."""
STEPS_LEFT: Final = 3
"""Positions of a bundle that a pass has left, as the index of links was full."""
_TALLY_SLOTS: Final = 4

# slots of `Schedule.counts`
POSITIONS_SETTLED: Final = 0
POSITIONS_ESCAPED: Final = 1
"""Reached by rounds, settling and escaping."""
POSITIONS_REVIEWED: Final = 2
"""Those in doubt, and those whose predecessors were told of a change."""
STOP: Final = 3
"""1 if all threads must leave."""
DUE: Final = 4
"""Positions to review next."""
LEVEL: Final = 5
"""The level to go on with."""
PLACE: Final = 6
"""Within it, what rounds go on with (rounds.py); 0 before them."""
DISTANCE: Final = 7
"""The round to go on with there."""
SORTED: Final = 8
"""One more than the last level for which this process has sorted seeds."""
_COUNT_SLOTS: Final = 9


def make_tally() -> NDArray[np.int64]:
    return np.zeros(_TALLY_SLOTS, np.int64)


def make_counts() -> NDArray[np.int64]:
    return np.zeros(_COUNT_SLOTS, np.int64)
