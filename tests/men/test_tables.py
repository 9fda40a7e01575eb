"""Tables with men beyond chess: right position by position, and as the literature has them."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.contents import Contents, outcomes
from tbgen.index import layout_of
from tbgen.index.exits import exits_of
from tbgen.material import Material, parse, with_dependencies
from tbgen.outcome import BASE
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.table_rules import TableRules
from tbgen.verify.run import Verdict, verify

THREE = [f"K{letter}vK" for letter in "ACDEFHJOW"]
FOUR = ("KPvKC", "KHPvK", "KHvKJ", "KCOvK", "KHHvK", "KEvKE")
"""Promotions to a man of either side, riders of two kinds, like men, and men that both sides have."""


@cache
def table(name: str, rules: str = "r") -> Contents:
    return finish(solve_table(exits_of(parse(name), answers(name, rules)), rules=TableRules(rules)))


def answers(name: str, rules: str) -> dict[Material, NDArray[np.int32]]:
    return {other: table(other.name, rules).entries for other in parse(name).successors()}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, rules) for name in THREE for rules in ("r", "wg")),
        *(pytest.param(name, rules, marks=pytest.mark.full) for name in FOUR for rules in ("r", "wg")),
    ],
)
def test_every_position_follows_from_its_moves(name: str, rules: str) -> None:
    for material in with_dependencies([parse(name)]):
        table(material.name, rules)
    contents = table(name, rules)
    legal = int(np.count_nonzero(contents.entries))
    assert verify(contents, exits_of(parse(name), answers(name, rules))) == Verdict(legal, 0, [])


def mates(name: str) -> list[float]:
    """The share of positions in which the first side mates, with it to move and with the second."""
    contents, layout = table(name), layout_of(parse(name))
    halves = outcomes(contents.entries).reshape(2, int(layout.half_size[0]))
    return [float((half == goal).sum() / (half != 0).sum()) for half, goal in zip(halves, (BASE, -BASE), strict=True)]


@pytest.mark.parametrize("name", ["KCvK", "KOvK"])
def test_commoner_and_woody_rook_mate_alone(name: str) -> None:
    assert min(mates(name)) > 0.75  # the king takes it, or escapes with it in his hands, where the second side moves


@pytest.mark.parametrize("name", ["KWvK", "KFvK", "KDvK", "KAvK", "KHvK"])
def test_other_light_men_do_not(name: str) -> None:
    assert max(mates(name)) < 0.001


@pytest.mark.parametrize("name", ["KEvK", "KJvK"])
def test_a_man_on_one_colour_never_mates_alone_however_heavy(name: str) -> None:
    assert max(mates(name)) < 0.001


@pytest.mark.parametrize("name", ["KFFvK", "KWWvK"])
def test_two_ferzes_and_two_wazirs_do_not_mate(name: str) -> None:
    for material in with_dependencies([parse(name)]):
        table(material.name)
    assert max(mates(name)) < 0.001


@pytest.mark.full
def test_a_commoner_holds_against_a_queen_where_a_rook_does_not() -> None:
    """With the weaker side to move, which may have a man to lose at once."""
    for name in ("KQvKC", "KQvKR"):
        for material in with_dependencies([parse(name)]):
            table(material.name)
    assert mates("KQvKC")[1] < 0.42
    assert mates("KQvKR")[1] > 0.65


@pytest.mark.full
def test_a_knight_and_a_knightrider_mate() -> None:
    """D. Hooper and K. Whyld, The Oxford Companion to Chess."""
    for material in with_dependencies([parse("KNHvK")]):
        table(material.name)
    assert min(mates("KNHvK")) > 0.75
