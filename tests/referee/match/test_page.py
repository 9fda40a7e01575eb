"""The page of `tbgen match --page`: what lies there while games run, and afterwards."""

import asyncio
import errno
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import Mock

import chess
import chess.pgn
import chess.variant
import pytest
from chess.engine import Cp, InfoDict, PovScore

from tbgen.cli.main import main
from tbgen.referee.match import live
from tbgen.referee.match.contestants import Contestant
from tbgen.referee.match.control import Clock, Control
from tbgen.referee.match.live import Live, Running, Story
from tbgen.referee.match.ply import Ply
from tbgen.referee.match.standings import Standings
from tbgen.referee.match.xboard import XBoard
from tbgen.rules.ends import Game
from tbgen.rules.pgn.tags import TagSection
from tbgen.web.pages import match
from tbgen.web.pages.match import Page
from tests.support.matches import FAKE, GOOD, complaint, fake, played

BAD = "<b>Bad</b></script>"
Found = dict[str, Any]


def embedded(page: Path) -> list[Found]:
    """The state and the games that are in the page."""
    return [
        json.loads(found)
        for found in re.findall(r'<script type="application/json"[^>]*>(.*)</script>', page.read_text())
    ]


def boards(story: Found) -> list[str]:
    """The placements that the changed squares of each move lead to."""
    board = chess.BaseBoard(story["start"])
    found = [board.board_fen()]
    for made in story["moves"]:
        for name, sign in re.findall("([a-h][1-8])(.)", made[1]):
            board.set_piece_at(chess.parse_square(name), None if sign == "." else chess.Piece.from_symbol(sign))
        found.append(board.board_fen())
    return found


