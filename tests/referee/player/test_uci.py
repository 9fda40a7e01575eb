"""`tbgen uci`: the protocol, word by word, and the choice of moves."""

import io
import re
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.referee.player.uci import Uci, score
from tbgen.system.text import Line
from tests.support.patience import PATIENCE
from tests.support.places import ROOT
from tests.support.runs import BISHOP

ROOK = "8/8/8/4k3/8/8/8/K6R w - - 0 1"


class Talk:
    """An engine, and what it has said since it was asked last."""

    def __init__(self, tables: Path, rules: str = "r") -> None:
        self.said: list[str] = []
        self.uci = Uci(tables, rules, self.said.append)

    def __call__(self, *lines: str) -> list[str]:
        self.said.clear()
        for line in lines:
            assert self.uci.handle(line)
        return list(self.said)

    def best(self, *lines: str) -> str:
        [answer] = [line for line in self(*lines) if line.startswith("bestmove")]
        return answer.split()[1]


@pytest.fixture
def talk(small_tables: Path) -> Talk:
    return Talk(small_tables)


def test_the_session_in_the_documentation(talk: Talk) -> None:
    page = (ROOT / "docs" / "uci.md").read_text()
    [session] = re.findall(r"^```\n(\$ tbgen uci\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    _, position, go, *answer = session.splitlines()
    assert talk(position, go) == answer
    for centipawns, goal in re.findall(r"(\d+) for (a stalemate|G\d+\.\d)", page):
        assert score(outcome.parse(goal.replace("a stalemate", "G0.5")), 1) == f"cp {centipawns}"


def test_the_handshake(talk: Talk, small_tables: Path) -> None:
    said = talk("uci")
    assert said[0].startswith("id name tbgen ")
    assert f"option name Tables type string default {small_tables}" in said
    assert "option name Rules type combo default r var r var wg" in said
    assert said[-1] == "uciok"
    assert talk("isready") == ["readyok"]


def test_the_best_move_with_its_line(talk: Talk) -> None:
    assert talk(f"position fen {BISHOP}", "go wtime 1000 btime 1000 movestogo 5") == [
        "info string G-score G1.5 in 4 plies, record G3.5 (KBvK)",
        "info depth 4 score cp -89 pv g5h5 e5f4 h5h6 f4g4",
        "bestmove g5h5",
    ]


PERPETUAL = "position fen 6k1/6p1/8/7Q/8/8/rr6/7K w - - 10 60"


@pytest.mark.parametrize(
    ("moves", "best"), [("", "h5e8"), (" moves h5e8 g8h7", "e8h5"), (" moves h5e8 g8h7 e8h5 h7g8", "h5e8")]
)
def test_what_can_be_held_is_played(talk: Talk, moves: str, best: str) -> None:
    """Virtual pieces, 2002: engines can use such bounds. No table is there, and White is about to be mated."""
    said = talk(PERPETUAL + moves, "go")
    assert "info string holding: White is sure of G1.0, or better" in said
    assert said[-2:] == [f"info depth 1 pv {best}", f"bestmove {best}"]


def test_in_whole_games_and_among_other_moves_nothing_is_held(talk: Talk) -> None:
    assert not any("holding" in line for line in talk(PERPETUAL, "go searchmoves h5e5"))
    assert not any("holding" in line for line in talk("setoption name Rules value wg", PERPETUAL, "go"))


def test_what_the_50_move_rule_may_end_first(talk: Talk) -> None:
    late = (
        "info string The 50-move rule may come first: the halfmove clock is at 97 of 100, and the goal is 4 plies away."
    )
    assert talk(f"position fen {BISHOP.replace('0 1', '97 90')}", "go")[1] == late
    assert late not in talk(f"position fen {BISHOP.replace('0 1', '96 90')}", "go")


def test_one_ply(talk: Talk) -> None:
    assert talk(f"position fen {BISHOP} moves g5h5 e5f4 h5h6", "go")[0] == (
        "info string G-score G1.5 in 1 ply, record G2.5 (KBvK)"
    )


def test_the_record_comes_from_the_moves(talk: Talk) -> None:
    said = talk(f"position fen {BISHOP} moves g5h5 e5f4 h5h6 f4g4 h6g7 g4f4", "go")
    assert said[0] == "info string G-score G1.5 stands (KBvK)"


def test_the_record_comes_with_the_fen(talk: Talk) -> None:
    fen = "8/8/8/4KBk1/8/8/8/8 b - - 9 30 G1.0"
    assert talk(f"position fen {fen}", "go")[0] == "info string G-score G1.0 stands (KBvK)"
    assert talk("d") == [f"info string {fen}"]


def test_whole_game_mobility(small_tables: Path) -> None:
    talk = Talk(small_tables, "wg")
    assert talk("position fen 8/8/8/8/2k5/2B5/8/K7 b - - 0 1 G1.5", "go")[0] == (
        "info string G-score G1.5 stands (KBvK)"
    )
    talk("setoption name Rules value r")
    said = talk("position fen 8/8/8/8/2k5/2B5/8/K7 b - - 0 1 G1.5", "go")
    assert said[0] == (
        "info string the record G1.5 is left out: the halfmove clock is 0, so it is the position's own, G6.5"
    )
    assert said[1].startswith("info string G-score -G")


def test_the_position_is_read_again_by_other_rules(talk: Talk) -> None:
    fen = "8/8/8/8/2kB4/8/8/K7 b - - 5 9 G1.0"
    talk(f"position fen {fen} moves c4d4")
    assert talk("d") == ["info string 8/8/8/8/3k4/8/8/K7 w - - 0 10 -G3.5"]
    talk("setoption name Rules value wg")
    assert talk("d") == ["info string 8/8/8/8/3k4/8/8/K7 w - - 0 10 G1.0"]


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("7k/5K2/6R1/8/8/8/8/8 w - - 0 1", "mate 1"),
        ("7k/5K2/8/6R1/8/8/8/8 b - - 0 1", "mate -1"),
        ("8/8/8/8/8/8/8/K1k4r w - - 0 1", "mate -2"),
    ],
)
def test_mates(talk: Talk, fen: str, said: str) -> None:
    lines = talk(f"position fen {fen}", "go depth 3")
    assert f" score {said} " in lines[1]


