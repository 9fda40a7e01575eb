"""Every way for a game to end, under every rule set."""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules.endings import Ending
from tbgen.rules.ends import Game
from tbgen.rules.record import Record
from tbgen.rules.rulesets import C_LEGACY, CUTERMOB, IGNORED, OTB, RULE_SETS, WG, C, RuleSet, W, parse_cutoff, rule_set
from tbgen.rules.variants import VARIANTS
from tests.support.boards import boards_of_no_chess

ALL = list(RULE_SETS.values())
PLAYED = [variant.name for variant in VARIANTS]
KNIGHTS_OUT_AND_HOME = "Nf3 Nf6 Ng1 Ng8"


def play(sans: str, rules: RuleSet = W, fen: str = chess.STARTING_FEN) -> Game:
    game = Game.from_fen(fen, rules)
    for san in sans.split():
        game.push_san(san)
    return game


def shown(game: Game) -> tuple[str, str]:
    return str(game.turn.ending), outcome.text(game.turn.outcome)


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_mate(rules: RuleSet) -> None:
    game = play("f3 e5 g4 Qh4#", rules)
    assert shown(game) == ("mate", "-G0.0")
    assert game.result == outcome.held_by_black(0)
    assert game.ended


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_stalemate(rules: RuleSet) -> None:
    game = play("Qf7", rules, "7k/8/6K1/8/8/8/8/5Q2 w - - 3 70 G1.5")
    assert shown(game) == ("stalemate", "G0.5")


def test_a_start_position_may_be_over() -> None:
    game = Game.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert shown(game) == ("mate", "G0.0")
    with pytest.raises(BadInput, match="ended at ply 0"):
        game.push_san("Kg8")


@pytest.mark.parametrize("rules", ALL, ids=str)
def test_the_third_time_ends_the_game_and_the_record_stands(rules: RuleSet) -> None:
    game = play(f"{KNIGHTS_OUT_AND_HOME} Nf3 Nf6 Ng1", rules)
    assert not game.ended
    assert game.result is None
    game.push_san("Ng8")
    assert shown(game) == ("repetition", "-G20.5")


def test_the_record_is_no_part_of_the_repetition_key() -> None:
    # The record improves between the first and the second time.
    game = play("Qd8+ Kh7 Qd1 Kh8 Qd8+ Kh7 Qd1", W, "7k/8/8/8/8/8/6PK/3Q4 w - - 0 1")
    assert [turn.standing.set_at for turn in game.turns][-1] == 1
    game.push_san("Kh8")
    assert shown(game) == ("repetition", "G2.0")


def test_castling_rights_make_another_position() -> None:
    fen = "4k2r/8/8/8/8/8/8/4K3 w k - 0 1"
    game = play("Kd1 Rg8 Ke1 Rh8 Kd1 Rg8 Ke1 Rh8", W, fen)
    assert not game.ended  # the rook's first stay at home was with a right
    game.push_san("Kd1")
    game.push_san("Rg8")
    assert shown(game)[0] == "repetition"


def test_a_right_to_capture_en_passant_makes_another_position() -> None:
    fen = "4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1"
    once = "Kd8 Kd1 Ke8 Ke1"
    assert not play(f"e4 {once} {once}", W, fen).ended
    without = fen.replace("5p2", "7p")
    assert play(f"e4 {once} {once}", W, without).turn.ending == Ending.REPETITION


def test_insufficient_material_ends_nothing() -> None:
    game = play("Kd5 Kf5", W, "8/8/8/2K3k1/8/8/8/8 w - - 0 1")
    assert shown(game) == ("None", "-G5.5")
    assert game.board.is_insufficient_material()


ONE_PLY_TO_GO = "7k/8/6K1/8/8/8/6P1/5Q2 w - - 99 120 -G2.0"