def test_a_finished_match_is_played_through(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn, page = tmp_path / "m.pgn", tmp_path / "m.html"
    words = [*GOOD, *fake(BAD, "--fault", "confess"), "--each", "tc=60", "--max-moves", "3", "--games"]
    for games in ("2", "4"):
        played(capsys, *words, games, "--pgn", str(pgn), "--page", str(page))
        state, stories = embedded(page)
        assert json.loads((tmp_path / "m.games" / "live.json").read_bytes()) == state
        assert (state["state"], state["running"], state["played"]) == ("over", [], int(games))
        assert BAD not in page.read_text()
        assert {name for row in state["games"] for name in (row["white"], row["black"])} == {"Good", BAD}
    assert [row["round"] for row in reversed(state["games"])] == ["1.1", "1.2", "2.1", "2.2"]
    assert len(list((tmp_path / "m.games").iterdir())) == 1 + 4
    with pgn.open() as file:
        for row in reversed(state["games"]):
            game = chess.pgn.read_game(file)
            assert game is not None
            told = json.loads((tmp_path / "m.games" / f"{row['file']}.json").read_bytes())
            assert told == stories[row["file"]]
            assert [made[0] for made in told["moves"]] == [node.san() for node in game.mainline()]
            assert boards(told) == [game.board().board_fen(), *(node.board().board_fen() for node in game.mainline())]
            assert all(made[4] == "+0.12/1" for made in told["moves"])


def test_a_story_is_the_same_from_the_game_and_from_its_pgn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    monkeypatch.setattr(Page, "add", lambda _, pgn, story: found.append((pgn, story)))
    book = tmp_path / "book.pgn"
    book.write_text('[Event "?"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 *\n')
    words = [*GOOD, *fake("B"), "--each", "tc=60", "--max-moves", "20", "--games", "2", "--openings", str(book)]
    played(capsys, *words, "--page", str(tmp_path / "m.html"))
    assert len(found) == 2
    for pgn, story in found:
        again = live.of_pgn(TagSection(pgn))
        assert [made[:6] for made in again["moves"]] == [list(made[:6]) for made in story["moves"]]
        assert [made[4:] for made in story["moves"][:3]] == [["", None, None]] * 3
        assert all(made[6] is not None for made in story["moves"][3:])


@pytest.mark.parametrize(
    ("board", "moves"),
    [
        (chess.Board(), "e4 Nf6 e5 d5 exd6 g6 dxc7 Bg7 cxb8=N O-O"),
        (chess.variant.AtomicBoard(), "Nf3 d5 Ne5 e6 Nxf7"),
        (chess.variant.CrazyhouseBoard(), "e4 d5 exd5 Qxd5 P@e4"),
        (chess.Board("4k3/8/8/8/8/8/8/RK6 w A - 0 1", chess960=True), "O-O-O"),
    ],
)
def test_changed_squares_make_every_move(board: chess.Board, moves: str) -> None:
    game = Game(board)
    wanted = [game.board.board_fen()]
    for words in moves.split():
        game.push_san(words)
        wanted.append(game.board.board_fen())
    assert boards(Story(game, game.record.ply).told([])) == wanted


def test_running_games_are_told_of(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Live] = []
    states: list[Found] = []
    folder = tmp_path / "m.games"
    write = Page._write

    def watch(place: Path, found: Found) -> None:
        write(place, found)
        if place.name == "live.json":
            states.append(json.loads(place.read_bytes()))
            for row in states[-1]["running"]:
                story = json.loads((folder / f"{row['file']}.json").read_bytes())
                assert boards(story)[row["plies"]] == row["placement"]

    follow = Page.follow
    monkeypatch.setattr(Page, "_write", staticmethod(watch))
    monkeypatch.setattr(Page, "follow", lambda self, event: (seen.append(event), follow(self, event))[1])
    monkeypatch.setattr(match, "_PAUSE", 0.0)
    slow = [*fake("Slow", "--fault", "slow", "--seconds", "2.5", "--at", "3", "--score", "-40"), "whitepov=yes"]
    played(capsys, *GOOD, *slow, "--each", "tc=9", "--max-moves", "4", "--page", str(tmp_path / "m.html"))
    pictures = [event for event in seen if isinstance(event, Live)]
    assert {picture.round for picture in pictures} == {"1.1", "1.2"}
    middle = [picture.brief for picture in pictures if picture.brief["plies"] in (4, 5)]
    assert middle
    for brief in middle:
        slower, quick = ("white", "black") if brief["white"]["name"] == "Slow" else ("black", "white")
        assert brief["turn"].lower() == slower
        assert (brief[slower]["since"] is None, brief[quick]["since"]) == (False, None)
        assert brief[slower]["left"] <= 9
        assert brief[quick]["said"] == "+0.12/1"
        assert brief[slower]["said"] == ("-0.40/1" if slower == "white" else "+0.40/1")
    assert [state["state"] for state in states][-1] == "over"
    assert any(state["running"] for state in states)
    assert len(list(folder.iterdir())) == 1 + 2, "what is over is told of once"


def test_engines_say_what_they_think_while_they_think(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('uci\\n'): print('uciok', flush=True)\n"
        "    if line.startswith('isready'): print('readyok', flush=True)\n"
        "    if line.startswith('go'):\n"
        "        print('info depth x score cp <i> pv e9e9', flush=True)\n"
        "        print('info depth 7 score mate 3 nodes 5 pv a2a3 a7a6 e9e9', flush=True)\n"
        "        time.sleep(2.5)\n"
        "        print('bestmove a2a3', flush=True)\n"
        "    if line.startswith('quit'): break\n"
    )
    seen: list[Live] = []
    monkeypatch.setattr(Page, "follow", lambda _, event: seen.append(event))
    book = tmp_path / "book.epd"
    book.write_text("4k3/p6p/8/8/8/8/P6P/4K3 w - -\n")
    words = ["--engine", f"cmd={sys.executable} {engine}", "name=Thinker", *GOOD, "--each", "tc=9", "--max-moves", "2"]
    words += ["--games", "1", "--no-swap", "--pgn-more", "pv", "--openings", str(book)]
    played(capsys, *words, "--page", str(tmp_path / "m.html"))
    told = [event.brief["white"] for event in seen if isinstance(event, Live) and event.brief["white"]["since"]]
    assert ("+M3/7", "1. a3 a6") in {(player["said"], player["line"]) for player in told}


class Quiet(NamedTuple):
    """An engine that says nothing while it thinks."""

    contestant: Contestant

    def thinks(self, board: chess.Board) -> InfoDict:
        return {}


def test_who_has_not_moved_yet_has_no_score() -> None:
    game, plies = Game(chess.Board()), list[Ply]()
    clients = {
        side: Quiet(Contestant(name, ("engine",), Control())) for side, name in ((True, "White"), (False, "Black"))
    }
    clocks = {side: Clock(Control()) for side in clients}
    running = Running(game, plies, clients, clocks)  # type: ignore[arg-type]
    scores = []
    for move, centipawns in (("", 0), ("e2e4", 31), ("e7e5", -12), ("g1f3", 40)):
        if move:
            score = PovScore(Cp(centipawns), game.board.turn)
            game.push(chess.Move.from_uci(move))
            plies.append(Ply(chess.Move.from_uci(move), 0.1, {"score": score, "depth": 9}, None))
        brief = running.picture("1.1").brief
        scores.append((brief["white"]["said"], brief["black"]["said"]))
    assert scores == [("", ""), ("+0.31/9", ""), ("+0.31/9", "-0.12/9"), ("+0.40/9", "-0.12/9")]


@pytest.mark.parametrize("end", ["move e2e4", "new"])
def test_an_engine_of_xboard_has_no_score_from_the_game_before(end: str) -> None:
    async def depths() -> tuple[int | None, int | None]:
        engine = XBoard()
        engine.transport = Mock()
        list(engine.choose([b"9 31 10 100 e2e4"]))
        before = engine.thinks(chess.Board())
        engine.send_line(end) if end == "new" else engine.line_received(end)
        return before.get("depth"), engine.thinks(chess.Board()).get("depth")

    assert asyncio.run(depths()) == (9, None)


def test_a_page_is_there_before_the_first_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "m.html"
    seen = tmp_path / "seen.html"
    watcher = tmp_path / "watcher"
    watcher.write_text(f"#!/bin/sh\n[ -e {seen} ] || cp {page} {seen}\nexec {sys.executable} {FAKE}\n")
    watcher.chmod(0o755)
    played(capsys, *GOOD, "--engine", f"cmd={watcher}", "--each", "tc=60", "--max-moves", "1", "--page", str(page))
    (before, _), (after, _) = embedded(seen), embedded(page)
    assert (before["told"], before["state"]) == ("0 of 2 games", "running")
    assert (after["told"].startswith("2 of 2 games"), after["state"]) == (True, "over")


def test_a_long_match_lists_its_last_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "_LISTED", 2)
    page = tmp_path / "m.html"
    played(capsys, *GOOD, *fake("B"), "--each", "tc=60", "--max-moves", "1", "--games", "6", "--page", str(page))
    state, stories = embedded(page)
    assert [row["round"] for row in state["games"]] == ["3.2", "3.1"]
    assert (state["played"], len(stories), len(list((tmp_path / "m.games").iterdir()))) == (6, 2, 1 + 2)


def test_only_a_page_of_a_match_is_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [*GOOD, *fake("B"), "--each", "tc=60", "--page"]
    other, page = tmp_path / "other.html", tmp_path / "m.html"
    other.write_text("mine")
    (tmp_path / "m.games").mkdir()
    (tmp_path / "m.games" / "live.json").write_text('{"my": "own"}')
    for path in (other, page):
        code, said = complaint(capsys, *words, str(path))
        assert (code, "is not a page of a match" in said) == (2, True)
    assert not page.exists()


def test_a_page_that_has_no_room_does_not_hide_the_standings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Page.write

    def full(self: Page, standings: Standings, games: int, *, running: bool) -> None:
        if standings.games:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        write(self, standings, games, running=running)

    monkeypatch.setattr(Page, "write", full)
    words = [*GOOD, *fake("B"), "--each", "tc=60", "--max-moves", "1", "--page", str(tmp_path / "m.html")]
    assert main(["match", *words]) == 6
    out, err = capsys.readouterr()
    assert "given minus suffered" in out
    assert err.count("\n") == 1
