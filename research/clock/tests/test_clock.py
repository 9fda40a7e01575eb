"""Outcomes under the 50-move rule, beside those that brute force finds by python-chess."""

import random
from functools import cache

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from research.clock import solve
from research.clock.solve import Layer, Solver
from research.clock.tests import clock_oracle, clock_twin
from tbgen.core.material import every, parse
from tbgen.index import layout_of
from tbgen.index.positions import fen
from tests.support.slow_twin.goals import goal_of, worth
from tests.support.slow_twin.placements import KINDS

CLOCKS = (0, 1, 40, 83, 94, 97, 98, 99)
FORMS = {"W": (solve.W, clock_twin.W), "C": (solve.C, clock_twin.C)}


@cache
def solver(form: str) -> Solver:
    """All materials of two and three men."""
    found = Solver(FORMS[form][0])
    for material in (*every(2), *every(3)):
        found.solve(material)
    return found


def _sign(board: chess.Board) -> int:
    return 1 if board.turn else -1


def _boards(material: str, count: int, seed: int) -> list[chess.Board]:
    """Positions at random in which the game goes on."""
    layout, draw = layout_of(parse(material)), random.Random(seed)
    found: list[chess.Board] = []
    while len(found) < count:
        board = chess.Board(fen(layout, draw.randrange(layout.size)))
        if len(board.piece_map()) == len(layout.letters) and board.is_valid() and board.legal_moves:
            found.append(board)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_bare_kings_at_every_clock_under_every_record(form: str) -> None:
    ours, theirs = FORMS[form]
    _compare("KvK", Solver(ours), clock_twin.Whole((_kind("K"), _kind("k")), theirs, lambda board: 0))


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("material", ["KQvK", "KNvK"])
def test_three_men_at_every_clock_under_every_record(material: str, form: str) -> None:
    ours, theirs = FORMS[form]
    bare = clock_twin.Whole((_kind("K"), _kind("k")), theirs, lambda board: 0)

    def taken(board: chess.Board) -> int:
        return int(bare.value[0, bare.record(goal_of(board)), bare.find(board)])

    twin = clock_twin.Whole(tuple(sorted(_kind(one) for one in (*material[:-2], "k"))), theirs, taken)
    ready = Solver(ours)
    ready.solve(parse("KvK"))
    _compare(material, ready, twin)


def _kind(symbol: str) -> int:
    return KINDS.index(symbol)


def _compare(material: str, ready: Solver, twin: clock_twin.Whole) -> None:
    layout = layout_of(parse(material))
    compared = 0
    nodes = places = sign = np.empty(0, np.int64)

    def see(layer: Layer) -> None:
        nonlocal compared, nodes, places, sign
        if not len(nodes):
            nodes = np.flatnonzero(layer.fresh())
            boards = [chess.Board(fen(layout, node)) for node in nodes.tolist()]
            places = np.array([twin.find(board) for board in boards])
            sign = np.where(twin.white[places], 1, -1)
        theirs = twin.value[layer.clock]

        def check(ours: NDArray[np.int16], record: NDArray[np.int64] | int, rows: NDArray[np.bool_]) -> None:
            nonlocal compared
            differ = nodes[rows][ours * sign[rows] != theirs[record, places[rows]]]
            assert not len(differ), (layer.clock, record, [fen(layout, int(node)) for node in differ[:3]])
            compared += len(ours)

        goes_on = twin.level[places] >= 2
        check(layer.fresh()[nodes[goes_on]], twin.own_place[places[goes_on]], goes_on)
        for record in twin.records if layer.clock < clock_twin.PLIES - 1 else ():
            if record.level in layer.records.levels:  # some position sets it
                rows = twin.level[places] >= record.level
                held = (twin.white[places[rows]] == record.owner).astype(np.int64)
                check(layer.values(nodes[rows], held, record.level), twin.record(record), rows)

    ready.clocks = CLOCKS
    ready.solve(parse(material), see)
    assert compared > 10_000


ALL = [(material, form) for material in ("KQvK", "KRvK", "KBvK", "KNvK", "KPvK") for form in FORMS]
FEW = [("KQvK", "C"), ("KRvK", "C"), ("KNvK", "W"), ("KPvK", "W")]


@pytest.mark.parametrize(
    ("material", "form"), [pytest.param(*one, marks=() if one in FEW else pytest.mark.full) for one in ALL]
)
def test_the_last_plies(material: str, form: str) -> None:
    """After resets the solver's own outcomes stand: those of smaller tables have been judged."""
    layout, plies = layout_of(parse(material)), (96, 97, 98, 99) if form == "W" else (97, 98, 99)
    layers: dict[tuple[int, int], np.ndarray] = {}
    ready = Solver(FORMS[form][0], plies, dict(solver(form).found))

    def see(layer: Layer) -> None:
        layers[layer.slice, layer.clock] = layer.fresh()

    def at_clock_0(after: chess.Board) -> int:
        return clock_oracle.at_clock_0(solver(form).found, after)

    ready.solve(parse(material), see)
    compared = changed = 0
    for clock in plies:
        for board in _boards(material, 12, seed=clock):
            _, number = clock_oracle.place(board)
            slice_ = int(np.searchsorted(layout.start, number, "right")) - 1
            ours = _sign(board) * int(layers[slice_, clock][number - layout.start[slice_]])
            own = goal_of(board)
            theirs = clock_twin.last_plies(board, own, clock, FORMS[form][1], at_clock_0)
            assert ours == theirs, (board.fen(), clock)
            compared += 1
            changed += ours != worth(own)
    assert compared == 12 * len(plies)
    assert changed