@pytest.mark.parametrize(
    ("rules", "san", "ending", "record"),
    [
        (W, "Kf6", "50-move rule", "-G2.0"),  # G2.5, no improvement
        (W, "Qg1", "50-move rule", "-G2.0"),  # G1.5, which comes too late
        (W, "Qf8#", "mate", "G0.0"),
        (W, "Qf7", "stalemate", "G0.5"),
        (W, "g3", "None", "G1.5"),  # a reset in the nick of time
        (C_LEGACY, "Qg1", "50-move rule", "-G2.0"),
        (C_LEGACY, "Qf8#", "mate", "G0.0"),
        (C_LEGACY, "Qf7", "stalemate", "G0.5"),
        (WG, "Qg1", "50-move rule", "-G2.0"),
        (WG, "g3", "None", "G1.5"),
        (C, "Kf6", "50-move rule", "-G2.0"),
        (C, "Qg1", "None", "G1.5"),  # the count starts again
        (C, "Qf8#", "mate", "G0.0"),
        (OTB, "Qg1", "50-move rule", "-G2.0"),
        (OTB, "Qf7", "stalemate", "G0.5"),
        (rule_set("C", cutoff="G2.0"), "Qg1", "None", "G1.5"),
        (rule_set("C", cutoff="G1.5"), "Qg1", "50-move rule", "G1.5"),  # counts, no restart
        (rule_set("W", fifty="ignored"), "Kf6", "None", "-G2.0"),
        (rule_set("W", fifty="ignored"), "Qg1", "None", "G1.5"),
    ],
)
def test_the_ply_that_completes_fifty_moves(rules: RuleSet, san: str, ending: str, record: str) -> None:
    assert shown(play(san, rules, ONE_PLY_TO_GO)) == (ending, record)


TRIGGERS = "7k/8/6K1/8/8/8/8/5Q2 b - - 100 80 G5.5"


@pytest.mark.parametrize(
    ("rules", "ending", "record"),
    [
        *((rules, "50-move rule", "G5.5") for rules in (W, WG, C_LEGACY, OTB)),
        (rule_set(fifty="fide"), "50-move rule", "G5.5"),
        (rule_set(fifty="general"), "50-move rule", "G5.5"),
        (rule_set(fifty="iccf"), "None", "G1.5"),  # of three men: no move is counted
        (rule_set(fifty="ignored"), "None", "G1.5"),
        (C, "50-move rule", "G1.5"),
    ],
    ids=str,
)
def test_a_game_may_begin_where_fifty_moves_are_complete(rules: RuleSet, ending: str, record: str) -> None:
    """The wiki: the position that triggers the 50-move rule counts only as mate or stalemate."""
    game = Game.from_fen(TRIGGERS, rules)
    assert shown(game) == (ending, record)
    assert game.fen() == TRIGGERS.replace("G5.5", record)
    assert shown(Game.from_fen(game.fen(), rules)) == (ending, record)
    assert shown(Game.from_fen(TRIGGERS.replace("100 80", "99 80"), rules)) == ("None", "G1.5")


@pytest.mark.parametrize(("queen", "ending"), [("g7", ("mate", "G0.0")), ("f7", ("stalemate", "G0.5"))])
def test_mate_and_stalemate_count_where_a_game_begins_with_fifty_moves(queen: str, ending: tuple[str, str]) -> None:
    board = Game.from_fen(TRIGGERS).board
    board.remove_piece_at(chess.F1)
    board.set_piece_at(chess.parse_square(queen), chess.Piece(chess.QUEEN, chess.WHITE))
    assert shown(Game.from_fen(f"{board.fen()} G5.5")) == ending


def test_forms_of_the_50_move_rule_by_name() -> None:
    """The wiki names FIDE's, ICCF's and a general form."""
    assert rule_set(fifty="FIDE") == rule_set(fifty="classic") == W
    eight, seven = "3k4/pppp4/8/8/8/8/4P3/3K3R w - - 99 80 G9.0", "3k4/ppp5/8/8/8/8/4P3/3K3R w - - 99 80 G9.0"
    for fifty, few in (("fide", "50-move rule"), ("iccf", "None")):
        assert play("Ke1", rule_set(fifty=fifty), eight).turn.ending == Ending.FIFTY_MOVES
        assert str(play("Ke1", rule_set(fifty=fifty), seven).turn.ending) == few
    weak = "8/8/8/8/5k2/8/8/4KB2 w - - 40 120 -G9.5"  # Kf2 leaves 5 moves
    assert play("Kf2", rule_set(fifty="general", cutoff="G1.0"), weak).turn.quiet == 0
    assert play("Kf2", rule_set(fifty="cutermob", cutoff="G1.0"), weak).turn.quiet == 41
    assert shown(play("Qg1", rule_set(fifty="general"), ONE_PLY_TO_GO)) == ("50-move rule", "-G2.0")


