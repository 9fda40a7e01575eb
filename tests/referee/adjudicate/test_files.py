"""`tbgen adjudicate`: whole files, several processes, what is printed and how it ends."""

import contextlib
import fcntl
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tbgen.referee.adjudicate import files
from tbgen.referee.adjudicate.files import adjudicate
from tbgen.referee.adjudicate.settings import Settings
from tbgen.system.compressed_files import reading, writing
from tests.support.adjudicating import SAMPLE, run
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("here")

TAGS = re.compile(rb'\[(?:RMobility(?:Result|Scoring|Termination)|Points) "[^"]*"\]\r?\n')
BROKEN = [
    b'[Event "broken 1"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n',
    b"Who wrote this here?\n{ and did not close it\n\n",
    b'[Event "broken 2"]\n[Result "*"]\n\n1. e4 *\n\n',
    b'[Event "broken 3"]\n[Result "1-0"]\n\n1. e4 {never closed 1-0\n\n',
    b'[Event "broken 4"]\n[White "broken\n\n',
    b'[Event "broken 5"]\n[Result "1-0"]\n\n1. e4\0 1-0\n\n',
]


def games(count: int) -> bytes:
    """Many games, of which each can be told from the others."""
    sample = SAMPLE.read_bytes()
    return b"".join(sample.replace(b'[Event "', b'[Event "%d ' % number) + b"\n" for number in range(count))


# What comes out


def test_the_sample_comes_out_as_it_was_written_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, str(SAMPLE), "-o", "out.pgn", "-q") == (0, "", "")
    tagged = Path("out.pgn").read_bytes()
    tags = re.findall(rb'\[RMobilityResult "(.*)"\]\n(?:.*\n)*?\[RMobilityTermination "(.*)"\]', tagged)
    assert tags == [
        (b"-G0.0", b"played"),
        (b"G0.5", b"played"),
        (b"G1.5", b"tablebase, DTG 1"),
        (b"G3.5", b"played"),
        (b"G0.0", b"awarded"),
        (b"-G17.5", b"played"),
        (b"-G16.5", b"played"),
        (b"G5.5", b"played"),
    ]
    # Of what was there, only the tags of another verdict are gone.
    before = SAMPLE.read_bytes().replace(b'[RMobilityResult "G0.0"]\n', b"")
    assert TAGS.sub(b"", tagged) == before
    # And once more, nothing changes.
    assert run(capsys, "out.pgn", "-o", "again.pgn")[0] == 0
    assert Path("again.pgn").read_bytes() == tagged


