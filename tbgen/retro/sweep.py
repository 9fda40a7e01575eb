"""One slice from the first look to the last position, by rising levels."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import kernel
from tbgen.retro.beyond import fix_and_seed, sort_by_time, spread
from tbgen.retro.entry import LONGEST
from tbgen.retro.inside import FIRST_LEVEL, play_inside
from tbgen.retro.team import ABORT, arrive

LOOKS: Final = 0
ATTRACTED: Final = 1
LEVEL: Final = 2
STOP: Final = 3


class Schedule(NamedTuple):
    """What the sweep needs beside the field."""

    sorted_nodes: NDArray[np.int32]
    bucket: NDArray[np.int64]
    counts: NDArray[np.int64]
    """`[me * 8 + LOOKS / ATTRACTED / LEVEL]`: how far each thread is, readable while it runs."""
    with_record: int
    """1 for the rules in which resets end a record."""
    top: int
    """The highest level of the slice."""


def make_schedule(nodes: int, threads: int, with_record: bool, top: int) -> Schedule:
    return Schedule(
        np.empty(nodes + 1, np.int32),
        np.zeros(LONGEST + 3, np.int64),
        np.zeros(threads * 8, np.int64),
        int(with_record),
        top,
    )


@kernel
def sweep(team, me, ground, desk, field, queues, links, schedule, errors):
    """Settle every position of the slice. All threads of the team call this together."""
    for level in range(schedule.top + 1):
        schedule.counts[me * 8 + LEVEL] = level
        if schedule.with_record and level >= FIRST_LEVEL:
            looks = play_inside(team, me, ground, desk, field, queues, links, level, errors)
            schedule.counts[me * 8 + LOOKS] += looks
        fix_and_seed(team, me, field, queues, level)
        arrive(team, me)
        if me == 0:
            sort_by_time(field, queues.timed, schedule.sorted_nodes, schedule.bucket)
            queues.timed.length[0] = 0
        attracted = spread(
            team,
            me,
            ground,
            desk,
            field,
            queues,
            schedule.sorted_nodes,
            schedule.bucket,
            schedule.with_record,
        )
        if me == 0:
            schedule.counts[ATTRACTED] += attracted
            schedule.counts[STOP] = team.shared[ABORT]
        arrive(team, me)
        if schedule.counts[STOP]:  # one thread has read it for all, so that all leave together
            break
