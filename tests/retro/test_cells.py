"""Cells of open positions, and the log of rounds, against numpy."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from tbgen.compiler.jit import kernel, plain
from tbgen.core.outcome import BASE
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.graph.slice import make_buffers
from tbgen.retro.survey.survey import ILLEGAL_LEVEL, make_survey
from tbgen.retro.sweep import cells as cells_of_a_slice
from tbgen.retro.sweep import log as log_of_rounds
from tbgen.retro.sweep.cells import Cells, cells_for, give_all, give_open
from tbgen.retro.sweep.log import OURS, THEIRS, WORTH, make_log, merge
from tbgen.retro.sweep.state import NOT_AGAIN, SliceState, begun, gathering, make_state
from tbgen.retro.sweep.worker import Worker
from tbgen.retro.threads.lanes import LANE, laid_out
from tbgen.retro.threads.sets import BITS, BLOCK, CLOSED, PositionSets, make_sets
from tbgen.retro.threads.team import make_team
from tbgen.retro.values.codes import NONE, STANDS
from tbgen.retro.values.payoff import Payoff, pack

NODES = 3 * BLOCK + 5 * LANE + 7


@kernel
def cell_of(cells, node):  # type: ignore[no-untyped-def]
    return cells_of_a_slice.cell_of(cells, node)


@kernel
def note_round(worker, code, into, lanes, bits):  # type: ignore[no-untyped-def]
    log_of_rounds.begin_round(worker, code, into)
    for at in range(len(lanes)):
        log_of_rounds.note(worker, lanes[at], bits[at])


def close(sets: PositionSets, closed: NDArray[np.bool_]) -> None:
    words = np.zeros(sets.words * LANE, np.bool_)
    words[: len(closed)] = closed
    sets.held[CLOSED * sets.words : (CLOSED + 1) * sets.words] = np.packbits(words, bitorder="little").view(np.uint64)


def positions_in(cells: Cells, nodes: int) -> NDArray[np.bool_]:
    return np.unpackbits(cells.members.view(np.uint8), bitorder="little").astype(np.bool_)[:nodes]


@pytest.fixture
def closed() -> NDArray[np.bool_]:
    generator = np.random.default_rng(4)
    closed = generator.random(NODES) < 0.7
    closed[BLOCK : 2 * BLOCK] = True  # a block without cells
    return closed


def test_at_first_each_position_has_the_cell_of_its_number() -> None:
    cells = cells_for(NODES)
    give_all(cells, NODES)
    assert positions_in(cells, len(cells.members) * LANE).sum() == NODES == cells.first[-1]
    assert [cell_of(cells, node) for node in range(NODES)] == list(range(NODES))


def test_open_positions_have_cells_in_the_order_of_their_numbers(closed: NDArray[np.bool_]) -> None:
    sets, cells = make_sets(BITS, NODES), cells_for(NODES)
    close(sets, closed)
    open_ones = np.flatnonzero(~closed)
    assert give_open(cells, NODES, sets) == len(open_ones) == cells.first[-1]
    assert (positions_in(cells, NODES) == ~closed).all()
    assert [cell_of(cells, node) for node in open_ones.tolist()] == list(range(len(open_ones)))


def surveyed(sets: PositionSets, make: Make = in_memory) -> SliceState:
    generator = np.random.default_rng(5)
    survey = make_survey(NODES, make)
    survey.level[:] = generator.integers(0, 90, NODES)
    return begun(make_state(survey, np.zeros(NODES, np.int32), sets, make), laid_out(NODES, np.uint16), make)


@pytest.mark.parametrize("with_record", [False, True])
def test_what_is_known_moves_with_the_cells(closed: NDArray[np.bool_], with_record: bool) -> None:
    sets = make_sets(BITS, NODES)
    state = surveyed(sets)
    state.pays[:] = np.arange(NODES) % 1000
    level, due, pays = state.level.copy(), state.due.copy(), state.pays.copy()
    for step in range(2):
        close(sets, closed)
        *_, state = gathering(state, sets, with_record)
        for found, before in ((state.level, level), (state.due, due), (state.pays, pays)):
            assert (found == before[~closed]).all()
        assert len(state.ours) == len(state.theirs) == (np.count_nonzero(~closed) if with_record else 0)
        if step == 0:
            assert (state.theirs == STANDS).all()
            assert (state.ours == STANDS).all()
            state.theirs[:] = ours = np.arange(len(state.ours)) + 7
            state.ours[:] = ours + 1
            kept = np.flatnonzero(~closed)
            closed = closed | (np.arange(NODES) % 5 == 0)
        elif with_record:
            assert (state.theirs == ours[~closed[kept]]).all()
            assert (state.ours == state.theirs + 1).all()
    assert NOT_AGAIN not in state.due


def test_illegal_positions_need_no_cells() -> None:
    """Where arrays are in files, they have none from the beginning."""
    found = []
    for gathers in (False, True):
        generator, sets, survey = np.random.default_rng(6), make_sets(BITS, NODES), make_survey(NODES)
        survey.level[:] = generator.choice([3, 40, ILLEGAL_LEVEL], NODES)
        survey.payoffs[2:5] = [plain(pack)(Payoff(BASE - level, 7, 7)) for level in (0, 20, 60)]
        survey.pays[:] = generator.choice([NONE, 2, 3, 4], NODES)
        state = make_state(survey, np.zeros(NODES, np.int32), sets)
        legal = survey.level != ILLEGAL_LEVEL
        if gathers:
            *_, state = gathering(state, sets, with_record=False)
            assert (positions_in(state.cells, NODES) == legal).all()
        state = begun(state, laid_out(NODES, np.uint16))
        found.append([column if gathers else column[legal] for column in (state.level, state.pays, state.due)])
    for without, with_illegal in zip(*found, strict=True):
        assert (without == with_illegal).all()
    assert {*found[0][2].tolist()} == {0, 3, 20, 40}


@pytest.mark.parametrize("with_record", [False, True])
def test_a_column_goes_before_the_next_comes(closed: NDArray[np.bool_], with_record: bool) -> None:
    there = WeakValueDictionary[int, NDArray[Any]]()
    sizes: list[int] = []

    def size() -> int:
        return sum(array.nbytes for array in there.values())

    def make(count: int, kind: DTypeLike) -> NDArray[Any]:
        array = np.zeros(count, kind)
        there[id(array)] = array
        sizes.append(size())
        return array

    sets = make_sets(BITS, NODES)
    state = surveyed(sets, make)
    for closed_ones in (closed & (np.arange(NODES) % 2 == 0), closed):
        close(sets, closed_ones)
        before = size()
        sizes.clear()
        for one in gathering(state, sets, with_record, make):
            state = one
        cells = state.cells.members.nbytes + state.cells.within.nbytes
        assert max(sizes) <= max(before + state.due.nbytes, size()) + cells + 2 * LANE


def rounds_of(generator: np.random.Generator, count: int) -> list[tuple[int, np.int64, NDArray[np.bool_]]]:
    """Code, array and positions of some rounds; each position is in one round of an array at most."""
    found: list[tuple[int, np.int64, NDArray[np.bool_]]] = []
    for into in (WORTH, OURS, THEIRS):
        which = generator.integers(0, 3 * count, NODES)
        found += [(2 + int(into) * count + at, into, which == at) for at in range(count)]
    return found


@pytest.mark.parametrize("rounds", [1, 40, 700])
@pytest.mark.parametrize("threads", [1, 3])
def test_merging_puts_each_value_where_its_round_reached(
    rounds: int, threads: int, closed: NDArray[np.bool_], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_of_rounds, "_LEAST", 300)  # so that it fills up in the middle of rounds
    sets = make_sets(BITS, NODES)
    state = surveyed(sets)
    close(sets, closed)
    *_, state = gathering(state, sets, with_record=True)
    log, team = make_log(NODES, threads), make_team(threads)
    graph: Any = 0
    expected = {into: np.zeros(NODES, np.uint16) for into in (WORTH, OURS, THEIRS)}
    expected[OURS][:] = expected[THEIRS][:] = STANDS
    todo = rounds_of(np.random.default_rng(rounds), rounds)
    for code, into, reached in todo:
        if into != WORTH:
            reached &= ~closed
        expected[into][reached] = code

    def work(me: int) -> None:
        worker = Worker(team, me, graph, make_buffers(), state, sets, log)
        for code, into, reached in todo:
            words = np.zeros(len(state.cells.members) * LANE, np.bool_)
            words[: len(reached)] = reached
            bits = np.packbits(words, bitorder="little").view(np.uint64)
            mine = np.flatnonzero(bits)
            mine = mine[mine % threads == me]
            note_round(worker, code, into, mine, bits[mine])
        merge(worker)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    assert (state.worth == expected[WORTH]).all()
    assert (state.ours == expected[OURS][~closed]).all()
    assert (state.theirs == expected[THEIRS][~closed]).all()
