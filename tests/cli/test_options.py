"""What command lines may not say: each gets one line that names the option, and exit code 2."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from tbgen.cli import clusters, limits
from tbgen.cli.common import address, at_once, seconds, size, some_seconds, whole_number
from tbgen.cli.main import main, parser_of
from tbgen.errors import OutOfRoom
from tbgen.system.parallel import cores
from tests.support.places import ROOT

DIGITS = "9" * 400
NO_NUMBERS = ("", " ", "x", "-1", "1.5", "nan", "inf", "1e3", "1_0", "\uff13", "0x1", "9" * 20, DIGITS)
MATCH = ("match", "--engine", "cmd=cat", "--engine", "cmd=cat", "--each", "depth=1")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TBGEN_TABLES", raising=False)


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command line gets that is refused before anything is done."""
    code = main(words)
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, ""), words
    assert captured.err.startswith("tbgen: ")
    assert captured.err.endswith("\n")
    assert captured.err.count("\n") == 1
    assert len(captured.err) < 300
    assert not list(Path().iterdir())
    return captured.err


@pytest.mark.parametrize(
    ("words", "option", "zero"),
    [
        (["build", "KvK"], "--threads", True),
        (["build", "KvK"], "--workers", True),
        (["build"], "--all", True),
        (["plan"], "--all", True),
        (["plan", "KvK"], "--threads", True),
        (["verify", "KvK"], "--threads", True),
        (["verify", "KvK"], "--sample", True),
        (["verify", "KvK", "--sample", "10"], "--seed", False),
        (["report", "stats"], "--limit", True),
        (["adjudicate", "-", "--report"], "--jobs", True),
        (["adjudicate", "-", "--report"], "--top", False),
        ([*MATCH], "--concurrency", True),
        ([*MATCH], "--games", True),
        ([*MATCH], "--rounds", True),
        ([*MATCH], "--max-moves", True),
        ([*MATCH], "--plies", False),
        ([*MATCH], "--seed", False),
    ],
)
def test_whole_numbers(words: list[str], option: str, zero: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (*NO_NUMBERS, *["0"] * zero):
        assert complaint(capsys, *words, option, given).startswith(f"tbgen: {option} takes a whole number from ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "1"], "--seed goes with --sample"),
        (["--digests", "x", "--sample", "5"], "--digests compares whole tables"),
    ],
)
def test_what_a_check_would_not_heed(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in complaint(capsys, "verify", "KvK", *words)


def test_cores_that_may_not_be_used_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5})
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    for words in (["verify"], ["pack"], ["unpack", "x.slim.h5"], ["plan"]):
        assert parser_of(words[0]).parse_args(words[1:]).threads == 2
    assert parser_of("adjudicate").parse_args(["x.pgn"]).jobs == 2
    for given, expected in (([], 2), (["--workers", "2"], 1), (["--threads", "7"], 7)):
        for command in ("build", "solve"):
            assert clusters.threads_each(parser_of(command).parse_args(["KvK", *given])) == expected


