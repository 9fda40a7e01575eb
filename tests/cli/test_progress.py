"""How far long work is: a bar on a terminal, lines in a file."""

import io
import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tbgen.cli import display as displays
from tbgen.cli import progress
from tbgen.cli.main import main
from tbgen.compiler.jit import STORE, VERIFIER
from tbgen.core.material import parse
from tbgen.generate import estimate, precompile
from tbgen.generate.usage import Clocks
from tbgen.generate.workspace import STARTS_OVER
from tests.support.patience import PATIENCE

DIGESTS = Path(__file__).parent.parent.parent / "docs" / "digests.txt"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def compiling(processes: int, report: Callable[[float], None], wanted: object) -> None:
    """As `warm_up`, in a tenth of a second."""
    for step in range(5):
        report(0.2 * step)
        time.sleep(0.02)
    report(1.0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "cold_parts", lambda wanted: ["sweep"])
    monkeypatch.setattr(progress, "warm_up", compiling)
    monkeypatch.setattr(progress, "COMPILING_EVERY", 0.03)


@pytest.mark.usefixtures("slow")
def test_compiling_into_a_file_prints_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now)  # a busy machine's clock would be ahead of the steps
    monkeypatch.setattr(time, "sleep", sleep)
    progress.warm_up_visibly(2, quiet=False)
    captured = capsys.readouterr()
    first, *lines = captured.err.splitlines()
    assert (captured.out, first) == ("", "tbgen: compiling the solver, this once: about half a minute")
    assert 1 <= len(lines) <= 5
    for line in lines:
        assert re.fullmatch(r"tbgen: compiling the solver, this once: \d+ %, about \d+\.\d s left", line)


@pytest.mark.usefixtures("slow")
def test_who_verifies_waits_for_the_verifier_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []
    monkeypatch.setattr(progress, "warm_up", lambda processes, report, wanted: asked.append(wanted))
    progress.warm_up_visibly(2, quiet=False, verifying=True)
    assert (
        capsys.readouterr().err.splitlines()[0]
        == "tbgen: compiling the verifier, this once: about a quarter of a minute"
    )
    assert asked == [(VERIFIER, STORE)]


def test_a_table_begun_anew_leaves_no_time_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    with displays.Display(quiet=False, period=0.01) as display:
        task = display.task("5 tables", 1.0, every=0.01)
        task.advance(0.1 + 0.2)
        time.sleep(0.02)
        task.advance(-0.3)  # a float: what remains is not quite 0
    assert 0 < task.done < 1e-9
    assert capsys.readouterr().err.splitlines()[-1] == "tbgen: 5 tables: 0 %"


Happens = Callable[[displays.Task], None]
Told = Callable[..., list[str]]


@pytest.fixture
def told_each_minute(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Told:
    """What is told of a build in whose minutes this happens, and which was to take so many seconds."""

    def told(minutes: Iterable[Happens], planned: float = 0.0) -> list[str]:
        now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: now)
        with displays.Display(quiet=False, period=600) as display:
            task = display.task("KRRvKRR", 100.0, every=60, planned=planned)
            for happens in minutes:
                now += 60
                happens(task)
        return [line.partition(": ")[2].partition(": ")[2] for line in capsys.readouterr().err.splitlines()]

    return told


def done(percent: int) -> Happens:
    return lambda task: task.advance(percent)


def test_the_time_left_goes_by_the_last_while(
    told_each_minute: Told,
) -> None:
    """What a stopped build had done took no time of this one, and the first half went faster than the second."""
    said = told_each_minute([lambda task: task.found(20), *map(done, (10, 10, 10, *[1] * 20))])
    assert said[0] == "30 %, about 14.0 min left"  # 10 in 2 minutes
    assert said[-1] == "70 %, about 30.0 min left"  # 1 in each


def test_a_while_in_which_nothing_counts_does_not_frighten(
    told_each_minute: Told,
) -> None:
    """Steps of six men are written for ten minutes, and no position is reached meanwhile."""
    said = told_each_minute(map(done, (*[2] * 30, *[0] * 20, *[2] * 5)))
    left = [line.rpartition("about ")[2] for line in said]
    assert [left[at] for at in (29, 49, 54)] == ["20.0 min left", "86.7 min left", "65.0 min left"]


def test_a_fast_start_promises_no_early_end(told_each_minute: Told) -> None:
    """What comes first of six men may go ten times as fast as what comes last."""
    minutes = [*map(done, (*[5] * 8, *[1] * 20, *[2] * 19))]
    left = [line.rpartition("about ")[2] for line in told_each_minute(minutes, planned=80 * 60.0)]
    assert left[7] == "48.0 min left"  # 12 by the speed, 72 by the plan, which counts for 60 of 100
    assert left[-1] == "98.4 s left"  # 60 s, and 33 minutes, which count for 2 of 100
    late = [line.rpartition("about ")[2] for line in told_each_minute(minutes, planned=20 * 60.0)]
    assert late[27] == "40.0 min left"  # more than planned