def test_several_processes_keep_the_order(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.pgn").write_bytes(games(60))
    assert Path("in.pgn").stat().st_size > 2 * files._CHUNK
    assert run(capsys, "in.pgn", "-o", "one.pgn", "--jobs", "1")[0] == 0
    assert run(capsys, "in.pgn", "-o", "many.pgn", "--threads", "3")[0] == 0
    one = Path("one.pgn").read_bytes()
    assert Path("many.pgn").read_bytes() == one
    assert one.count(b"[RMobilityResult ") == 60 * 8
    assert [int(number) for number in re.findall(rb'\[Event "(\d+) ', one)] == [n for n in range(60) for _ in range(8)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_broken_games_are_passed_on(jobs: int, capsys: pytest.CaptureFixture[str]) -> None:
    parts = []
    for broken in BROKEN:
        parts += [games(5), broken]
    data = b"".join(parts) + b'[Event "cut off"]\n[Result "1-0"]\n\n1. e4 e5'
    Path("in.pgn").write_bytes(data)
    code, out, err = run(capsys, "in.pgn", "-o", "out.pgn", "--jobs", str(jobs))
    assert (code, out) == (3, "")
    told = [re.fullmatch(r"tbgen: in.pgn:(\d+): game (\d+): (.*)", line) for line in err.splitlines()]
    found = [(int(match[2]), match[3]) for match in told if match]
    assert found == [
        (41, "illegal move: Ke3 (ply 3)"),
        (81, "text behind it that is no game"),
        (122, "no result"),
        (163, "a comment is not closed"),
        (204, 'not a tag: [White "broken'),
        (245, "NUL bytes: no PGN (name a packed file .gz, .bz2, .xz or .zst; convert UTF-16 to UTF-8)"),
        (246, "the moves end without a result: 1-0, 0-1, 1/2-1/2 or *"),
    ]
    lines = data.split(b"\n")
    said = [lines[int(match[1]) - 1] for match in told if match]
    assert said == [
        b"1. e4 e5 2. Ke3 1-0",
        b"Who wrote this here?",
        b'[Event "broken 2"]',
        b"1. e4 {never closed 1-0",
        b'[White "broken',
        b"1. e4\0 1-0",
        b"1. e4 e5",
    ]
    tagged = Path("out.pgn").read_bytes()
    for broken in BROKEN:
        assert broken in tagged
    untagged = data.replace(b'[RMobilityResult "G0.0"]\n', b"")
    assert TAGS.sub(b"", tagged) == untagged


def test_several_files_are_parted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.pgn").write_bytes(b'[Event "a"]\n\n1. e4 1-0')
    Path("b.pgn").write_bytes(b'\xef\xbb\xbf[Event "b"]\r\n\r\n1. e4 0-1\r\n')
    Path("c.pgn").write_bytes(b"")
    Path("d.pgn").write_bytes(b'[Event "d"]\n\n1. e4 1-0\n\n')
    Path("e.pgn").write_bytes(b"1. d4 0-1\n")
    assert run(capsys, "a.pgn", "b.pgn", "c.pgn", "d.pgn", "e.pgn", "-o", "all.pgn")[0] == 0
    assert TAGS.sub(b"", Path("all.pgn").read_bytes()) == (
        b'[Event "a"]\n\n1. e4 1-0\n\n[Event "b"]\r\n\r\n1. e4 0-1\r\n\n[Event "d"]\n\n1. e4 1-0\n\n\n1. d4 0-1\n'
    )


def test_standard_input_and_output() -> None:
    command = [sys.executable, "-m", "tbgen", "adjudicate", "-", "-o", "-", "--report", "--jobs", "2"]
    done = subprocess.run(command, input=games(60), capture_output=True, check=False, env=os.environ)
    assert done.returncode == 0
    assert done.stdout.count(b"[RMobilityResult ") == 480
    assert done.stderr.startswith(b"480 games with tags; nothing passed on as it was\n")


def test_who_reads_may_stop() -> None:
    Path("in.pgn").write_bytes(games(60))
    command = f"{sys.executable} -m tbgen adjudicate in.pgn -o - --jobs 2 | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, text=True, env=os.environ)
    assert (done.stdout, done.stderr) == ('[Event "0 Hand-made: mate"]\n', "")


# Files


def test_a_file_may_be_written_over_itself(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.pgn").write_bytes(games(3))
    Path("in.pgn").chmod(0o640)
    Path("link.pgn").symlink_to("in.pgn")
    assert run(capsys, "in.pgn", "-o", "link.pgn")[0] == 0
    assert Path("in.pgn").read_bytes().count(b"[RMobilityResult ") == 24
    assert stat.S_IMODE(Path("in.pgn").stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["in.pgn", "link.pgn"]


def test_two_runs_at_once_do_not_mix() -> None:
    Path("in.pgn").write_bytes(games(60))
    Path("out.pgn.part").write_bytes(b"precious")
    command = [sys.executable, "-m", "tbgen", "adjudicate", "-", "-o", "out.pgn", "--jobs", "1"]
    runs = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(2)]
    for one in runs:  # the one that has begun last ends first
        assert one.stdin is not None
        one.stdin.write(games(40))
        one.stdin.flush()
    for count, one in zip((2, 1), reversed(runs), strict=True):
        one.communicate(games(count))
        assert one.returncode == 0
        assert Path("out.pgn").read_bytes().count(b"[RMobilityResult ") == 8 * (40 + count)
    assert Path("out.pgn.part").read_bytes() == b"precious"
    assert sorted(path.name for path in Path().iterdir()) == ["in.pgn", "out.pgn", "out.pgn.part"]


def test_a_run_that_fails_leaves_what_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    missing = b'[FEN "4k3/8/8/8/8/8/7r/R3K3 w - - 0 1"]\n\n1/2-1/2\n\n'
    game = b'[Event "x"]\n\n1. e4 1-0\n\n'
    Path("in.pgn").write_bytes(game * 6000 + missing + game * 6000)
    Path("out.pgn").write_bytes(b"precious")
    for jobs in ("1", "2"):
        code, out, err = run(capsys, "in.pgn", "-o", "out.pgn", "--strict", "--jobs", jobs)
        assert (code, out) == (4, "")
        assert re.fullmatch(r"tbgen: in.pgn:24001: game 6001: .*KRvKR.r.h5 is missing \(.*\); looked in .*\n", err)
    assert run(capsys, "in.pgn", "nowhere.pgn", "-o", "out.pgn")[0] == 1
    assert Path("out.pgn").read_bytes() == b"precious"
    assert sorted(path.name for path in Path().iterdir()) == ["in.pgn", "out.pgn"]


def test_where_nothing_can_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the file that was asked for."""
    for target, words in (("nowhere/out.pgn", "No such file or directory"), (str(SAMPLE.parent), "Is a directory")):
        assert run(capsys, str(SAMPLE), "-o", target) == (1, "", f"tbgen: {words}: {target}\n")
    assert run(capsys, str(SAMPLE), "-o", "/dev/full") == (6, "", "tbgen: No space left on device: /dev/full\n")


def test_an_interrupt_from_the_terminal(tmp_path: Path) -> None:
    """It goes to all processes at once, and only one of them has something to say of it, whenever it comes."""
    Path("in.pgn").write_bytes(games(1000))
    for number in range(4):
        process = subprocess.Popen(
            [sys.executable, "-m", "tbgen", "adjudicate", "in.pgn", "-o", "out.pgn", "--jobs", "2"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        while not any(b"forkserver" in command for command in children(process.pid)):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(number / 10)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (130, "", "tbgen: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["in.pgn"]


def test_an_interrupt_leaves_no_lock_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Pool(ProcessPoolExecutor):
        def __init__(self, *given: Any, **named: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            super().__init__(*given, **named)
            made.append(self)

    monkeypatch.setattr(files, "ProcessPoolExecutor", Pool)
    Path("in.pgn").write_bytes(games(1000))
    with pytest.raises(KeyboardInterrupt):
        adjudicate([Path("in.pgn")], Path("out.pgn"), Settings(), 2)
    assert made


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_a_session(number: int, tmp_path: Path) -> None:
    Path("in.pgn").write_bytes(games(5000))
    process = subprocess.Popen(
        [sys.executable, "-m", "tbgen", "adjudicate", "in.pgn", "-o", "out.pgn", "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not any(part.stat().st_size for part in Path().glob(".out.pgn.*.part")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "tbgen: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["in.pgn"]


def children(pid: int) -> list[bytes]:
    """The command lines of a process's children."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            found.append(Path(f"/proc/{child}/cmdline").read_bytes())
    return found


def test_pipes_and_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, str(SAMPLE), "-o", "/dev/null", "-q") == (0, "", "")
    assert Path("/dev/null").is_char_device()


def test_files_larger_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more is read than is needed."""
    read = 0

    class Endless(io.RawIOBase):
        def readline(self, limit: int | None = -1, /) -> bytes:
            nonlocal read
            read += 1
            if read > 1_000_000:
                return b""
            return [b'[Event "x"]\n', b"\n", b"1. e4 1-0\n", b"\n"][read % 4]

    def watch(done: files.Done) -> None:
        assert read < 100_000  # seven chunks
        raise KeyboardInterrupt

    class Stdin:
        buffer = Endless()

    monkeypatch.setattr(sys, "stdin", Stdin)
    with pytest.raises(KeyboardInterrupt):
        adjudicate([Path("-")], None, Settings(), 2, watch=watch)


def test_a_record_that_is_left_out_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    text = '[FEN "8/4n3/8/4k3/8/8/8/K6R w - - 0 30 G3.0"]\n[Result "1/2-1/2"]\n\n30. Rh5+ 1/2-1/2\n'
    Path("games.pgn").write_text(text)
    code, _, err = run(capsys, "games.pgn", "-o", "out.pgn")
    assert code == 0
    assert err.startswith("tbgen: games.pgn:1: game 1: the record G3.0 is left out: the halfmove clock is 0")
    assert run(capsys, "games.pgn", "-o", "out.pgn", "--quiet")[2] == ""


def test_a_result_that_is_overruled_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("games.pgn").write_text('[Result "1/2-1/2"]\n[RMobilityResult "G2.0"]\n\n1. e4 1/2-1/2\n')
    _, _, err = run(capsys, "games.pgn", "-o", "out.pgn", "--decide", "none")
    assert err.splitlines() == [
        "tbgen: games.pgn:1: game 1: another result than the tags told: G20.5 (played, rule set W) replaces G2.0, "
        "which the tag RMobilityOverruled keeps",
        "tbgen: 1 game judged, 1 as played, 1 with another result than their tags told; written to out.pgn",
    ]
    assert json.loads(run(capsys, "games.pgn", "--json", "--quiet")[1])["overruled"] == 1


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_packed_files_are_read_and_written(capsys: pytest.CaptureFixture[str], suffix: str) -> None:
    plain = SAMPLE.read_bytes()
    source, target = Path(f"games.pgn{suffix}"), Path(f"tagged.pgn{suffix}")
    with source.open("wb") as raw, writing(raw, source) as packed:
        packed.write(plain)
    assert run(capsys, str(source), "-o", str(target))[0] == 0
    assert run(capsys, str(SAMPLE), "-o", "tagged.pgn")[0] == 0
    assert target.stat().st_size < len(plain)
    with reading(target) as stream:
        assert stream.read() == Path("tagged.pgn").read_bytes()
    source.write_bytes(source.read_bytes()[:-20])
    code, _, err = run(capsys, str(source), "-o", "other.pgn")
    assert (code, err.startswith("tbgen: cannot be unpacked: games.pgn")) == (2, True)
    assert not Path("other.pgn").exists()


def test_what_has_been_done_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, str(SAMPLE), "-o", "tagged.pgn")
    assert out == ""
    line = next(line for line in err.splitlines() if "judged" in line)
    assert line.startswith("tbgen: 8 games judged, ")
    assert line.endswith("; written to tagged.pgn")
    assert "1 awarded" in line
    assert "judged" not in run(capsys, str(SAMPLE), "-o", "tagged.pgn", "--quiet")[2]


def test_a_file_that_a_match_writes_to_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("m.pgn")
    path.write_bytes(SAMPLE.read_bytes())
    before = path.read_bytes()
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, _, err = run(capsys, "m.pgn", "-o", "m.pgn")
    assert (code, err) == (2, "tbgen: a match is writing to m.pgn: name another file with -o\n")
    assert path.read_bytes() == before
    assert run(capsys, "m.pgn", "-o", "m.pgn")[0] == 0