@pytest.mark.parametrize("option", ["--margin", "--patience"])
def test_seconds(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    for given in ("", "x", "-1", "-0.5", "nan", "inf", "1e400", "1_0", "\uff13", ".", "1.2.3", DIGITS):
        assert complaint(capsys, *MATCH, option, given).startswith(f"tbgen: {option} takes ")
    assert complaint(capsys, *MATCH, "--patience", "0.0").startswith("tbgen: --patience takes more than 0 seconds")
    assert [seconds(words) for words in ("0", "1.", ".5", "2.5", "1e3")] == [0, 1, 0.5, 2.5, 1000]
    assert some_seconds("1e-3") == 0.001


@pytest.mark.parametrize("name", ["build", "verify"])
def test_sizes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (
        "",
        "much",
        "0",
        "0.1",
        "-1G",
        "4P",
        "1e9",
        "G",
        "nan",
        "\uff13G",
        DIGITS,
        DIGITS + "T",
        "1." + DIGITS,
    ):
        line = complaint(capsys, name, "KvK", f"--memory={given}")
        assert line.startswith("tbgen: --memory takes a size such as 800M, 4G or 3.5GiB, not ")


@pytest.mark.parametrize(
    ("words", "count"),
    [("4G", 4 * 10**9), ("800m", 8 * 10**8), ("1.5GiB", 3 << 29), ("65536", 65536), ("1kB", 1000), ("2Ki", 2048)],
)
def test_sizes_of_memory(words: str, count: int) -> None:
    assert size(words) == count


@pytest.mark.parametrize(("words", "code"), [(["build", "KvK"], 6), (["verify", "KvK"], 6)])
def test_less_memory_than_the_program_takes(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    for given in ("1", "64M"):
        assert main([*words, "--memory", given]) == code
        line = capsys.readouterr().err
        assert re.search(r"2\d0 MiB of memory", line)
        assert line.count("\n") == 1


def test_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    for given in (
        "",
        "xyz",
        "127.0.0.1",
        "tcp://host",
        "tcp://host:0",
        "tcp://host:99999",
        ":8786",
        "a b:1",
        "h:\uff13",
    ):
        line = complaint(capsys, "build", "KvK", "--scheduler", given)
        assert line.startswith("tbgen: --scheduler takes an address such as tcp://host:8786, not ")
    for given in ("tcp://host:8786", "host:1", "tls://10.0.0.1:65535", "tcp://[::1]:8786"):
        assert address(given) == given


@pytest.mark.parametrize(
    "about",
    [("depth=\uff13",), ("depth=1_0",), ("nodes=" + "9" * 20,), ("movetime=nan",), ("depth=1", "--sprt", "elo1=\uff15"),
     ("depth=1", "--sprt", "elo1=inf"), ("depth=1", "--sprt", "elo1=1" + "0" * 400),
     ("depth=1", "--sprt", "elo0=-20000"), ("depth=1", "--sprt", "alpha=1_0")],
)  # fmt: skip
def test_numbers_about_engines(about: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    complaint(capsys, *MATCH[:-1], *about)


@pytest.mark.parametrize(
    ("take", "least", "most"), [(whole_number(0, 7), 0, 7), (at_once, 1, 1024), (whole_number(2), 2, 2**63 - 1)]
)
def test_bounds_are_taken(take: Callable[[str], int], least: int, most: int) -> None:
    assert (take(str(least)), take(str(most))) == (least, most)
    for beyond in (least - 1, most + 1):
        with pytest.raises(argparse.ArgumentTypeError):
            take(str(beyond))


# --- directories ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [["build", "KvK"], ["verify"], ["verify", "KvK"], ["info"], ["report", "stats"], ["probe", "-"], ["uci"],
     ["adjudicate", "-", "--report"], [*MATCH]],
)  # fmt: skip
def test_a_file_where_tables_should_be(
    words: list[str], tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path_factory.mktemp("other") / "file"
    file.touch()
    dangling = file.with_name("dangling")
    dangling.symlink_to("nowhere")
    for place in (file, file / "below", file / "far" / "below", dangling):
        line = complaint(capsys, *words, "--tables", str(place))
        assert line == f"tbgen: {dangling if place is dangling else file} is no directory, and tables are in one\n"
    assert complaint(capsys, *words, "--tables", "").startswith("tbgen: --tables takes the name of a directory")


def test_a_file_that_the_environment_names(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path_factory.mktemp("other") / "file"
    file.touch()
    monkeypatch.setenv("TBGEN_TABLES", str(file))
    assert complaint(capsys, "info") == f"tbgen: {file} is no directory, and tables are in one\n"


def test_materials_named_twice_count_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--only", "--json", "KBvK", "kvkb", "KBK"]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    for words in (["build", "KQQQvKQQ"], ["verify", "KQQQvKQQ"], ["plan", "KQQQQQvK", "--only"]):
        assert " has more than " in complaint(capsys, *words)


@pytest.mark.parametrize("name", ["build", "plan"])
def test_no_material(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_CALLED_AS", "scripts/tbgen")
    assert complaint(capsys, name).startswith(f"tbgen: name a material, as in: scripts/tbgen {name} K")


@pytest.mark.parametrize("words", ["sheet - -", "adjudicate - x.pgn - --report", "probe - -", "solve - -"])
def test_standard_input_is_named_once(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = complaint(capsys, *words.split())
    assert told == "tbgen: standard input can be read only once: name - once\n"


# --- address space --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "kilobytes"),
    [("build KvK", 500_000), ("build KvK", 300_000), ("build KvK --threads 64", 4_000_000), ("verify", 300_000),
     ("info", 150_000), ("probe -", 130_000)],
)  # fmt: skip
def test_too_little_address_space(words: str, kilobytes: int, tmp_path: Path) -> None:
    """LLVM aborts, numpy interrupts and imports fail: it is seen before."""
    run = subprocess.run(
        ["bash", "-c", f"ulimit -v {kilobytes} && exec {sys.executable} -m tbgen {words}"],
        capture_output=True, text=True, check=False, cwd=tmp_path, input="",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (OutOfRoom.exit_code, "")
    allowed = kilobytes >> 10
    assert run.stderr.endswith(f" MiB of address space are needed, and {allowed} MiB are allowed (see: ulimit -v)\n")
    assert run.stderr.count("\n") == 1


def test_a_table_that_does_not_fit_into_the_address_space(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arrays are mapped before the last kernels are loaded."""
    monkeypatch.setattr(limits.resource, "getrlimit", lambda which: (2 << 30, -1))
    assert main(["build", "KRBvKR", "--tables", str(tmp_path), "--threads", "1"]) == OutOfRoom.exit_code
    assert "MiB of address space are needed, and 2048 MiB are allowed" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_system_that_leaves_no_fewer_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every system can say which cores a process may use."""
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert cores() == 7


def test_a_system_that_starts_no_more_threads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tbgen.cli.info.run", Mock(side_effect=RuntimeError("can't start new thread")))
    assert main(["info"]) == 6
    said = "tbgen: the system starts no more threads; --threads takes fewer (see: ulimit -u)\n"
    assert capsys.readouterr().err == said
    monkeypatch.setattr("tbgen.cli.info.run", Mock(side_effect=RuntimeError("a mistake of ours")))
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        main(["info"])
