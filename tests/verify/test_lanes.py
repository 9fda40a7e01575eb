"""Positions that are checked together are found right or wrong as each is by itself."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.table_contents import Contents
from tbgen.index.exits import exits_of
from tbgen.index.kernels import decode
from tbgen.index.layout import layout_of
from tbgen.verify.arrivals import NO_SURVEY, make_survey
from tbgen.verify.buffers import make_buffers
from tbgen.verify.lanes import lane_from, prove_lane
from tbgen.verify.table import Table, surroundings
from tbgen.verify.units import Units
from tests.support.solved import contents, entries_of

SLICES, STRETCHES, STRETCH = 4, 4, 5000
Answers = dict[Material, NDArray[np.int32]]


def findings(table: Contents, answers: Answers, *, together: bool) -> list[Any]:
    """What the verifier finds in stretches of a few slices: numbers by themselves are checked without a survey."""
    one, random = Table(table, exits_of(table.material, answers), note), np.random.default_rng(7)
    one.units.fetch(set(range(len(one.units.spans))))
    found = []
    for slice_ in random.permutation(len(one.layout.start) - 1)[:SLICES].tolist():
        own, survey = one.layout.numbers_in(slice_), one.survey(slice_)
        survey.level[:] = one.levels(np.arange(own.start, own.stop))
        for first in random.integers(own.start, own.stop, STRETCHES).tolist():
            numbers = np.arange(first, min(first + STRETCH, own.stop))
            found.append(one.check_all(slice_, numbers, survey if together else NO_SURVEY, STRETCH))
    return found


def note(found: object) -> None:
    """A dictionary that is not well formed is another test's subject."""


def altered(table: Contents, share: float) -> Contents:
    """The same with single values changed: outcomes, distances and staircases, also where there is no position, and
    steps that mate at once."""
    random = np.random.default_rng(5)
    entries, staircases = table.entries.copy(), table.staircases.copy()
    where = np.flatnonzero(random.random(len(entries)) < share)
    one, two, three, four, five = np.array_split(random.permutation(where), 5)
    entries[one] += np.where(entries[one] != 0, random.choice([-1, 1], len(one)), 0)
    entries[two] = np.where(entries[two] != 0, (-(entries[two] >> 16) << 16) | (entries[two] & 0xFFFF), 0)
    entries[three] = 0
    entries[four] = random.choice(entries[entries != 0], len(four))
    staircases[five] = random.integers(0, len(table.steps.start) - 1, len(five))
    which = random.random(len(table.steps.outcome)) < 0.2
    outcome = np.where(which, np.sign(table.steps.outcome) * BASE, table.steps.outcome).astype(np.int16)
    distance = np.where(which, 1, table.steps.distance).astype(np.uint16)
    steps = table.steps._replace(outcome=outcome, distance=distance)
    return replace(table, entries=entries, staircases=staircases, steps=steps)


@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("name", ["KQvK", "KRvKR", "KRvKN", "KQvKP", "KQPvK", "KRRvK"])
@pytest.mark.parametrize("missing", [0, 2])
def test_lanes_find_what_positions_find(name: str, rules: str, missing: int) -> None:
    """Also where so many of the tables are missing that resets lead to."""
    table = contents(name, rules)
    answers = entries_of(table.material.successors()[missing:], rules)
    for one in (table, altered(table, 0.02)):
        each, together = (findings(one, answers, together=together) for together in (False, True))
        for alone, in_lanes in zip(each, together, strict=True):
            assert alone[:3] == in_lanes[:3]
            assert np.array_equal(alone[3], in_lanes[3])


@njit
def _prove_all(board, atlas, pawns, tables, highest, survey, buffers, proven):
    number = 0
    while number < len(proven):
        decode(atlas, 0, pawns, 0, number, buffers.moves.squares)
        length = lane_from(atlas, buffers.moves.squares)
        if length:
            found, left = prove_lane(board, atlas, pawns, tables, highest, survey, buffers, number, length)
            for place in range(length):
                proven[number + place] = found >> np.uint64(place) & np.uint64(1) & ~(left >> np.uint64(place))
        number += max(length, 1)


@pytest.mark.parametrize(("name", "share"), [("KQvKR", 0.99), ("KQvKP", 0.99), ("KQPvK", 0.99), ("KRRvK", 0.8)])
def test_ends_are_proven_in_lanes(name: str, share: float) -> None:
    """But for short lanes: the test above would say little if each position was left to be checked by itself."""
    table = contents(name)
    layout = layout_of(table.material)
    around = surroundings(exits_of(table.material, entries_of(table.material.successors(), "r")))
    units = Units(table, layout, around.tables, note)
    units.fetch(set(range(len(units.spans))))
    survey = make_survey(0, len(layout.numbers_in(0)))
    survey.level[:] = around.levels(layout, np.arange(len(survey.level)))
    proven = np.zeros(len(survey.level), np.bool_)
    _prove_all(
        around.board, around.atlas, layout.pawns.squares, around.tables, units.highest, survey, make_buffers(layout),
        proven,
    )  # fmt: skip
    outcomes = np.abs(table.entries[: len(proven)] >> 16)
    ends = (outcomes > BASE - FIRST_RECORD) & (survey.level >= FIRST_RECORD)
    assert not proven[~ends].any()
    assert np.count_nonzero(proven) > share * np.count_nonzero(ends)
