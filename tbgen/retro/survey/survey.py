"""The survey: for every position of a slice, whether it is legal, its level, and what its resets pay."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import attacked
from tbgen.board.count_moves import count_moves
from tbgen.board.moves import NOBODY, move_slot, move_target
from tbgen.index.atlas import MEN
from tbgen.intrinsics import atomic_load, fetch_add
from tbgen.jit import kernel
from tbgen.retro.graph.slice import SliceGraph, set_up
from tbgen.retro.survey.en_passant import Finished, gives_right, value_with_right
from tbgen.retro.survey.resets import Routes, entry_after, pays
from tbgen.retro.threads.counters import CONTRADICTIONS, SURVEYED
from tbgen.retro.threads.lanes import LANE, laid_out
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
    quiet: NDArray[np.uint8]
    """Quiet moves."""
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


def make_survey(nodes: int) -> Survey:
    return Survey(
        np.empty(nodes, np.uint8), laid_out(nodes, np.uint8), np.empty(nodes, np.uint16), make_code_table(nodes)
    )


def make_survey_buffers() -> SurveyBuffers:
    here, stepped, there = (np.zeros(MEN, np.int64) for _ in range(3))
    return SurveyBuffers(here, stepped, there, np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES, np.int64))


@kernel
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
    entry = entry_after(graph, routes, squares, side, move, buffers.there)
    if entry == NO_OUTCOME:
        tally[CONTRADICTIONS] += 1
    return pays(entry)


@kernel
def survey_nodes(graph, routes, finished, survey, buffers, start, end, tally):
    """Survey a range of nodes, and count contradictions in `tally`."""
    squares = buffers.squares
    last = graph.atlas.first_pawn[0] - 1
    for node in range(start, end):
        survey.pays[node] = NONE
        survey.quiet[node] = 0
        if not graph.laned or node % LANE == 0 or node == start:
            side, _, others, shared_by_others = set_up(graph, node, squares, graph.laned)
        occupied, shared = others, shared_by_others
        if graph.laned:
            bit = np.uint64(1) << np.uint64(node % LANE)
            squares[last] = node % LANE
            shared |= occupied & bit != 0
            occupied |= bit
        if shared or attacked(graph, squares, side, squares[1 - side], occupied, NOBODY):
            survey.level[node] = ILLEGAL_LEVEL
            continue
        quiet, resets, checked = count_moves(graph, squares, side, occupied, buffers.moves)
        level = 2 * (quiet + resets) + (0 if checked else 1)
        if level > HIGHEST_LEVEL:
            tally[CONTRADICTIONS] += 1
            level = HIGHEST_LEVEL
        survey.level[node] = level
        survey.quiet[node] = quiet
        best = Payoff(NO_OUTCOME, 0, 0)
        for at in range(resets):
            one = _payoff(graph, routes, finished, buffers, side, buffers.moves[at], tally)
            best = best_of(best, one.outcome, one.shortest, one.longest)
        if not fits(best):
            tally[CONTRADICTIONS] += 1
        survey.pays[node] = code_of(survey.payoffs, pack(best))


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
