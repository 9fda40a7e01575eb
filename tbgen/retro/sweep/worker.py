"""A thread at the sweep of a slice, as kernels take it: what it shares with its team, and what it has to itself."""

from typing import NamedTuple

from tbgen.retro.graph.slice import Buffers, SliceGraph
from tbgen.retro.sweep.log import Log
from tbgen.retro.sweep.state import SliceState
from tbgen.retro.threads.sets import PositionSets
from tbgen.retro.threads.team import Team


class Worker(NamedTuple):
    team: Team
    me: int
    graph: SliceGraph
    buffers: Buffers
    state: SliceState
    sets: PositionSets
    log: Log
