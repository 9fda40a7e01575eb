"""The dictionaries of units in memory, however often they have to move."""

import numpy as np

from tbgen.core.material import parse
from tbgen.core.outcome import BASE
from tbgen.core.packed_steps import pack_steps
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.verify.joined import Joined
from tbgen.verify.values import LOWEST, find_highest
from tests.support.contents import random_contents, steps_at


def rank(step: tuple[int, int, int, int]) -> tuple[int, int]:
    """The higher, the more a step is worth to the side that moves to it: gains early, losses late."""
    _, _, outcome, distance = step
    return -outcome, -distance if outcome < 0 else distance


def highest(contents: Contents, number: int) -> int:
    """The key of the step that is worth most, found by itself."""
    steps = steps_at(contents, number)
    if not steps:
        return int(LOWEST)
    key = np.zeros(1, np.int32)
    best = [np.array([value]) for value in max(steps, key=rank)]
    find_highest(np.array([0, 1]), pack_steps(*best), key)
    return int(key[0])


def test_units_keep_their_staircases_when_others_come_and_go() -> None:
    joined, units = Joined(TableRules.RESET), dict[int, Contents]()
    random, moved = np.random.default_rng(5), 0
    for unit in range(12):
        units[unit] = random_contents(parse("KRvK"), seed=unit, staircases=int(random.integers(1, 400)))
        moved += joined.add(unit, units[unit].steps.start, pack_steps(*units[unit].steps[1:]))
        if unit % 3 == 2:
            joined.drop(unit - 1)
            del units[unit - 1]
        dictionary = joined.dictionary()
        for one, contents in units.items():
            steps, here = contents.steps, joined.first(one)
            first = dictionary.first[here : here + len(steps.start)]
            assert np.array_equal(first - first[0], steps.start)
            assert np.array_equal(dictionary.step[first[0] : first[-1]], pack_steps(*steps[1:]))
            for number in np.flatnonzero(contents.staircases)[:200].tolist():
                assert joined.highest()[here + contents.staircases[number]] == highest(contents, number)
    assert moved > 2


def test_a_step_to_the_other_sides_mate_is_worth_least() -> None:
    """And a mate the more the sooner it comes."""
    outcomes, distances = np.array([BASE, 3, -3, -BASE, -BASE]), np.array([5, 5, 5, 9, 5])
    keys = np.zeros(5, np.int32)
    nothing = np.zeros(5, np.int64)
    find_highest(np.arange(6), pack_steps(nothing, nothing, outcomes, distances), keys)
    assert keys.tolist() == sorted(keys.tolist())
    assert len(set(keys.tolist())) == 5
