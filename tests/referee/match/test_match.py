"""What a match is made of: engines, clocks, openings, the schedule."""

import bz2
import gzip
import lzma
import struct
from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest
import zstandard

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.match.contestants import Contestant, contestants
from tbgen.referee.match.control import Clock, Control, limit
from tbgen.referee.match.eco import Name, name_of
from tbgen.referee.match.engine_file import read_engines
from tbgen.referee.match.openings import Openings
from tbgen.rules.rulesets import WG, W
from tbgen.rules.scoring import Komi

SH = "cmd=sh -c 'exec engine'"


def tc(words: str) -> Control:
    return Control.parse({"tc": words})


# Engines


def test_an_engine() -> None:
    one = Contestant.parse([SH, "name=X", "option.Move Overhead=5", "tc=1+0.5", "record=no"], ["option.Hash=8", "tc=9"])
    assert one.name == "X"
    assert one.command[1:] == ("-c", "exec engine")
    assert Path(one.command[0]).is_absolute()
    assert one.options == {"Hash": "8", "Move Overhead": "5"}
    assert one.control == Control(base=1.0, increment=0.5)
    assert not one.record


def test_names_are_unique() -> None:
    found = contestants([["cmd=sh"], ["cmd=sh"], ["cmd=sh", "name=sh 2"], ["cmd=sh"]], ["nodes=1"])
    assert [one.name for one in found] == ["sh", "sh 2", "sh 2 2", "sh 3"]


