"""Text from outside and the streams that it comes and goes by, each in a process of its own."""

import ast
import contextlib
import json
import os
import pty
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tbgen.cli.main import COMMANDS
from tbgen.text import decoded, lines, shown, to_json

ROOT = Path(__file__).resolve().parent.parent
BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
EVIL = "a\x1b[2J\x1b]0;owned\x07\u202egnp\x9b31m[red]"
"""Clears the screen, sets the title, turns the direction of writing."""

GAME = '[Event "?"]\n[White "%s"]\n[Black "Ünal"]\n[Result "1/2-1/2"]\n\n1. e4 e5 1/2-1/2\n\n'

ENCODINGS: dict[str, dict[str, str]] = {
    "utf-8": {"LC_ALL": "C.UTF-8"},
    "C": {"LC_ALL": "C"},
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin-1": {"PYTHONIOENCODING": "latin-1", "LANG": "de_DE.ISO-8859-1"},
}


def tbgen(
    *words: str | bytes | Path, encoding: str = "utf-8", shell: str = "", **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """A run; `shell` is what a shell does with its streams, such as `>&-`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    command: list[Any] = [sys.executable, "-m", "tbgen", *words]
    if shell:
        command = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "bash", *command]
    found = subprocess.run(
        command, capture_output=True, check=False, timeout=120, cwd=ROOT, env={**kept, **ENCODINGS[encoding]}, **more
    )
    assert b"Traceback" not in found.stderr, found.stderr
    assert b"Exception ignored" not in found.stderr, found.stderr
    return found


def is_harmless(output: bytes, encoding: str = "utf-8") -> bool:
    """Whether there is nothing in it but text and ends of lines."""
    return all(line.isprintable() for line in output.decode(encoding).split("\n"))


def test_bytes_are_text() -> None:
    assert [decoded(data) for data in (b"Gr\xc3\xbcn", b"Gr\xfcn", b"", b"\xff\x00")] == ["Grün", "Grün", "", "ÿ\0"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ünal [red] 棋", "Ünal [red] 棋"),
        (EVIL, r"a\x1b[2J\x1b]0;owned\x07\u202egnp\x9b31m[red]"),
        ("two\r\nlines\t\x7f", r"two\r\nlines\t\x7f"),
        (os.fsdecode(b"bad\xff"), r"bad\xff"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_is_shown(words: str, expected: str) -> None:
    assert shown(words) == expected


def test_json_is_ascii_and_has_no_half_characters() -> None:
    given = {"file": os.fsdecode(b"bad\xff"), "half": "\ud83d", "whole": "\U0001f600ü\u2028"}
    words = to_json(given)
    assert words.isascii()
    found = json.loads(words)
    assert found == {"file": r"bad\xff", "half": r"\ud83d", "whole": given["whole"]}
    json.dumps(found, ensure_ascii=False).encode()


def test_json_that_is_shown_is_still_json() -> None:
    """What `shown` made of a character would be no JSON."""
    given = "".join(map(chr, range(0x200)))
    assert json.loads(shown(to_json(given))) == given


def test_lines_are_bounded() -> None:
    class Source:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def readline(self, limit: int, /) -> bytes:
            assert 0 < limit <= 1 << 16
            at = self.data.find(b"\n") + 1 or len(self.data)
            found, self.data = self.data[: min(at, limit)], self.data[min(at, limit) :]
            return found

    data = b"\xef\xbb\xbfabc\r\n\n" + b"x" * 200_000 + b"\nabcd\nabcde\nab"
    assert list(lines(Source(data), 4)) == [
        ("abc", True), ("", True), ("xxxx", False), ("abcd", True), ("abcd", False), ("ab", True)
    ]  # fmt: skip


def test_nobody_else_prints_or_decodes() -> None:
    """`tbgen/text.py` decides; this finds the modules that go round it."""
    found = []
    for path in sorted((ROOT / "tbgen").rglob("*.py")):
        if path.name == "text.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="print")):
                    found.append(f"{path}:{node.lineno}: print")
                case ast.Attribute(value=ast.Name(id="sys"), attr="stdin"):
                    found.append(f"{path}:{node.lineno}: sys.stdin")
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys")), attr="write" | "buffer"):
                    found.append(f"{path}:{node.lineno}: writes past it")
                case ast.Attribute(value=ast.Name(id="json"), attr="dumps") if path.parent.name != "generate":
                    found.append(f"{path}:{node.lineno}: json.dumps")
    assert not found


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_bytes_that_are_no_text_on_standard_input(small_tables: Path, encoding: str) -> None:
    data = b"\xef\xbb\xbf" + BISHOP.encode() + b"\n\xff\xfe\x1b[2J\n" + b"9" * 100_000 + b"\n" + BISHOP.encode()
    found = tbgen("probe", "--json", "--tables", small_tables, "-", encoding=encoding, input=data)
    assert found.returncode == 2
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, True, False]
    assert answers[1]["fen"] == "ÿþ\x1b[2J"
    found = tbgen("probe", "-q", "--tables", small_tables, "-", encoding=encoding, input=data)
    assert (found.returncode, found.stdout) == (2, b"G1.5 4\nG1.5 4\n")
    assert found.stderr.count(b"\n") == 2
    assert is_harmless(found.stderr, "ascii")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_games_from_everywhere(tmp_path: Path, encoding: str) -> None:
    """Names in the report are harmless in every encoding; in the file they are what they were."""
    name = "Gr\xfcn – 棋".encode() + EVIL.encode()
    data = (
        GAME.encode().replace(b"%s", name)
        + GAME.encode("latin-1").replace(b"%s", b"Gr\xfcn")
        + b'[X\x1b "\n\n1. e4 *\n'
    )
    games = os.fsencode(tmp_path) + b"/ga\xfcmes\x1b[2J.pgn"
    Path(os.fsdecode(games)).write_bytes(data)
    tagged = tmp_path / "tagged.pgn"
    found = tbgen("adjudicate", games, "-o", tagged, "--report", "--decide", "none", encoding=encoding)
    assert found.returncode == 3
    output = {"C": "utf-8"}.get(encoding, encoding)
    assert is_harmless(found.stdout, output)
    assert is_harmless(found.stderr, output)
    assert b"[red]" in found.stdout
    assert "Grün".encode(output, "backslashreplace") in found.stdout
    assert rb"mes\x1b[2J.pgn:" in found.stderr
    for line in data.splitlines():
        assert line in tagged.read_bytes()
    found = tbgen("adjudicate", games, "--json", "--decide", "none", encoding=encoding)
    report = json.loads(found.stdout)
    assert {row["player"] for row in report["crosstable"]} == {name.decode(), "Ünal", "Grün"}
    json.dumps(report, ensure_ascii=False).encode()


def on_terminal(*words: str | Path) -> bytes:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "tbgen", *words], stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        found = b""
        with contextlib.suppress(OSError):  # the other side has gone
            while data := os.read(ours, 1 << 16):
                found += data
    os.close(ours)
    return found


def test_names_on_a_terminal_are_names(tmp_path: Path, small_tables: Path) -> None:
    """Neither steering nor markup nor signs for pictures."""
    name = ":heart: [red]\x1b]0;x\x07"
    games = tmp_path / f"{name}.pgn"
    games.write_text("1. e4 zz *\n\n")
    for words in (["adjudicate", games, "--report"], ["build", "KvK", "--dry-run", "--tables", tmp_path / name]):
        found = on_terminal(*words)
        assert rb":heart: [red]\x1b]0;x\x07" in found.replace(b"\r\n", b"")
        assert b"\x1b]0" not in found


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["probe", BISHOP], ["report", "stats"]])
def test_a_directory_of_any_name(tmp_path: Path, small_tables: Path, encoding: str, words: list[str]) -> None:
    place = os.fsencode(tmp_path) + b"/\xfc\x1b]0;x\x07\n[red]" + "\u202e".encode()
    Path(os.fsdecode(place)).symlink_to(small_tables)
    found = tbgen(*words, "--tables", place, encoding=encoding)
    assert found.returncode == 0, found.stderr
    assert is_harmless(found.stdout, {"C": "utf-8"}.get(encoding, encoding))
    Path(os.fsdecode(place)).unlink()
    found = tbgen(*words, "--tables", place, encoding=encoding)
    assert found.returncode == 4
    assert found.stderr.count(b"\n") == 1
    assert is_harmless(found.stderr, {"C": "utf-8"}.get(encoding, encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_messages_name_what_was_given(encoding: str) -> None:
    for words in (["\x1b[2J"], ["probe", "\x1b[2J\u202e"], ["build", b"\xff\x1b"], ["info", "--\x1b"], ["plan", "é\n"]):
        found = tbgen(*words, encoding=encoding)
        assert found.returncode == 2
        assert found.stderr.count(b"\n") == 1
        assert is_harmless(found.stderr, {"C": "utf-8"}.get(encoding, encoding))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_help_and_reports(small_tables: Path, encoding: str) -> None:
    for name in ("", *COMMANDS):
        assert tbgen(*filter(None, [name]), "--help", encoding=encoding).returncode == 0
    for report in ("stats", "records", "compare", "potential"):
        both = ["--rules", "r", "wg"] if report == "compare" else []
        assert tbgen("report", report, *both, "--tables", small_tables, encoding=encoding).returncode == 0


@pytest.mark.parametrize("form", ["md", "csv", "json", "html"])
def test_a_report_for_programs_is_the_same_file_everywhere(small_tables: Path, tmp_path: Path, form: str) -> None:
    words = ["report", "stats", "KBvK", "--format", form, "--tables", str(small_tables)]
    assert tbgen(*words, "-o", tmp_path / "report", encoding="ascii").returncode == 0
    expected = (tmp_path / "report").read_bytes()
    for encoding in ENCODINGS:
        assert tbgen(*words, encoding=encoding).stdout == expected


def test_a_log_takes_everything(tmp_path: Path) -> None:
    """What engines say, in a locale that has no word for it."""
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\n"
        "out = sys.stdout.buffer\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('uci\\n'):\n"
        "        out.write(b'id name \\xfc\\x07\\noption name \\xdc type string\\nuciok\\n')\n"
        "    if line.startswith('isready'): out.write('info string ♞\\n'.encode() + b'readyok\\n')\n"
        "    if line.startswith('go'): out.write(b'bestmove \\x1b[2J\\xff\\n')\n"
        "    if line.startswith('quit'): break\n"
        "    out.flush()\n"
    )
    one = f"cmd={sys.executable} {engine}"
    found = tbgen(
        "match", "--engine", one, "name=Grün", "option.Ü=1", "--engine", one, "--games", "1", "--each", "nodes=1",
        "--log", tmp_path / "log", "--pgn", tmp_path / "pgn", encoding="latin-1",
    )  # fmt: skip
    assert (found.returncode, found.stderr) == (0, b"")
    assert is_harmless(found.stdout, "latin-1")
    assert "Grün".encode("latin-1") in found.stdout
    assert "♞" in (tmp_path / "log").read_text(encoding="utf-8")
    assert "plays an illegal move" in (tmp_path / "pgn").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "shell", "code", "said"),
    [
        (["probe", BISHOP], ">&-", 1, "standard output"),
        (["probe", BISHOP], ">/dev/full", 6, "standard output"),
        (["probe", BISHOP], "2>&-", 0, ""),
        (["probe", BISHOP], "<&-", 0, ""),
        (["probe", BISHOP], "<&- >&- 2>&-", 1, ""),
        (["probe", "-"], "<&-", 1, "standard input"),
        (["probe", "nonsense"], "2>&-", 2, ""),
        (["probe", "nonsense"], "2>/dev/full", 2, ""),
        (["probe", "--json", "nonsense"], ">&-", 1, "standard output"),
        (["info"], ">&-", 1, "standard output"),
        (["info"], ">/dev/full", 6, "standard output"),
        (["info"], "| true", 0, ""),
        (["info", "KQvKQ"], ">&-", 4, "no such tables"),
        (["report", "stats"], ">&-", 1, "standard output"),
        (["report", "stats", "--format", "csv"], ">/dev/full", 6, "standard output"),
        (["report", "all"], "| head -n 1", 0, ""),
        (["plan", "KRvK"], ">/dev/full", 6, "standard output"),
        (["--help"], ">/dev/full", 6, "standard output"),
        (["--help"], ">&-", 1, "standard output"),
        (["--help"], "| true", 0, ""),
        (["nonsense"], "2>&-", 2, ""),
        (["uci"], "<&-", 1, "standard input"),
        (["uci"], ">&- </dev/null", 0, ""),
        (["uci"], ">/dev/full <<< uci", 6, "standard output"),
        (["uci"], "<<< uci | true", 0, ""),
        (["adjudicate", "-", "-o", "-"], "<&-", 1, "standard input"),
        (["adjudicate", "/dev/null", "-o", "-"], ">&-", 0, ""),
        (["adjudicate", "tests/data/none.pgn", "-o", "-"], ">&- 2>&-", 1, ""),
        (["build", "KvK"], ">&-", 1, "standard output"),
        (["build", "KvK"], "| true", 0, ""),
    ],
)
def test_streams_that_are_not_there(small_tables: Path, words: list[str], shell: str, code: int, said: str) -> None:
    where = [] if words[0] in ("plan", "--help", "nonsense") else ["--tables", str(small_tables)]
    found = tbgen(*words, *where, shell=shell)
    assert found.returncode == code, found.stderr
    assert said in found.stderr.decode()
    assert found.stderr.count(b"\n") == bool(said)


def test_work_goes_on_when_nobody_watches_any_more(tmp_path: Path) -> None:
    found = tbgen("build", "KvK", "KBvK", "--tables", tmp_path, shell="| true")
    assert (found.returncode, found.stderr) == (0, b"")
    assert (tmp_path / "KBvK.r.h5").is_file()
    (tmp_path / "KBvK.r.h5").write_bytes(b"nothing")
    assert tbgen("verify", "KvK", "KBvK", "--tables", tmp_path, shell="| true").returncode == 5
    (tmp_path / "KBvK.r.h5").unlink()
    found = tbgen("build", "KBvK", "--json", "--tables", tmp_path, shell=">/dev/full")
    assert (found.returncode, found.stderr) == (6, b"tbgen: No space left on device: standard output\n")
    assert (tmp_path / "KBvK.r.h5").is_file()


def test_a_closed_stream_does_not_become_a_file(tmp_path: Path) -> None:
    """The next file to be opened would be number 1, and what is printed would go into it."""
    games = tmp_path / "games.pgn"
    games.write_text(GAME % "x")
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        found = tbgen("adjudicate", games, "-o", tmp_path / "tagged.pgn", "--report", shell=closed)
        assert found.returncode == (1 if ">&-" in closed.replace("2>&-", "") else 0)
        tagged = (tmp_path / "tagged.pgn").read_text()
        assert tagged.startswith("[Event")
        assert tagged.rstrip().endswith("1/2-1/2")


def test_an_endless_line_takes_no_memory(small_tables: Path) -> None:
    """300 MB on one line, in 200 MB of memory over what an engine takes."""
    code = (
        "import sys; out = sys.stdout.buffer\n"
        "for _ in range(300): out.write(b'position startpos moves ' + b'e2e4 ' * 200_000)\n"
        "out.write(b'\\nisready\\ngo\\n')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as source:
        found = tbgen(
            "uci", "--tables", small_tables, stdin=source.stdout,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (250 << 20, 250 << 20)),
        )  # fmt: skip
    assert found.returncode == 0, found.stderr
    said = found.stdout.decode().splitlines()
    assert said[0].startswith("info string error: a line of more than 1048576 bytes is left out: position startpos")
    assert said[1] == "readyok"
    assert said[-1].startswith("bestmove ")


def test_nul_and_other_bytes_for_an_engine(small_tables: Path, tmp_path: Path) -> None:
    place = os.fsencode(tmp_path) + b"/\xfc"
    Path(os.fsdecode(place)).symlink_to(small_tables)
    ask = f"position fen {BISHOP}\ngo\n".encode()
    data = b"setoption name Tables value a\0b\n" + ask + b"setoption name Tables value " + place + b"\nuci\n" + ask
    found = tbgen("uci", "--tables", small_tables, input=data)
    assert (found.returncode, found.stderr) == (0, b"")
    said = found.stdout.decode().splitlines()
    assert said[0] == r"info string no such option or value: name Tables value a\x00b"
    assert [line for line in said if line.startswith(("bestmove", "info string G"))] == 2 * [
        "info string G-score G1.5 in 4 plies, record G3.5 (KBvK)", "bestmove g5h5"
    ]  # fmt: skip
    assert is_harmless(found.stdout)
