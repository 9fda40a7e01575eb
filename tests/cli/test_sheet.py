"""`tbgen sheet`: the score sheet of a game over the board."""

import json
import re
import sys
from pathlib import Path

import chess
import pytest

from tbgen.cli.main import main
from tbgen.referee.adjudicate.settings import make_settings
from tbgen.rules.endings import Ending
from tbgen.rules.ends import Game
from tbgen.rules.rulesets import OTB, W
from tests.support.places import FAKE_ENGINE

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"

SHEET = """\
Ann - Bob
start         G3.5
31. Kf4       G2.5
32. Kg4       G1.5
1-0  White holds the last entry, G1.5
0 of 50 moves since the last entry, capture or pawn move
"""


def sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str], moves: str, fen: str, *words: str) -> str:
    path = tmp_path / "game.pgn"
    path.write_text(f'[White "Ann"]\n[Black "Bob"]\n[FEN "{fen}"]\n\n{moves} 1/2-1/2\n')
    assert main(["sheet", str(path), *words]) == 0
    return capsys.readouterr().out


def test_the_entries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sheet(tmp_path, capsys, "30... Kh5 31. Kf4 Kh6 32. Kg4", BISHOP) == SHEET
    found = json.loads(sheet(tmp_path, capsys, "30... Kh5 31. Kf4 Kh6 32. Kg4", BISHOP, "--json"))
    assert found["parts"] == [
        [{"move": "", "entry": "G3.5"}, {"move": "31. Kf4", "entry": "G2.5"}, {"move": "32. Kg4", "entry": "G1.5"}]
    ]
    assert (found["points"], found["quiet"], found["end"]) == ("1-0", 0, None)


