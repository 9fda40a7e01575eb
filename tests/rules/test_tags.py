"""The PGN tags, written and read."""

from dataclasses import replace
from fractions import Fraction

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules.rulesets import C_LEGACY, CLASSIC, CUTERMOB, IGNORED, OTB, WG, C, RuleSet, W, rule_set
from tbgen.rules.scoring import Classical, Exponential, FullPoints, Harmonic, Komi, Scoring, Winner, WithKomi, scoring
from tbgen.rules.tags import is_legacy, komi_of, read_start, result_of, rules_of, scoring_of, write_rules, write_tags


def written(result: str | None, scheme: Scoring, rules: RuleSet = W) -> dict[str, str]:
    headers: dict[str, str] = {}
    write_tags(headers, outcome.parse(result) if result else None, scheme, rules)
    return headers


@pytest.mark.parametrize(
    ("result", "scheme", "rules", "expected"),
    [
        (
            "-G1.5",
            Exponential(),
            W,
            {
                "RMobilityResult": "-G1.5",
                "Points": "0.4375 - 0.5625",
                "RMobilityScoring": "Exponential",
            },
        ),
        (
            "G1.0",
            Harmonic(),
            C,
            {
                "RMobilityResult": "G1.0",
                "Points": "0.6667 - 0.3333",
                "RMobilityScoring": "Harmonic",
                "RMobilityCutoff": "G6.0",
            },
        ),
        (
            "-G5.5",
            Winner(),
            W,
            {
                "RMobilityResult": "-G5.5",
                "Points": "0-1",
                "RMobilityScoring": "RMobility Winner",
                "RMobilityCutoff": "G6.0",
            },
        ),
        (
            "G218.5",
            Winner(cutoff=2001),
            W,
            {
                "RMobilityResult": "G218.5",
                "Points": "1-0",
                "RMobilityScoring": "RMobility Winner",
                "RMobilityCutoff": "G1000.5",
            },
        ),
        (
            "-G3.5",
            WithKomi(komi=Komi.parse("-G3.5"), cutoff=9),
            C_LEGACY,
            {
                "RMobilityResult": "-G3.5",
                "Points": "1/2-1/2",
                "RMobilityScoring": "Komi",
                "RMobilityCutoff": "G4.5",
                "Komi": "-G3.5",
                "Legacy": "",
            },
        ),
        (
            "G0.0",
            Classical(),
            W,
            {"RMobilityResult": "G0.0", "Points": "1-0", "RMobilityScoring": "Classical"},
        ),
        (
            None,
            Exponential(),
            W,
            {"RMobilityResult": "*", "Points": "*", "RMobilityScoring": "Exponential"},
        ),
    ],
)
def test_what_is_written(result: str | None, scheme: Scoring, rules: RuleSet, expected: dict[str, str]) -> None:
    assert written(result, scheme, rules) == expected


def test_other_tags_are_kept_and_so_is_how_a_game_was_to_be_played() -> None:
    headers = {
        "Event": "?",
        "Result": "1/2-1/2",
        "Komi": "G4.25",
        "RMobilityCutoff": "G4.0",
        "Points": "1-0",
    }
    write_tags(headers, outcome.parse("G0.0"), Exponential())
    assert headers == {
        "Event": "?",
        "Result": "1/2-1/2",
        "Komi": "G4.25",
        "RMobilityCutoff": "G4.0",
        "Points": "1.0000 - 0.0000",
        "RMobilityResult": "G0.0",
        "RMobilityScoring": "Exponential",
    }


schemes = st.one_of(
    st.sampled_from([Exponential(), Harmonic(), Classical(), FullPoints()]),
    st.builds(Winner, cutoff=st.integers(1, 30)),
    st.builds(
        WithKomi,
        cutoff=st.integers(1, 30),
        komi=st.builds(Komi, st.integers(0, 40), st.booleans()),
    ),
)
results = st.one_of(st.none(), st.builds(outcome.goal, st.integers(0, 437), st.booleans()))


@given(results, schemes, st.sampled_from([W, C_LEGACY]))
def test_what_is_written_can_be_read(result: int | None, scheme: Scoring, rules: RuleSet) -> None:
    headers: dict[str, str] = {}
    write_tags(headers, result, scheme, rules)
    assert result_of(headers) == result
    assert scoring_of(headers) == scheme
    assert is_legacy(headers.get("Legacy")) == rules.legacy
    if result is None:
        assert headers["Points"] == "*"
    elif not scheme.whole:
        assert abs(Fraction(headers["Points"].partition(" - ")[0]) - scheme.points(result)) <= Fraction(1, 20_000)


def test_the_cutoff_of_the_rules_is_told_where_it_matters() -> None:
    rules = rule_set("C", cutoff="G4.5")
    assert written("G1.0", Exponential(), rules)["RMobilityCutoff"] == "G4.5"
    assert "RMobilityCutoff" not in written("G1.0", Exponential(), W)


@pytest.mark.parametrize("rules", [C, C_LEGACY, replace(C, fifty=CLASSIC), replace(C, whole_game=True)])
@pytest.mark.parametrize("scheme", [Exponential(), Harmonic(), Classical(), FullPoints()])
def test_cutermobs_games_always_bear_the_cutoff(rules: RuleSet, scheme: Scoring) -> None:
    # "[RMobilityCutoff] is the cutoff that was applied for the tournament."
    assert written("G1.0", scheme, rules)["RMobilityCutoff"] == "G6.0"
    assert scoring_of(written("G1.0", scheme, rules)) == scheme