def test_the_goal_that_came_too_late_is_still_told() -> None:
    standing = play("Qg1", W, ONE_PLY_TO_GO).turn.standing
    assert outcome.text(standing.goal) == "G1.5"
    assert standing.set_at is None


def test_an_improvement_restarts_the_count_of_cutermob_only() -> None:
    fen = "7k/8/6K1/8/8/8/6P1/5Q2 w - - 40 120 -G2.0"
    assert [turn.quiet for turn in play("Qg1 Kg8 Qf1", C, fen).turns] == [40, 0, 1, 2]
    assert [turn.quiet for turn in play("Qg1 Kg8 Qf1", W, fen).turns] == [40, 41, 42, 43]
    assert play("Qg1", C, fen).fen() == "7k/8/6K1/8/8/8/6P1/6Q1 b - - 0 120 G1.5"
    assert play("Qg1", W, fen).fen() == "7k/8/6K1/8/8/8/6P1/6Q1 b - - 41 120 G1.5"


def test_a_record_from_the_cutoff_on_does_not_restart_the_count() -> None:
    fen = "8/8/8/8/5k2/8/8/4KB2 w - - 40 120 -G9.5"
    game = play("Kf2", dataclasses.replace(C, cutoff=0), fen)
    assert (game.turn.quiet, outcome.text(game.turn.outcome)) == (41, "G5.5")
    assert play("Kf2", rule_set("C", cutoff="G5.5"), fen).turn.quiet == 41
    assert play("Kf2", rule_set("C", cutoff="G6.0"), fen).turn.quiet == 0


@pytest.mark.parametrize("rules", [C, C_LEGACY], ids=str)
def test_bare_kings_in_the_open_end_the_game(rules: RuleSet) -> None:
    fen = "8/8/8/8/4Kp2/8/7k/8 w - - 3 80 G4.5"
    assert shown(play("Kxf4", rules, fen)) == ("None", "G4.5")
    fen = "8/8/8/8/1Kp5/8/5k2/8 w - - 3 80 G4.5"
    assert shown(play("Kxc4", rules, fen)) == ("None", "G8.5")
    assert shown(play("Kxc4 Kf3", rules, fen)) == ("bare kings at G8.5", "G8.5")
    fen = "8/7K/8/8/8/5k2/8/8 w - - 9 80 G3.5"
    game = play("Kh8 Kf4 Kg7", rules, fen)
    assert [turn.open_kings for turn in game.turns] == [0, 1, 0, 1]
    assert not game.ended
    game.push_san("Kf3")
    assert shown(game) == ("bare kings at G8.5", "G3.5")


@pytest.mark.parametrize("rules", [W, WG], ids=str)
def test_bare_kings_play_on_by_the_wiki(rules: RuleSet) -> None:
    assert not play("Kh8 Kf4 Kg7 Kf3", rules, "8/7K/8/8/8/5k2/8/8 w - - 9 80 G3.5").ended


def test_a_start_position_of_bare_kings_is_the_first_of_two() -> None:
    game = play("Kd5", C, "8/8/8/2K3k1/8/8/8/8 w - - 3 9")
    assert shown(game) == ("bare kings at G8.5", "-G8.5")
    assert [turn.open_kings for turn in game.turns] == [1, 2]


def test_illegal_moves_and_moves_after_the_end_are_refused() -> None:
    game = Game()
    with pytest.raises(BadInput, match="illegal move e2e5 at ply 1"):
        game.push(chess.Move.from_uci("e2e5"))
    with pytest.raises(BadInput, match="illegal move 0000"):
        game.push(chess.Move.null())
    with pytest.raises(BadInput, match="at ply 1"):
        game.push_san("Qh5")
    assert len(game.turns) == 1
    with pytest.raises(BadInput, match=r"ended at ply 4 \(mate\)"):
        play("f3 e5 g4 Qh4# a3")


def test_texts_are_refused_where_moves_and_boards_are_wanted() -> None:
    fen, text = "8/8/8/4KB1k/8/8/8/8 b - - 7 30", "h5h4"
    game = Game.from_fen(fen)
    record = Record(chess.Board(fen))
    pushes: list[Callable[[Any], object]] = [game.push, game.push_legal, record.push]
    for push, wrong in itertools.product(pushes, (text, None)):
        with pytest.raises(
            BadInput, match=rf"^not a move: {wrong!r} \(give a chess\.Move, or its text to Game\.push_san\)$"
        ):
            push(wrong)
    assert (len(game.turns), record.ply, game.board.fen(), record.board.fen()) == (1, 0, fen, fen)
    assert game.push_san(text).standing.ply == 1
    boards: list[Callable[[Any], object]] = [Game, Game.replayed, Record, Record.replayed]
    for take in boards:
        with pytest.raises(BadInput, match=rf"^not a board: '{fen}' \(give a chess\.Board; Game\.from_fen and Tabl"):
            take(fen)


