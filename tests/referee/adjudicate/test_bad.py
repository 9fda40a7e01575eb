"""Games that cannot be judged, and games that look so and can."""

import re

import pytest

from tbgen.core import outcome
from tbgen.referee.adjudicate.game import Fault, Judge, Judged
from tbgen.referee.adjudicate.settings import Settings, make_settings
from tbgen.rules.pgn.split import Unit
from tests.support.judged_games import game, judged

NUL = "NUL bytes: no PGN (name a packed file .gz, .bz2, .xz or .zst; convert UTF-16 to UTF-8)"
FOOLS = "1. f3 e5 2. g4 Qh4#"


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (game("1. e4 e5\n2. Ke3 1-0"), 105, "illegal move: Ke3 (ply 3)"),
        (game("1. e4 {x\ny} e5 (1... c5\n2. Nf3) 2. Nf6 1-0"), 106, "illegal move: Nf6 (ply 3)"),
        (game("1. e4 Nd7 2. d4 1-0"), 104, "illegal move: Nd7 (ply 2)"),
        (game("1. e4 e5 -- 1-0"), 104, "a null move is no move: -- (ply 3)"),
        (game("1. e4 0000 2. e5 1-0"), 104, "a null move is no move: 0000 (ply 2)"),
        (game("1. \xe44 1-0"), 104, "not a move: \\xc3\\xa44 (ply 1)"),
        (game("1. e4 e5 1/2"), 104, "the moves end without a result: 1-0, 0-1, 1/2-1/2 or *"),
        (game("1. e4 e5").replace(b"e5\n", b"e5"), 104, "the moves end without a result: 1-0, 0-1, 1/2-1/2 or *"),
        (game("*").split(b"\n\n", maxsplit=1)[0] + b"\n", 102, "neither moves nor a result"),
        (game("1. e4 e5 *"), 100, "no result"),
        (game("1. e4 1-0", Result="0-1"), 100, "the result is 0-1 by its tag, but 1-0 behind the moves"),
        (game("1. e4 e5 *", Result="1-0"), 100, "the result is 1-0 by its tag, but * behind the moves"),
        (game(f"{FOOLS} 3. a3 0-1"), 104, "a move after mate: a3 (ply 5)"),
        (game("1... Kg8 1-0", FEN="7k/5K2/6Q1/8/8/8/8/8 b - -"), 105, "a move after stalemate: Kg8 (ply 1)"),
        (game(f"{FOOLS} 1-0"), 100, "the board shows mate, but the result is 1-0"),
        (game(f"{FOOLS} 1/2-1/2"), 100, "the board shows mate, but the result is 1/2-1/2"),
        (game("1-0", FEN="7k/5K2/6Q1/8/8/8/8/8 b - -"), 100, "the board shows stalemate, but the result is 1-0"),
        (
            game("1-0", FEN="8/8/8/8/8/8/8/8 w - -"),
            100,
            "illegal position: the board is empty: '8/8/8/8/8/8/8/8 w - -'",
        ),
        (
            game("1-0", Variant="suicide"),
            100,
            "Suicide is not played here, but chess and Atomic, Crazyhouse, Antichess, Horde, Three-check, "
            "King of the Hill, Racing Kings are",
        ),
        (game("1. e4\0 1-0"), 104, NUL),
        (game("1. e4 1-0").decode().encode("utf-16"), 100, NUL),
        (game("1. e4 1-0", White="x").replace(b'x"]', b"x"), 100, 'not a tag: [White "x'),
    ],
)
def test_what_cannot_be_judged(data: bytes, line: int, message: str) -> None:
    assert judged(data) == Judged(data, fault=Fault(7, line, message))


def test_names_in_any_encoding() -> None:
    for white in (b"M\xfcller", "Müller".encode()):
        found = judged(game("1. e4 1-0", White="X").replace(b"X", white))
        assert found.verdict is not None
        assert found.verdict.white == "Müller"
        assert b'[White "%s"]' % white in found.data


