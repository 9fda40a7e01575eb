"""Openings, results as they come, formats and kinds of engines of `tbgen match`."""

import json
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import chess.pgn
import pytest

from tbgen.cli.main import main
from tbgen.referee.match import desks
from tbgen.rules.pgn.tags import TagSection
from tests.support.matches import FAKE, GOOD, KRK, complaint, fake, played
from tests.support.patience import PATIENCE


def test_openings_are_not_repeated_unasked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n8/8/8/4k3/8/8/8/K6R w - - 0 2\n")
    words = [*fake("A"), *fake("B"), "--each", "tc=60", "restart=on", "--openings", str(book), "--rounds", "3"]
    words += ["--max-moves", "1"]
    code, said = complaint(capsys, *words)
    assert (code, "takes 3 openings, and" in said, "--reuse plays them again" in said) == (2, True, True)
    assert len(played(capsys, *words, "--no-reuse")[0]) == 4
    assert main(["match", "--json", *words, "--reuse"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    notes = [event["note"] for event in events if event["event"] == "note"]
    assert len(notes) == 1
    assert notes[0].startswith("game 3.1 repeats game 1.1 move by move")
    assert events[-1]["repeats"] == 2


def test_a_default_komi_yields_to_the_openings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(f'[Event "a"]\n[Komi "-G0.75"]\n[FEN "{KRK} 0 1"]\n\n*\n\n[Event "b"]\n[FEN "{KRK} 0 1"]\n\n*\n')
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--openings", str(book), "--max-moves", "1", "--rounds", "2"]
    words += ["--scoring", "komi", "--no-swap", "--pgn", str(tmp_path / "m.pgn")]
    played(capsys, *words, "--default-komi", "G1.25")
    text = (tmp_path / "m.pgn").read_text()
    assert ('[Komi "-G0.75"]' in text, '[Komi "G1.25"]' in text) == (True, True)


def test_a_sequential_test_stops_the_match(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*GOOD, *fake("Bad", "--fault", "none", "--at", "1", "--after", "1"), "--each", "tc=60", "--rounds", "500"]
    words += ["--sprt", "elo0=0", "elo1=300", "alpha=0.2", "beta=0.2", "--max-moves", "1", "--scoring", "full"]
    words += ["--pgn", str(tmp_path / "games.pgn"), "--concurrency", "2"]
    games, standings = played(capsys, *words)
    assert len(games) < 500
    assert standings["sprt"]["verdict"] == "H1 accepted"
    assert played(capsys, *words)[0] == []


def test_the_table_comes_every_so_many_games(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("A"), *fake("B"), "--each", "tc=60", "--max-moves", "1", "--games", "2", "--every", "2"]
    assert main(["match", "--json", *words]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == [*["game", "game", "standings"] * 3, "end"]
    assert main(["match", *words]) == 0
    assert capsys.readouterr().out.count("by other scorings") == 4


def test_games_that_end_at_the_same_time(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    wait = desks.connection.wait

    def late(pipes: Sequence[Any]) -> list[Any]:
        wait(pipes)
        until = time.monotonic() + 10
        while len(ready := wait(pipes, 0)) < len(pipes) and time.monotonic() < until:
            time.sleep(0.05)
        return ready

    trying = desks.Desks.give

    def give(self: desks.Desks, order: desks.Start | desks.Game) -> None:
        if isinstance(order, desks.Game):
            monkeypatch.setattr(desks, "connection", SimpleNamespace(wait=late))
        trying(self, order)

    monkeypatch.setattr(desks.Desks, "give", give)
    words = [*GOOD, *fake("A"), "--each", "tc=60", "--max-moves", "1", "--games", "2", "--concurrency", "2"]
    games, _ = played(capsys, *words)
    assert sorted(game["round"] for game in games) == ["1.1", "1.2"]


@pytest.mark.parametrize("system", ["swiss", "knockout"])
def test_a_format_goes_on_where_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path, system: str) -> None:
    pgn = tmp_path / "m.pgn"
    words = [*fake("A", "--fault", "none", "--at", "1"), *GOOD, *fake("C"), *fake("D", "--fault", "none", "--at", "1")]
    words += ["--each", "tc=60", "--max-moves", "1", "--format", system, "--pgn", str(pgn), "--concurrency", "2"]
    words += ["--scoring", "classical"]
    games, standings = played(capsys, *words)
    whole = pgn.read_text()
    parts = [f"{part}\n\n" for part in re.split(r"\n\n(?=\[Event)", whole.rstrip())]
    others = [[part for part in parts if part != lost] for lost in parts[-2:]]  # either may be the last to end
    for kept in (parts[:1], *others):
        pgn.write_text("".join(kept))
        rest, again = played(capsys, *words)
        assert len(rest) == len(games) - len(kept)
        assert again["table"] == standings["table"]


def test_what_a_game_says_of_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn, book, engines = tmp_path / "m.pgn", tmp_path / "book.pgn", tmp_path / "engines.json"
    book.write_text('[Event "a"]\n\n1. e4 c5 *\n')
    engines.write_text(json.dumps([{"name": name, "cmd": shlex.join([sys.executable, str(FAKE)])} for name in "AB"]))
    words = ["--engines", str(engines), "--each", "tc=60", "elo=3000", "--openings", str(book), "--max-moves", "2"]
    played(capsys, *words, "--games", "1", "--pgn", str(pgn), "--site", "Here", "--affinity")
    headers = TagSection(pgn.read_bytes()).headers
    assert (headers["Site"], headers["ECO"][:2], headers["WhiteElo"]) == ("Here", "B2", "3000")
    assert headers["Opening"].startswith("Sicilian Defense")
    assert headers["WhiteEngine"] == headers["BlackEngine"] == "fake"
    assert headers["GameStartTime"] <= headers["GameEndTime"]


def test_more_games_at_a_time_than_processors(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("B"), "--each", "tc=60", "--max-moves", "1", "--concurrency", "1000"]
    assert main(["match", *words]) == 0
    assert "1000 games at a time on" in capsys.readouterr().err


def test_an_xboard_engine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n" * 4)
    board = [sys.executable, str(FAKE.parent / "fake_xboard.py")]
    words = [*fake("Uci"), "--engine", f"cmd={shlex.join(board)}", "proto=xboard", "name=Board"]
    words += ["--engine", f"cmd={shlex.join([*board, '--resign', '3'])}", "proto=xboard", "name=Meek"]
    words += ["--each", "tc=60", "--openings", str(book), "--max-moves", "5"]
    games, standings = played(capsys, *words)
    assert len(games) == 6
    assert {line["forfeits"] for line in standings["table"]} == {0}
    meek = [game for game in games if "Meek" in (game["white"], game["black"])]
    assert {game["ending"].partition(" ")[2] for game in meek} == {"resigns"}
    assert {game["plies"] for game in games if game not in meek} == {10}


def test_xboard_engines_that_do_not_know_setboard(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    starts = [chess.STARTING_FEN, "8/8/8/4k3/8/8/8/K6R b - - 3 1", "r3k2r/p6p/8/8/8/8/8/R3K2R b KQkq - 0 1"]
    book.write_text("".join(f'[Event "?"]\n[FEN "{fen}"]\n\n*\n\n' for fen in starts) + '[Event "?"]\n\n1. e4 e5 *\n')
    old = shlex.join([sys.executable, str(FAKE.parent / "fake_xboard.py"), "--old"])
    engines = [f"cmd={old}", "proto=xboard", "name=Old"], ["cmd=fairymax", "proto=xboard", "name=Max"]
    there = shutil.which("fairymax", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games") is not None
    words = [*GOOD, *(word for engine in engines[: 1 + there] for word in ("--engine", *engine)), "--each", "tc=60"]
    words += ["depth=3", "--max-moves", "4", "--openings"]
    games, standings = played(capsys, *words, str(book), "--rounds", "4")
    assert len(games) == (24 if there else 8)
    assert {line["forfeits"] for line in standings["table"]} == {0}
    book = tmp_path / "book.epd"
    for fen in ("r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"):
        book.write_text(fen)
        said = complaint(capsys, *words, str(book))
        assert said == (2, f"tbgen: Old does not know setboard, as this opening asks for: {fen}\n")


def test_another_process_for_every_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    births = tmp_path / "births"
    words = [*fake("A", "--births", str(births), "--lives", "99"), "restart=yes", *GOOD, "--each", "tc=60"]
    played(capsys, *words, "--max-moves", "1", "--games", "4")
    assert len(births.read_text()) == 4


def test_what_else_stands_behind_moves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*GOOD, *fake("Other"), "--each", "tc=60+1", "--max-moves", "3", "--pgn", str(tmp_path / "m.pgn")]
    played(capsys, *words, "--games", "1", "--pgn-more", "pv", "left", "nodes", "nps")
    with (tmp_path / "m.pgn").open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    for node in game.mainline():
        score, line = re.search(r"([-+0-9.]+)/1 .*, pv ([a-h1-8 ]+), left 6[0-3]\.[0-9][0-9]s", node.comment).groups()  # type: ignore[union-attr]
        assert (score, line) == ("+0.12", node.move.uci())
    assert "adjudication: move limit" in " ".join(node.comment.split())


def test_scores_that_are_white_s(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    both = [*fake("A", "--score", "700"), *fake("B", "--score", "700"), "whitepov=yes", "--each", "tc=60"]
    games, _ = played(capsys, *both, "--games", "2", "--resign", "movecount=2", "score=600", "twosided=true")
    assert [(game["white"], game["ending"]) for game in games] == [
        ("A", "Black resigns by the scores: resign 600 for 2 moves, by both"),
        ("B", games[1]["ending"]),
    ]
    assert "resigns" not in games[1]["ending"]


def test_a_pause_between_games(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--max-moves", "1", "--games", "3"]
    began = time.monotonic()
    played(capsys, *words, "--wait", "1.5")
    assert time.monotonic() - began > 3


def test_pondering(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    words = [*fake("A", "--heard", str(heard), "--ponders"), "ponder=yes", f"start={PATIENCE}"]
    words += [*fake("As expected"), *GOOD]
    began = time.monotonic()
    _, standings = played(capsys, *words, "--each", "tc=60", "--max-moves", "6", "--games", "2")
    assert {"setoption name Ponder value true", "ponderhit", "stop"} < set(heard.read_text().splitlines())
    assert {line["forfeits"] for line in standings["table"]} == {0}
    assert time.monotonic() - began < PATIENCE  # a game that begins while the engine ponders would not be heard of
