"""`tbgen match` with engines that do not behave: they lose, and the match goes on."""

import asyncio
import errno
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import chess
import pytest

from tbgen.cli.main import main
from tbgen.errors import OutOfRoom
from tbgen.referee.match import game_loop
from tbgen.referee.match.client import Client
from tbgen.referee.match.contestants import Contestant
from tbgen.referee.match.control import Control
from tbgen.referee.match.desks import Desks
from tests.support.matches import FAKE, GOOD, KRK, complaint, fake, played
from tests.support.misbehaving import engines
from tests.support.patience import PATIENCE


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
        ("unready", "time forfeit", "loses on time, without an answer to 'isready' after its last move"),
    ],
)
def test_who_misbehaves_loses_and_the_match_goes_on(
    capsys: pytest.CaptureFixture[str], fault: str, termination: str, words: str
) -> None:
    bad = fake("Bad", "--fault", fault)
    clock = {"loses on time": "tc=0.3"}.get(words, "tc=3" if fault == "unready" else "tc=60")
    games, standings = played(capsys, *GOOD, "tc=60", *bad, clock, "--games", "2")
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


@pytest.mark.parametrize("words", [["twice"], ["stale"], ["stale", "--pause", "0.02"], ["stale", "--at", "1"]])
def test_a_second_answer_is_for_nobody(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    bad = fake("Bad", "--fault", *words, "--seed", "3")
    games, standings = played(capsys, *GOOD, *bad, "--each", "tc=60", "--max-moves", "8", "--games", "2")
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
    for command in ("sleep 600", "cat", "yes"):
        words = ["--engine", f"cmd={command}", "name=Dumb", "start=0.5", *fake("Good"), "--each", "tc=1"]
        code, said = complaint(capsys, *words)
        assert (code, said) == (1, "tbgen: Dumb does not start: no answer to 'uci' or 'isready' in 0.5 seconds\n")
    assert time.monotonic() - began < PATIENCE


def test_an_engine_may_take_its_time(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["match", *GOOD, *fake("Late", "--late", "6"), "--each", "tc=60", "--max-moves", "1"]) == 0
    captured = capsys.readouterr()
    assert "tbgen: Late is starting: 5 s so far, of 60 s (start=S allows more)" in captured.err
    assert "2 of 2 games" in captured.out


def test_one_that_does_not_start_again_loses_and_the_match_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    births = str(tmp_path / "births")
    mortal = fake("Mortal", "--fault", "crash", "--at", "1", "--lives", "2", "--births", births)
    words = [*GOOD, *mortal, *fake("Other", "--seed", "2"), "--each", "tc=60", "--max-moves", "1"]
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
    words = [*GOOD, *one, *two, "--each", "tc=60", "--max-moves", "1", "--pgn", str(tmp_path / "m.pgn")]
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
    words = [*fake("Loud", "--fault", fault), "tc=60", *fake("A"), *fake("B"), "--each", "tc=3+0.2", "margin=0.5"]
    words += ["--concurrency", "3", "--max-moves", "8", "--openings", str(book), "--games", "2"]
    games, standings = played(capsys, *words)
    assert len(games) == 6
    assert {line["player"]: line["forfeits"] for line in standings["table"]} == {"Loud": 0, "A": 0, "B": 0}


@pytest.mark.full
def test_a_tournament_with_all_that_misbehave(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = engines(tmp_path / "births")
    assert len(bad) == 26
    words = [*GOOD, "tc=60"]
    for name, one in bad.items():
        # who loses on time does so soon; nobody else may, however busy the machine is
        words += ["--engine", f"cmd={one.command}", f"name={name}", *(["tc=1", "start=2"] if one.loses else ["tc=60"])]
    words += ["--format", "gauntlet", "--max-moves", "4", "--concurrency", "2", "--scoring", "winner"]
    games, standings = played(capsys, *words, "--cutoff", "G0.5")
    assert len(games) == 52
    forfeits = {line["player"]: line["forfeits"] for line in standings["table"]}
    expected = {"Good": 0, **{name: 2 if one.loses else 0 for name, one in bad.items()}}
    wrong = {name for name in expected if forfeits[name] != expected[name]}
    assert not wrong, [game for game in games if wrong & {game["white"], game["black"]}]


def test_processes_that_are_killed_are_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    births = tmp_path / "births"
    assassin = tmp_path / "assassin"
    assassin.write_text(
        f"#!/bin/sh\nif [ -e {births} ]; then exec {shlex.join([sys.executable, str(FAKE)])}; fi\n"
        f"touch {births}; kill -9 $PPID\n"
    )
    assassin.chmod(0o755)
    words = [*GOOD, "--engine", f"cmd={assassin}", "name=Assassin", "--each", "tc=60", "--max-moves", "1"]
    assert main(["match", "--json", *words]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0] == {"event": "note", "note": "a process that had a game played was ended from outside"}
    assert events[-1]["games"] == 2


def test_openings_that_an_engine_cannot_play(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/8/1K1R4 w D - 0 1\n")
    code, words = complaint(capsys, *GOOD, *fake("Other"), "--each", "tc=1", "--openings", str(book))
    assert (code, words[:67]) == (2, "tbgen: Good does not know UCI_Chess960, as this opening asks for: 4")


@pytest.mark.parametrize("fault", ["", "crash", "stubborn"])
def test_what_engines_have_started_goes_with_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, fault: str
) -> None:
    pids, host = tmp_path / "pids", tmp_path / "host"
    engine = shlex.join([sys.executable, str(FAKE), *(["--fault", fault, "--at", "1"] if fault else [])])
    host.write_text(
        f"#!/bin/sh\nsetsid sleep 600 & echo $! >> {pids}\nenv -i setsid sleep 600 & echo $! >> {pids}\n"
        f"(setsid sh -c 'sleep 600 & echo $! >> {pids}; wait' &)\nexec {engine}\n"
    )
    host.chmod(0o755)
    # what it has started holds its output open: the clock tells that it has crashed
    words = [*GOOD, "--engine", f"cmd={host}", "name=Host", "--each", "tc=5", "--max-moves", "2", "--games", "2"]
    assert main(["match", "--json", *words]) == 0
    assert len(pids.read_text().split()) >= 3
    assert [pid for pid in pids.read_text().split() if Path("/proc", pid).exists()] == []


def test_what_an_engine_leaves_whose_desk_is_killed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pids, host = tmp_path / "pids", tmp_path / "host"
    host.write_text(
        f"#!/bin/sh\nif [ -e {pids} ]; then exec {shlex.join([sys.executable, str(FAKE)])}; fi\n"
        f"setsid sleep 600 & echo $! > {pids}; kill -9 $PPID; sleep 600\n"
    )
    host.chmod(0o755)
    words = [*GOOD, "--engine", f"cmd={host}", "name=Host", "--each", "tc=60", "--max-moves", "1"]
    assert main(["match", "--json", *words]) == 0
    stat = Path("/proc", pids.read_text().strip(), "stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"  # nobody's but init's


def test_what_a_running_engine_has_started_is_let_alone() -> None:
    code = """if True:
        import os, subprocess
        from tbgen.referee.match import orphans

        orphans.adopt()
        call = ["sh", "-c", "setsid sleep 600 >&2 & echo $!"]
        environments = {"PATH": os.defpath}, orphans.marked("one"), orphans.marked("other")
        told = [subprocess.run(call, stdout=subprocess.PIPE, env=env).stdout for env in environments]
        orphans.RUNNING[4194305] = "other"
        while orphans.end():
            pass
        print(*(os.path.exists(f"/proc/{int(pid)}") for pid in told))
        del orphans.RUNNING[4194305]
        orphans.end()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE])
def test_a_machine_that_starts_no_more_processes_is_no_fault_of_an_engine(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its game would be lost, and written down as that."""

    async def popen(*words: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("tbgen.referee.match.client._PROTOCOLS", {"uci": SimpleNamespace(popen=popen)})
    monkeypatch.setattr("tbgen.referee.match.client._PAUSE", 0)
    clients = {
        colour: Client(Contestant(name, ("engine",), Control.parse({"tc": "1"})), "")
        for colour, name in ((chess.WHITE, "A"), (chess.BLACK, "B"))
    }
    with pytest.raises(OutOfRoom, match=r"^A cannot be started: .*; with fewer games at a time, the same command goes"):
        asyncio.run(game_loop._announce(clients, chess.Board(), None))


def test_who_interrupts_twice_leaves_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[tuple[str, float]] = []

    class Desk(SimpleNamespace):
        def end(self, patience: float) -> None:
            ended.append((self.name, patience))
            if len(ended) == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(Desks, "__init__", lambda self: None)
    desks = Desks()  # type: ignore[call-arg]
    desks._desks = [Desk(name=name, pipe=SimpleNamespace(close=lambda: None)) for name in "AB"]  # type: ignore[misc]
    with pytest.raises(KeyboardInterrupt):
        desks.close()
    assert ended == [("A", 5.0), ("B", 5.0), ("A", 0), ("B", 0)]
