"""The page on mating potential, and the rule that engines take, say what the figures say."""

import re
import sys

import pytest

from research.potential import fit
from tbgen.board.men import MATES_ALONE, NO_PAIR, TOUGH


def test_the_page_says_what_the_figures_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["potential", "--check"])
    fit.main()


def test_the_page_states_the_rule_before_it_measures_it() -> None:
    """In full, by its author's name and in the numbers by which the page refers to it."""
    page = fit.PAGE.read_text(encoding="utf-8")
    rule = page.partition("\n## The rule\n")[2].partition("\n## ")[0]
    assert "H. G. Muller" in rule
    numbered = re.findall(r"^([0-9])\. ", rule, re.MULTILINE)
    assert numbered == list("1234567")
    referred = re.findall(r"\(rule ([0-9])\)", page.replace(rule, ""))
    assert {*referred} <= {*numbered}
    assert all(f"`0,{mark}`" in rule for mark in (MATES_ALONE, TOUGH, NO_PAIR, 40))
    assert page.index("## The rule") < page.index("## What each of its reasons is worth")
