"""Mating potential: the rules, pairs of bishops counted apart, and docs/potential.md."""

import subprocess
import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.index import layout_of
from tbgen.index.positions import position
from tbgen.material import Material, parse
from tbgen.men import BUILT_IN, Man
from tbgen.outcome import BASE
from tbgen.potential import better, pair_o_max
from tbgen.potential.pair_o_max import advise
from tbgen.potential.pieces import worth
from tbgen.report import potential
from tbgen.report.census import BLACK, WHITE
from tbgen.report.document import Table
from tbgen.report.pairs import one_colour
from tbgen.report.potential import Shares

ROOT = Path(__file__).resolve().parents[2]


def test_bishops_on_one_colour() -> None:
    """By python-chess's dark squares."""
    layout = layout_of(parse("KBBvK"))
    among = one_colour(layout)
    assert among is not None
    start, stop = 700_000, 700_500
    found = among(start, stop)
    assert 0 < np.count_nonzero(found) < stop - start
    for number, is_one in zip(range(start, stop), found.tolist(), strict=True):
        squares = [square for square, letter in position(layout, number).men if letter == "B"]
        dark = [bool(chess.BB_SQUARES[square] & chess.BB_DARK_SQUARES) for square in squares]
        assert is_one == (len(set(dark)) == 1)


@pytest.mark.parametrize("name", ["KBvKB", "KQvK", "KNNvK"])
def test_no_pair_of_bishops(name: str) -> None:
    assert one_colour(layout_of(parse(name))) is None


def test_a_pair_on_both_colours_is_worth_more() -> None:
    assert advise(parse("KBBvKN")).factor * 4 == advise(parse("KBBvKN"), pair=True).factor
    assert better.line(parse("KBBvKN"), pair=True)[1] is better.AHEAD
    assert better.line(parse("KBBvKN"), pair=False)[1] is better.CANNOT
    assert better.line(parse("KBBvK"), pair=False)[1] is better.CANNOT
    assert better.line(parse("KBBvK"))[1] is better.AHEAD


def test_the_better_rule_does_not_depend_on_the_colours() -> None:
    for ours, theirs in (("Q", "R"), ("RP", "R"), ("", "BN"), ("NP", "B"), ("R", "R"), ("BB", "N")):
        one, other = (better.points(Material(*men)) for men in ((ours, theirs), (theirs, ours)))
        assert one + other == pytest.approx(1)
    assert better.points(Material("RB", "R")) == better.FEW.points
    assert better.points(Material("P", "")) == better.SMALL.points


def test_the_page_says_what_the_figures_say() -> None:
    """And so does the rule that engines take."""
    command = [sys.executable, ROOT / "scripts" / "potential.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_men_beyond_chess_are_worth_what_their_moves_are() -> None:
    """As Pair-o-Max's author has them: about a rook, about seven pawns, a minor; and the formula knows chess."""
    values = {man.letter: worth(man) for man in BUILT_IN.values()}
    assert values["E"] == pytest.approx(500, rel=0.1)
    assert values["J"] == pytest.approx(700, rel=0.05)
    assert max(values[letter] for letter in "ACDFOW") < 350
    for moves, value in (("N", 325), ("B", 325), ("R", 500), ("RB", 950)):
        assert worth(Man("X", moves)) == pytest.approx(value, rel=0.12)


@pytest.mark.parametrize(
    ("name", "why", "factor"),
    [
        ("KEvK", pair_o_max.COLOUR_BOUND, 1 / 8),
        ("KRvKJ", pair_o_max.COLOUR_BOUND, 1 / 8),
        ("KQvKC", pair_o_max.TOUGH, 1 / 8),
        ("KFFvK", pair_o_max.FEW, 1 / 8),
        ("KCvK", "nothing against it", 1),
        ("KNOvKN", "no pawns", 1 / 2),
        ("KNNvKN", pair_o_max.LIKE_PAIR, 1 / 8),
        ("KPOvKN", "has pawns", 1),
    ],
)
def test_its_remarks_on_such_men(name: str, why: str, factor: float) -> None:
    advice = advise(parse(name))
    assert (advice.why, float(advice.factor)) == (why, factor)


def test_colour_bound_men_of_two_kinds_are_a_pair() -> None:
    layout = layout_of(parse("KBEvK"))
    assert one_colour(layout) is not None
    assert advise(parse("KBEvK"), pair=True).advantage > advise(parse("KBEvK")).advantage
    assert better.line(parse("KBEvK"), pair=False)[1] is better.CANNOT


def test_the_report_takes_men_beyond_chess() -> None:
    """A table of nothing but mates by the first side."""
    material = parse("KCvK")
    found = potential.section([Shares("KCvK", material, {(WHITE, BASE): 1, (BLACK, BASE): 3})])
    row = next(block for block in found.blocks if isinstance(block, Table)).rows[0]
    assert row[:2] == ("KCvK", "White")
    assert row[5] == row[7] == "mostly"
