"""Variants: their goals, records and ends, against a plain referee and by hand; their FENs and tags."""

import random

import chess
import pytest

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules import Game
from tbgen.rules.endings import Ending
from tbgen.rules.fen import format_fen, read_fen
from tbgen.rules.pgn import san
from tbgen.rules.pgn.replay import Replay
from tbgen.rules.rulesets import OTB, WG, C, W
from tbgen.rules.tags import begin, write_start
from tbgen.rules.variants import CHESS, VARIANTS, Variant, named
from tests.support import plain_referee as plain

OTHERS = VARIANTS[1:]
BY_NAME = {variant.uci: variant for variant in OTHERS}
RULES = [(W, plain.W), (C, plain.C), (WG, plain.WHOLE_GAME), (OTB, plain.OVER_THE_BOARD)]
SHARED = [*list(Ending)[:5], Ending.RACE_DRAWN]
"""The others are variants' own wins."""
LEAST = {"antichess": 5, "racingkings": 5, "kingofthehill": 5, "3check": 5, "atomic": 2, "horde": 1}
"""Games of sixty that random play ends in the variant's own way, at the least."""
FEW = {
    "horde": ("k7/8/8/8/8/8/1q4P1/8 w - - 5 30", "1k6/p6P/8/2r5/8/8/5P2/8 b - - 3 30"),
    "racingkings": ("8/k6K/8/8/8/8/1b4R1/8 w - - 4 9", "8/1k4K1/8/8/1q6/8/6N1/8 b - - 4 9"),
    "atomic": ("7k/8/8/8/8/8/8/K7 w - - 4 9", "7k/5q2/8/3n4/8/8/1R6/K7 w - - 4 9"),
    "3check": ("7k/8/8/8/8/8/8/K7 w - - 1+2 4 9", "7k/5q2/8/3n4/8/8/1R6/K7 w - - 3+1 4 9"),
    "antichess": ("8/8/8/3n4/8/8/1R6/8 w - - 4 9", "8/1p6/8/8/8/1b6/5B2/2K5 b - - 4 9"),
    "kingofthehill": ("7k/8/8/8/8/8/8/K7 w - - 4 9",),
    "crazyhouse": ("7k/8/8/8/8/8/8/K7[Nn] w - - 4 9", "7k/8/8/8/8/8/8/KR6[QRBNPqrbnp] b - - 4 9"),
}
"""Positions from which the ends are near."""


def of(record: plain.Record) -> int:
    score, white = record
    return outcome.held_by_white(score) if white else outcome.held_by_black(score)


def random_move(rng: random.Random, board: chess.Board, *, shuffling: bool) -> chess.Move:
    """One that makes the game long, one of a king or with a check, or any."""
    legal = list(board.legal_moves)
    quiet = [move for move in legal if not board.is_zeroing(move) and not move.drop]
    near = [move for move in legal if board.piece_type_at(move.from_square) == chess.KING or board.gives_check(move)]
    if shuffling and quiet:
        return rng.choice(quiet[:3])
    return rng.choice(near if near and rng.random() < 0.4 else legal)


@pytest.mark.parametrize("variant", OTHERS, ids=BY_NAME)
def test_a_plain_referee_agrees(variant: Variant) -> None:
    rng = random.Random(variant.name)
    endings: dict[str, int] = {}
    for number in range(32):
        rules, plainly = RULES[number % 4]
        if rules.whole_game and variant.no_whole_game:
            continue
        fen = rng.choice((variant.board.starting_fen, *FEW[variant.uci]))
        board = variant.board(fen)
        record = (rng.randint(2, 40), rng.random() < 0.5) if rng.random() < 0.5 else None
        referee = plain.VariantReferee(board, record, plainly)
        game = Game(board, None if record is None else of(record), rules)
        shuffling = rng.random() < 0.3
        for _ in range(130):
            turn = game.turn
            ending = None if turn.ending is None else "won" if turn.ending not in SHARED else str(turn.ending)
            found = (turn.standing.goal, turn.outcome, turn.quiet, ending)
            assert found == (of(referee.goal()), of(referee.record), referee.quiet, referee.ending), game.fen()
            if ending is not None:
                endings[ending] = endings.get(ending, 0) + 1
            if not outcome.level(turn.standing.goal) or ending in ("stalemate", "a drawn race"):
                break
            move = random_move(rng, game.board, shuffling=shuffling)
            game.push_legal(move)  # past the end as well
            referee.push(move)
        moves = list(game.board.move_stack)
        turns = list(game.turns)
        for _ in moves:  # taken back and made again
            game.pop()
        assert [game.turn, *(game.push_legal(move) for move in moves)] == turns
    assert endings.get("won", 0) >= LEAST.get(variant.uci, 0), endings
    assert "repetition" in endings or variant.uci == "antichess"


