"""What commands read and show: bytes of any kind, in any encoding, each run in a process of its own."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.cli.main import COMMANDS
from tests.support.runs import BISHOP, ENCODINGS, EVIL, GAME, is_harmless, tbgen


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
    assert found.returncode == 2
    assert found.stderr.count(b"\n") == 1
    assert is_harmless(found.stderr, {"C": "utf-8"}.get(encoding, encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_messages_name_what_was_given(encoding: str) -> None:
    for words in (["\x1b[2J"], ["probe", "\x1b[2J\u202e"], ["build", b"\xff\x1b"], ["info", "--\x1b"], ["plan", "é\n"]):
        found = tbgen(*words, encoding=encoding)
        assert found.returncode == 2
        assert found.stderr.count(b"\n") == 1
        assert is_harmless(found.stderr, {"C": "utf-8"}.get(encoding, encoding))


def test_help_and_reports(small_tables: Path) -> None:
    encoding = "ascii"  # what that has all have
    for name in ("", *COMMANDS):
        assert tbgen(*filter(None, [name]), "--help", encoding=encoding).returncode == 0
    for report in ("stats", "records", "compare", "potential"):
        both = ["--rules", "r", "wg"] if report == "compare" else []
        assert tbgen("report", report, *both, "--tables", small_tables, encoding=encoding).returncode == 0


@pytest.mark.parametrize(("form", "encoding"), [("md", "utf-8"), ("csv", "C"), ("json", "ascii"), ("html", "latin-1")])
def test_a_report_for_programs_is_the_same_file_everywhere(
    small_tables: Path, tmp_path: Path, form: str, encoding: str
) -> None:
    words = ["report", "stats", "KBvK", "--format", form, "--tables", str(small_tables)]
    assert tbgen(*words, "-o", tmp_path / "report", encoding="ascii").returncode == 0
    assert tbgen(*words, encoding=encoding).stdout == (tmp_path / "report").read_bytes()


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
