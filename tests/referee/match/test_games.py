"""`tbgen match` with engines that behave and engines that do not."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from tbgen import outcome
from tbgen.cli.main import main
from tbgen.pgn.tags import TagSection
from tbgen.rules.tags import read_tags
from tests.support.misbehaving import engines
from tests.support.places import FAKE_ENGINE

FAKE = FAKE_ENGINE
KRK = "8/8/8/4k3/8/8/8/K6R w - -"
STOCKFISH = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")


def fake(name: str, *words: str) -> list[str]:
    command = shlex.join([sys.executable, str(FAKE), *words])
    return ["--engine", f"cmd={command}", f"name={name}"]


GOOD = fake("Good", "--seed", "1")


def played(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[list[dict[str, Any]], Any]:
    """The games and the standings."""
    assert main(["match", "--json", *words]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    *events, standings = [json.loads(line) for line in captured.out.splitlines()]
    assert standings["event"] == "end"
    return [event for event in events if event["event"] == "game"], standings


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["match", *words])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "termination", "words"),
    [
        ("crash", "abandoned", "crashes (exit code 7)"),
        ("killed", "abandoned", "crashes (signal 9)"),
        ("hang", "time forfeit", "loses on time"),
        ("slow", "time forfeit", "loses on time"),
        ("illegal", "illegal move", "plays an illegal move: e1e5"),
        ("garbage", "illegal move", "plays an illegal move: @@@@"),
        ("null", "illegal move", "plays an illegal move: 0000"),
        ("none", "illegal move", "gives no move"),
        ("confess", "abandoned", "crashes (exit code 3), saying: first words / out of memory / \\x07at line 7"),
        ("endless", "time forfeit", "loses on time"),
    ],
)
def test_who_misbehaves_loses_and_the_match_goes_on(
    capsys: pytest.CaptureFixture[str], fault: str, termination: str, words: str
) -> None:
    bad = fake("Bad", "--fault", fault)
    games, standings = played(capsys, *GOOD, "tc=60", *bad, "tc=0.3", "--games", "2")
    assert [(game["result"], game["points"], game["termination"]) for game in games] == [
        ("G0.0", 1.0, termination),
        ("-G0.0", 0.0, termination),
    ]
    assert [game["ending"] for game in games] == [f"Black {words}", f"White {words}"]
    assert [(line["player"], line["score"], line["forfeits"]) for line in standings["table"]] == [
        ("Good", 2, 0),
        ("Bad", 0, 2),
    ]


def test_silence_without_a_clock(capsys: pytest.CaptureFixture[str]) -> None:
    games, _ = played(
        capsys, *GOOD, *fake("Bad", "--fault", "hang"), "--each", "nodes=1", "--patience", "0.5", "--games", "1"
    )
    assert games[0]["termination"] == "stalled connection"


def test_odd_lines_are_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    games, standings = played(
        capsys, *GOOD, *fake("Odd", "--fault", "chatter"), "--each", "tc=5+1", "--max-moves", "4", "--games", "2"
    )
    assert {game["termination"] for game in games} == {"adjudication"}
    assert {game["ending"] for game in games} == {"adjudication: move limit"}
    assert {line["forfeits"] for line in standings["table"]} == {0}


def test_an_engine_that_never_starts(capsys: pytest.CaptureFixture[str]) -> None:
    code, words = complaint(capsys, *GOOD, "--engine", f"cmd={sys.executable} -c pass", "--each", "tc=1")
    assert code == 1
    assert "does not start" in words
    code, words = complaint(capsys, *GOOD, *fake("Bad"), "option.Cache=7", "--each", "tc=1")
    assert code == 2
    assert "does not support option Cache" in words
    code, words = complaint(capsys, *GOOD, *fake("Bad"), "option.hash=99", "--each", "tc=1")
    assert code == 2
    assert "at most 8" in words


def test_an_engine_that_never_says_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    for command in ("sleep 60", "cat", "yes"):
        words = ["--engine", f"cmd={command}", "name=Dumb", "start=0.5", *fake("Good"), "--each", "tc=1"]
        code, said = complaint(capsys, *words)
        assert (code, said) == (1, "tbgen: Dumb does not start: no answer to 'uci' or 'isready' in 0.5 seconds\n")
    assert time.monotonic() - began < 20


def test_an_engine_may_take_its_time(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["match", *GOOD, *fake("Late", "--late", "6"), "--each", "tc=5", "--max-moves", "1"]) == 0
    captured = capsys.readouterr()
    assert "tbgen: Late is starting: 5 s so far, of 60 s (start=S allows more)" in captured.err
    assert "2 of 2 games" in captured.out


def test_one_that_does_not_start_again_loses_and_the_match_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    births = str(tmp_path / "births")
    mortal = fake("Mortal", "--fault", "crash", "--at", "1", "--lives", "2", "--births", births)
    words = [*GOOD, *mortal, "start=3", *fake("Other", "--seed", "2"), "--each", "tc=5", "--max-moves", "1"]
    games, standings = played(capsys, *words, "--games", "4")
    assert len(games) == 12
    lost = [game for game in games if "Mortal" in (game["white"], game["black"])]
    assert {game["termination"] for game in lost} == {"abandoned"}
    assert any("does not start: " in game["ending"] and "no more lives" in game["ending"] for game in lost)
    assert [line["player"] for line in standings["table"]][-1] == "Mortal"


def test_a_game_that_nobody_can_play_is_left_for_later(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, two = (
        fake(name, "--fault", "crash", "--at", "1", "--lives", "1", "--births", str(tmp_path / name))
        for name in ("One", "Two")
    )
    words = [*GOOD, *one, *two, "--each", "tc=5", "start=3", "--max-moves", "1", "--pgn", str(tmp_path / "m.pgn")]
    assert main(["match", "--json", *words]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    unplayed = [event for event in events if event["event"] == "unplayed"]
    assert [{event["white"], event["black"]} for event in unplayed] == [{"One", "Two"}] * 2
    assert events[-1]["games"] == 4
    for name in ("One", "Two"):
        (tmp_path / name).unlink()
    games, standings = played(capsys, *words)
    assert (len(games), standings["games"]) == (2, 6)


@pytest.mark.parametrize("fault", ["long", "flood", "noise"])
def test_no_output_holds_up_another_game(capsys: pytest.CaptureFixture[str], tmp_path: Path, fault: str) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n" * 4)
    words = [*fake("Loud", "--fault", fault), "tc=20", *fake("A"), *fake("B"), "--each", "tc=3+0.2", "margin=0.5"]
    words += ["--concurrency", "3", "--max-moves", "8", "--openings", str(book), "--games", "2"]
    games, standings = played(capsys, *words)
    assert len(games) == 6
    assert {line["player"]: line["forfeits"] for line in standings["table"]} == {"Loud": 0, "A": 0, "B": 0}


@pytest.mark.full
def test_a_tournament_with_all_that_misbehave(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = engines(tmp_path / "births")
    assert len(bad) == 24
    words = [*GOOD, "tc=60"]
    for name, (command, _) in bad.items():
        words += ["--engine", f"cmd={command}", f"name={name}", "start=2"]
    words += ["--each", "tc=1", "--format", "gauntlet", "--max-moves", "4", "--concurrency", "2", "--scoring", "winner"]
    games, standings = played(capsys, *words, "--cutoff", "G0.5")
    assert len(games) == 48
    forfeits = {line["player"]: line["forfeits"] for line in standings["table"]}
    assert forfeits == {"Good": 0, **{name: 2 if loses else 0 for name, (_, loses) in bad.items()}}


def test_processes_that_are_killed_are_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    births = tmp_path / "births"
    assassin = tmp_path / "assassin"
    assassin.write_text(
        f"#!/bin/sh\nif [ -e {births} ]; then exec {shlex.join([sys.executable, str(FAKE)])}; fi\n"
        f"touch {births}; kill -9 $PPID\n"
    )
    assassin.chmod(0o755)
    words = [*GOOD, "--engine", f"cmd={assassin}", "name=Assassin", "--each", "tc=5", "--max-moves", "1"]
    assert main(["match", "--json", *words]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0] == {"event": "note", "note": "a process that had a game played was ended from outside"}
    assert events[-1]["games"] == 2


def test_openings_that_an_engine_cannot_play(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/8/1K1R4 w D - 0 1\n")
    code, words = complaint(capsys, *GOOD, *fake("Other"), "--each", "tc=1", "--openings", str(book))
    assert (code, words) == (2, "tbgen: Good does not play Chess960, as openings ask for\n")


def test_the_games_as_pgn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0\n")
    pgn = tmp_path / "games.pgn"
    heard = tmp_path / "heard"
    games, _ = played(
        capsys, *GOOD, "tc=5+0.1", *fake('B"b', "--heard", str(heard)), "tc=40/9", "option.Style=wild",
        "--openings", str(book), "--rounds", "2", "--max-moves", "30", "--pgn", str(pgn), "--event", "An event",
        "--rules-set", "C", "--fifty", "classic",
    )  # fmt: skip
    texts = pgn.read_text().strip().split("\n\n")
    for game, section, moves in zip(games, texts[0::2], texts[1::2], strict=True):
        headers = TagSection(section.encode()).headers
        assert headers["Event"] == "An event"
        assert headers["Round"] == game["round"]
        assert {headers["White"], headers["Black"]} == {"Good", 'B"b'}
        assert {headers["WhiteTimeControl"], headers["BlackTimeControl"]} == {"5+0.1", "40/9"}
        assert headers["PlyCount"] == str(game["plies"])
        tags = read_tags(headers)
        assert tags.result == outcome.parse(game["result"])
        assert tags.scoring == "Exponential"
        assert headers["RMobilityTermination"] == "played"
        assert max(map(len, moves.splitlines())) <= 100
    with pgn.open() as file:
        first = chess.pgn.read_game(file)
    assert first is not None
    assert not first.errors
    assert first.end().ply() - first.ply() == games[0]["plies"]
    assert '[FEN "8/4n3/8/4k3/8/8/8/K6R w - - 7 30"]\n[RMobilityRecord "G3.0"]\n' in texts[4]
    assert '[RMobilityRuleSet "C"]\n[RMobilityFifty "classic"]\n' in texts[4]
    colour = "White" if '[White "B' in texts[4] else "Black"
    assert f'[{colour}Options "Style=wild"]\n' in texts[4]
    with pgn.open() as file:
        while (found := chess.pgn.read_game(file)) is not None:
            assert not found.errors
            assert found.board().is_valid()
    said = heard.read_text().splitlines()
    assert "setoption name Style value wild" in said
    assert any(line.startswith("position fen 8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0") for line in said)
    assert any("movestogo 39" in line for line in said)
    assert said.count("ucinewgame") == 4


def test_the_record_is_told_to_those_who_want_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0\n")
    heard = tmp_path / "heard"
    played(
        capsys, *GOOD, *fake("Plain", "--heard", str(heard)), "record=no", "--each", "tc=5",
        "--openings", str(book), "--games", "1", "--max-moves", "2",
    )  # fmt: skip
    said = [line for line in heard.read_text().splitlines() if line.startswith("position")]
    assert said[0].startswith("position fen 8/4n3/8/4k3/8/8/8/K6R w - - 7 30 moves ")


def test_tables_end_games(capsys: pytest.CaptureFixture[str], tmp_path: Path, small_tables: Path) -> None:
    tables = small_tables
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n8/8/8/4KBk1/8/8/8/8 b - - 0 1\n8/8/8/8/8/4k3/8/KQ6 w - -\n8/4n3/8/4k3/8/8/8/K6R w - -\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book), "--max-moves", "1"]
    words += ["--games", "7", "--tables", str(tables)]
    games, standings = played(capsys, *words)
    assert [(game["result"], game.get("dtg"), game["plies"]) for game in games[:6]] == [
        ("G0.0", 29, 0), ("G0.0", 29, 0), ("G1.5", 4, 0), ("G1.5", 4, 0), ("G0.0", 13, 0), ("G0.0", 13, 0)
    ]  # fmt: skip
    assert "dtg" not in games[6]
    assert sum(standings["missing"].values()) > 0
    games, _ = played(capsys, *words, "--rules-set", "C")
    assert [game.get("dtg") for game in games[:6]] == [29, 29, None, None, 13, 13]


@pytest.mark.parametrize(
    ("score", "rule", "ending", "result", "basis"),
    [
        ("-700", ["--resign", "movecount=3", "score=600"], "White resigns by the scores", "0-1", "awarded"),
        ("0", ["--draw", "movenumber=0", "movecount=3", "score=20"], "draw rule: draw 20", "1/2-1/2", "played"),
    ],
)
def test_scores_end_games(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    score: str,
    rule: list[str],
    ending: str,
    result: str,
    basis: str,
) -> None:
    pgn, book = tmp_path / "m.pgn", tmp_path / "book.epd"
    book.write_text(f"{KRK}\n")
    words = [*fake("A", "--score", score), *fake("B", "--score", "0"), "--each", "tc=5", "--openings", str(book)]
    games, _ = played(capsys, *words, *rule, "--games", "1", "--pgn", str(pgn))
    assert (games[0]["ending"].startswith(ending), games[0]["plies"] < 8) == (True, True)
    headers = TagSection(pgn.read_bytes()).headers
    assert (headers["Result"], headers["RMobilityTermination"]) == (result, basis)
    assert (headers["Termination"], headers["TerminationDetails"]) == ("adjudication", games[0]["ending"])
    assert headers["RMobilityAdjudication"].startswith(rule[0].removeprefix("--"))
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == pgn.read_bytes()


def test_a_komi_from_the_opening(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(f'[Event "a"]\n[Komi "-G0.75"]\n[FEN "{KRK} 0 1"]\n\n*\n')
    pgn = tmp_path / "games.pgn"
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book), "--max-moves", "1", "--games", "1"]
    words += ["--scoring", "komi", "--pgn", str(pgn)]
    games, standings = played(capsys, *words)
    assert games[0]["points"] == 1.0
    assert '[Komi "-G0.75"]' in pgn.read_text()
    again, standings_again = played(capsys, *words)
    assert again == []
    assert standings_again == standings
    games, _ = played(capsys, *words[:-2], "--komi", "G0.75")
    assert games[0]["points"] == 0.0


def test_a_match_goes_on_where_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--max-moves", "2", "--pgn", str(pgn)]
    first, _ = played(capsys, *words, "--games", "3", "--concurrency", "2")
    assert sorted(game["round"] for game in first) == ["1.1", "1.2", "2.1"]
    before = pgn.read_text()
    pgn.write_text(before[: before.rindex("RMobility")])
    second, standings = played(capsys, *words, "--games", "6")
    assert [game["round"] for game in second] == [first[-1]["round"], *(r for r in ("2.2", "3.1", "3.2"))]
    assert standings["games"] == 6
    assert pgn.read_text().startswith(before[: before.rindex("[Event")])
    code, words_said = complaint(capsys, *words, "--games", "2")
    assert code == 2
    assert "another match" in words_said
    code, words_said = complaint(capsys, *fake("New"), *fake("Other"), *words[6:], "--games", "6")
    assert (code, "another match" in words_said) == (2, True)


def test_what_is_read_is_never_written_to(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n")
    (tmp_path / "link").symlink_to(book)
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book)]
    for more in (["--pgn", str(book)], ["--log", str(tmp_path / "link")]):
        code, said = complaint(capsys, *words, *more)
        assert (code, "name the same file" in said) == (2, True)
    code, said = complaint(capsys, *words, "--pgn", f"{tmp_path}/a", "--log", f"{tmp_path}/../{tmp_path.name}/a")
    assert (code, "name the same file" in said) == (2, True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["book.epd", "link"]
    assert book.read_text() == f"{KRK}\n"


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (["--rules", "wg"], "RMobilityRules is r there, and is wg here"),
        (["--rules-set", "C"], "RMobilityRuleSet is W there, and is C here"),
        (["--fifty", "ignored"], "RMobilityFifty is classic there, and is ignored here"),
        (["--scoring", "winner"], "RMobilityScoring is Exponential there, and is RMobility Winner here"),
        (["--max-moves", "9"], "RMobilityAdjudication is 1 moves there, and is 9 moves here"),
        (["--each", "tc=6"], "TimeControl is 5 there, and is 6 here"),
        (["--each", "tc=5", "option.Hash=2"], "WhiteOptions is missing there, and is Hash=2 here"),
        (["--openings", "BOOK"], "RMobilityOpenings is missing there, and is sha256 "),
    ],
)
def test_a_match_goes_on_under_its_own_conditions_only(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, other: list[str], difference: str
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "games.pgn"
    book.write_text(f"{KRK}\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--max-moves", "1", "--pgn", str(pgn)]
    played(capsys, *words, "--games", "1")
    before = pgn.read_bytes()
    other = [str(book) if word == "BOOK" else word for word in other]
    code, said = complaint(capsys, *words, "--games", "2", *other)
    assert (code, "under other conditions" in said, difference in said) == (2, True, True), said
    assert pgn.read_bytes() == before


def test_adjudicate_obeys_the_conditions_of_a_match(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    book = tmp_path / "book.epd"
    book.write_text("8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--max-moves", "6", "--pgn", str(pgn), "--games", "2"]
    words += ["--rules", "wg", "--rules-set", "C", "--fifty", "ignored", "--scoring", "komi", "--komi", "-G4.25"]
    played(capsys, *words, "--openings", str(book))
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == pgn.read_bytes()


def test_openings_are_not_repeated_unasked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n8/8/8/4k3/8/8/8/K6R w - - 0 2\n")
    words = [*fake("A"), *fake("B"), "--each", "tc=5", "restart=on", "--openings", str(book), "--rounds", "3"]
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
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book), "--max-moves", "1", "--rounds", "2"]
    words += ["--scoring", "komi", "--no-swap", "--pgn", str(tmp_path / "m.pgn")]
    played(capsys, *words, "--default-komi", "G1.25")
    text = (tmp_path / "m.pgn").read_text()
    assert ('[Komi "-G0.75"]' in text, '[Komi "G1.25"]' in text) == (True, True)


def test_a_sequential_test_stops_the_match(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*GOOD, *fake("Bad", "--fault", "none", "--at", "1", "--after", "1"), "--each", "tc=5", "--rounds", "500"]
    words += ["--sprt", "elo0=0", "elo1=300", "alpha=0.2", "beta=0.2", "--max-moves", "1", "--scoring", "full"]
    words += ["--pgn", str(tmp_path / "games.pgn"), "--concurrency", "2"]
    games, standings = played(capsys, *words)
    assert len(games) < 500
    assert standings["sprt"]["verdict"] == "H1 accepted"
    assert played(capsys, *words)[0] == []


def test_a_page_to_watch(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn, page = tmp_path / "m.pgn", tmp_path / "m.html"
    words = [*GOOD, *fake("<b>Bad</b>", "--fault", "confess"), "--each", "tc=5", "--max-moves", "3", "--games"]
    found = []
    for games in ("2", "4"):
        played(capsys, *words, games, "--pgn", str(pgn), "--page", str(page))
        text = page.read_text()
        assert text.count("<tr data-game=") == int(games)
        assert "<b>Bad" not in text
        assert "data-running" not in text
        (data,) = re.findall(r'id="data">(.*)</script>', text)
        found = json.loads(data)
    assert [game["title"][:3] for game in found] == ["1.1", "1.2", "2.1", "2.2"]
    with pgn.open() as file:
        for told in found:
            game = chess.pgn.read_game(file)
            assert game is not None
            assert told["moves"] == " ".join(move.uci() for move in game.mainline_moves())
    code, said = complaint(capsys, *words, "4", "--page", str(pgn))
    assert (code, "is not a page of a match" in said) == (2, True)


def test_the_table_comes_every_so_many_games(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("A"), *fake("B"), "--each", "tc=5", "--max-moves", "1", "--games", "2", "--every", "2"]
    assert main(["match", "--json", *words]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == [*["game", "game", "standings"] * 3, "end"]
    assert main(["match", *words]) == 0
    assert capsys.readouterr().out.count("by other scorings") == 4


@pytest.mark.parametrize("system", ["swiss", "knockout"])
def test_a_format_goes_on_where_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path, system: str) -> None:
    pgn = tmp_path / "m.pgn"
    words = [*fake("A", "--fault", "none", "--at", "1"), *GOOD, *fake("C"), *fake("D", "--fault", "none", "--at", "1")]
    words += ["--each", "tc=5", "--max-moves", "1", "--format", system, "--pgn", str(pgn), "--concurrency", "2"]
    words += ["--scoring", "classical"]
    games, standings = played(capsys, *words)
    whole = pgn.read_text()
    parts = whole.split("\n\n[Event")
    for count in (1, len(parts) - 1):
        pgn.write_text("\n\n[Event".join(parts[:count]) + "\n\n")
        rest, again = played(capsys, *words)
        assert len(rest) == len(games) - count
        assert [line["player"] for line in again["table"]] == [line["player"] for line in standings["table"]]


def test_what_a_game_says_of_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn, book, engines = tmp_path / "m.pgn", tmp_path / "book.pgn", tmp_path / "engines.json"
    book.write_text('[Event "a"]\n\n1. e4 c5 *\n')
    engines.write_text(json.dumps([{"name": name, "cmd": shlex.join([sys.executable, str(FAKE)])} for name in "AB"]))
    words = ["--engines", str(engines), "--each", "tc=5", "elo=3000", "--openings", str(book), "--max-moves", "2"]
    played(capsys, *words, "--games", "1", "--pgn", str(pgn), "--site", "Here", "--affinity")
    headers = TagSection(pgn.read_bytes()).headers
    assert (headers["Site"], headers["ECO"], headers["WhiteElo"]) == ("Here", "B20", "3000")
    assert headers["Opening"].startswith("Sicilian Defense")
    assert headers["WhiteEngine"] == headers["BlackEngine"] == "fake"
    assert headers["GameStartTime"] <= headers["GameEndTime"]


def test_more_games_at_a_time_than_processors(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("B"), "--each", "tc=5", "--max-moves", "1", "--concurrency", "1000"]
    assert main(["match", *words]) == 0
    assert "1000 games at a time on" in capsys.readouterr().err


def test_an_xboard_engine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n" * 4)
    board = [sys.executable, str(FAKE.parent / "fake_xboard.py")]
    words = [*fake("Uci"), "--engine", f"cmd={shlex.join(board)}", "proto=xboard", "name=Board"]
    words += ["--engine", f"cmd={shlex.join([*board, '--resign', '3'])}", "proto=xboard", "name=Meek"]
    words += ["--each", "tc=20", "--openings", str(book), "--max-moves", "5"]
    games, standings = played(capsys, *words)
    assert len(games) == 6
    assert {line["forfeits"] for line in standings["table"]} == {0}
    meek = [game for game in games if "Meek" in (game["white"], game["black"])]
    assert {game["ending"].partition(" ")[2] for game in meek} == {"resigns"}
    assert {game["plies"] for game in games if game not in meek} == {10}


def test_another_process_for_every_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    births = tmp_path / "births"
    words = [*fake("A", "--births", str(births), "--lives", "99"), "restart=yes", *GOOD, "--each", "tc=5"]
    played(capsys, *words, "--max-moves", "1", "--games", "4")
    assert len(births.read_text()) == 4


def test_pondering(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    words = [*fake("A", "--heard", str(heard)), "ponder=yes", *GOOD, "--each", "tc=5", "--max-moves", "6"]
    _, standings = played(capsys, *words)
    assert "setoption name Ponder value true" in heard.read_text()
    assert {line["forfeits"] for line in standings["table"]} == {0}


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("Bad", "--fault", "none"), *fake("Worse", "--fault", "crash", "--at", "1"), "--each", "tc=9"]
    assert main(["match", *words, "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert "1.1  Good - Bad  G0.0  1.0000 - 0.0000  Black gives no move, " in out
    assert "forfeits" in out
    assert main(["match", *words[:-5], "--each", "tc=9", "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert "2 of 2 games  Good 1.0000  Elo +inf" in out
    assert main(["match", "--quiet", *words[:-5], "--each", "tc=9", "--games", "2"]) == 0
    assert "of 2 games" not in capsys.readouterr().out


def test_bad_command_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [],
        GOOD,
        [*GOOD, *fake("B")],
        [*GOOD, *fake("B"), "--each", "tc=1", "--games", "0"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--games", "1", "--rounds", "1"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--rules-set", "X"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--format", "gauntlet", "--seeds", "2"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--affinity", "0-99999"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--syzygy", "/nowhere"],
        [*GOOD, *fake("B"), "--each", "tc=1", "proto=arena"],
        [*GOOD, *fake("B"), "--each", "tc=1", "start=0"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--concurrency", "-1"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--patience", "nan"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--tables", "/nowhere"],
        [*GOOD, *fake("B"), *fake("C"), "--each", "tc=1", "--sprt", "elo0=0"],
    ):
        code, said = complaint(capsys, *words)
        assert code == 2, words
        assert said.count("\n") == 1
    code, said = complaint(capsys, *GOOD, *fake("B"), "--each", "tc=1", "--openings", "/nowhere/book.epd")
    assert (code, "/nowhere/book.epd" in said) == (1, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_cleanly(capsys: pytest.CaptureFixture[str], tmp_path: Path, how: signal.Signals) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*fake("A", "--seed", "1"), *fake("B", "--fault", "hang", "--at", "3"), "--each", "tc=600"]
    words += ["--openings", str(tmp_path / "book.epd"), "--max-moves", "5", "--games", "2", "--pgn", str(pgn)]
    (tmp_path / "book.epd").write_text(f"{KRK}\n")
    log = tmp_path / "log"
    process = subprocess.Popen(
        [sys.executable, "-m", "tbgen", "match", *words, "--log", str(log)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until and not (log.exists() and log.read_text().count("<< go") >= 6):
        time.sleep(0.05)
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "tbgen: interrupted\n"
    assert out == ""
    assert pgn.read_text() == ""
    engines = {line.partition("pid=")[2].partition(")")[0] for line in log.read_text().splitlines() if "pid=" in line}
    assert len(engines) == 2
    assert not any(Path(f"/proc/{pid}/cmdline").exists() and b"fake" in Path(f"/proc/{pid}/cmdline").read_bytes()
                   for pid in engines)  # fmt: skip
    games, _ = played(capsys, *[word.replace("hang", "chatter") for word in words])
    assert len(games) == 2


@pytest.mark.skipif(STOCKFISH is None, reason="needs Stockfish")
def test_stockfish(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    engines = ["--engine", "cmd=stockfish", "name=SF", "--engine", "cmd=stockfish", "name=Small", "option.Hash=1"]
    pgn = tmp_path / "games.pgn"
    games, standings = played(
        capsys, *engines, "--each", "tc=5+0.5", "nodes=300", "--games", "2", "--max-moves", "20", "--pgn", str(pgn)
    )
    assert len(games) == 2
    assert not any(line["forfeits"] for line in standings["table"])
    with pgn.open() as file:
        assert chess.pgn.read_game(file) is not None
