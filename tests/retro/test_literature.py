"""Solved tables: what the literature knows of them, and where goals stand that nothing resets."""

from collections import Counter
from functools import cache

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.board.moves import is_checked, list_moves
from tbgen.compiler.jit import kernel
from tbgen.core import outcome
from tbgen.core.material import every, parse
from tbgen.core.table_contents import distances, outcomes
from tbgen.index import layout_of
from tbgen.retro.graph.slice import make_buffers
from tests.support.boards import material_on
from tests.support.slices import is_position, place
from tests.support.solved import contents

THREE_MEN = [one.name for one in every(3)]


@cache
def first_to_move(name: str) -> NDArray[np.bool_]:
    """`[number]`, for a table of a single slice."""
    layout = layout_of(parse(name))
    return np.arange(layout.size) < int(layout.half_size[0])


def histogram(name: str) -> Counter[str]:
    """How many numbers have which value, as the first side sees it."""
    table = contents(name)
    values = np.where(first_to_move(name), 1, -1) * outcomes(table.entries).astype(int)
    found = zip(*np.unique(values[values != 0], return_counts=True), strict=True)
    return Counter({outcome.text(value): int(count) for value, count in found})


def levels_in(name: str) -> set[str]:
    return {text.removeprefix("-") for text in histogram(name)}


def fresh(fen: str) -> tuple[str, int]:
    """The value of a position with White as the stronger side, and the distance."""
    board = chess.Board(fen)
    name = material_on(board).name
    table, number = contents(name), place(name).numbers_of([board])
    value = int(outcomes(table.entries[number])[0])
    return outcome.text(value if board.turn else -value), int(distances(table.entries[number])[0])


# --- the literature ------------------------------------------------------------------------------------


def test_values_of_bare_kings() -> None:
    assert levels_in("KvK") == {"G1.5", "G2.5", "G3.5", "G4.5", "G5.5", "G8.5"}
    found = histogram("KvK")
    assert found["G5.5"] + found["-G5.5"] > found.total() / 2, "the usual one"


def test_values_of_a_knight() -> None:
    assert levels_in("KNvK") >= {"G0.5", "G1.0", "G1.5", "G2.0", "G2.5", "G3.0", "G3.5"}
    found = histogram("KNvK")
    assert found["G3.5"] > found.total() / 2
    assert all(0 < found[rare] < found.total() / 400 for rare in ("G1.0", "G2.0", "G3.0"))
    assert "G0.0" not in levels_in("KNvK")


def test_two_knights_mate_in_one_or_not_at_all() -> None:
    table = contents("KNNvK")
    mates = abs(outcomes(table.entries)) == outcome.held_by_white(0)
    assert set(distances(table.entries)[mates].tolist()) == {0, 1}
    assert "-G0.0" not in histogram("KNNvK")
    found = histogram("KNNvK")
    assert found.most_common(1)[0][0] == "G0.5"


@pytest.mark.parametrize(("name", "plies"), [("KQvK", 20), ("KRvK", 32), ("KPvK", 56)])
def test_longest_mates(name: str, plies: int) -> None:
    entries = contents(name).entries
    for_the_mover = outcomes(entries) == outcome.held_by_white(0)
    against_the_mover = outcomes(entries) == outcome.held_by_black(0)
    assert distances(entries)[against_the_mover].max() == plies
    assert distances(entries)[for_the_mover].max() == plies - 1


@pytest.mark.parametrize("name", THREE_MEN)
def test_nobody_mates_with_a_bare_king(name: str) -> None:
    layout, table = layout_of(parse(name)), contents(name)
    for slice_ in range(layout.slices):
        start, half = int(layout.start[slice_]), int(layout.half_size[slice_])
        values = outcomes(table.entries[start : start + 2 * half])
        assert (values[:half] != outcome.held_by_black(0)).all()
        assert (values[half:] != outcome.held_by_white(0)).all()


@pytest.mark.parametrize(
    ("fen", "text", "plies"),
    [
        ("8/8/8/2K3k1/8/8/8/8 w - - 0 1", "-G8.5", 0),
        ("8/8/8/3K1k2/8/8/8/8 w - - 0 1", "-G5.5", None),
        ("8/6k1/8/4K3/8/8/8/8 b - - 0 1", "G5.5", None),
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 1", "G1.5", 4),
        ("6k1/8/5K2/5B2/8/8/8/8 b - - 0 1", "G0.5", 8),
        ("8/8/8/2kNK3/8/8/8/8 b - - 0 1", "G3.5", None),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", "G0.5", 0),
    ],
)
def test_published_values(fen: str, text: str, plies: int | None) -> None:
    found, distance = fresh(fen)
    assert found == text
    assert plies in (None, distance)


# --- whole-game mobility -------------------------------------------------------------------------------


@kernel
def own_levels(graph, buffers, moves, levels):  # type: ignore[no-untyped-def]
    """`[number]` of a slice, -1 where there is no position."""
    for node in range(len(levels)):
        levels[node] = -1
        if is_position(graph, buffers, node):
            side = 1 if node >= graph.half else 0
            _, count = list_moves(graph, buffers.squares, side, moves)
            levels[node] = 2 * count + (0 if is_checked(graph, buffers.squares, side) else 1)


def levels_of(name: str) -> NDArray[np.int64]:
    slices = []
    for slice_ in range(layout_of(parse(name)).slices):
        where = place(name, slice_)
        slices.append(np.zeros(where.size, np.int64))
        own_levels(where.graph, make_buffers(), np.zeros(512, np.int64), slices[-1])
    return np.concatenate(slices)


@pytest.mark.parametrize("name", ["KvK", *THREE_MEN])
def test_every_goal_stands_where_nothing_resets(name: str) -> None:
    """The value is the better of the own goal and what can be forced, so one value answers for every record."""
    table, levels = contents(name, "wg"), levels_of(name)
    values, plies = outcomes(table.entries).astype(int), distances(table.entries)
    legal = levels >= 0
    assert ((values != 0) == legal).all()
    reached = outcome.BASE - abs(values)
    assert (reached <= levels)[legal].all()
    own = reached == levels
    assert (values == levels - outcome.BASE)[own].all(), "the first holder keeps an equal goal"
    assert ((plies == 0) == own)[legal].all()
    assert not table.staircases.any()
    assert len(table.steps.level) == 0


@pytest.mark.parametrize("name", ["KvK", *THREE_MEN])
def test_with_resets_there_is_a_value_for_every_position(name: str) -> None:
    table, levels = contents(name), levels_of(name)
    legal = levels >= 0
    assert ((table.entries != 0) == legal).all()
    at_end = legal & (levels < 2)
    assert (outcomes(table.entries) == levels - outcome.BASE)[at_end].all()
    assert (distances(table.entries) == 0)[at_end].all()
    assert not table.staircases[~legal | at_end].any()
    assert not (table.staircases.any() and name == "KvK")


def test_bare_kings_have_nothing_to_reset() -> None:
    assert (contents("KvK").entries == contents("KvK", "wg").entries).all()


def test_without_resets_a_lost_bishop_does_not_level_the_score() -> None:
    sign = np.where(first_to_move("KBvK"), 1, -1)
    value, whole = (sign * outcomes(contents("KBvK", rules).entries) for rules in ("r", "wg"))
    ends = whole[value == outcome.parse("-G8.5")]
    assert (outcome.text(ends.max()), outcome.text(ends.min())) == ("G3.0", "G7.0")
