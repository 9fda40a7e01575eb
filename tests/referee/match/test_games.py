"""`tbgen match` with engines that behave: games, conditions, resuming."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.pgn
import pytest

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.tags import SCORING, result_of
from tests.support.matches import GOOD, KRK, STOCKFISH, complaint, fake, played
from tests.support.patience import PATIENCE


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
        assert result_of(headers) == outcome.parse(game["result"])
        assert headers[SCORING] == "Exponential"
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
        capsys, *GOOD, *fake("Plain", "--heard", str(heard)), "record=no", "--each", "tc=60",
        "--openings", str(book), "--games", "1", "--max-moves", "2",
    )  # fmt: skip
    said = [line for line in heard.read_text().splitlines() if line.startswith("position")]
    assert said[0].startswith("position fen 8/4n3/8/4k3/8/8/8/K6R w - - 7 30 moves ")


def test_tables_end_games(capsys: pytest.CaptureFixture[str], tmp_path: Path, small_tables: Path) -> None:
    tables = small_tables
    book = tmp_path / "book.epd"
    book.write_text(f"{KRK}\n8/8/8/4KBk1/8/8/8/8 b - - 0 1\n8/8/8/8/8/4k3/8/KQ6 w - -\n8/4n3/8/4k3/8/8/8/K6R w - -\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--openings", str(book), "--max-moves", "1"]
    words += ["--games", "7", "--tables", str(tables)]
    games, standings = played(capsys, *words)
    assert [(game["result"], game.get("dtg"), game["plies"]) for game in games[:6]] == [
        ("G0.0", 29, 0), ("G0.0", 29, 0), ("G1.5", 4, 0), ("G1.5", 4, 0), ("G0.0", 13, 0), ("G0.0", 13, 0)
    ]  # fmt: skip
    assert "dtg" not in games[6]
    assert not any(game["late"] for game in games[:6])
    assert sum(standings["missing"].values()) > 0
    games, _ = played(capsys, *words, "--rules-set", "C")
    assert [game.get("dtg") for game in games[:6]] == [29, 29, None, None, 13, 13]
    book.write_text("8/8/8/4KBk1/8/8/8/8 b - - 97 90\n")
    for more, late in (([], True), (["--fifty", "ignored"], False)):
        target = tmp_path / f"{late}.pgn"
        games, _ = played(capsys, *words[:-4], "--games", "1", "--tables", str(tables), "--pgn", str(target), *more)
        assert [(game["dtg"], game["late"]) for game in games] == [(4, late)]
        assert ('"tablebase, DTG 4, 50-move rule may come first"' in target.read_text()) is late


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
    words = [*fake("A", "--score", score), *fake("B", "--score", "0"), "--each", "tc=60", "--openings", str(book)]
    games, _ = played(capsys, *words, *rule, "--games", "1", "--pgn", str(pgn))
    assert (games[0]["ending"].startswith(ending), games[0]["plies"] < 8) == (True, True)
    headers = TagSection(pgn.read_bytes()).headers
    assert (headers["Result"], headers["RMobilityTermination"]) == (result, basis)
    assert (headers["Termination"], headers["TerminationDetails"]) == ("adjudication", games[0]["ending"])
    assert headers["RMobilityAdjudication"].startswith(rule[0].removeprefix("--"))
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == pgn.read_bytes()


def test_the_record_may_stand_in_the_fen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # "FENs (inputs and outputs) have an aditional accreted G-Score"
    book, pgn = tmp_path / "book.epd", tmp_path / "games.pgn"
    book.write_text(f"{KRK}\n8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book), "--max-moves", "1", "--no-swap"]
    words += ["--pgn", str(pgn)]
    played(capsys, *words, "--rounds", "1", "--reuse", "--record-in-fen")
    _, standings = played(capsys, *words, "--rounds", "2", "--record-in-fen")
    assert '[FEN "8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0"]\n' in pgn.read_text()
    assert pgn.read_text().count('[FEN "') == len(re.findall(r'\[FEN "[^"]* -?G\d+\.[05]"\]', pgn.read_text())) == 2
    assert played(capsys, *words, "--rounds", "2") == ([], standings)  # the switch does not make it another match


def test_a_komi_from_the_opening(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(f'[Event "a"]\n[Komi "-G0.75"]\n[FEN "{KRK} 0 1"]\n\n*\n')
    pgn = tmp_path / "games.pgn"
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--openings", str(book), "--max-moves", "1", "--games", "1"]
    words += ["--scoring", "komi", "--pgn", str(pgn)]
    games, standings = played(capsys, *words)
    assert games[0]["points"] == 1.0
    assert '[Komi "-G0.75"]' in pgn.read_text()
    again, standings_again = played(capsys, *words)
    assert again == []
    assert standings_again == standings
    games, _ = played(capsys, *words[:-2], "--komi", "G0.75")
    assert games[0]["points"] == 0.0


@pytest.mark.parametrize("scoring", ["exponential", "full"])
def test_a_komi_from_the_opening_is_kept_under_every_scoring(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, scoring: str
) -> None:
    # "The komi is read from the opening (only compatible with PGN files)"
    book, pgn = tmp_path / "book.pgn", tmp_path / "games.pgn"
    book.write_text(f'[Event "a"]\n[Komi "-G0.75"]\n[FEN "{KRK} 0 1"]\n\n*\n')
    words = [*GOOD, *fake("Other"), "--each", "tc=5", "--openings", str(book), "--max-moves", "1", "--games", "1"]
    words += ["--scoring", scoring, "--pgn", str(pgn)]
    games, standings = played(capsys, *words)
    assert games[0]["result"].startswith("G")  # so White wins, who would lose by G5.75
    assert standings["table"][0]["scorings"]["Komi"] == 1.0
    assert '[Komi "-G0.75"]' in pgn.read_text()
    assert played(capsys, *words) == ([], standings)
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == pgn.read_bytes()


def test_a_match_goes_on_where_it_was(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--max-moves", "2", "--pgn", str(pgn)]
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
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--openings", str(book)]
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
        (["--each", "tc=6"], "TimeControl is 60 there, and is 6 here"),
        (["--each", "tc=60", "option.Hash=2"], "WhiteOptions is missing there, and is Hash=2 here"),
        (["--openings", "BOOK"], "RMobilityOpenings is missing there, and is sha256 "),
    ],
)
def test_a_match_goes_on_under_its_own_conditions_only(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, other: list[str], difference: str
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "games.pgn"
    book.write_text(f"{KRK}\n")
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--max-moves", "1", "--pgn", str(pgn)]
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
    words = [*GOOD, *fake("Other"), "--each", "tc=60", "--max-moves", "6", "--pgn", str(pgn), "--games", "2"]
    words += ["--rules", "wg", "--rules-set", "C", "--fifty", "ignored", "--scoring", "komi", "--komi", "-G4.25"]
    played(capsys, *words, "--openings", str(book))
    assert main(["adjudicate", str(pgn), "-o", str(tmp_path / "again.pgn"), "--decide", "none"]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == pgn.read_bytes()


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("Bad", "--fault", "none"), *fake("Worse", "--fault", "crash", "--at", "1"), "--each", "tc=9"]
    assert main(["match", *words, "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert "1.1  Good - Bad  G0.0  1.0000 - 0.0000  Black gives no move, " in out
    assert "forfeits" in out
    assert main(["match", *words[:-5], "--each", "tc=9", "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert "2 of 2 games  Good 1.0000  no estimate of Elo  LOS" in out
    assert "inf" not in out
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
        [*GOOD, *fake("B"), "--each", "tc=1", "--sprt", "model=normalized", "--no-swap"],
        [*GOOD, *fake("B"), "--each", "tc=1", "--sprt", "model=logistic", "--games", "1"],
    ):
        code, said = complaint(capsys, *words)
        assert code == 2, words
        assert said.count("\n") == 1
    code, said = complaint(capsys, *GOOD, *fake("B"), "--each", "tc=1", "--affinity", "0,0")
    assert (code, "takes each processor once, not '0,0'" in said) == (2, True)
    code, said = complaint(capsys, *GOOD, *fake("B"), "--each", "tc=1", "--openings", "/nowhere/book.epd")
    assert (code, "/nowhere/book.epd" in said) == (1, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not (log.exists() and log.read_text().count("<< go") >= 6):
        time.sleep(0.05)
    process.send_signal(how)
    out, err = process.communicate(timeout=PATIENCE)
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
