"""Games of variants judged, told and played by engines."""

import os
import re
import shlex
import shutil
import sys
from io import StringIO
from pathlib import Path

import chess
import chess.pgn
import chess.variant
import pytest

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.rules.rulesets import W
from tbgen.rules.tags import begin
from tbgen.rules.variants import VARIANTS
from tests.support import plain_referee as plain
from tests.support.judged_games import game, judged, result
from tests.support.matches import FAKE, complaint, fake, played

NAMES = [variant.uci for variant in VARIANTS[1:]]
HILL = "7k/8/8/8/8/4K3/8/8 w - - 0 1"
ANY = ["--variants", ",".join(NAMES)]
FAIRY = shutil.which("fairy-stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")


def read(pgn: Path) -> list[chess.pgn.Game]:
    """The games of a file, as python-chess reads them, which takes the variant from the tag."""
    with pgn.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not any(game.errors for game in games)
    return games


def check(one: chess.pgn.Game) -> None:
    """The record that a game tells is that of a plain referee."""
    referee = plain.VariantReferee(one.board(), None, plain.W)
    for move in one.mainline_moves():
        assert referee.ending is None
        referee.push(move)
    score, white = referee.record
    told = outcome.held_by_white(score) if white else outcome.held_by_black(score)
    assert one.headers["RMobilityResult"] == outcome.text(told)
    assert (referee.ending is not None) == (one.headers["Termination"] == "normal")