def test_a_game_without_the_name_of_a_rule_set_is_cutermobs_if_it_bears_a_cutoff() -> None:
    # "any reset OR any improvement to the best G-score since last reset zeroes the 50 moves counter"
    assert rules_of({"RMobilityCutoff": "G4.5"}) == replace(C, cutoff=9)
    assert rules_of({"RMobilityCutoff": "G4.5", "Legacy": ""}) == replace(C_LEGACY, cutoff=9)
    assert rules_of({"RMobilityCutoff": "G4.5", "RMobilityRuleSet": "W"}) == replace(W, cutoff=9)
    assert rules_of({"RMobilityCutoff": "?"}) == W


def test_no_tags_say_nothing() -> None:
    for headers in ({}, {"RMobilityResult": "?", "RMobilityScoring": "*", "Komi": ""}):
        assert (result_of(headers), scoring_of(headers), komi_of(headers)) == (None, None, None)


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("RMobilityResult", "1-0"),
        ("RMobilityScoring", "points"),
        ("RMobilityCutoff", "-G6.0"),
        ("Komi", "5.75"),
    ],
)
def test_nonsense_is_refused(tag: str, value: str) -> None:
    with pytest.raises(BadInput):
        (result_of if tag == "RMobilityResult" else scoring_of)({"RMobilityScoring": "komi", tag: value})


@pytest.mark.parametrize(
    ("value", "legacy"),
    [
        ("", True),
        ("?", True),
        ("1", True),
        ("true", True),
        ("false", False),
        ("0", False),
        (None, False),
    ],
)
def test_legacy_with_and_without_a_value(value: str | None, legacy: bool) -> None:
    assert is_legacy(value) is legacy


def test_tags_go_into_a_game() -> None:
    game = chess.pgn.Game()
    write_tags(game.headers, outcome.parse("G0.5"), Exponential())
    assert '[RMobilityResult "G0.5"]\n[Points "0.7500 - 0.2500"]\n' in str(game)
    assert game.headers["Result"] == "*"


def test_where_a_game_starts() -> None:
    assert read_start({})[:2] == (chess.Board(), None)
    board, record = read_start({"FEN": "8/8/8/2K3k1/8/8/8/8 w - - 5 9 G5.5", "SetUp": "1"})[:2]
    assert board.fen() == "8/8/8/2K3k1/8/8/8/8 w - - 5 9"
    assert record == outcome.parse("G5.5")
    board, _ = read_start({"FEN": "bk5r/8/8/8/8/8/8/BK5R w Hh - 0 1", "Variant": "Chess 960"})[:2]
    assert board.chess960
    with pytest.raises(BadInput):
        read_start({"FEN": "nonsense"})


@pytest.mark.parametrize("rules", [W, C, C_LEGACY, WG, replace(W, fifty=IGNORED), replace(C, whole_game=True)])
def test_rules_travel_with_a_game(rules: RuleSet) -> None:
    headers: dict[str, str] = {}
    write_rules(headers, rules)
    assert rules_of(headers) == rules
    assert rules_of(headers, WG) == rules
    assert rules_of({}, rules) == rules


def test_rules_that_are_not_known_are_the_usual_ones() -> None:
    unknown = {"RMobilityRuleSet": "?", "RMobilityRules": "-", "RMobilityFifty": "", "RMobilityCutoff": "*"}
    assert rules_of(unknown, C) == C
    assert rules_of({**unknown, "RMobilityRuleSet": "otb"}) == OTB
    assert rules_of({**unknown, "Legacy": ""}) == C_LEGACY


def test_the_rule_set_of_whole_games_says_that_they_are() -> None:
    assert rules_of({"RMobilityRuleSet": "wg"}) == WG
    assert not rules_of({"RMobilityRuleSet": "wg", "RMobilityRules": "r"}).whole_game


@pytest.mark.parametrize("rules", [replace(C, cutoff=9), replace(W, fifty=CUTERMOB, cutoff=9), OTB])
def test_a_cutoff_travels_with_rules_that_have_one(rules: RuleSet) -> None:
    headers: dict[str, str] = {}
    write_rules(headers, rules)
    write_tags(headers, None, scoring("exponential"), rules)
    assert rules_of(headers) == rules


def test_the_record_has_a_tag_of_its_own() -> None:
    headers = {"FEN": "8/4n3/8/4k3/8/8/8/K6R w - - 7 30", "RMobilityRecord": "G3.0"}
    assert read_start(headers).record == outcome.parse("G3.0")
    assert read_start({"FEN": f"{headers['FEN']} G3.0"}).record == outcome.parse("G3.0")
    assert read_start({"FEN": f"{headers['FEN']} G3.0", "RMobilityRecord": "G2.5"}).record == outcome.parse("G3.0")
    void = read_start({"FEN": "8/4n3/8/4k3/8/8/8/K6R w - - 0 30", "RMobilityRecord": "G3.0"})
    assert void.dropped == outcome.parse("G3.0")


def test_the_record_counts_beside_a_fen_of_fewer_fields() -> None:
    record = {"RMobilityRecord": "G3.0"}
    board = "8/4n3/8/4k3/8/8/8/K6R w"
    assert read_start({"FEN": f"{board} - - 7", **record}).record == outcome.parse("G3.0")
    for fields in ("", " -", " - -", " - - 7", " - - 7 30"):
        found = read_start({"FEN": f"{board}{fields}", **record}, whole_game=True)
        assert found.record == outcome.parse("G3.0")
    no_clock = read_start({"FEN": f"{board} - -", **record})
    assert no_clock.dropped == outcome.parse("G3.0")  # that is a clock of 0, and it is said
    with pytest.raises(BadInput, match="the side to move, w or b, is missing"):
        read_start({"FEN": board.removesuffix(" w"), **record})