def test_scores_fall_as_the_level_rises() -> None:
    words = [score(outcome.held_by_white(level), 9).split() for level in range(1, 18)]
    values = [int(value) for _, value in words]
    assert values == sorted(set(values), reverse=True)
    assert score(outcome.held_by_black(1), 3) == f"cp -{values[0]}"
    assert score(outcome.held_by_white(0), 29) == "mate 15"
    assert score(outcome.held_by_black(0), 28) == "mate -14"


@pytest.mark.parametrize("fen", ["7k/7Q/6K1/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"])
def test_no_move_after_the_end(talk: Talk, fen: str) -> None:
    assert talk(f"position fen {fen}", "go") == ["bestmove (none)"]
    assert talk("go infinite") == []
    assert talk("stop") == ["bestmove (none)"]


@pytest.mark.parametrize(("go", "release"), [("go infinite", "stop"), ("go ponder wtime 9", "ponderhit")])
def test_an_answer_that_has_to_wait(talk: Talk, go: str, release: str) -> None:
    said = talk(f"position fen {BISHOP}", go)
    assert said
    assert not any(line.startswith("bestmove") for line in said)
    assert talk(release) == ["bestmove g5h5"]
    assert talk(release) == []


def test_an_answer_that_was_not_waited_for(talk: Talk) -> None:
    talk(f"position fen {BISHOP}", "go infinite")
    said = talk("go")
    assert said[0] == said[-1] == "bestmove g5h5"


def test_searchmoves(talk: Talk) -> None:
    talk(f"position fen {BISHOP}")
    assert talk.best("go searchmoves g5h4 movetime 100") == "g5h4"
    assert talk.best("go wtime 5 searchmoves g5h6 g5h4 btime 5") in ("g5h6", "g5h4")
    assert talk.best("go searchmoves a1a2 rubbish") == "g5h5"


def test_several_lines(talk: Talk) -> None:
    talk("setoption name multipv value 3")
    said = talk(f"position fen {BISHOP}", "go")
    assert [line.split()[3:5] for line in said if " multipv " in line] == [["multipv", str(n)] for n in (1, 2, 3)]


def test_outside_the_tables(talk: Talk) -> None:
    said = talk("position startpos moves e2e4", "go")
    assert said[0].startswith("info string outside the tables, playing by men and record: too many men: 32")
    move = chess.Move.from_uci(said[-1].split()[1])
    assert move in chess.Board(chess.STARTING_FEN.replace(" w ", " b ")).legal_moves
    said = talk("position fen 8/8/8/8/8/k7/8/K2QRR1q w - - 0 1", "go")
    assert "outside the tables" in said[0]
    assert talk("position fen r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "go")[0].endswith("tables know no castling: "
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1")  # fmt: skip


@pytest.mark.usefixtures("no_bundle")
def test_no_tables_at_all(tmp_path: Path) -> None:
    talk = Talk(tmp_path / "nowhere")
    said = talk("isready", f"position fen {ROOK}", "go")
    assert said[0] == "readyok"
    assert "outside the tables" in said[1]
    assert said[-1].startswith("bestmove ")


def test_a_damaged_table(tmp_path: Path) -> None:
    (tmp_path / "KRvK.r.h5").write_bytes(b"no table")
    said = Talk(tmp_path)(f"position fen {ROOK}", "go")
    assert "outside the tables" in said[0]
    assert said[-1].startswith("bestmove ")


@pytest.mark.usefixtures("no_bundle")
def test_other_tables(talk: Talk, small_tables: Path, tmp_path: Path) -> None:
    assert "outside" in talk(f"setoption name Tables value {tmp_path}", f"position fen {ROOK}", "go")[0]
    assert "G0.0" in talk(f"setoption name Tables value {small_tables}", "go")[0]
    missing = tmp_path / "missing"
    assert talk(f"setoption name Tables value {missing}") == [
        f"info string there is no directory {missing}: only positions of two and three men can be answered"
    ]


WORDS = st.sampled_from(
    [
        *("uci", "isready", "position", "startpos", "fen", "moves", "go", "stop", "infinite", "searchmoves", "e2e4"),
        *("setoption", "name", "value", "Tables", "MultiPV", "Rules", "wg", "depth", "-1", "8/8/8/8/8/8/8/8", "w", "b"),
        *("-", "0", "1", "G1.5", "-G9", "0000", "e7e8x", "ponder", "ponderhit", "ucinewgame", "d", "debug", "register"),
        *("99999999999", "\x00", "\udcff", "é"),
    ]
)
LINES = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=60).filter(lambda t: "quit" not in t))