@pytest.mark.parametrize("name", NAMES)
def test_a_match_is_judged_and_told_as_it_was_played(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pgn, judged_pgn, told = (tmp_path / f"{word}.pgn" for word in ("played", "judged", "told"))
    heard = tmp_path / "heard"
    engines = [*fake("A", *ANY, "--seed", "1", "--heard", str(heard)), *fake("B", *ANY, "--seed", "2")]
    words = [*engines, "--each", "tc=60", "--variant", name, "--games", "4", "--max-moves", "60", "--pgn", str(pgn)]
    games, standings = played(capsys, *words)
    assert len(games) == 4
    assert {line["forfeits"] for line in standings["table"]} == {0}
    said = heard.read_text().splitlines()
    assert said.index(f"setoption name UCI_Variant value {name}") < said.index("ucinewgame")
    for one in read(pgn):
        assert one.board().uci_variant == name
        check(one)
    assert main(["adjudicate", str(pgn), "-o", str(judged_pgn), "--quiet"]) == 0
    for before, after in zip(read(pgn), read(judged_pgn), strict=True):
        assert {**after.headers, "RMobilityTermination": ""} == {**before.headers, "RMobilityTermination": ""}
    assert main(["annotate", str(pgn), "-o", str(told), "--quiet"]) == 0
    for one in read(told):
        last = one.end().comment
        assert f"record {one.headers['RMobilityResult']}" in last
        assert "table" not in last


def test_openings_are_of_the_variant(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "games.pgn"
    book.write_text('k7/8/8/8/8/8/1R6/7K w - - 2+3 3 1 G2.0\nk7/8/8/8/8/8/1R6/7K w - - 1+3 id "x";\n')
    words = [*fake("A", *ANY), *fake("B", *ANY), "--each", "tc=60", "--rounds", "2", "--max-moves", "4"]
    played(capsys, *words, "--variant", "three-check", "--openings", str(book), "--pgn", str(pgn))
    first, _, third, _ = read(pgn)
    assert first.headers["FEN"] == "k7/8/8/8/8/8/1R6/7K w - - 2+3 3 1"
    assert first.headers["RMobilityRecord"] == "G2.0"
    assert third.headers["FEN"].startswith("k7/8/8/8/8/8/1R6/7K w - - 1+3")
    assert "Three-check" in first.headers["RMobilityOpenings"]
    games, _ = played(capsys, *words, "--variant", "3check", "--openings", str(book), "--pgn", str(pgn))
    assert games == []  # all have been played
    code, said = complaint(capsys, *words, "--openings", str(book), "--pgn", str(pgn))
    assert (code, said.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--variant", "suicide"], "invalid choice: 'suicide'"),
        (["--variant", "antichess", "--rules", "wg"], "no whole-game mobility in Antichess: a compulsory capture"),
        (["--variant", "atomic", "--tables", "."], "leave out --tables and --syzygy with --variant atomic"),
        (["--variant", "atomic", "--openings", "horde.pgn"], "an opening of Horde, which --variant horde plays"),
        (["--openings", "horde.pgn"], "an opening of Horde, which --variant horde plays"),
        (["--variant", "horde", "--openings", "book.bin"], "a polyglot book is of chess, not of Horde"),
        (["--variant", "crazyhouse", "--openings", "bad.epd"], "bad.epd:1: not a FEN"),
        (["--variant", "crazyhouse"], "Fake does not know UCI_Variant crazyhouse, as this opening asks for: "),
    ],
)
def test_what_is_no_match(
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("horde.pgn").write_text('[Variant "Horde"]\n\n1. e5 *\n')
    Path("book.bin").write_bytes(bytes(16))
    Path("bad.epd").write_text("7k/8/8/8/8/8/8/K7[X] w - - 0 1\n")
    engines = [*fake("Fake", "--variants", "atomic,horde"), *fake("B", *ANY), "--each", "tc=60"]
    try:
        code, said = complaint(capsys, *engines, *words)
    except SystemExit as error:
        code, said = int(str(error.code)), capsys.readouterr().err.splitlines(keepends=True)[-1]
    assert code == 2
    assert told in said
    assert said.count("\n") == 1


def test_an_xboard_engine_plays_variants_that_it_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board = [sys.executable, str(FAKE.with_name("fake_xboard.py"))]
    pgn = tmp_path / "games.pgn"
    for variants, name, code in ((",giveaway,crazyhouse", "antichess", 0), (",crazyhouse", "crazyhouse", 0)):
        command = shlex.join([*board, "--variants", variants])
        words = ["--engine", f"cmd={command}", "proto=xboard", "name=Board", *fake("B", *ANY), "--each", "tc=60"]
        games, _ = played(capsys, *words, "--variant", name, "--max-moves", "10", "--pgn", str(pgn), code=code)
        assert len(games) == 2
        assert {one.headers["Termination"] for one in read(pgn)} <= {"normal", "adjudication"}
        pgn.unlink()
    words = ["--engine", f"cmd={shlex.join(board)}", "proto=xboard", "name=Board", *fake("B", *ANY), "--each", "tc=60"]
    found = complaint(capsys, *words, "--variant", "atomic")
    assert found[0] == 2
    assert "Board does not know variant atomic, as this opening asks for" in found[1]


def test_tables_are_not_asked(small_tables: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fen = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"
    assert result(game("30... Kh5 1/2-1/2", FEN=fen, Variant="Three-check"))[1] == "played"
    pgn, out = tmp_path / "a.pgn", tmp_path / "b.pgn"
    data = game("30... Kh5 1/2-1/2", FEN=fen, Variant="Atomic")
    pgn.write_bytes(data + b"\n" + game("30... Kh5 1/2-1/2", FEN=fen))
    for words in (["annotate"], ["adjudicate", "--decide", "all"]):
        assert main([*words, str(pgn), "-o", str(out), "--tables", str(small_tables), "--quiet"]) == 0
        variant, usual = map(str, read(out))
        assert re.search("table G|DTG", variant) is None
        assert re.search("table G|DTG", usual)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (
            game("1. Ke4 Kg8 1-0", FEN=HILL, Variant="KOTH"),
            "a move after a king in the centre",
        ),
        (
            game("1. Ke4 1/2-1/2", FEN=HILL, Variant="KOTH"),
            "the board shows a king in the centre, but the result is 1/2-1/2",
        ),
        (
            game("1. exd5 1-0", FEN="8/8/8/3p4/4P3/8/8/8 w - - 0 1", Variant="Antichess"),
            "the board shows no move left, but the result is 1-0",
        ),
        (game("1. e4 d5 2. N@e5 *", Variant="Crazyhouse"), "no result"),
        (game("1. e4 d5 2. N@e5 1-0", Variant="Crazyhouse"), "illegal move: N@e5 (ply 3)"),
        (game("1. e4 1/2-1/2", Variant="Antichess", RMobilityRules="wg"), "no whole-game mobility in Antichess"),
    ],
)
def test_what_cannot_be_judged(data: bytes, fault: str) -> None:
    found = judged(data).fault
    assert found is not None
    assert fault in found.message


def test_a_finished_race_is_a_draw() -> None:
    data = game("1. Kg8 Ka8 1/2-1/2", FEN="8/k5K1/8/8/8/8/8/8 w - - 3 1 G2.0", Variant="Racing Kings")
    assert result(data) == ("G2.0", "played")


def test_tags_choose_the_board() -> None:
    for variant in VARIANTS:
        for name in (*variant.board.aliases, variant.uci):
            _, start = begin({"Variant": name}, W)
            assert type(start.board) is variant.board


@pytest.mark.skipif(FAIRY is None, reason="needs Fairy-Stockfish (scripts/programs installs it)")
@pytest.mark.parametrize("name", NAMES)
def test_fairy_stockfish(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = ["--engine", f"cmd={FAIRY}", "name=Fairy", *fake("Fake", *ANY), "--each", "tc=60", "--variant", name]
    words += ["--max-moves", "40", "--pgn", str(pgn)]
    code = main(["match", "--json", *words, "--each", "tc=60", "nodes=300"])
    said = capsys.readouterr()
    if code:  # Debian's is built without some of them
        assert f"Fairy does not know UCI_Variant {name}" in said.err
        pytest.skip(f"this Fairy-Stockfish does not play {name}")
    games = read(pgn)
    assert len(games) == 2
    for one in games:
        check(one)
        assert one.headers["Termination"] in ("normal", "adjudication")
    assert StringIO(said.err).readlines() == []
