"""A thread at the sweep of a slice, as kernels take it: what it shares with its team, and what it has to itself."""

# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from tbgen.compiler.jit import inlined
from tbgen.retro.graph.slice import Buffers, SliceGraph
from tbgen.retro.sweep.log import Log
from tbgen.retro.sweep.state import SliceState
from tbgen.retro.threads.sets import PositionSets
from tbgen.retro.threads.team import ABORT, Team, all_leave
from tbgen.retro.values.codes import is_full


class Worker(NamedTuple):
    team: Team
    me: int
    graph: SliceGraph
    buffers: Buffers
    state: SliceState
    sets: PositionSets
    log: Log


@inlined
def all_leave_or_pause(worker, counts):
    """Whether all threads leave (`all_leave`), be it to pause. A value without a code has them end."""
    team, me, state = worker.team, worker.me, worker.state
    if me == 0 and (is_full(state.keys) or is_full(state.payoffs)):
        team.shared[ABORT] = 1
    return all_leave(team, me, counts, True)
