"""A thread's small arrays for comparing positions with their moves: kernels cannot make any."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.layout import Layout
from tbgen.verify.arrivals import NO_SURVEY, Arrivals, NumberingBuffers, Survey, make_arrivals, make_numbering_buffers
from tbgen.verify.lanes import Lane, make_lane
from tbgen.verify.moves import Moves, make_moves
from tbgen.verify.values import LevelKeys, RecordKeys, make_level_keys, make_record_keys, make_records

FIELDS: Final = 8
"""Columns of a finding: position, problem, holder and level (0: none), outcome and distance expected, and stored."""


class Comparison(NamedTuple):
    """A position's keys under all records (values.py), and what is wrong with it."""

    best: LevelKeys
    """The keys by its best move."""
    stored: RecordKeys
    """The keys by what is stored."""
    records: RecordKeys
    finding: NDArray[np.int64]


def make_comparison() -> Comparison:
    return Comparison(make_level_keys(), make_record_keys(), make_records(), np.zeros(FIELDS, np.int64))


class Buffers(NamedTuple):
    """A thread's small arrays: for a position, for those after a double step (`later`) and after one that answers it
    (`latest`), and for any other."""

    moves: Moves
    arrivals: Arrivals
    later: Moves
    replies: Arrivals
    latest: Moves
    last_replies: Arrivals
    other: Moves
    numbering: NumberingBuffers
    comparison: Comparison
    lane: Lane
    no_survey: Survey


def make_buffers(layout: Layout) -> Buffers:
    return Buffers(
        make_moves(), make_arrivals(), make_moves(), make_arrivals(), make_moves(), make_arrivals(), make_moves(),
        make_numbering_buffers(layout), make_comparison(), make_lane(), NO_SURVEY,
    )  # fmt: skip
