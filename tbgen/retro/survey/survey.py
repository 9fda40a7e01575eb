"""The survey: for every position of a slice, whether it is legal, its level, and what its resets pay."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.moves import move_slot, move_taken, move_target
from tbgen.compiler.intrinsics import bits_set, fetch_add, lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.index.atlas import G_COUNT, G_SLOT, GROUP, MEN
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.graph.slice import SliceGraph, set_up
from tbgen.retro.survey.count_moves import ALL, Run, count_moves, make_run
from tbgen.retro.survey.en_passant import Finished, gives_right, value_with_right
from tbgen.retro.survey.resets import Routes, payoff_after
from tbgen.retro.threads.counters import CONTRADICTIONS, SURVEYED
from tbgen.retro.threads.lanes import LANE, at_most, put
from tbgen.retro.threads.team import Team, barrier, claim
from tbgen.retro.values.codes import NONE, code_of, make_code_table
from tbgen.retro.values.payoff import NO_OUTCOME, Payoff, best_of, fits, pack

_SURVEY_CHUNK: Final = 4096

MOST_MOVES = 512
ILLEGAL_LEVEL = 255
HIGHEST_LEVEL = 254


class Survey(NamedTuple):
    """`[node]`, for a slice."""

    level: NDArray[np.uint8]
    pays: NDArray[np.uint16]
    """Codes of payoffs of resets (retro/values/payoff.py)."""
    payoffs: NDArray[np.int32]


class SurveyBuffers(NamedTuple):
    """Small arrays that each thread has to itself in the survey."""

    squares: NDArray[np.int64]
    stepped: NDArray[np.int64]
    there: NDArray[np.int64]
    more_moves: NDArray[np.int64]
    run: Run
    best: NDArray[np.int64]
    """`[place, 0..2]`: the payoff so far of a position of the run."""


def make_survey(nodes: int, make: Make = in_memory) -> Survey:
    return Survey(make(nodes, np.uint8), make(nodes, np.uint16), make_code_table(nodes))


def make_survey_buffers() -> SurveyBuffers:
    here, stepped, there = (np.zeros(MEN, np.int64) for _ in range(3))
    return SurveyBuffers(
        here, stepped, there, np.zeros(MOST_MOVES, np.int64), make_run(MEN), np.zeros((LANE, 3), np.int64)
    )


@inlined
def _payoff(graph, routes, finished, buffers, side, move, tally):
    squares = buffers.squares
    if gives_right(graph, squares, side, move):
        slot = move_slot(move)
        for man in range(graph.atlas.men[0]):
            buffers.stepped[man] = squares[man]
        buffers.stepped[slot] = move_target(move)
        outcome, distance = value_with_right(
            graph, routes, finished, buffers.stepped, 1 - side, slot, buffers.more_moves, buffers.there
        )
        if outcome:
            return Payoff(-outcome, distance + 1, distance + 1)
    paid = payoff_after(graph, routes, squares, side, move, buffers.there)
    if paid.outcome == NO_OUTCOME:
        tally[CONTRADICTIONS] += 1
    return paid


@inlined
def _run_at(graph, node, squares):
    """Decode a position. Returns the side to move, the slot of the man whose square alone is another one in the
    positions that follow, -1 if there is none, his square, and how many of these there are, this one included."""
    atlas = graph.atlas
    side = set_up(graph, node, squares)
    groups = atlas.groups[0]
    if groups == 0:
        return side, np.int64(-1), np.int64(0), np.int64(1)
    last = (groups - 1) * GROUP
    varies = atlas.group[last + G_SLOT]
    end = squares[varies + 1] if atlas.group[last + G_COUNT] > 1 else np.int64(64)
    return side, varies, squares[varies], end - squares[varies]


@inlined
def _occupied_by_others(graph, squares, varies):
    """The squares of all men but one, and whether two share one."""
    occupied, shared = np.uint64(0), False
    for slot in range(graph.atlas.men[0]):
        if slot != varies:
            bit = np.uint64(1) << np.uint64(squares[slot])
            shared |= occupied & bit != 0
            occupied |= bit
    return occupied, shared


@inlined
def _survey_resets(graph, routes, finished, buffers, side, varies, resets, tally):
    """Put what the resets of a run pay into `buffers.best`. Returns the places that have any."""
    squares, run, best = buffers.squares, buffers.run, buffers.best
    paying = np.uint64(0)
    for at in range(resets):
        move, left = run.resets[at], run.where[at]
        remains = move_slot(move) != varies and move_taken(move) != varies
        one = Payoff(NO_OUTCOME, 0, 0)
        while left:
            place = lowest_bit(left)
            if varies >= 0:
                squares[varies] = place
            if remains or left == run.where[at]:  # else it leads to the same position from all places
                one = _payoff(graph, routes, finished, buffers, side, move, tally)
            so_far = Payoff(NO_OUTCOME, 0, 0)
            if paying >> np.uint64(place) & np.uint64(1):
                so_far = Payoff(best[place, 0], best[place, 1], best[place, 2])
            best[place, 0], best[place, 1], best[place, 2] = best_of(so_far, one.outcome, one.shortest, one.longest)
            left &= left - np.uint64(1)
        paying |= run.where[at]
    return paying


@inlined
def _survey_run(graph, routes, finished, survey, buffers, node, side, varies, first, length, others, tally):
    """Survey a run of positions, from the one on in which the man who varies stands on square `first`."""
    run, best = buffers.run, buffers.best
    places = np.uint64(1)
    if varies >= 0:
        places = ALL >> np.uint64(LANE - length) << np.uint64(first) & ~others
    legal, resets = count_moves(graph, run, buffers.squares, side, varies, others, places)
    too_high = legal & ~at_most(run.level, 0, HIGHEST_LEVEL)
    tally[CONTRADICTIONS] += bits_set(too_high)
    put(run.level, 0, too_high, HIGHEST_LEVEL)
    put(run.level, 0, ~legal, ILLEGAL_LEVEL)
    for at in range(length):
        survey.level[node + at] = run.level[first + at]
    left = _survey_resets(graph, routes, finished, buffers, side, varies, resets, tally)
    while left:
        place = lowest_bit(left)
        left &= left - np.uint64(1)
        payoff = Payoff(best[place, 0], best[place, 1], best[place, 2])
        if not fits(payoff):
            tally[CONTRADICTIONS] += 1
        survey.pays[node + place - first] = code_of(survey.payoffs, pack(payoff))


@kernel
def survey_nodes(graph, routes, finished, survey, buffers, start, end, tally):
    """Survey a range of nodes, and count contradictions in `tally`."""
    survey.pays[start:end] = NONE
    survey.level[start:end] = ILLEGAL_LEVEL
    node = start
    while node < end:
        side, varies, first, length = _run_at(graph, node, buffers.squares)
        length = min(length, end - node)
        others, shared = _occupied_by_others(graph, buffers.squares, varies)
        if not shared:
            _survey_run(graph, routes, finished, survey, buffers, node, side, varies, first, length, others, tally)
        node += length


@kernel
def survey_together(
    team: Team,
    me: int,
    graph: SliceGraph,
    routes: Routes,
    finished: Finished,
    survey: Survey,
    buffers: SurveyBuffers,
    tally: NDArray[np.int64],
) -> None:
    nodes = len(survey.level)
    barrier(team, me)
    while True:
        start = claim(team, me, _SURVEY_CHUNK)
        if start >= nodes:
            break
        end = min(start + _SURVEY_CHUNK, nodes)
        survey_nodes(graph, routes, finished, survey, buffers, start, end, tally)
        fetch_add(tally, SURVEYED, end - start)
    barrier(team, me)


@kernel
def count_levels(level, start, end, counts):
    """Add to `counts` how many of some nodes have each level."""
    for node in range(start, end):
        counts[level[node]] += 1
