"""Compiling the solver before it is needed: each part by itself, so that several processes can share the work.

Machine code is kept on disk (tbgen/compiler/jit.py), so this is needed once after an installation or an edit. The
parts run on the smallest table there is."""

from collections.abc import Callable
from typing import Final

import numpy as np

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.index.atlas import make_atlas
from tbgen.index.exits import Reached
from tbgen.index.layout import Layout, layout_of
from tbgen.memory.arrays import IN_MEMORY
from tbgen.retro import link_log
from tbgen.retro.export import finish
from tbgen.retro.graph.slice import SliceGraph, make_buffers, make_graph
from tbgen.retro.job import Solved
from tbgen.retro.survey.en_passant import Finished
from tbgen.retro.survey.resets import make_routes
from tbgen.retro.survey.survey import ILLEGAL_LEVEL, count_levels, make_survey, make_survey_buffers, survey_together
from tbgen.retro.sweep.levels import make_schedule, sweep
from tbgen.retro.sweep.log import make_log
from tbgen.retro.sweep.state import begun, make_state
from tbgen.retro.sweep.worker import Worker
from tbgen.retro.threads.counters import make_tally
from tbgen.retro.threads.lanes import laid_out
from tbgen.retro.threads.sets import BITS, make_sets
from tbgen.retro.threads.team import make_team
from tbgen.retro.values.staircase import make_links

_KINGS: Final = Material("", "")


def _graph() -> tuple[Layout, SliceGraph]:
    layout = layout_of(_KINGS)
    return layout, make_graph(make_atlas([layout]), int(layout.family[0]), int(layout.flip[0]), layout.size, [])


def _survey() -> None:
    layout, graph = _graph()
    entries, staircases = np.zeros(layout.size, np.int32), np.zeros(layout.size, np.int32)
    routes = make_routes(layout, [Reached(layout, entries)])
    finished = Finished(staircases, make_links(16, shared=True), 0)
    survey = make_survey(layout.size)
    survey_together(make_team(1), 0, graph, routes, finished, survey, make_survey_buffers(), make_tally())
    count_levels(survey.level, 0, 0, np.zeros(ILLEGAL_LEVEL + 1, np.int64))


def _sweep() -> None:
    layout, graph = _graph()
    survey = make_survey(layout.size)
    survey.level[:] = ILLEGAL_LEVEL
    survey.pays[:] = 0
    staircase, sets = np.zeros(layout.size, np.int32), make_sets(BITS, layout.size)
    state = begun(make_state(survey, staircase, sets), laid_out(layout.size, np.uint16))
    worker = Worker(make_team(1), 0, graph, make_buffers(), state, sets, make_log(layout.size, 1))
    schedule = make_schedule(IN_MEMORY.growing(layout.size, np.int32), 1, True, 1.0, 2, 0)
    sweep(worker, make_links(16, shared=True), schedule, make_tally())


def _finish() -> None:
    layout = layout_of(_KINGS)
    zeros = np.zeros(layout.size, np.int32)
    links = make_links(16, shared=True)
    finish(Solved(layout, TableRules.RESET, zeros, zeros, links))
    numbers, keys, seen = np.zeros(1, np.int32), np.zeros(1, np.int64), link_log.make_seen(16)
    link_log.collect(links, zeros, 0, seen, numbers, keys)
    for array in (numbers, keys):
        array.flags.writeable = False  # as they are read
    link_log.restore(links, numbers, keys)
    link_log.are_whole(links, zeros, seen)


PARTS: Final[dict[str, Callable[[], None]]] = {
    "sweep": _sweep,
    "survey": _survey,
    "finish": _finish,
}
"""The longest first."""
