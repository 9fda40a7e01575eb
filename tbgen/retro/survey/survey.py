"""The survey: for every position of a slice, whether it is legal, its level, and what its resets pay."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make, in_memory
from tbgen.board.count_moves import Run, begin_run, count_moves, make_run
from tbgen.board.moves import move_slot, move_target
from tbgen.index.atlas import G_COUNT, G_SLOT, GROUP, MEN
from tbgen.intrinsics import atomic_load, fetch_add
from tbgen.jit import inlined, kernel
from tbgen.retro.graph.slice import SliceGraph, set_up
from tbgen.retro.survey.en_passant import Finished, gives_right, value_with_right
from tbgen.retro.survey.resets import Routes, payoff_after
from tbgen.retro.threads.counters import CONTRADICTIONS, SURVEYED
from tbgen.retro.threads.team import ABORT, Team, barrier, claim
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
    moves: NDArray[np.int64]
    more_moves: NDArray[np.int64]
    run: Run


def make_survey(nodes: int, make: Make = in_memory) -> Survey:
    return Survey(make(nodes, np.uint8), make(nodes, np.uint16), make_code_table(nodes))


def make_survey_buffers() -> SurveyBuffers:
    here, stepped, there = (np.zeros(MEN, np.int64) for _ in range(3))
    moves, more_moves = (np.zeros(MOST_MOVES, np.int64) for _ in range(2))
    return SurveyBuffers(here, stepped, there, moves, more_moves, make_run(MEN))


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
    positions that follow, -1 if there is none, and how many of these there are, this one included."""
    atlas = graph.atlas
    side, _, _, _ = set_up(graph, node, squares)
    groups = atlas.groups[0]
    if groups == 0:
        return side, np.int64(-1), np.int64(1)
    last = (groups - 1) * GROUP
    varies = atlas.group[last + G_SLOT]
    end = squares[varies + 1] if atlas.group[last + G_COUNT] > 1 else np.int64(64)
    return side, varies, end - squares[varies]


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
def _survey_position(graph, routes, finished, survey, buffers, node, side, varies, occupied, tally):
    """Survey a position of a run whose men have a square each."""
    squares = buffers.squares
    quiet, resets, checked = count_moves(graph, buffers.run, squares, side, varies, occupied, buffers.moves)
    if quiet < 0:
        return
    level = 2 * (quiet + resets) + (0 if checked else 1)
    if level > HIGHEST_LEVEL:
        tally[CONTRADICTIONS] += 1
        level = HIGHEST_LEVEL
    survey.level[node] = level
    if resets == 0:
        return
    best = Payoff(NO_OUTCOME, 0, 0)
    for at in range(resets):
        one = _payoff(graph, routes, finished, buffers, side, buffers.moves[at], tally)
        best = best_of(best, one.outcome, one.shortest, one.longest)
    if not fits(best):
        tally[CONTRADICTIONS] += 1
    survey.pays[node] = code_of(survey.payoffs, pack(best))


@kernel
def survey_nodes(graph, routes, finished, survey, buffers, start, end, tally):
    """Survey a range of nodes, and count contradictions in `tally`."""
    survey.pays[start:end] = NONE
    survey.level[start:end] = ILLEGAL_LEVEL
    squares = buffers.squares
    node = start
    while node < end:
        side, varies, length = _run_at(graph, node, squares)
        stop = min(node + length, end)
        others, shared = _occupied_by_others(graph, squares, varies)
        if not shared:
            begin_run(graph, buffers.run, squares, side, varies, others)
            for at in range(node, stop):
                if at > node:
                    squares[varies] += 1
                occupied = others
                if varies >= 0:
                    bit = np.uint64(1) << np.uint64(squares[varies])
                    if others & bit:
                        continue
                    occupied |= bit
                _survey_position(graph, routes, finished, survey, buffers, at, side, varies, occupied, tally)
        node = stop


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
        if atomic_load(team.shared, ABORT):
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
