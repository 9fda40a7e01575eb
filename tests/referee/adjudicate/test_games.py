"""Single games judged: how they ended, what they came to, which tags they get."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.decide import Basis, Reach
from tbgen.referee.adjudicate.finish import Finish
from tbgen.referee.adjudicate.game import Fault
from tbgen.referee.adjudicate.settings import Settings, make_settings
from tbgen.rules.record import Record
from tbgen.rules.scoring import Komi
from tests.support.judged_games import BISHOP, game, judged, result, tags


def test_the_tags_of_a_mate() -> None:
    data = game("1. f3 e5 2. g4 Qh4# 0-1")
    assert judged(data).data == data.replace(
        b'[Result "0-1"]\n',
        b'[Result "0-1"]\n[RMobilityResult "-G0.0"]\n[Points "0.0000 - 1.0000"]\n[RMobilityScoring "Exponential"]\n'
        b'[RMobilityTermination "played"]\n',
    )


def test_a_stalemate_and_a_resignation() -> None:
    stalemate = game("1. Kf7 1/2-1/2", FEN="7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert result(stalemate) == ("G0.5", "played")
    assert tags(stalemate)["Points"] == "0.7500 - 0.2500"
    assert tags(stalemate)["Result"] == "1/2-1/2"
    assert result(game("1. e4 e5 1-0")) == ("G0.0", "awarded")
    assert result(game("0-1")) == ("-G0.0", "awarded")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"RMobilityResult": "-G2.5", "Termination": "agreed"}, ("-G2.5", "agreed")),
        ({"RMobilityResult": "G7.0", "TerminationDetails": "by mutual agreement"}, ("G7.0", "agreed")),
        ({"RMobilityResult": "-G2.5", "Termination": "time forfeit"}, ("-G0.0", "awarded")),
        ({"RMobilityResult": "-G2.5"}, ("-G0.0", "awarded")),
        ({"RMobilityResult": "*", "Termination": "agreed"}, ("-G0.0", "awarded")),
        ({"Termination": "agreed"}, ("-G0.0", "awarded")),
    ],
)
def test_a_win_whose_tags_state_another_result(headers: dict[str, str], expected: tuple[str, str]) -> None:
    data = game("1. e4 e5 0-1", **headers)
    assert result(data) == expected
    assert result(judged(data).data) == expected


def test_a_stated_result_that_cannot_be_read() -> None:
    data = game("1. e4 e5 0-1", RMobilityResult="-G2,5", Termination="agreed")
    found = judged(data)
    assert (found.data, found.verdict) == (data, None)
    assert found.fault is not None


def test_what_stood_before_is_replaced() -> None:
    data = game("1. e4 1-0", RMobilityResult="-G3.0", RMobilityCutoff="G6.0", Points="1/2-1/2", Komi="G1.0")
    found = judged(data).data
    assert found.count(b"RMobilityResult") == found.count(b"Points") == 1
    assert b'[RMobilityOverruled "-G3.0"]' in found
    assert b'[RMobilityCutoff "G6.0"]' in found  # how it was to be played is not for us to say
    assert b'[Komi "G1.0"]' in found
    assert judged(found).data == found


def test_a_result_that_is_overruled_is_told_and_kept() -> None:
    check = game("100. Ra8+ 1/2-1/2", FEN=KING, RMobilityResult="G2.0")
    first = judged(check)
    assert [note.message for note in first.notes] == [
        "another result than the tags told: -G15.5 (played, rule set W) replaces G2.0, which the tag "
        "RMobilityOverruled keeps"
    ]
    again = judged(first.data, make_settings(rules_name="C"))
    assert [note.message.partition(":")[2][:6] for note in again.notes] == [" G3.0 "]
    assert b'[RMobilityResult "G3.0"]' in again.data
    assert b'[RMobilityOverruled "G2.0"]' in again.data
    assert not judged(again.data).notes
    right = judged(again.data.replace(b'"G2.0"', b'"-G15.5"'), make_settings(rules_name="W"))
    assert b"Overruled" not in right.data  # the result is the first one again


def test_a_cutoff_without_a_rule_set_is_cutermobs() -> None:
    # "any improvement to the best G-score since last reset zeroes the 50 moves counter. The improvement is only counted
    # if it is strictly lower than the G-Score cutoff."
    check = game("100. Ra8+ 1/2-1/2", FEN=KING, RMobilityResult="G3.0", RMobilityCutoff="G6.0")
    found = judged(check)
    assert found.notes == ()
    assert result(check) == ("G3.0", "played")
    assert b'[RMobilityResult "G3.0"]\n[RMobilityCutoff "G6.0"]' in found.data
    assert result(check, make_settings(rules_name="W"))[0] == "-G15.5"
    overruled = judged(check, make_settings(rules_name="W")).data
    assert b'[RMobilityRuleSet "W"]' in overruled
    assert judged(overruled).data == overruled


def test_what_is_written_under_a_rule_set_is_judged_by_it_again() -> None:
    check = game("100. Ra8+ 1/2-1/2", FEN=KING)
    for asked in (
        make_settings(scoring_name="winner", cutoff="G4.5"),
        make_settings(scoring_name="komi"),
        make_settings(rules_name="C", cutoff="G4.5"),
        make_settings(rules_name="C-legacy", scoring_name="harmonic"),
    ):
        once = judged(check, asked).data
        assert judged(once).data == once


def test_the_cutoff_is_the_games_own_unless_another_is_asked_for() -> None:
    legacy = game("1. e4 1/2-1/2", RMobilityResult="-G20.0", RMobilityCutoff="G4.5", Legacy="")
    assert tags(legacy)["RMobilityCutoff"] == "G4.5"
    assert tags(legacy, make_settings(scoring_name="winner"))["RMobilityCutoff"] == "G4.5"
    other = tags(legacy, make_settings(scoring_name="winner", cutoff="G3.0"))
    assert other["RMobilityCutoff"] == "G3.0"
    assert "RMobilityRuleSet" not in other  # still the one that Legacy names


def test_the_result_as_the_source_spells_it() -> None:
    # "[RMobiliyResult] is the GScore of the game."
    data = game("1. e4 e5 0-1", RMobiliyResult="-G2.5", Termination="agreed")
    assert result(data) == ("-G2.5", "agreed")
    assert judged(data.replace(b'"agreed"', b'"normal"')).notes  # G0.0 replaces it


# How a draw came about

QUIET = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
KING = "4k3/8/8/8/8/8/8/R3K3 w - - 99 100"


@pytest.mark.parametrize(
    ("moves", "headers", "finish"),
    [
        ("1. e4", {}, Finish.AGREEMENT),
        ("", {}, Finish.AGREEMENT),
        ("1. e4", {"Termination": "normal"}, Finish.AGREEMENT),
        ("1. e4", {"Termination": "adjudication"}, Finish.ADJUDICATION),
        ("1. e4", {"Termination": "adjudication", "TerminationDetails": "TB position"}, Finish.ADJUDICATION),
        ("1. e4", {"Termination": "GUI TB adjudication"}, Finish.ADJUDICATION),
        ("1. e4", {"TerminationDetails": "TCEC draw rule"}, Finish.ADJUDICATION),
        ("1. e4", {"TerminationDetails": "SyzygyTB"}, Finish.ADJUDICATION),
        ("1. e4", {"Termination": "abandoned"}, Finish.ADJUDICATION),
        ("1. e4", {"Termination": "adjudication", "TerminationDetails": "Fifty moves rule"}, Finish.FIFTY_MOVES),
        ("1. e4", {"Termination": "50-move rule"}, Finish.FIFTY_MOVES),
        ("1. e4", {"Termination": "3-fold rep"}, Finish.REPETITION),
        ("1. e4", {"Termination": "Game drawn by repetition"}, Finish.REPETITION),
        ("1. e4", {"Termination": "insufficient material"}, Finish.INSUFFICIENT),
        ("1. e4", {"Termination": "time forfeit"}, Finish.INSUFFICIENT),
        ("1. e4 {Draw by agreement}", {}, Finish.AGREEMENT),
        ("1. e4 {-0.01/50 2.5s, Draw by adjudication: SyzygyTB}", {}, Finish.ADJUDICATION),
        ("1. e4 {Draw by fifty moves rule}", {}, Finish.FIFTY_MOVES),
        ("1. e4 {Draw by insufficient mating material}", {}, Finish.INSUFFICIENT),
        ("1. e4 {White could have repeated moves}", {}, Finish.AGREEMENT),
        ("1. e4 {Draw by agreement} e5", {"Termination": "adjudication"}, Finish.ADJUDICATION),
        (QUIET, {}, Finish.REPETITION),
        (QUIET, {"Termination": "adjudication"}, Finish.ADJUDICATION),
        ("100. Ra2", {"FEN": KING}, Finish.FIFTY_MOVES),
        ("100. Ra2 Ke7", {"FEN": KING}, Finish.FIFTY_MOVES),
        ("100. Rb1", {"FEN": KING.replace("99", "98")}, Finish.AGREEMENT),
        ("30... Kh6", {"FEN": BISHOP}, Finish.INSUFFICIENT),
        ("30... Kh6", {"FEN": BISHOP, "TerminationDetails": "TB position"}, Finish.ADJUDICATION),
    ],
)
def test_how_a_draw_came_about(moves: str, headers: dict[str, str], finish: Finish) -> None:
    found = judged(game(f"{moves} 1/2-1/2", **headers))
    assert found.verdict is not None
    assert found.verdict.finish is finish
    assert (found.verdict.decision.basis, found.verdict.decision.reach) == (Basis.PLAYED, Reach.NOT_ASKED)


# The record


def test_a_record_that_came_with_the_fen() -> None:
    assert result(game("30... Kh6 1/2-1/2", FEN=BISHOP)) == ("G3.5", "played")
    assert result(game("30... Kh6 1/2-1/2", FEN=f"{BISHOP} G2.5")) == ("G2.5", "played")
    assert result(game("30... Kh6 1/2-1/2", FEN=f"{BISHOP} -G1.5")) == ("-G1.5", "played")


def test_the_record_may_stand_in_the_fen() -> None:
    # "FENs (inputs and outputs) have an aditional accreted G-Score"
    settings = Settings(record_in_fen=True)
    for more, record in ({}, "G3.5"), ({"RMobilityRecord": "G2.5"}, "G2.5"):
        plain = game("30... Kh6 1/2-1/2", FEN=BISHOP, **more)
        assert tags(plain, settings)["FEN"] == f"{BISHOP} {record}"
        assert result(plain, settings) == result(judged(plain, settings).data)
        assert tags(judged(plain, settings).data, settings)["FEN"] == f"{BISHOP} {record}"
    assert "FEN" not in tags(game("1. e4 1/2-1/2"), settings)


def test_the_last_ply_of_fifty_moves_counts_under_some_rules() -> None:
    check = game("100. Ra8+ 1/2-1/2", FEN=KING)  # three moves, and a check
    assert result(check)[0] == "-G15.5"
    assert result(check, make_settings(rules_name="C"))[0] == "G3.0"
    assert result(check, make_settings(rules_name="C-legacy"))[0] == "-G15.5"
    assert result(check, make_settings(rules_name="C", fifty="classic"))[0] == "-G15.5"
    assert result(check, make_settings(fifty="cutermob"))[0] == "G3.0"
    assert b"\n[Legacy]\n" in judged(check, make_settings(rules_name="C-legacy")).data
    told = check.replace(b"\n\n", b'\n[Legacy]\n[RMobilityFifty "classic"]\n\n')
    assert result(told, make_settings(fifty="cutermob"))[0] == "G3.0"
    assert b'[RMobilityFifty "cutermob"]' in judged(told, make_settings(fifty="cutermob")).data
    legacy = judged(check.replace(b"\n\n", b"\n[Legacy]\n\n"), make_settings())
    assert b"\n[Legacy]\n" in legacy.data
    assert result(check.replace(b"\n\n", b"\n[Legacy]\n\n"), make_settings(rules_name="C"))[0] == "G3.0"


def test_the_position_that_completes_fifty_moves_may_be_the_first() -> None:
    """The wiki: the position that triggers the 50-move rule counts only as mate or stalemate."""
    start = game("1/2-1/2", FEN="7k/8/6K1/8/8/8/8/5Q2 b - - 100 80 G5.5")
    assert result(start) == ("G5.5", "played")
    assert result(start, make_settings(rules_name="C-legacy"))[0] == "G5.5"
    assert result(start, make_settings(fifty="iccf"))[0] == "G1.5"


def test_a_game_may_go_on_past_a_repetition() -> None:
    assert result(game(f"{QUIET} 5. e4 e5 6. Bc4 Nc6 7. Qh5 Nf6 8. Qxf7# 1-0")) == ("G0.0", "played")
    found = judged(game(f"{QUIET} 5. Nf3 Nf6 1/2-1/2"))
    assert found.verdict is not None
    assert found.verdict.finish is Finish.REPETITION


def test_whole_game_mobility() -> None:
    data = game("1... Kxf5 2. Kd4 1/2-1/2", FEN="8/8/8/3K1Bk1/8/8/8/8 b - - 3 9 G3.5")
    assert result(data)[0] == "-G5.5"
    assert result(data, make_settings(whole_game=True))[0] == "G3.5"


moves = st.lists(st.integers(0, 1000), max_size=80)


@settings(max_examples=40)
@given(
    moves,
    st.sampled_from(["8/5k2/8/8/3BK3/8/8/8 w - - 30 60", "8/4k2p/8/6n1/3BK3/8/P7/8 w - - 0 60", chess.STARTING_FEN]),
)
def test_the_record_of_random_games(choices: list[int], fen: str) -> None:
    record = Record(chess.Board(fen))
    sans = []
    for choice in choices:
        legal = list(record.board.legal_moves)
        if not legal or record.board.halfmove_clock == 99:
            break
        sans.append(record.board.san(legal[choice % len(legal)]))
        record.push(legal[choice % len(legal)])
    if record.outcome in (outcome.held_by_white(0), outcome.held_by_black(0)):
        return
    assert result(game(f"{' '.join(sans)} 1/2-1/2", FEN=fen))[0] == outcome.text(record.outcome)


# Scoring


@pytest.mark.parametrize(
    ("options", "headers", "expected"),
    [
        ({"scoring_name": "harmonic"}, {}, ("0.6250 - 0.3750", "Harmonic", None, None)),
        ({"scoring_name": "classical"}, {}, ("1/2-1/2", "Classical", None, None)),
        ({"scoring_name": "winner"}, {}, ("1-0", "RMobility Winner", "G6.0", None)),
        ({"scoring_name": "winner", "cutoff": "G1.5"}, {}, ("1/2-1/2", "RMobility Winner", "G1.5", None)),
        ({"scoring_name": "komi"}, {}, ("1-0", "Komi", "G6.0", "G5.75")),
        ({"scoring_name": "komi"}, {"Komi": "G1.25"}, ("0-1", "Komi", "G6.0", "G1.25")),
        ({"scoring_name": "komi", "komi": "G1.5"}, {"Komi": "G1.25"}, ("1/2-1/2", "Komi", "G6.0", "G1.5")),
        ({"scoring_name": "full"}, {}, ("1-0", "Full Points", None, None)),
        ({"scoring_name": "full", "komi": "G1.25", "cutoff": "G4.0"}, {}, ("0-1", "Full Points", "G4.0", "G1.25")),
        ({"scoring_name": "otb"}, {}, ("1-0", "Over The Board", "G4.0", None)),
        ({"scoring_name": "otb", "cutoff": "G1.5"}, {}, ("1/2-1/2", "Over The Board", "G1.5", None)),
        ({"rules_name": "otb", "cutoff": "G5.0"}, {}, ("1-0", "Over The Board", "G5.0", None)),
        ({"rules_name": "C", "scoring_name": "otb"}, {}, ("1-0", "Over The Board", "G4.0", None)),
        ({"rules_name": "C", "cutoff": "G4.5"}, {}, ("0.5625 - 0.4375", "Exponential", "G4.5", None)),
    ],
)
def test_scoring(options: dict[str, str], headers: dict[str, str], expected: tuple[str | None, ...]) -> None:
    found = tags(game("30... Kh6 1/2-1/2", FEN=f"{BISHOP} G1.5", **headers), make_settings(**options))  # type: ignore[arg-type]
    assert tuple(map(found.get, ("Points", "RMobilityScoring", "RMobilityCutoff", "Komi"))) == expected


@pytest.mark.parametrize(
    "options", [{"komi": "G1.5"}, {"cutoff": "G1.5"}, {"scoring_name": "full", "cutoff": "G1.5"}, {"scoring_name": "x"}]
)
def test_what_would_have_no_effect(options: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        make_settings(**options)  # type: ignore[arg-type]


def test_komi_of_its_own() -> None:
    data = game("1. e4 1-0", Komi="what?")
    assert judged(data).verdict is not None  # not asked for
    assert judged(data, make_settings(scoring_name="komi")).fault == Fault(
        7, 100, "not a komi: 'what?' (write G5.75 for White's, -G5.75 for Black's)"
    )
    assert make_settings(scoring_name="komi", komi="-G3.25").scheme.komi == Komi(13, False)
