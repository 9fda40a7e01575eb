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
from tbgen.potential import better
from tbgen.potential.pair_o_max import advise
from tbgen.report.pairs import one_colour

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
