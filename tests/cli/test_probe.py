"""`tbgen probe`: what it prints, how it ends."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tbgen._version import __version__
from tbgen.cli.fens import fens
from tbgen.cli.main import COMMANDS, main
from tbgen.errors import BadInput
from tbgen.probe import Result, Tablebase
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.terminal import in_terminal

ROOKS = "4k3/8/8/8/8/8/7r/R3K3 w - - 0 1"
LATER = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"


@pytest.fixture(autouse=True)
def tables(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_TABLES", str(small_tables))


def objects(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["probe", "--json", *words])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, [json.loads(line) for line in captured.out.splitlines()]


def failure(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    assert captured.err.startswith("tbgen: ")
    assert captured.err.count("\n") == 1
    return code, captured.err


def test_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = objects(capsys, BISHOP)
    assert code == 0
    assert found == [
        {
            "fen": BISHOP,
            "material": "KBvK",
            "gscore": "G1.5",
            "winner": "white",
            "dtg": 4,
            "exact": True,
            "record": "G3.5",
            "stands": False,
            "late": False,
        }
    ]


def test_what_the_50_move_rule_may_end_first(capsys: pytest.CaptureFixture[str]) -> None:
    """In words, too; a record that stands is never late."""
    for counters, late in (("96 90", False), ("97 90", True), ("97 90 G1.0", False)):
        fen = f"8/8/8/4KBk1/8/8/8/8 b - - {counters}"
        assert objects(capsys, fen)[1][0]["late"] is late
        assert main(["probe", fen]) == 0
        assert ("The 50-move rule may come first" in capsys.readouterr().out) is late


def test_moves_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, [found] = objects(capsys, BISHOP, "--moves", "--line")
    assert found["moves"][0] == {
        "uci": "g5h5", "san": "Kh5", "gscore": "G1.5", "dtg": 4, "reset": False, "record": "G3.5"
    }  # fmt: skip
    assert [move["san"] for move in found["moves"]] == ["Kh5", "Kh4", "Kh6"]
    assert [move["san"] for move in found["line"]] == ["Kh5", "Kf4", "Kh6", "Kg4"]
    assert found["line"][-1] == {"uci": "f4g4", "san": "Kg4", "record": "G1.5"}
    _, [found] = objects(capsys, "8/8/8/8/2kB4/8/8/K7 b - - 0 1", "--moves")
    assert {move["san"]: move["reset"] for move in found["moves"]}["Kxd4"] is True


def test_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    def record(*words: str) -> str:
        return str(objects(capsys, *words)[1][0]["record"])

    assert record(LATER) == "G3.5"
    assert record(f"{LATER} G2.5") == "G2.5"
    assert record(f"{LATER} mG2.5") == "-G2.5"
    assert record(f"{LATER} G9.5") == "G3.5"
    assert record(f"{LATER} -G3.5") == "-G3.5"
    assert record(f"{BISHOP} G2.5") == "G3.5", "after a reset the field says nothing"
    assert record(f"{LATER} G2.5", "--record", "-G2.0") == "-G2.0"
    assert record("--record=mG2.0", BISHOP) == "-G2.0"
    assert record(*LATER.split(), "-G2.0") == "-G2.0"
    assert record("--rules", "wg", f"{BISHOP} G2.5") == "G2.5"


def test_a_record_is_not_dropped_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    """The halfmove clock is 0: the seventh field cannot be the record."""
    assert objects(capsys, f"{BISHOP} G2.5")[1][0]["dropped"] == "G2.5"
    for words in ([BISHOP], [f"{BISHOP} G3.5"], [f"{LATER} G2.5"], [f"{BISHOP} G2.5", "--record", "G2.5"]):
        assert "dropped" not in objects(capsys, *words)[1][0]
    assert "dropped" not in objects(capsys, f"{BISHOP} G2.5", "--rules", "wg")[1][0]
    assert main(["probe", f"{BISHOP} G2.5"]) == 0
    said = capsys.readouterr().err
    assert said.startswith(
        "tbgen: the record G2.5 is left out: the halfmove clock is 0, so it is the position's own, G3.5"
    )
    assert said.count("\n") == 1
    assert main(["probe", f"{BISHOP} G3.5"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["probe", "8/8/8/4KBk1/8/8/8/8"]) == 2
    assert "side to move" in capsys.readouterr().err


def test_a_bad_fen_among_many(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [BISHOP, "", "8/8 nonsense", "8/8/8/8/8/8/8/K1k1QQ2 w - - 0 1", LATER]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    code, found = objects(capsys, "-")
    assert code == 2
    assert [item["fen"] for item in found] == [line for line in lines if line]
    assert ["error" in item for item in found] == [False, True, True, False]
    assert [item.get("code") for item in found] == [None, 2, 2, None]
    code, found = objects(capsys, "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1", BISHOP)
    assert code == 4
    assert "tbgen build KQRvK" in found[0]["error"]
    assert found[1]["gscore"] == "G1.5"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["probe", "8/8 w"], 2, "not a FEN"),
        (["probe", "8/8/8/4KBk1/8/8/8/8 w - - 0 1"], 0, ""),
        (["probe", "8/8/8/4KkB1/8/8/8/8 w - - 0 1"], 2, "in check"),
        (["probe", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"], 2, "castling"),
        (["probe", "4k3/8/8/8/8/8/8/NNNNNK2 w - - 0 1"], 2, "6 at most (tbgen solve takes more)"),
        (["probe", BISHOP, "--record", "G1.7"], 2, "not a G-score"),
        (["probe", BISHOP, "--record", "-G1.7"], 2, "not a G-score: '-G1.7'"),
        (["probe", f"fen {BISHOP}"], 2, "not a FEN: a board has 8 rows"),
        (["probe", BISHOP, "--record", "G0.5"], 2, "no game goes on"),
        (["probe", BISHOP, "--tables", "/nowhere"], 2, "no such directory of tables: /nowhere"),
        (["probe", ROOKS], 4, "tbgen build KRvKR"),
        (["probe", BISHOP, "--rules", "blitz"], 2, "invalid choice"),
        (["probe", BISHOP, "--mov"], 2, "unrecognized arguments: --mov"),
        (["probe"], 2, "tbgen probe --help"),
        (["prob", BISHOP], 2, "invalid choice: 'prob'"),
    ],
)
def test_exit_codes(capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str) -> None:
    if not code:
        assert main(words) == 0
        return
    found, message = failure(capsys, *words)
    assert found == code
    assert said in message


def test_a_corrupt_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "KBvK.r.h5").write_bytes(b"something else")
    code, message = failure(capsys, "probe", "--tables", str(tmp_path), BISHOP)
    assert code == 5
    assert "KBvK.r.h5" in message


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", LATER, "--line", "--moves"]) == 0
    out = capsys.readouterr().out
    for words in (
        "5  . . . . K B k .    in 4 plies (2 moves); worth 0.5625 points to White.\n",
        "    White forces G1.5 (Black left with one move, not in check)\n",
        "    The record so far, G3.5 (Black left with three moves, not",
        "KBvK, Black to move",
        "30... Kh5 31. Kf4 (G2.5) Kh6 32. Kg4 (G1.5)",
        "Best: Kh5",
        "The halfmove clock is 7",
        "Worse for Black than the record, G3.5:\n  Kh5       G1.5    4 plies    best\n",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert not any(line != line.rstrip() for line in out.splitlines())


@pytest.mark.usefixtures("no_bundle")
def test_for_people_without_the_tables_behind(
    capsys: pytest.CaptureFixture[str], small_tables: Path, tmp_path: Path
) -> None:
    """The best moves need the tables that captures lead to; the result does not."""
    (tmp_path / "KBvK.r.h5").symlink_to(small_tables / "KBvK.r.h5")
    fen = "8/8/8/8/2kB4/8/8/K7 b - - 0 1"
    assert main(["probe", "--tables", str(tmp_path), fen]) == 0
    out = capsys.readouterr().out
    assert "KBvK, Black to move" in out
    assert "tbgen build KvK" in " ".join(out.split())
    code, message = failure(capsys, "probe", "--tables", str(tmp_path), fen, "--moves")
    assert code == 4
    assert "tbgen build KvK" in message


def test_the_tables_are_asked_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    probe = Tablebase.probe

    def count(*words: Any, **options: Any) -> Result:
        asked.append(words)
        return probe(*words, **options)

    monkeypatch.setattr(Tablebase, "probe", count)
    assert main(["probe", BISHOP]) == 0
    assert "Best: Kh5" in capsys.readouterr().out
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        (
            "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
            "The record stands: Black keeps -G8.5 (White left with eight moves",
        ),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", "The game is over. White has G0.0 (Black mated); worth 1 point to White."),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", "The game is over. White has G0.5 (Black stalemated); worth 0.75 points"),
    ],
)
def test_what_stands(capsys: pytest.CaptureFixture[str], fen: str, words: str) -> None:
    assert main(["probe", fen]) == 0
    assert words in beside_the_board(capsys.readouterr().out)


MOVES = "8/8/8/8/2kB4/8/8/K7 b - - 0 1"
"""Black can take the bishop, or walk away from it."""


def beside_the_board(out: str) -> str:
    """What stands beside the board, as one line."""
    return " ".join(" ".join(line[22:] for line in out.splitlines()).split())


def test_blunders_and_resets_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", MOVES, "--moves", "--line"]) == 0
    out = capsys.readouterr().out
    assert "\n1... Kxd4 (reset: -G3.5)\n" in out
    better, worse = out.partition("Better for Black than the record, G6.5:\n")[2].split("Worse for Black")
    assert better.split() == ["Kxd4", "-G3.5", "1", "ply", "best", "reset"]
    assert "  Kb3??     G1.5    40 plies\n" in worse
    assert out.endswith("\n??  gives the score to the other side\n")
    assert main(["probe", "8/8/8/2K3k1/8/8/8/8 w - - 0 1", "--moves"]) == 0
    out = capsys.readouterr().out
    assert "\nThe record stands, -G8.5:\n  Kb4       -G8.5   stands     best\n" in out
    assert "\n  Kd4?      -G5.5   2 plies\n" in out
    assert out.endswith("\n?   a worse G-score than the best move\n")


def test_whole_game_mobility_has_no_resets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", MOVES, "--moves", "--line", "--rules", "wg"]) == 0
    assert "reset" not in capsys.readouterr().out.replace("nothing resets", "")


def test_a_mistyped_word_gets_a_hint(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure(capsys, "prob", MOVES)[1].endswith("(did you mean probe? see tbgen --help)\n")
    assert failure(capsys, "probe", MOVES, "--mov")[1].endswith("(did you mean --moves? see tbgen probe --help)\n")
    assert failure(capsys, "match", "-engine", "cmd=a", "-each", "tc=1")[1].startswith(
        "tbgen: unrecognized arguments: -engine cmd=a -each tc=1 (did you mean --engine? "
    )
    assert failure(capsys, "report", "statistics")[1].endswith("(did you mean stats? see tbgen report --help)\n")
    assert failure(capsys, "probe", "-json", MOVES)[1].endswith("(did you mean --json? see tbgen probe --help)\n")
    assert "did you mean" not in failure(capsys, "quartz")[1]
    monkeypatch.setenv("TBGEN_CALLED_AS", "my scripts/tbgen")
    assert failure(capsys, "probe", MOVES, "--mov")[1].endswith("see 'my scripts/tbgen' probe --help)\n")
    assert main(["probe", "--help"]) == 0
    assert f"\n  'my scripts/tbgen' probe \"{BISHOP}\"\n" in capsys.readouterr().out


@pytest.mark.usefixtures("no_bundle")
def test_a_missing_table_says_where_it_was_looked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["probe", BISHOP], ["info"], ["report", "stats"]):
        monkeypatch.setenv("TBGEN_TABLES", str(tmp_path / "there"))
        assert f"; looked in {tmp_path}/there (not there), which $TBGEN_TABLES names" in failure(capsys, *command)[1]
        monkeypatch.delenv("TBGEN_TABLES")
        assert f"; looked in {tmp_path}/data (not there), the default, because" in failure(capsys, *command)[1]
    (tmp_path / "here").mkdir()
    _, message = failure(capsys, "probe", "--tables", "here", BISHOP)
    assert f"tbgen build KBvK --tables here); looked in {tmp_path}/here, which --tables names; " in message
    _, message = failure(capsys, "verify", "--tables", "here")
    assert message.endswith(f"looked in {tmp_path}/here, which --tables names\n")


@pytest.mark.parametrize(("no_color", "plain"), [("", False), ("1", True)])
def test_a_board_on_a_terminal(small_tables: Path, no_color: str, plain: bool) -> None:
    """Coloured squares where there are colours, else letters, which tell White's king from Black's."""
    out = in_terminal(sys.executable, "-m", "tbgen", "probe", BISHOP, NO_COLOR=no_color, TERM="xterm-256color")
    assert ("K B k" in out) is plain
    assert ("\u265a" in out) is not plain


def test_a_narrow_terminal_has_the_text_below_the_board(small_tables: Path) -> None:
    out = in_terminal(sys.executable, "-m", "tbgen", "probe", BISHOP, columns=50, NO_COLOR="1", TERM="xterm")
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in out.splitlines()]
    assert max(map(len, lines)) <= 50
    assert lines[lines.index("   a b c d e f g h") + 2] == "KBvK, Black to move"


@pytest.mark.parametrize("columns", ["0", "-5", "\u00b2", "9" * 5000])
def test_a_width_that_there_cannot_be_is_not_believed(columns: str, small_tables: Path) -> None:
    out = in_terminal(sys.executable, "-m", "tbgen", "probe", BISHOP, COLUMNS=columns, NO_COLOR="1", TERM="xterm")
    assert out == in_terminal(sys.executable, "-m", "tbgen", "probe", BISHOP, NO_COLOR="1", TERM="xterm")


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-q", BISHOP, LATER + " -G2.5"]) == 0
    assert capsys.readouterr().out == "G1.5 4\nG1.5 4\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([BISHOP, LATER], [BISHOP, LATER]),
        (BISHOP.split(), [BISHOP]),
        ([*LATER.split(), "G2.5", *BISHOP.split()], [f"{LATER} G2.5", BISHOP]),
        ([*LATER.split(), "mG2.5", BISHOP], [f"{LATER} mG2.5", BISHOP]),
        ([*["8/8/8/4KBk1/8/8/8/8", "b", "-", "-"], "-"], ["8/8/8/4KBk1/8/8/8/8 b - -", "piped"]),
        (["-", BISHOP], ["piped", BISHOP]),
        (["8/8/8/4KBk1/8/8/8/8", "8/8/8/2kNK3/8/8/8/8"], ["8/8/8/4KBk1/8/8/8/8", "8/8/8/2kNK3/8/8/8/8"]),
        (["nonsense"], ["nonsense"]),
    ],
)
def test_fens_quoted_or_not(words: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n  piped  \n\n")))
    assert list(fens(words)) == expected


def test_a_short_fen_needs_quotes() -> None:
    with pytest.raises(BadInput, match="quoted"):
        list(fens(["8/8/8/4KBk1/8/8/8/8", "b", BISHOP]))


def test_options_among_an_unquoted_fen(capsys: pytest.CaptureFixture[str]) -> None:
    _, [found] = objects(capsys, *LATER.split(), "-G2.5", "--line")
    assert (found["record"], len(found["line"])) == ("-G2.5", found["dtg"])


def test_a_command_line_as_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    """Blogs and word processors make one dash of two, and quotation marks that no shell knows."""
    _, [plain] = objects(capsys, LATER, "--line", "--record", "-G2.5")
    for words in (
        [LATER.replace("-", "–"), "–line", "—record", "−G2.5"],
        [*f"“{LATER}”".replace("-", "–").split(), "--line", "--record", "–G2.5"],
    ):
        assert objects(capsys, *words) == (0, [{**plain, "fen": LATER}])


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "exit codes" in out
    assert all(name in out for name in COMMANDS)
    assert main(["probe", "--help"]) == 0
    out = capsys.readouterr().out
    assert "examples" in out
    assert BISHOP in out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tbgen {__version__}\n"


def start(*words: str, **streams: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "tbgen", *words], text=True, env=dict(os.environ), **streams)


def test_nothing_heavy_is_imported(small_tables: Path) -> None:
    code = (
        "import sys; from tbgen.cli.main import main; "
        f"code = main(['probe', '--line', '--moves', {BISHOP!r}]); "
        "print({'numba', 'rich', 'numpy.random'} & sys.modules.keys(), code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == "set() 0\n"


def test_a_reader_that_leaves(small_tables: Path) -> None:
    process = start("probe", "--json", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(f"{BISHOP}\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["gscore"] == "G1.5", "the answer comes before the input ends"
    process.stdout.close()
    process.stdin.write(f"{BISHOP}\n")
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_an_interruption(small_tables: Path) -> None:
    process = start("probe", "--json", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{BISHOP}\n")
    process.stdin.flush()
    process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "tbgen: interrupted\n")