@pytest.mark.parametrize(
    ("name", "fen", "move", "result", "ending"),
    [
        ("atomic", "k7/1p6/8/8/8/8/6Q1/K7 w - - 0 1", "Qxb7", "G0.0", Ending.EXPLODED),
        ("atomic", "k7/8/1Q6/8/8/8/8/K7 w - - 0 1", "Qb5", "G1.5", None),
        ("atomic", "k7/8/8/8/8/2Q5/8/2K5 w - - 0 1", "Qc6+", "G2.0", None),
        ("crazyhouse", "7k/8/5N2/8/8/8/8/K7[R] w - - 0 1", "R@h7+", "G0.0", Ending.MATE),
        ("crazyhouse", "7k/8/6K1/8/8/8/8/8[Rp] w - - 3 1", "R@g7", "G46.5", None),
        ("antichess", "8/8/8/3p4/4P3/8/8/8 w - - 0 1", "exd5", "-G0.0", Ending.NO_MOVES),
        ("antichess", "8/8/8/8/p7/P7/8/1R6 w - - 3 1", "Rb7", "-G0.0", Ending.NO_MOVES),
        ("antichess", "8/8/8/8/8/1n6/8/7R w - - 3 1", "Rh2", "-G6.5", None),
        ("horde", "8/8/8/8/8/8/k4q2/4P3 b - - 3 1", "Qxe1", "-G0.0", Ending.HORDE_TAKEN),
        ("horde", "8/8/8/8/8/4q3/4P3/k7 b - - 3 1", "Kb1", "-G0.5", Ending.STALEMATE),
        ("horde", "7k/6pp/8/8/8/8/8/R7 w - - 3 1", "Ra8#", "G0.0", Ending.MATE),
        ("3check", "7k/8/8/8/8/8/8/KQ6 w - - 1+3 3 1", "Qb2+", "G0.0", Ending.THIRD_CHECK),
        ("3check", "7k/8/8/8/8/8/8/KQ6 w - - 2+3 3 1", "Qb2+", "G2.0", None),
        ("kingofthehill", "7k/8/8/8/8/4K3/8/8 w - - 3 1", "Ke4", "G0.0", Ending.IN_THE_CENTRE),
        ("racingkings", "8/6K1/k7/8/8/8/8/8 w - - 3 1", "Kg8", "G0.0", Ending.RACE_WON),
        ("racingkings", "8/k5K1/8/8/8/8/8/8 w - - 3 1", "Kg8", "G5.5", None),
        ("racingkings", "6K1/k7/8/8/8/8/8/8 b - - 3 1", "Ka8", "-G5.5", Ending.RACE_DRAWN),
        ("racingkings", "6K1/k7/8/8/8/8/8/8 b - - 3 1", "Kb6", "G0.0", Ending.RACE_WON),
    ],
)
def test_ends_by_hand(name: str, fen: str, move: str, result: str, ending: Ending | None) -> None:
    turn = Game.from_fen(fen, variant=BY_NAME[name]).push_san(move)
    assert (outcome.text(turn.standing.goal), turn.ending) == (result, ending)


def test_what_resets_the_record() -> None:
    dropped = Game.from_fen("7k/8/6K1/8/8/8/8/8[Np] w - - 3 1 G5.0", variant=BY_NAME["crazyhouse"])
    turn = dropped.push_san("N@a1")
    assert (turn.standing.reset, turn.quiet, turn.standing.set_at) == (True, 0, 1)
    checked = Game.from_fen("7k/8/8/8/8/8/8/KQ6 w - - 3+3 3 1 G1.0", variant=BY_NAME["3check"])
    turn = checked.push_san("Qb2+")
    assert (turn.standing.reset, turn.quiet, str(turn.standing)) == (False, 4, "G1.0")


