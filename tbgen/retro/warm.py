"""Compiling the solver before it is needed: each part by itself, so that several processes can share the work.

Machine code is kept on disk (jit.py), so this is needed once after an installation or an edit. The parts run
on the smallest table there is."""

from collections.abc import Callable
from typing import Final

import numpy as np

from tbgen.index.atlas import make_atlas
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro import link_log, verify
from tbgen.retro.field import SETS, make_field
from tbgen.retro.finish import finish
from tbgen.retro.ground import Ground, make_desk, make_ground
from tbgen.retro.marks import make_marks
from tbgen.retro.passant import Finished
from tbgen.retro.resets import make_routes
from tbgen.retro.solve import Solved, survey_together
from tbgen.retro.staircase import make_links
from tbgen.retro.survey import ILLEGAL_LEVEL, make_bench, make_survey
from tbgen.retro.sweep import make_schedule, sweep
from tbgen.retro.team import make_team

_KINGS: Final = Material("", "")


def _ground() -> tuple[Layout, Ground]:
    layout = layout_of(_KINGS)
    return layout, make_ground(make_atlas([layout]), int(layout.family[0]), int(layout.flip[0]), layout.size, [])


def _survey() -> None:
    layout, ground = _ground()
    entries, staircases = np.zeros(layout.size, np.int32), np.zeros(layout.size, np.int32)
    routes = make_routes(layout, [_KINGS], [entries.ctypes.data])
    finished = Finished(staircases, make_links(16), 0)
    survey_together(
        make_team(1), 0, ground, routes, finished, make_survey(layout.size), make_bench(), np.zeros(3, np.int64)
    )


def _sweep() -> None:
    layout, ground = _ground()
    survey = make_survey(layout.size)
    survey.level[:] = ILLEGAL_LEVEL
    survey.quiet[:] = 0
    survey.pays[:] = 0
    links = np.zeros(layout.size, np.int32)
    team = make_team(1)
    sweep(
        team, 0, ground, make_desk(), make_field(survey, links), make_marks(SETS, layout.size), make_links(16),
        make_schedule(layout.size, 1, True, 2, 0), np.zeros(3, np.int64),
    )  # fmt: skip


def _finish() -> None:
    layout = layout_of(_KINGS)
    zeros = np.zeros(layout.size, np.int32)
    links = make_links(16)
    finish(Solved(layout, False, zeros, zeros, links))
    slots, keys, seen = np.zeros(1, np.int32), np.zeros(1, np.int64), link_log.make_seen(16)
    link_log.collect(links, zeros, 0, seen, slots, keys)
    for array in (slots, keys):
        array.flags.writeable = False  # as they are read
    link_log.restore(links, slots, keys)
    link_log.close_gaps(links, slots[:0])
    link_log.are_whole(links, zeros, seen)


def _verify() -> None:
    layout = layout_of(_KINGS)
    zeros = np.zeros(layout.size, np.int32)
    verify.verify(finish(Solved(layout, False, zeros, zeros, make_links(16))), {})


PARTS: Final[dict[str, Callable[[], None]]] = {
    "sweep": _sweep,
    "survey": _survey,
    "finish": _finish,
    "verify": _verify,
}
"""The longest first."""
