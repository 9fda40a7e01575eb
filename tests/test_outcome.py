"""Outcomes as integers: their order, their owners, and the texts that stand for them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput

LEVELS = range(outcome.MAX_LEVEL + 1)
levels = st.integers(0, outcome.MAX_LEVEL)
outcomes = st.one_of(levels.map(outcome.held_by_white), levels.map(outcome.held_by_black))


def test_the_order_runs_from_mate_by_white_to_mate_by_black() -> None:
    """+0 > +1 > +2 > ... > -2 > -1 > -0."""
    best_first = [outcome.held_by_white(level) for level in LEVELS]
    best_first += [outcome.held_by_black(level) for level in reversed(LEVELS)]
    assert all(better > worse for better, worse in itertools.pairwise(best_first))
    assert 0 not in best_first
    assert max(map(abs, best_first)) < 2**15, "tables keep outcomes in 16 bits"


def test_every_level_of_a_chess_position_fits() -> None:
    most_moves = 218  # R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1
    assert 2 * most_moves + 1 == outcome.MAX_LEVEL


@given(outcomes)
def test_flip_gives_the_same_score_to_the_other_side(one: int) -> None:
    other = outcome.flip(one)
    assert (one > 0) != (other > 0)
    assert outcome.level(other) == outcome.level(one)
    assert outcome.flip(other) == one


@given(outcomes, outcomes)
def test_flip_reverses_the_order(one: int, other: int) -> None:
    assert (one < other) == (outcome.flip(other) < outcome.flip(one))


@given(levels, st.booleans())
def test_a_goal_belongs_to_the_side_that_has_just_moved(level: int, white_to_move: bool) -> None:
    goal = outcome.goal(level, white_to_move)
    assert (goal < 0) == white_to_move
    assert outcome.level(goal) == level
    assert outcome.goal(level, not white_to_move) == outcome.flip(goal)


@given(outcomes, outcomes)
def test_only_a_strictly_lower_level_replaces_a_record(record: int, later: int) -> None:
    kept = outcome.improved(record, later)
    assert kept == (later if outcome.level(later) < outcome.level(record) else record)
    assert outcome.improved(kept, later) == kept


@given(levels, st.booleans())
def test_the_first_holder_keeps_an_equal_goal(level: int, white_was_first: bool) -> None:
    first, second = outcome.goal(level, not white_was_first), outcome.goal(level, white_was_first)
    assert outcome.improved(first, second) == first


@given(st.lists(outcomes, min_size=1))
def test_a_record_is_the_first_of_the_lowest_goals(goals: list[int]) -> None:
    record = goals[0]
    for goal in goals[1:]:
        record = outcome.improved(record, goal)
    assert record == min(goals, key=outcome.level)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (outcome.held_by_white(0), "G0.0"),
        (outcome.held_by_black(0), "-G0.0"),
        (outcome.held_by_white(1), "G0.5"),
        (outcome.held_by_white(3), "G1.5"),
        (outcome.held_by_black(17), "-G8.5"),
        (outcome.held_by_white(436), "G218.0"),
    ],
)
def test_text_shows_the_g_score(value: int, text: str) -> None:
    assert outcome.text(value) == text
    assert outcome.parse(text) == value


@given(outcomes)
def test_text_and_parse_undo_each_other(value: int) -> None:
    assert outcome.parse(outcome.text(value)) == value


@pytest.mark.parametrize("spelling", ["-G8.5", "mG8.5", "MG8.5", "-g8.5", "  -G8.5\n", "- G8.5", "mg08.5", "−G8.5"])
def test_spellings_of_a_score_that_black_holds(spelling: str) -> None:
    assert outcome.parse(spelling) == outcome.held_by_black(17)


@pytest.mark.parametrize("spelling", ["G3", "g3", "+G3", "G3.0", "+g3.0", "G003"])
def test_spellings_of_a_score_that_white_holds(spelling: str) -> None:
    assert outcome.parse(spelling) == outcome.held_by_white(6)


@pytest.mark.parametrize(
    ("words", "level", "is_blacks"),
    [
        ("G1000.5", 2001, False),
        ("-G219.0", 438, True),
        ("\u2212G1000", 2000, True),
        ("G" + "9" * 99, 2 * (10**99 - 1), False),
    ],
)
def test_a_score_may_have_any_number_of_digits(words: str, level: int, is_blacks: bool) -> None:
    """cuteRMob: X is an integer with any number of digits. A position has 218 moves at most."""
    assert outcome.parse_gscore(words) == (level, is_blacks)
    with pytest.raises(BadInput, match="no position has so many moves"):
        outcome.parse(words)


@pytest.mark.parametrize(
    "words",
    [
        "", " ", "G", "-G", "3.5", "8", "G3.", "G.5", "G3.25", "G3.50", "G3,5", "G3.1", "G-3", "--G3", "+-G3", "pG3",
        "G3 G4", "G3.5 extra", "G1e2", "G0x1", "Gnan", "Ginf", "G1.5.5", "G\x003", "G\u00b3", "G\u0663",
        "G256", "G999.5", "G1000", "G" + "9" * 5000, "-" * 5000 + "G1",
    ],
)  # fmt: skip
def test_what_is_no_score_is_refused_in_one_line(words: str) -> None:
    with pytest.raises(BadInput) as refusal:
        outcome.parse(words)
    assert refusal.value.exit_code == 2


@given(st.one_of(st.text(), st.text(alphabet="+-mMgG0123456789. "), st.from_regex(r"[+\-mM]?[gG]\d{0,4}(\.\d)?")))
def test_any_text_is_a_score_or_refused(words: str) -> None:
    try:
        value = outcome.parse(words)
    except BadInput:
        return
    assert outcome.parse(outcome.text(value)) == value
    assert "".join(words.split()).isascii(), "other scripts' digits are no digits here"
    assert float(words.strip().lstrip("+-mM ").lstrip("gG")) == outcome.level(value) / 2