@given(st.lists(LINES, max_size=8))
@settings(max_examples=60)
def test_nothing_stops_it(lines: list[str]) -> None:
    talk = Talk(Path("/nowhere"))
    talk(*lines)
    assert talk("stop", "isready")[-1] == "readyok"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("position", "startpos or fen"),
        ("position fen 8/8/8 w", "not a FEN"),
        (f"position fen {ROOK.replace(' 0 1', ' 7 9')} G0.0", "cannot be the record"),
        ("position startpos moves e2e5", "illegal move e2e5"),
        ("position startpos moves 0000", "illegal move 0000"),
        ("setoption name Rules value x", "no such option or value"),
        ("setoption name MultiPV value many", "no such option or value"),
        ("setoption", "no such option or value"),
    ],
)
def test_complaints(talk: Talk, line: str, words: str) -> None:
    [said] = talk(line)
    assert said.startswith("info string ")
    assert words in said


NO_MOVE = ["info string the last position could not be read: send another", "bestmove 0000"]


@pytest.mark.parametrize("line", ["position fen rubbish", "position", f"position fen {BISHOP} moves g5h5 h5h7"])
def test_no_move_is_answered_for_a_position_that_could_not_be_read(talk: Talk, line: str) -> None:
    assert talk(f"position fen {BISHOP}", line, "go")[1:] == NO_MOVE
    assert talk("go infinite") == NO_MOVE[:1]
    assert talk("stop") == NO_MOVE[1:]
    assert talk("d") == NO_MOVE[:1]
    assert talk.best(f"position fen {BISHOP}", "joho go") == "g5h5"


def test_a_position_that_is_too_long_is_not_the_one_before(talk: Talk) -> None:
    talk(f"position fen {BISHOP}")
    talk.uci.run([Line("position startpos moves", whole=False), Line("go", whole=True)])
    assert talk.said[-2:] == NO_MOVE
    talk.uci.run([Line("setoption name Rules value wg", whole=True), Line("go", whole=True)])
    assert talk.said[-2:] == NO_MOVE


def test_quit_and_the_end_of_the_input(
    small_tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"isready\nquit\nisready\n")))
    assert main(["uci", "--tables", str(small_tables)]) == 0
    assert capsys.readouterr().out == "readyok\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"isready\ngo infinite")))
    assert main(["uci", "--tables", str(small_tables)]) == 0
    assert capsys.readouterr().out.startswith("readyok\n")


@pytest.mark.parametrize("yes", ["true", "True"])
def test_chess960(talk: Talk, yes: str) -> None:
    assert talk(f"setoption name UCI_Chess960 value {yes}") == []
    fen = "bnrqkbnr/pppppppp/8/8/8/8/PPPPPPPP/BNRQKBNR w HChc - 0 1"
    assert talk(f"position fen {fen} moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1", "d")[0].startswith(
        "info string bnrqk2r/"
    )


def test_under_a_client(small_tables: Path) -> None:
    with chess.engine.SimpleEngine.popen_uci(
        [sys.executable, "-m", "tbgen", "uci", "--tables", str(small_tables)], timeout=PATIENCE
    ) as engine:
        board = chess.Board(ROOK)
        while not board.is_game_over():
            played = engine.play(board, chess.engine.Limit(time=0.01), game=1, info=chess.engine.INFO_ALL)
            assert played.move is not None
            assert played.info["depth"] == 29 - board.ply()
            board.push(played.move)
        assert board.is_checkmate()
        lines = engine.analyse(chess.Board(BISHOP), chess.engine.Limit(depth=5), multipv=2)
        assert len(lines[0]["pv"]) == 4


def test_bytes_that_are_no_text() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tbgen", "uci"], input=b"\xff\xfe\x00 isready\nuci\n", capture_output=True, check=True
    )
    assert run.stdout.endswith(b"uciok\n")
    assert run.stderr == b""


def test_it_starts_fast() -> None:
    code = """
import sys
import tbgen.cli.main, tbgen.cli.uci, tbgen.referee.player.uci
heavy = {"numpy", "h5py", "numba", "rich"} & sys.modules.keys()
assert not heavy, f"imported: {heavy}"
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