def test_a_position_of_crazyhouse_comes_again_after_captures_and_drops() -> None:
    game = Game.from_fen("8/1k6/2n5/4N3/8/8/8/7K[] w - - 0 1", variant=BY_NAME["crazyhouse"])
    for step in ("Kg1", "Kh1", "Kg1", "Kh1"):
        for words in ("Nxc6", "Kxc6", "N@e5+", "Kb7", step, "N@c6"):
            assert game.turn.ending is None
            game.push_san(words)
    assert game.turn.ending is Ending.REPETITION
    data = replayed(game)
    assert data == (Ending.REPETITION, game.board.fen())


def replayed(game: Game) -> tuple[Ending | None, str]:
    """As whoever reads a game from a file plays it."""
    replay = Replay(game.board.root())
    board = game.board.root()
    for move in game.board.move_stack:
        step = san.step(board.san_and_push(move))
        assert step is not None
        replay.play(step)
    again = Game(replay.begun)
    turns = [again.push_legal(move) for move in replay.moves]
    return turns[-1].ending, again.board.fen()


@pytest.mark.parametrize("variant", OTHERS, ids=BY_NAME)
def test_fens_and_tags_say_all_of_a_position(variant: Variant) -> None:
    rng = random.Random(variant.name)
    for _ in range(20):
        game = Game(variant.board())
        for _ in range(rng.randrange(32)):
            if game.ended:
                break
            game.push_legal(random_move(rng, game.board, shuffling=False))
        fen = game.fen()
        if outcome.level(game.record.outcome) > 1:
            again = read_fen(fen, variant=variant)
            assert format_fen(again.board, again.record) == fen
        headers: dict[str, str] = {}
        write_start(headers, game.board, game.record.outcome)
        _, start = begin(headers)
        assert type(start.board) is variant.board
        assert (start.board.fen(), start.record) == (game.board.fen(), game.record.outcome)


@pytest.mark.parametrize(
    ("name", "fen", "words"),
    [
        ("3check", "7k/8/8/8/8/8/8/K7 w - - 4+3 3 1", "not a G-score"),
        ("3check", "7k/8/8/8/8/8/8/K7 w - - 3+3 3 1 7", "not a G-score"),
        ("3check", "7k/8/8/8/8/8/8/K7 w - - 3+3 3 1 G1.0 3", "at most 7 fields"),
        ("crazyhouse", "7k/8/8/8/8/8/8/K7[K] w - - 3 1", "rows"),
        ("crazyhouse", "7k/8/8/8/8/8/8/K7[N w - - 3 1", "rows"),
        ("crazyhouse", "7k/8/8/8/8/8/8/K7[]", "side to move"),
        ("atomic", "8/8/8/8/8/8/8/K7 w - - 3 1", "Black has no king"),
        ("atomic", "7k/8/8/8/8/8/8/K7[N] w - - 3 1", "not a FEN"),
        ("horde", "7k/8/8/8/8/8/8/K7 w - - 3 1", "more than one king"),
        ("racingkings", "7k/8/8/8/8/8/P7/K7 w - - 3 1", "not in the race"),
        ("racingkings", "8/7k/8/8/8/8/8/K6R b - - 3 1", "in check"),
        ("kingofthehill", "7k/8/8/8/8/8/8/8 w - - 3 1", "White has no king"),
    ],
)
def test_bad_fens_are_refused_in_a_line(name: str, fen: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        read_fen(fen, variant=BY_NAME[name])
    assert "\n" not in str(caught.value)


def test_checks_of_lichess_are_read() -> None:
    found = read_fen("7k/8/8/8/8/8/8/KQ6 w - - 3 1 +2+0 G4.5", variant=BY_NAME["3check"])
    assert found.board.fen() == "7k/8/8/8/8/8/8/KQ6 w - - 1+3 3 1"
    assert found.record == outcome.parse("G4.5")


def test_more_moves_than_chess_has_count_as_the_most() -> None:
    fen = "7k/8/8/8/8/8/8/K7[QRBNPqrbnp] w - - 3 1"
    turn = Game.from_fen(fen, variant=BY_NAME["crazyhouse"]).turn
    assert turn.standing.level == outcome.MAX_LEVEL


def test_games_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="no whole-game mobility in Antichess: a compulsory capture"):
        Game(BY_NAME["antichess"].board(), None, WG)
    with pytest.raises(BadInput, match="Suicide is not played here, but chess and Atomic, "):
        named("suicide chess")
    assert named("Three check") is BY_NAME["3check"]
    assert named("Standard") is CHESS
    assert named("my own scoring") is None