def test_only_boards_of_known_games_are_played_on() -> None:
    for fen in ("8/8/8/4KBk1/8/8/8/8 b - - 0 1", chess.STARTING_FEN):
        for words, board in boards_of_no_chess(fen):
            if words in PLAYED:
                continue
            for take in (Game, Game.replayed, Record, Record.replayed):
                with pytest.raises(BadInput, match=words):
                    take(board)


def test_other_things_are_refused_where_texts_and_rule_sets_are_wanted() -> None:
    fen = "8/8/8/4KB1k/8/8/8/8 b - - 7 30"
    name: Any = "W"
    for make in (lambda: Game(rules=name), lambda: Game.from_fen(fen, name)):
        with pytest.raises(BadInput, match=r"^not a rule set: 'W' \(rule_set in tbgen\.rules\.rulesets makes one"):
            make()
    board: Any = chess.Board(fen)
    with pytest.raises(BadInput, match=rf"^not a FEN: Board\('{fen}'\) \(give the text of one\)$"):
        Game.from_fen(board)
    move: Any = chess.Move.from_uci("h5h4")
    with pytest.raises(BadInput, match=r"^not a move's text: Move\.from_uci\('h5h4'\) \(.* to Game\.push\)$"):
        Game(board).push_san(move)


def test_pop_undoes_everything() -> None:
    game = play(f"{KNIGHTS_OUT_AND_HOME} {KNIGHTS_OUT_AND_HOME}")
    assert game.ended
    game.pop()
    assert not game.ended
    game.push_san("Ng8")
    assert game.turn.ending == Ending.REPETITION
    for _ in range(8):
        game.pop()
    assert game.board == chess.Board()
    with pytest.raises(BadInput, match="take back"):
        game.pop()
    for san in f"{KNIGHTS_OUT_AND_HOME} {KNIGHTS_OUT_AND_HOME}".split():
        assert not game.ended
        game.push_san(san)
    assert game.ended


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(ALL), st.lists(st.integers(0, 1000), max_size=80))
def test_a_game_agrees_with_python_chess(rules: RuleSet, choices: list[int]) -> None:
    start = chess.Board("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1")
    game = Game(start, rules=rules)
    board = start.copy()
    for choice in choices:
        legal = list(board.legal_moves)
        if game.ended:
            break
        move = legal[choice % min(len(legal), 3)]
        board.push(move)
        turn = game.push(move)
        assert (turn.ending == Ending.MATE) == board.is_checkmate()
        assert (turn.ending == Ending.STALEMATE) == board.is_stalemate()
        if turn.ending is None or turn.ending == Ending.REPETITION:
            assert (turn.ending is not None) == board.is_repetition(3)
    again = Game.replayed(board, rules=rules)
    assert again.turns == game.turns
    assert again.fen() == game.fen()
    for _ in board.move_stack:
        again.pop()
    assert again.turns == game.turns[:1]
    again.push_all(board.move_stack)
    assert again.turns == game.turns


def test_rule_sets_have_names() -> None:
    assert rule_set() is W
    assert rule_set("c-LEGACY") is C_LEGACY
    assert rule_set("C_legacy", fifty="cuteRMob").fifty is CUTERMOB
    assert rule_set("wg", fifty="ignored").fifty is IGNORED
    assert rule_set("C", cutoff="G4.5").cutoff == 9
    assert parse_cutoff(13) == 13


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"name": "X"}, "there are: W, C, C legacy, wg"),
        ({"fifty": "always"}, "there are: ignored, classic, cutermob, sheet, iccf, general, fide"),
        ({"cutoff": "-G6.0"}, "no sign"),
        ({"cutoff": "6.0"}, "not a G-score"),
        ({"cutoff": -1}, "no cutoff"),
    ],
)
def test_unknown_rules_are_refused(arguments: dict[str, str | int], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        rule_set(**arguments)  # type: ignore[arg-type]
