"""Standard streams that are closed, full or endless, each run in a process of its own."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.runs import BISHOP, GAME, is_harmless, tbgen


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
        (["adjudicate", "/dev/null", "-o", "-"], ">&-", 0, "0 games judged"),
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
