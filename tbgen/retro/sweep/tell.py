"""Telling positions of an event: those for whom it is news go into sets.

No position leaves these sets during a phase. Where two threads tell the same position at the same time, both leave the
same behind.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiler.intrinsics import fetch_or, lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.lines import LANES, add_line, news_of
from tbgen.retro.threads.sets import add_shared, lane_of, mark_shared, note_lines, place_of


class Telling(NamedTuple):
    """What becomes of those who are told."""

    told: np.int64
    """The set of those who know already."""
    done: np.int64
    """The set of those who need not know."""
    reached: np.int64
    """The set that they are added to."""
    gains: bool
    """Whether they gain: then they also join `told`, which is `reached` otherwise."""


@inlined
def tell(team, sets, telling, lane, news):
    """Tell some positions of a lane, for whom it is news."""
    if telling.gains:
        mark_shared(team, sets, telling.told, lane, news)
    add_shared(team, sets, telling.reached, lane, news)


@inlined
def news_for(sets, telling, lane, bits):
    """Those of some positions of a lane for whom it is news."""
    return bits & ~(lane_of(sets, telling.told, lane) | lane_of(sets, telling.done, lane))


@inlined
def tell_if_news(team, sets, telling, lane, bits):
    news = news_for(sets, telling, lane, bits)
    if news:
        tell(team, sets, telling, lane, news)


@inlined
def tell_lines(team, sets, buffers, telling, to, bits, lines):
    """Tell positions of the block whose first lane is `to`: of those in `buffers.row`, in these lines, those with these
    bits."""
    words, told_at = place_of(sets, telling.told, to)
    _, done_at = place_of(sets, telling.done, to)
    _, reached_at = place_of(sets, telling.reached, to)
    news = buffers.news
    found = np.int64(0)
    while lines:
        at = lowest_bit(lines)
        line = at * LANES
        lines &= lines - np.uint64(1)
        places = news_of(buffers.row, line, bits, words, told_at + line, done_at + line, news)
        found |= np.int64(places != 0) << at
        if team.size == 1:
            if places:
                add_line(words, reached_at + line, news)
                if telling.gains:
                    add_line(words, told_at + line, news)
            continue
        while places:
            place = lowest_bit(places)
            places &= places - np.uint64(1)
            fetch_or(words, reached_at + line + place, news[place])
            if telling.gains:
                fetch_or(words, told_at + line + place, news[place])
    note_lines(sets, telling.reached, to // LANE, found)