def test_what_was_done_before_was_planned_before(told_each_minute: Told) -> None:
    said = told_each_minute([lambda task: task.found(50), done(10)], planned=80 * 60.0)
    assert said[-1] == "60 %, about 20.0 min left"  # 8 minutes by the speed, 38 by the plan, which counts for 40 of 100


def test_what_is_done_leaves_no_time_to_tell(told_each_minute: Told) -> None:
    said = told_each_minute([done(50), lambda task: task.advance(50 + 1e-9)])  # a float: it may be more than all
    assert said == ["50 %, about 60.0 s left", "100 %"]


def test_what_a_user_should_know_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        with progress.TableProgress([parse("KPvK")], quiet=quiet) as shown:
            shown.noted(parse("KPvK"), STARTS_OVER)
    (said,) = capsys.readouterr().err.splitlines()
    assert said == "KPvK: a stopped build of another tbgen, or with other tables, is of no use; starting over"


@pytest.mark.usefixtures("slow")
def test_compiling_on_a_terminal_draws_a_bar_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    progress.warm_up_visibly(2, quiet=False)
    words = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())
    assert re.search(r"compiling the solver, this once .* +\d+% (\d:\d\d:\d\d|-:--:--)", words)


def test_a_bar_tells_the_time_left_as_lines_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with displays.Display(quiet=False, stream=(terminal := Terminal())) as display:
        task = display.task("KRRvKRR", 100.0, planned=10 * 3600.0)
        for _ in range(5):
            time.sleep(0.02)
            task.advance(10)
    words = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())
    assert re.search(r"KRRvKRR .* +50% (4:5\d|5:0\d):\d\d", words)


@pytest.mark.usefixtures("slow")
def test_nothing_of_it_where_quiet_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    def silent(processes: int, report: Callable[[float], None], wanted: object) -> None:
        compiling(processes, report, wanted)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "warm_up", silent)
        progress.warm_up_visibly(2, quiet=True)
    assert capsys.readouterr() == ("", "")


def test_lines_tell_the_level_and_what_the_disk_had_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gib = 1 << 30
    clocks = iter([Clocks(0, 0, 5, 5), *[Clocks(9, 9, 5 + 12 * gib, 5 + 84 * gib)] * 9])
    monkeypatch.setattr(Clocks, "read", lambda: next(clocks))
    monkeypatch.setattr(displays, "EVERY", 1e-9)
    kbvk, knvk = parse("KBvK"), parse("KNvK")
    with progress.TableProgress([kbvk], quiet=False) as bars:
        bars.began(kbvk)
        bars.at_round(kbvk, 6, 0)
        bars.solved(kbvk, 500)
        bars.at_round(kbvk, 6, 41)
        bars.solved(kbvk, 500)
        bars.written(kbvk, 1000)
        bars.finished(kbvk)
    said = [line for line in capsys.readouterr().err.splitlines() if "read" in line]
    assert said[0].startswith("tbgen: KBvK: 1 %, at G3.0, 12.0 GiB read, 84.0 GiB written")
    assert "%, at G3.0, round 41, 12.0 GiB read" in said[1]
    assert "%, writing, 12.0 GiB read" in said[2]
    assert not any(" at G" in line for line in said[2:]), "it is at no level any more"
    assert "100 %, 12.0 GiB read" in said[3]
    with progress.TableProgress([kbvk, knvk], quiet=False) as bars:
        bars.began(kbvk)
        bars.at_round(kbvk, 6, 0)
        bars.solved(kbvk, 1000)
    assert "KBvK at G3.0" in capsys.readouterr().err


