"""Blocks: what their lanes say one by one (test_moves.py compares these with python-chess)."""

from typing import Final

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.compiler.jit import kernel
from tbgen.retro.graph.block import all_lead_into_block
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.graph.slice import TURN_SYMMETRY, make_buffers
from tbgen.retro.sweep.notify import notify_block, notify_lanes
from tbgen.retro.sweep.tell import Telling
from tbgen.retro.sweep.worker import Worker
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import ESCAPING, HELD, LATER, SETTLED, THREATENED, make_sets
from tbgen.retro.threads.team import make_team
from tests.support.slices import Place, is_position, slice_with

BLOCKS: Final = 200
PLACES: Final = [
    ("KRvKN", ""), ("KQRvK", ""), ("KRBPvK", "b3"), ("KRPvKN", "d4"), ("KNvKBP", "f3"), ("KBNvKN", ""),
    ("KRvKBN", ""), ("KQRBvK", ""),
]  # fmt: skip
"""Tables with blocks: whose last two men are of one side or of both, with others before them or none."""


@pytest.fixture(params=PLACES, ids=lambda one: one[0])
def where(request: pytest.FixtureRequest) -> Place:
    name, pawns = request.param
    found = slice_with(name, [chess.parse_square(square) for square in pawns.split()])
    assert found.graph.blocked
    assert not found.graph.forth[TURN_SYMMETRY : TURN_SYMMETRY + found.graph.pairs].any(), "the board stays as it is"
    return found


@kernel
def keep_positions(graph, buffers, words):  # type: ignore[no-untyped-def]
    for lane in range(len(words)):
        for bit in range(LANE):
            one = np.uint64(1) << np.uint64(bit)
            if words[lane] & one and not is_position(graph, buffers, lane * LANE + bit):
                words[lane] ^= one


def some_positions(where: Place, share: float) -> NDArray[np.uint64]:
    """`[lane]`: positions in some blocks, of which a share is meant; the more, the more lanes have any."""
    chance, words = np.random.default_rng(1), np.zeros(where.size // LANE, np.uint64)
    rows = words.reshape(-1, LANE)
    for block in chance.integers(len(rows), size=BLOCKS):
        rows[block] = packed(chance.random((LANE, LANE)) < share)
    keep_positions(where.graph, make_buffers(), words)
    return words


def packed(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return np.packbits(chosen, axis=1, bitorder="little").view(np.uint64)[:, 0]


def random_words(count: int, share: int, seed: int) -> NDArray[np.uint64]:
    """Words in which one bit of 2 ** share is missing."""
    chance = np.random.default_rng(seed)
    return np.bitwise_or.reduce([chance.integers(1 << 64, size=count, dtype=np.uint64) for _ in range(share)])


@kernel
def put_in_batch(buffers, words, block):  # type: ignore[no-untyped-def]
    lanes = 0
    for lane in range(block * LANE, (block + 1) * LANE):
        if words[lane]:
            buffers.batch[lanes], buffers.batch_bits[lanes] = lane, words[lane]
            lanes += 1
    return lanes


@kernel
def prove(graph, buffers, sets, words, together, found):  # type: ignore[no-untyped-def]
    for block in range(len(words) // LANE):
        lanes = put_in_batch(buffers, words, block)
        if lanes and together:
            all_lead_into_block(graph, buffers, sets, 0, lanes)
        for at in range(lanes):
            lane, bits = np.int64(buffers.batch[at]), buffers.batch_bits[at]
            found[lane] = bits if together else all_lead_into(graph, buffers, sets, 0, lane, bits)


@pytest.mark.parametrize("share", [2, 4, 6])
def test_a_block_proves_what_its_lanes_do(where: Place, share: int) -> None:
    words, sets = some_positions(where, 0.2), make_sets(1, where.size)
    sets.held[:] = random_words(len(sets.held), share, 2)
    one_by_one, together = np.zeros((2, len(words)), np.uint64)
    prove(where.graph, make_buffers(), sets, words, False, one_by_one)
    prove(where.graph, make_buffers(), sets, words, True, together)
    assert (one_by_one == together).all()
    assert (one_by_one != words).any()


@kernel
def notify(worker, words, together, telling):  # type: ignore[no-untyped-def]
    for block in range(len(words) // LANE):
        lanes = put_in_batch(worker.buffers, words, block)
        if lanes and together:
            notify_block(worker, telling, lanes)
        elif lanes:
            notify_lanes(worker, telling, lanes)


@pytest.mark.parametrize(
    "telling", [Telling(ESCAPING, ESCAPING, LATER, True), Telling(THREATENED, SETTLED, THREATENED, False)]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("share", [0.002, 0.2])
def test_a_block_tells_those_whom_its_lanes_tell(where: Place, share: float, threads: int, telling: Telling) -> None:
    words = some_positions(where, share)
    found = []
    for together in (False, True):
        sets = make_sets(HELD, where.size)
        for seed, which in enumerate((SETTLED, telling.told)):
            sets.held[which * sets.words : (which + 1) * sets.words] = random_words(sets.words, 1, seed)
        worker = Worker(make_team(threads), 0, where.graph, make_buffers(), None, sets, None)
        notify(worker, words, together, telling)
        found.append((sets.held, sets.lines))
        assert sets.lines.any()
    for one, other in zip(*found, strict=True):
        assert (one == other).all()
