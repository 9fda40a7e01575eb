"""Tables with men beyond chess: right position by position, and as the literature has them."""

import numpy as np
import pytest

from tbgen.core.material import parse, with_dependencies
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import outcomes
from tbgen.index import layout_of
from tbgen.index.exits import exits_of
from tbgen.verify.run import Verdict, verify
from tests.support.solved import contents as table
from tests.support.solved import entries_of

THREE = [f"K{letter}vK" for letter in "ACDEFHJOW"]
FOUR = ("KPvKC", "KHPvK", "KHvKJ", "KCOvK", "KHHvK", "KEvKE")
"""Promotions to a man of either side, riders of two kinds, like men, and men that both sides have."""


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
    assert verify(contents, exits_of(parse(name), entries_of(parse(name).successors(), rules))) == Verdict(legal, 0, [])


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