def test_variants_of_chess() -> None:
    assert judged(game("1. e4 1-0", Variant="RMobility")).verdict is not None
    fen = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1"
    found = judged(game("1. f3 f6 2. Bf2 Bf7 3. g3 g6 4. Qg2 Qg7 5. O-O 1/2-1/2", FEN=fen, Variant="chess960"))
    assert found.fault == Fault(7, 106, "illegal move: O-O (ply 9)")
    fen = "4k3/8/8/8/8/8/8/1K1R4 w D - 0 1"
    assert judged(game("1. O-O Ke7 1/2-1/2", FEN=fen, Variant="fischerandom")).verdict is not None


def test_pieces_of_a_game_that_is_too_long() -> None:
    assert Judge(Settings()).judge(Unit(1, 1, b"x", "longer")) == Judged(b"x", fault=Fault(1, 1, "longer"))
    assert Judge(Settings()).judge(Unit(1, 1, b"x", "")) == Judged(b"x")


def test_text_that_is_no_game() -> None:
    text = "What is this?\n"
    assert Judge(Settings()).judge(Unit(0, 1, text.encode(), "no game")) == Judged(
        text.encode(), fault=Fault(0, 1, "no game")
    )
    wide = text.encode("utf-16")
    assert Judge(Settings()).judge(Unit(0, 1, wide, "no game")) == Judged(wide, fault=Fault(0, 1, NUL))
    assert Fault(0, 1, "no game").words("x.pgn") == "x.pgn:1: no game"
    assert Fault(3, 9, "no game").words("x.pgn") == "x.pgn:9: game 3: no game"


OWN = re.compile(rb'\[(?:RMobility(?:Result|Scoring|Cutoff|Termination)|Points) "[^"]*"\]\r?\n')


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    "section",
    [
        b'[White "a"]\n[Legacy]\n[Black "b"]\n',
        b'[White "a"]\n[ Legacy\t] \n',
        b'[White "a"] [Legacy] [Black "b"]\n',
        b'[Legacy ""]\n[Legacy]\n',
        b'[Legacy "true"]\n',
        b"[legacy]\n",
        b'[White""]\n\t[Black\t"b\\"\\\\"]\t\n[White "again"]\n[Legacy]\n',
        b'[fen "8/8/8/4KBk1/8/8/8/8 b - - 7 30"]\n[result "1/2-1/2"]\n',
        b'[FEN ""]\n[SetUp "0"]\n',
        b'[FEN "?"]\n',
        b'% escaped [Legacy]\n[White "a"]\n; a remark\n\n[Legacy]\n',
        b'\xef\xbb\xbf[Legacy]\n',
        b'[White "M\xfcller"]\n[Time/Control "x"]\n[\xfcber "x"]\n',
    ],
)  # fmt: skip
def test_all_that_need_not_change_stays(section: bytes, newline: bytes) -> None:
    data = (section + b"\n{as it was}  1/2-1/2 \n\n").replace(b"\n", newline)
    found = judged(data)
    assert found.verdict is not None
    assert OWN.sub(b"", found.data) == data
    assert judged(found.data).data == found.data


def test_tags_are_read_in_any_case() -> None:
    fen = b'[fen "8/8/8/4KBk1/8/8/8/8 b - - 7 30"]\n'
    bare = fen + b"[wHITE \"a\"]\n[legacy]\n\n1/2-1/2\n"  # fmt: skip
    found = judged(bare).verdict
    assert found is not None
    assert (found.white, outcome.text(found.decision.outcome)) == ("a", "G3.5")
    fault = judged(fen + b'[result "1-0"]\n\n1/2-1/2\n').fault
    assert fault is not None
    assert fault.message == "the result is 1-0 by its tag, but 1/2-1/2 behind the moves"


def test_a_komi_in_another_form_stays() -> None:
    settings = make_settings(scoring_name="komi", cutoff=None, komi=None, rules_name=None, whole_game=False)
    found = judged(game("1. e4 1/2-1/2", Komi="mG3.25"), settings)
    assert found.verdict is not None
    assert b'[Komi "mG3.25"]' in found.data
    other = make_settings(scoring_name="komi", cutoff=None, komi="G4.25", rules_name=None, whole_game=False)
    assert b'[Komi "G4.25"]' in judged(game("1. e4 1/2-1/2", Komi="mG3.25"), other).data
    assert b'[Komi "G4.25"]' in judged(game("1. e4 1/2-1/2", Komi="nonsense"), other).data