def test_in_a_directory_of_its_own() -> None:
    one = Contestant.parse(["cmd=./engine", "dir=/opt/x", "depth=3"])
    assert one.command == ("./engine",)
    assert one.directory == Path("/opt/x")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "needs a program"),
        (["cmd=sh"], "needs a limit"),
        (["cmd=no-such-program-anywhere", "nodes=1"], "no such program"),
        (["cmd=sh", "nodes=1", "book=x"], "nothing about an engine: book"),
        (["cmd=sh", "nodes"], "key=value"),
        (["cmd=sh", "nodes=1", "record=maybe"], "record=yes or record=no"),
        (["cmd=sh", "nodes=1", "name=a\nb"], "not printable"),
        (["cmd=sh", "nodes=many"], "nodes takes a number"),
        (["cmd=sh", "movetime=-1"], "movetime cannot be"),
        (["cmd=sh", "movetime=nan"], "movetime cannot be"),
        (["cmd=sh", "tc=fast"], "not a time control"),
        (["cmd=sh", "tc=0+1"], "no time to begin with"),
        (["cmd=sh", "tc=inf"], "needs a limit"),
    ],
)
def test_no_engine(words: list[str], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Contestant.parse(words)


def test_one_engine_is_no_match() -> None:
    with pytest.raises(BadInput, match="two engines"):
        contestants([["cmd=sh", "nodes=1"]])


# Clocks


@pytest.mark.parametrize(
    ("words", "control", "tag"),
    [
        ("60+0.6", Control(base=60.0, increment=0.6), "60+0.6"),
        ("40/15:00", Control(base=900.0, moves=40), "40/900"),
        ("1:30:00+30", Control(base=5400.0, increment=30.0), "5400+30"),
        ("0/5", Control(base=5.0), "5"),
        ("999:00:00", Control(base=3596400.0), "3596400"),
        ("1:00:00.1234+0.000001", Control(base=3600.1234, increment=0.000001), "3600.1234+0.000001"),
    ],
)
def test_time_controls(words: str, control: Control, tag: str) -> None:
    assert tc(words) == control
    assert str(control) == tag


def test_other_limits() -> None:
    control = Control.parse({"tc": "inf", "movetime": "0.5", "nodes": "100", "depth": "7"})
    assert control == Control(movetime=0.5, nodes=100, depth=7)
    assert str(control) == "0.5/move, 100 nodes, depth 7"


def test_a_clock_runs() -> None:
    clock = Clock(tc("2/10+1"))
    clock.spend(4)
    assert (clock.left, clock.to_go) == (7, 1)
    clock.spend(7.05)
    assert (clock.left, clock.to_go) == (11, 2)
    assert clock.allowed() == 11


def test_what_a_clock_allows() -> None:
    assert Clock(Control.parse({"tc": "9", "movetime": "2"})).allowed() == 2
    assert Clock(Control.parse({"nodes": "9"})).allowed() is None
    unmeasured = Clock(Control.parse({"nodes": "9"}))
    unmeasured.spend(100)
    assert unmeasured.left is None


def test_each_side_is_told_its_own() -> None:
    clocks = {chess.WHITE: Clock(tc("40/60+1")), chess.BLACK: Clock(Control.parse({"nodes": "9"}))}
    told = limit(clocks, chess.WHITE)
    assert (told.white_clock, told.black_clock, told.white_inc, told.remaining_moves) == (60, None, 1, 40)
    told = limit(clocks, chess.BLACK)
    assert (told.white_clock, told.nodes, told.remaining_moves) == (None, 9, None)


# Openings


def openings(path: Path, text: str, **options: object) -> Openings:
    path.write_text(text, encoding="utf-8")
    return Openings.read(path, W, **options)  # type: ignore[arg-type]


def test_openings_from_lines(tmp_path: Path) -> None:
    found = openings(
        tmp_path / "book.epd",
        "# three of them\n8/8/8/4k3/8/8/8/K6R w - -\n\n"
        'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "start"; hmvc 3;\n'
        "8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0\n",
    )
    assert len(found) == 3
    assert [found.opening(n).fen for n in range(4)] == [
        "8/8/8/4k3/8/8/8/K6R w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3 1",
        "8/4n3/8/4k3/8/8/8/K6R w - - 7 30",
        "8/8/8/4k3/8/8/8/K6R w - - 0 1",
    ]
    assert found.opening(2).record == outcome.parse("G3.0")
    assert found.opening(2).game(W).record.outcome == outcome.parse("G3.0")


def test_openings_from_pgn(tmp_path: Path) -> None:
    text = (
        '[Event "a"]\n[Result "1-0"]\n\n1. e4 {best} e5 (1... c5 2. Nf3) 2. Nf3 $1 1-0\n\n'
        '[Event "b"]\n[FEN "8/4n3/8/4k3/8/8/8/K6R w - - 7 30 G3.0"]\n[Komi "-G3.5"]\n\n1. Rh5+ *\n\n'
        '[Event "c"]\n\n1. d4 d5\n'
    )
    found = openings(tmp_path / "book.pgn", text)
    first, second, third = (found.opening(n) for n in range(3))
    assert [move.uci() for move in first.moves] == ["e2e4", "e7e5", "g1f3"]
    assert (first.fen, first.record) == (None, None)
    assert second.record == outcome.parse("G3.0")
    assert second.komi == Komi.parse("-G3.5")
    assert second.game(W).record.ply == 1
    assert len(third.moves) == 2
    assert len(openings(tmp_path / "book.pgn", text, plies=1).opening(0).moves) == 1
    assert len(openings(tmp_path / "book.pgn", text, plies=0).opening(0).moves) == 0


def test_a_random_order(tmp_path: Path) -> None:
    text = "".join(f"8/8/8/4k3/8/8/8/K6R w - - 0 {n}\n" for n in range(1, 41))
    path = tmp_path / "book.epd"
    orders = [[openings(path, text, order="random", seed=seed).opening(n).fen for n in range(40)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(map(str, orders[0])) == sorted(map(str, orders[2]))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.epd", "\n# nothing\n", "no openings in"),
        ("a.pgn", "\n\n", "no openings in"),
        ("a.pgn", "\ufeff\n", "no openings in"),
        ("a.pgn", "% nothing\n; at all\n", "no openings in"),
        ("a.bin", "", "no openings in"),
        ("a.bin", "not of sixteen bytes", r"not a polyglot book: .*a\.bin"),
        ("a.epd", "8/8/8/4k3/8/8/8/K6R w - -\n8/8/8 w - -\n", r"a\.epd:2: not a FEN"),
        ("a.epd", "8/8/8/4k3/8/8/8/K6R w - - id;\n8/8 w - - id 5;", r"a\.epd:2: not an EPD"),
        ("a.epd", "\n7k/7Q/6K1/8/8/8/8/8 b - -\n", r"a\.epd:2: an opening begins with the end of the game: mate"),
        ("a.pgn", '[Event "a"]\n\n1. e4 e4 *\n', r"a\.pgn:1: "),
        ("a.pgn", '[Event "a"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n', "an opening ends the game: mate after 4 plies"),
    ],
)
def test_no_openings(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        [openings(tmp_path / name, text).opening(number) for number in range(2)]


@pytest.mark.parametrize("name", ["a.epd", "a.pgn", "a.bin.gz"])
def test_openings_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("tbgen.referee.match.books._LARGEST", 1 << 20)
    data = {"a.epd": b"8\n", "a.pgn": b"1. e4 *\n\n", "a.bin.gz": bytes(16)}[name] * (1 << 17)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(BadInput, match="more than 1 MiB of openings"):
        Openings.read(tmp_path / name, W)


def test_a_record_in_whole_game_mobility(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text("8/4n3/8/4k3/8/8/8/K6R w - - 0 30 G3.0\n", encoding="utf-8")
    opening = Openings.read(path, W).opening(0)
    assert opening.record is None
    assert opening.fen == "8/4n3/8/4k3/8/8/8/K6R w - - 0 30"
    opening = Openings.read(path, WG).opening(0)
    assert opening.record == outcome.parse("G3.0")
    assert opening.fen == "8/4n3/8/4k3/8/8/8/K6R w - - 0 30"


PACKED = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


@pytest.mark.parametrize("suffix", PACKED)
def test_openings_may_be_packed(tmp_path: Path, suffix: str) -> None:
    for name, text in (("a.epd", "8/8/8/4k3/8/8/8/K6R w - -\n"), ("a.pgn", '[Event "a"]\n\n1. e4 e5 *\n')):
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(PACKED[suffix](text.encode()))
        found = Openings.read(path, W)
        assert len(found) == 1
        assert len(found.opening(0).moves) == (2 if name == "a.pgn" else 0)
        if suffix:
            path.write_bytes(path.read_bytes()[:-3])
            with pytest.raises(BadInput, match="cannot be unpacked"):
                Openings.read(path, W)


def polyglot(*lines: str) -> bytes:
    """A book of these lines; moves that begin more lines have more weight."""
    weights = Counter[tuple[int, int]]()
    for line in lines:
        board = chess.Board()
        for word in line.split():
            move = chess.Move.from_uci(word)
            weights[chess.polyglot.zobrist_hash(board), move.from_square << 6 | move.to_square] += 1
            board.push(move)
    return b"".join(struct.pack(">QHHI", *key, weight, 0) for key, weight in sorted(weights.items()))


@pytest.mark.parametrize("suffix", PACKED)
def test_openings_from_a_polyglot_book(tmp_path: Path, suffix: str) -> None:
    lines = ("e2e4 e7e5 g1f3", "e2e4 c7c5", "d2d4 d7d5 c2c4")
    path = tmp_path / f"book.bin{suffix}"
    path.write_bytes(PACKED[suffix](polyglot(*lines)))
    found = Openings.read(path, W, wanted=9, seed=4)
    ways = {" ".join(move.uci() for move in found.opening(n).moves) for n in range(len(found))}
    assert ways == set(lines)
    assert len(Openings.read(path, W, wanted=2)) == 2
    assert len(Openings.read(path, W, wanted=9, plies=1)) == 2
    again = Openings.read(path, W, wanted=9, seed=4)
    assert [found.opening(n).moves for n in range(3)] == [again.opening(n).moves for n in range(3)]


def test_the_first_opening(tmp_path: Path) -> None:
    text = "".join(f"8/8/8/4k3/8/8/8/K6R w - - 0 {n}\n" for n in range(1, 5))
    found = openings(tmp_path / "book.epd", text, start=3)
    assert [str(found.opening(n).fen)[-1] for n in range(4)] == ["3", "4", "1", "2"]
    with pytest.raises(BadInput, match=r"no opening 5: .* has 4"):
        openings(tmp_path / "book.epd", text, start=5)


def test_openings_of_chess960(tmp_path: Path) -> None:
    for name, text in (("a.epd", f"{chess.STARTING_FEN}\n"), ("a.pgn", "1. e4 *\n")):
        assert openings(tmp_path / name, text, chess960=True).opening(0).board.chess960
        assert openings(tmp_path / name, text, chess960=True).opening(0).fen == chess.STARTING_FEN
        assert not openings(tmp_path / name, text).opening(0).board.chess960
    assert Openings.none(W, chess960=True).opening(0).board.chess960


def test_whole_games_are_openings_as_far_as_plies_go(tmp_path: Path) -> None:
    text = '[Event "a"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 {a blunder} Qh4# 0-1\n'
    assert len(openings(tmp_path / "a.pgn", text, plies=3).opening(0).moves) == 3


def test_a_record_that_is_left_out_is_said(tmp_path: Path) -> None:
    found = openings(tmp_path / "a.epd", "8/4n3/8/4k3/8/8/8/K6R w - - 0 30 G3.0\n" * 5)
    assert found.notes() == []
    for number in range(5):
        found.opening(number)
    first, *_, last = found.notes()
    assert f"{tmp_path}/a.epd:1: the record G3.0 is left out" in first
    assert last.endswith("2 more records are left out")


# Engines from a file


def test_engines_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    path.write_text(
        """[{"name": "One", "cmd": "sh -c x", "options": {"Hash": 8, "Own Book": false}, "start": 300, "tc": "5+1"},
            {"cmd": "sh", "nodes": 7}]"""
    )
    found = contestants([], ["tc=1", "margin=2"], read_engines(path))
    assert [one.name for one in found] == ["One", "sh"]
    assert found[0].options == {"Hash": "8", "Own Book": "false"}
    assert (found[0].start, found[0].margin, found[0].control.base, found[1].control.nodes) == (300, 2, 5, 7)
    found = contestants([["conf=sh", "name=A"], ["conf=sh", "name=B", "option.Hash=2"]], ["tc=1"], read_engines(path))
    assert [(one.name, dict(one.options)) for one in found] == [("A", {}), ("B", {"Hash": "2"})]
    with pytest.raises(BadInput, match=r"no engine of this name .*: 'Two' \(there are: One, sh\)"):
        contestants([["conf=Two"], ["conf=sh"]], ["tc=1"], read_engines(path))


def test_the_file_of_another_program(tmp_path: Path) -> None:
    """As Cute Chess writes it."""
    path = tmp_path / "engines.json"
    path.write_text(
        """[{"command": "sh -c x", "name": "Uci", "protocol": "uci", "stderrFile": "", "variants": ["standard"],
             "timeoutScaleFactor": 1, "workingDirectory": "/tmp", "ponder": true, "restart": "on", "options": [
               {"alias": "", "default": 16, "max": 9, "min": 1, "name": "Hash", "type": "spin", "value": 64},
               {"default": false, "name": "Same", "type": "check", "value": false},
               {"default": false, "name": "Flag", "type": "check", "value": true},
               {"name": "Clear Hash", "type": "button", "value": null}]},
            {"command": "sh", "name": "Winboard", "protocol": "xboard", "restart": "auto", "workingDirectory": "",
             "initStrings": ["log", "level 3"]}]"""
    )
    uci, winboard = contestants([], ["tc=1"], read_engines(path))
    assert uci.options == {"Hash": "64", "Flag": "true"}
    assert (uci.directory, uci.ponder, uci.restart, uci.protocol) == (Path("/tmp"), True, True, "uci")
    assert (winboard.protocol, winboard.restart, winboard.setup) == ("xboard", False, ("log", "level 3"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("no", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('[{"cmd": " "}, {"cmd": "sh"}]', "an engine needs a program"),
        ('[{"cmd": "sh \\"x"}, {"cmd": "sh", "name": "B"}]', "no command line: No closing quotation"),
        ('[{"cmd": "sh", "initStrings": 5}]', "engine 1: initStrings is a list of texts"),
        ('[{"cmd": "sh", "name": "A\\nB"}, {"cmd": "sh"}]', "not printable"),
        ("{}", "has to be a list of engines"),
        ("[1]", "has to be a list of engines"),
        ('[{"name": {}}]', "engine 1: neither a text nor a number"),
        ('[{"cmd": "sh", "options": [1]}]', "engine 1: options are an object"),
        ('[{"cmd": "sh"}, {"cmd": "sh"}]', "two engines have the name 'sh'"),
    ],
)
def test_no_file_of_engines(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "engines.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=complaint):
        contestants([], ["tc=1"], read_engines(path))


# Names of openings


def test_openings_have_names() -> None:
    def named(line: str) -> Name | None:
        board = chess.Board()
        for word in line.split():
            board.push_san(word)
        return name_of(chess.Board(), board.move_stack)

    assert named("") is None
    assert named("e4 c5") == ("B20", "Sicilian Defense")
    assert named("d4 Nf6 c4 e6 Nf3 d5 Nc3") == named("c4 e6 Nc3 d5 d4 Nf6 Nf3")