def test_a_game_as_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    fen = BISHOP.replace("-", "–")
    path.write_text(
        f"[White “Ann”]\n[Black “Bob”]\n[FEN “{fen}”]\n[Result “½–½”]\n\n"
        "30…\xa0Kh5 {30 – “well”} 31.\u2009♔f4 Kh6 32. ♔g4 ½–½\n\n"
        '[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0–0 0—0 5. N×e5 1–0\n'
    )
    assert main(["sheet", str(path)]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    assert f"{first}\n" == SHEET
    assert "won otherwise" in second


def test_another_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moves = "30... Kh5 31. Kf4 Kh6 32. Kg4"
    entries = [line.split()[-1] for line in SHEET.splitlines()[1:4]]
    for level, count in (("G0.5", 0), ("G1.0", 0), ("G1.5", 1), ("g2.5", 2), ("G3.5", 3), ("G9.0", 3)):
        told = sheet(tmp_path, capsys, moves, BISHOP, "--level", level).splitlines()
        assert [line.split()[-1] for line in told[1:-2]] == entries[3 - count :]
        assert told[-2].startswith("1-0" if count else "1/2-1/2")
    again = "8/8/8/4KBk1/8/8/8/8 b - - 96 30"  # the count of 50 moves goes on from the last entry
    assert "ended by 50-move rule" not in sheet(tmp_path, capsys, f"{moves} Kg7 33. Kg5", again)
    assert "ended by 50-move rule" in sheet(tmp_path, capsys, f"{moves} Kg7 33. Kg5", again, "--level", "G0.5")
    assert main(["sheet", str(tmp_path / "game.pgn"), "--level", "-G2.5"]) == 2


def test_a_game_that_the_sheet_does_not_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 e5 1-0\n\n1. e4 e5 *\n\n1. e4 e5 1/2-1/2\n\n1. f3 e5 2. g4 Qh4# 0-1\n")
    assert main(["sheet", str(path)]) == 0
    resigned, going_on, drawn, mated = capsys.readouterr().out.split("\n\n")
    assert resigned.splitlines()[-1] == "but won otherwise, as by resignation: 1-0"
    assert going_on.splitlines()[-1] == "not over: so it stands"
    assert drawn.splitlines()[-1].startswith("0 of 50 moves")
    assert mated.splitlines()[-1] == "ended by mate"
    assert main(["sheet", str(path), "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["points"], one["result"]) for one in found] == [
        ("1/2-1/2", "1-0"),
        ("1/2-1/2", "*"),
        ("1/2-1/2", "1/2-1/2"),
        ("0-1", "0-1"),
    ]


@pytest.mark.parametrize("command", ["sheet", "annotate", "adjudicate"])
def test_files_in_another_encoding(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e5 1-0\n', encoding="utf-16")
    more = [] if command == "sheet" else ["-o", str(tmp_path / "out.pgn"), "-q"]
    assert main([command, str(path), *more]) == 3
    assert capsys.readouterr().err == (
        f"tbgen: {path}:1: NUL bytes: no PGN (name a packed file .gz, .bz2, .xz or .zst; convert UTF-16 to UTF-8)\n"
    )


@pytest.mark.parametrize("command", ["sheet", "annotate", "adjudicate"])
@pytest.mark.parametrize(
    ("game", "line"), [('[Event "x"]\n\n1. e4\n1-0\0\n', 4), ('[Event "x"]\n[Site\n\n1. e4 1-0\n', 2)]
)
def test_the_line_that_no_game_can_have_is_named(
    command: str, game: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(game)
    more = [] if command == "sheet" else ["-o", str(tmp_path / "out.pgn"), "-q"]
    assert main([command, str(path), *more]) == 3
    assert capsys.readouterr().err.startswith(f"tbgen: {path}:{line}: game 1: ")


def test_a_reset_draws_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(tmp_path, capsys, "30... Kh5 31. Kd4 Kg5 32. a3 Kh5", "8/8/8/4KBk1/8/8/P7/8 b - - 7 30")
    assert "start         G3.5\n----------------\n1/2-1/2  no entry below the last line\n" in found
    assert "0.5 of 50 moves" in found


def test_a_start_brings_its_record_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(tmp_path, capsys, "30... Kh5", f"{BISHOP} -G2.5")
    assert "start         -G2.5\n0-1  Black holds the last entry, -G2.5\n" in found
    weak = sheet(tmp_path, capsys, "98. Ka2", "8/8/8/4k3/8/8/8/K6R w - - 5 98 -G4.0")
    assert "1/2-1/2  no entry\n" in weak


def test_nothing_draws_a_line_in_a_whole_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[RMobilityRules "wg"]\n[FEN "8/8/8/4KBk1/8/8/P7/8 b - - 7 30"]\n\n30... Kh5 31. a3 1/2-1/2\n')
    assert main(["sheet", str(path)]) == 0
    assert "start         G3.5\n1-0  White holds the last entry, G3.5\n" in capsys.readouterr().out


def test_no_entry_is_a_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Ann - Bob\n1/2-1/2  no entry\n" in sheet(tmp_path, capsys, "1. Ka2", "8/8/8/4k3/8/8/8/K6R w - - 0 1")


def test_a_capture_after_the_end_is_not_on_the_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(tmp_path, capsys, "98. Ka2 Kd5 99. Kb2 Ke5 100. Ka2", "8/8/8/4k3/8/8/8/K6R w - - 97 98")
    assert "ended by 50-move rule; play went on for 2 plies\n" in found
    found = sheet(tmp_path, capsys, "98. Ka2 Kd5 99. Kb2 Ke5", "8/8/8/4k3/8/8/8/K6R w - - 97 98")
    assert "ended by 50-move rule; play went on for 1 ply\n" in found


def test_fifty_moves_count_from_the_last_entry() -> None:
    weak = Game.from_fen("8/8/8/4KB2/8/8/8/6k1 b - - 96 60 G9.0", OTB)
    weak.push_all(map(weak.board.parse_uci, ["g1h2"]))
    assert weak.turn.quiet == 97
    for clock, rules, ending, quiet in (
        (97, OTB, None, 0),
        (97, W, None, 99),
        (98, OTB, Ending.FIFTY_MOVES, 100),
        (98, W, Ending.FIFTY_MOVES, 100),
    ):
        game = Game.from_fen(f"8/8/8/4KBk1/8/8/8/8 b - - {clock} 60", rules)
        for move in ("g5h5", "e5f4"):  # G2.5: an entry on the 99th ply or, too late, on the 100th
            game.push(chess.Move.from_uci(move))
        assert (game.turn.ending, game.turn.quiet) == (ending, quiet)


def test_a_match_by_these_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pgn = tmp_path / "m.pgn"
    book = tmp_path / "b.epd"
    book.write_text(f"{BISHOP}\n")
    engine = f"cmd={sys.executable} {FAKE_ENGINE}"
    words = ["--engine", engine, "name=A", "--engine", engine, "name=B", "--each", "tc=5", "--openings", str(book)]
    words += ["--rules-set", "otb", "--max-moves", "4", "--pgn", str(pgn)]
    assert main(["match", *words]) == 0
    capsys.readouterr()
    text = pgn.read_text()
    assert '[RMobilityScoring "Over The Board"]' in text
    assert '[RMobilityRuleSet "otb"]' in text
    assert main(["sheet", str(pgn), "--json"]) == 0
    found = [json.loads(line)["points"] for line in capsys.readouterr().out.splitlines()]
    assert found == re.findall(r'\[Points "(.*)"\]', text)
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_text() == text


FOUR = "8/8/8/8/8/2k5/8/K2B4 b - - 5 60 G4.5"


def test_four_moves_over_the_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The wiki: over the board with 1 to 4 moves."""
    pgn, scored = tmp_path / "four.pgn", tmp_path / "scored.pgn"
    pgn.write_text(f'[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n[FEN "{FOUR}"]\n\n1/2-1/2\n')
    assert main(["adjudicate", str(pgn), "-o", str(scored), "--scoring", "otb", "--cutoff", "G5.0", "--quiet"]) == 0
    assert '[Points "1-0"]' in scored.read_text()
    for path, more, points in ((scored, [], "1-0"), (pgn, ["--level", "G4.5"], "1-0"), (pgn, [], "1/2-1/2")):
        assert main(["sheet", str(path), *more]) == 0
        assert f"\n{points}  " in capsys.readouterr().out
    assert main(["adjudicate", str(pgn), "-o", str(scored), "--scoring", "otb", "--quiet"]) == 0
    assert '[Points "1/2-1/2"]' in scored.read_text()
    played = make_settings(rules_name="otb", cutoff="G5.0")
    assert (played.rules.cutoff, played.scheme.cutoff) == (10, 10)


def test_what_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n\n1. e4 e4 *\n\n[White "B"]\n\n1. e4 *\n')
    assert main(["sheet", str(path)]) == 3
    captured = capsys.readouterr()
    assert captured.out.startswith("B - ?\n")
    assert captured.err == f"tbgen: {path}:3: game 1: illegal move: e4 (ply 2)\n"


def test_a_game_without_end_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbgen.rules.pgn.split.LONGEST", 1 << 10)
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n\n' + "1. e4 e5\n" * 1000 + '\n[White "B"]\n\n1. e4 *\n')
    for words in (["sheet", str(path)], ["annotate", str(path), "-o", str(tmp_path / "told.pgn"), "-q"]):
        assert main(words) == 3
        captured = capsys.readouterr()
        assert captured.err == f"tbgen: {path}:1: game 1: longer than 0 MiB\n"
    assert "1. e4 {" in (tmp_path / "told.pgn").read_text()