@pytest.mark.parametrize("read", [100_000_000, 10 << 30])
def test_a_table_that_does_not_fit_into_memory_waits_for_the_disk_once_more(
    monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    """It has 119 million numbers: the writer reads 3.6 GB of it, where the solver waited 50 s for ten."""
    clocks = iter([Clocks(0, 0, 0, 0), *[Clocks(100, 85, read, 0)] * 9])
    monkeypatch.setattr(Clocks, "read", lambda: next(clocks))
    krrvkr, kvk = parse("KRRvKR"), parse("KvK")
    numbers = estimate.numbers_of(krrvkr)
    waits = 50 * 30 * numbers / read if read > numbers else 0.0
    with progress.TableProgress([krrvkr, kvk], quiet=True, threads=2) as bars:
        bars.began(krrvkr)
        for task in (bars._all, bars._tables[krrvkr]):
            assert task.believed(7.0, time.monotonic()) == pytest.approx(7.0 + waits)
        bars.solved(krrvkr, numbers)
        assert bars._all.believed(7.0, time.monotonic()) == pytest.approx(7.0 + waits)
        bars.written(krrvkr, numbers)
        bars.written(krrvkr, numbers)
        assert bars._all.believed(7.0, time.monotonic()) == pytest.approx(7.0 + waits * 0.06 / 0.28)
        bars.finished(krrvkr)
        assert bars._all.believed(7.0, time.monotonic()) == 7.0
    clocks = iter([Clocks(0, 0, 0, 0), *[Clocks(100, 85, read, 0)] * 9])
    with progress.TableProgress([krrvkr], quiet=True) as bars:
        bars.began(krrvkr)
        assert bars._all.believed(7.0, time.monotonic()) == 7.0, "it is read or verified, not built"


def test_a_line_comes_also_while_nothing_is_heard(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while staircases are numbered."""
    monkeypatch.setattr(displays, "EVERY", 0.05)
    monkeypatch.setattr(displays, "_GLANCE", 0.01)
    kbvk, told = parse("KBvK"), ""
    with progress.TableProgress([kbvk], quiet=False) as bars:
        bars.began(kbvk)
        bars.solved(kbvk, 30_000)
        bars.at_stage(kbvk, "numbering staircases")
        end = time.monotonic() + PATIENCE
        while told.count("numbering staircases") < 3 and time.monotonic() < end:
            time.sleep(0.01)
            told += capsys.readouterr().err
    assert told.count("tbgen: KBvK: 37 %, numbering staircases") >= 3
    time.sleep(0.2)
    assert capsys.readouterr().err == ""


def test_builds_into_a_file_print_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(displays, "EVERY", 1e-9)
    names = [parse("KBvK"), parse("KNvK")]
    for quiet in (False, True):
        with progress.TableProgress(names, quiet=quiet) as bars:
            bars.began(names[0])
            bars.solved(names[0], 59136 // 2)
            bars.solved(names[0], 59136 // 4)
            bars.finished(names[0])
        captured = capsys.readouterr()
        assert captured.out == ""
        said = [line.split(" %, about ")[0] for line in captured.err.splitlines()]
        assert said == ([] if quiet else [f"tbgen: 2 tables: {share}" for share in (18, 27, 50)])


def test_a_table_that_is_only_checked_has_nothing_to_come(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one that is built, writing is left when all is solved."""
    monkeypatch.setattr(displays, "EVERY", 1e-9)
    kbvk = parse("KBvK")
    shares = []
    for told in (["solved"], ["checked"], ["solved", "written", "written"]):
        with progress.TableProgress([kbvk], quiet=False) as bars:
            bars.began(kbvk)
            for one in told:
                getattr(bars, one)(kbvk, 59136)
        shares.append(capsys.readouterr().err.split(" %")[-2].split()[-1])
    assert shares == ["72", "100", "94"]


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_results_are_printed_in_any_case(
    quiet: bool, stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line each, however long."""
    line = "KBvK:" + 40 * " all right" + "\n"
    monkeypatch.setattr(sys, "stdout", out := stream())
    with progress.TableProgress([parse("KBvK")], quiet=quiet) as bars:
        bars.show([line.rstrip()])
    assert line in out.getvalue()
    assert (out.getvalue() == line) == (quiet or stream is io.StringIO)


@pytest.mark.parametrize("quiet", [False, True])
def test_programs_read_results_and_people_how_far_it_is(
    quiet: bool, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--json` takes nothing away from standard error."""
    monkeypatch.setattr(displays, "EVERY", 1e-9)
    place = str(small_tables)
    for words in (
        ["verify", "KQvK", "--tables", place],
        ["verify", "KQvK", "--tables", place, "--digests", str(DIGESTS)],
        ["pack", "KQvK", "--tables", place, "-o", str(tmp_path)],
        ["unpack", str(tmp_path / "KQvK.r.slim.h5"), "--tables", place, "--check"],
        ["export", "KQvK", "--tables", place, "-o", str(tmp_path / "KQvK.csv"), "--force"],
    ):
        assert main([*words, "--json", *["-q"] * quiet]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["material"] == "KQvK"
        assert ("%" in captured.err) != quiet, words


def test_each_part_has_kernels_to_count() -> None:
    assert precompile._KERNELS.keys() == precompile._PARTS.keys()


@pytest.mark.full
def test_compiling_comes_to_its_end_evenly(tmp_path: Path) -> None:
    """What kernels there are in each part is written down; two processes need not compile some of these twice."""
    program = tmp_path / "program.py"
    program.write_text(
        "from tbgen.generate import precompile\nif __name__ == '__main__':\n    precompile.warm_up(2, print)\n"
    )
    run = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "TBGEN_CACHE": str(tmp_path / "cache")},
        capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    *shares, last, end = map(float, run.stdout.split())
    assert end == 1.0
    assert 0.8 < last <= 0.99
    assert [*shares, last].count(0.99) <= 2 + len(shares) / 10, "it stands still before its end"
    assert max(after - before for before, after in itertools.pairwise([0.0, *shares])) < 0.2
