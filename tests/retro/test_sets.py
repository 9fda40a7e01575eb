"""Sets of positions, and words kept as codes: what several threads put in comes out, once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.compiler.jit import kernel
from tbgen.retro.graph.slice import make_buffers
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.pop import ENOUGH, NEVER_ALONE, pop_block, pop_lanes
from tbgen.retro.threads.sets import (
    AWAY,
    BITS,
    BLOCK,
    CHANGED_OURS,
    LATER,
    LOSING,
    PositionSets,
    add,
    add_lane,
    discard,
    is_empty,
    make_sets,
)
from tbgen.retro.threads.team import Team, barrier, make_team
from tbgen.retro.values.codes import NONE, STANDS, code_of, is_full, known_code, make_code_table

SETS = BITS
WHICH = st.sampled_from((LATER, LOSING))
"""One that is held, one that is passed."""


@kernel
def add_all(sets, which, nodes):  # type: ignore[no-untyped-def]
    for node in nodes:
        add(sets, which, node)


@kernel
def discard_all(sets, which, nodes):  # type: ignore[no-untyped-def]
    for node in nodes:
        discard(sets, which, node // LANE, np.uint64(1) << np.uint64(node % LANE))


@kernel
def pop_all(team, me, sets, which, buffers, taken):  # type: ignore[no-untyped-def]
    """How many there were; they are put into `taken`."""
    barrier(team, me)
    total = 0
    while True:
        count = pop_block(team, me, sets, which, buffers)
        if count == 0:
            return total
        for at in range(count):
            taken[total + at] = buffers.batch[at]
        total += count


@kernel
def pop_all_lanes(team, me, sets, which, buffers, laned, many, taken):  # type: ignore[no-untyped-def]
    """How many entries there were; of each, its lane, its bits and the number of the call are put into `taken`."""
    barrier(team, me)
    total = calls = 0
    while True:
        count = pop_lanes(team, me, sets, which, buffers, laned, many)
        if count == 0:
            return total
        for at in range(count):
            taken[total + at, 0] = buffers.batch[at]
            taken[total + at, 1] = buffers.batch_bits[at]
            taken[total + at, 2] = calls
        total += count
        calls += 1


@kernel
def add_lane_of_all(sets, which, nodes):  # type: ignore[no-untyped-def]
    for node in nodes:
        add_lane(sets, which, node // LANE, np.uint64(1) << np.uint64(node % LANE))


@kernel
def empty(sets, which):  # type: ignore[no-untyped-def]
    return is_empty(sets, which)


@kernel
def code_all(words, many, codes):  # type: ignore[no-untyped-def]
    for at in range(len(many)):
        codes[at] = code_of(words, many[at])


@kernel
def known_all(words, many, codes):  # type: ignore[no-untyped-def]
    for at in range(len(many)):
        codes[at] = known_code(words, many[at])


def drain(sets: PositionSets, which: int, team: Team, nodes: int) -> list[NDArray[np.int64]]:
    """What each thread of a team takes."""
    taken = np.zeros((team.size, nodes + 1), np.int64)
    with ThreadPoolExecutor(team.size) as pool:
        counts = pool.map(lambda me: pop_all(team, me, sets, which, make_buffers(), taken[me]), range(team.size))
        return [taken[me, :count] for me, count in enumerate(counts)]


@given(
    st.integers(1, 5 * BLOCK).flatmap(
        lambda nodes: st.tuples(st.just(nodes), st.sets(st.integers(0, nodes - 1)), st.sets(st.integers(0, nodes - 1)))
    ),
    WHICH,
)
def test_what_is_marked_is_taken_in_order_and_once(drawn: tuple[int, set[int], set[int]], which: int) -> None:
    nodes, wanted, dropped = drawn
    sets = make_sets(SETS, nodes)
    add_all(sets, which, np.array([*wanted, *wanted], np.int64))
    discard_all(sets, which, np.array([*dropped], np.int64))
    assert all(empty(sets, other) for other in range(SETS) if other != which)
    (taken,) = drain(sets, which, make_team(1), nodes)
    assert taken.tolist() == sorted(wanted - dropped)
    assert empty(sets, which)


@given(st.sets(st.integers(0, 3 * BLOCK - 1)), st.booleans(), WHICH)
def test_lanes_hold_what_is_marked(wanted: set[int], laned: bool, which: int) -> None:
    sets, taken = make_sets(SETS, 3 * BLOCK), np.zeros((len(wanted) + 1, 3), np.uint64)
    add_lane_of_all(sets, which, np.array([*wanted], np.int64))
    count = pop_all_lanes(make_team(1), 0, sets, which, make_buffers(), int(laned), NEVER_ALONE, taken)
    entries = [(int(lane), int(bits)) for lane, bits, _ in taken[:count]]
    assert [lane * LANE + bit for lane, bits in entries for bit in range(LANE) if bits >> bit & 1] == sorted(wanted)
    lanes = [lane for lane, _ in entries]
    assert lanes == (sorted({node // LANE for node in wanted}) if laned else [node // LANE for node in sorted(wanted)])
    assert empty(sets, which)


@pytest.mark.parametrize("wanted", [0.001, 0.01, 0.1])
def test_only_blocks_with_few_lanes_come_together(wanted: float) -> None:
    nodes, many = 200 * BLOCK, 3
    marked = np.flatnonzero(np.random.default_rng(1).random(nodes // LANE) < wanted) * LANE
    sets, taken = make_sets(SETS, nodes), np.zeros((len(marked) + 1, 3), np.uint64)
    add_lane_of_all(sets, LATER, marked)
    count = pop_all_lanes(make_team(1), 0, sets, LATER, make_buffers(), 1, many, taken)
    assert (taken[:count, 0] * np.uint64(LANE) == marked).all()
    lanes, calls = taken[:count, 0].astype(int), taken[:count, 2]
    in_block = np.bincount(lanes // LANE)
    for call in range(int(calls[-1]) + 1):
        blocks = np.unique(lanes[calls == call] // LANE)
        assert len(blocks) == 1 or (in_block[blocks] < many).all()
        assert len(blocks) == 1 or (calls == call).sum() < ENOUGH + many
    assert calls[-1] < len(np.unique(lanes // LANE))


@pytest.mark.parametrize(("threads", "which"), [(2, AWAY), (3, CHANGED_OURS)])
def test_threads_share_a_set(threads: int, which: int) -> None:
    nodes = 300 * BLOCK
    random = np.random.default_rng(threads)
    parts = [random.integers(0, nodes, 50_000) for _ in range(threads)]
    sets, team = make_sets(SETS, nodes), make_team(threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: add_all(sets, which, part), parts))
    taken = drain(sets, which, team, nodes)
    assert all((np.diff(part) > 0).all() for part in taken)
    assert sorted(np.concatenate(taken).tolist()) == np.unique(np.concatenate(parts)).tolist()
    assert empty(sets, which)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=200))
def test_words_come_back_from_their_codes(drawn: list[int]) -> None:
    words, many = make_code_table(4), np.array([*drawn, *drawn], np.int64).astype(np.int32)
    many[many == -1] = 1  # no word of the solver: an outcome's or payoff's lowest bits are a distance
    codes, known = np.zeros(len(many), np.uint16), np.ones(len(many), np.uint16)
    known_all(words, many, known)
    assert (known == NONE).all()
    code_all(words, many, codes)
    known_all(words, many, known)
    assert (known == codes).all()
    assert (words[codes] == many).all()
    assert len(np.unique(codes)) == len(np.unique(many))
    assert STANDS not in codes
    assert ((codes == NONE) == (many == 0)).all()
    assert not is_full(words)


def test_threads_agree_on_codes() -> None:
    words, many = make_code_table(1 << 20), np.arange(1, 40_001, dtype=np.int32) * 7919
    codes = np.zeros((4, len(many)), np.uint16)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda me: code_all(words, many, codes[me]), range(4)))
    assert (codes == codes[0]).all()
    assert (words[codes[0]] == many).all()


def test_a_word_without_room_is_noticed() -> None:
    words = make_code_table(1)
    code_all(words, np.arange(1, len(words) - 1, dtype=np.int32), np.zeros(len(words), np.uint16))
    assert not is_full(words)
    codes = np.ones(1, np.uint16)
    code_all(words, np.array([-7], np.int32), codes)
    assert is_full(words)
    known_all(words, np.array([-8], np.int32), codes)
    assert codes[0] == NONE
