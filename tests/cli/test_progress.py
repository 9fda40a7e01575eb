"""How far long work is: a bar on a terminal, lines in a file."""

import io
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen import kept
from tbgen.cli import display as displays
from tbgen.cli import progress
from tbgen.generate import precompile
from tbgen.material import parse


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def compiling(processes: int, report: Callable[[float], None]) -> None:
    """As `warm_up`, in a tenth of a second."""
    for step in range(5):
        report(0.2 * step)
        time.sleep(0.02)
    report(1.0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "cold_parts", lambda: ["sweep"])
    monkeypatch.setattr(progress, "warm_up", compiling)
    monkeypatch.setattr(progress, "share_compiled", lambda: 0.0)
    monkeypatch.setattr(progress, "COMPILING_EVERY", 0.03)


@pytest.mark.usefixtures("slow")
def test_compiling_into_a_file_prints_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress.warm_up_visibly(2, quiet=False)
    captured = capsys.readouterr()
    first, *lines = captured.err.splitlines()
    assert (captured.out, first) == ("", "tbgen: compiling the solver, this once: about a minute")
    assert 1 <= len(lines) < 5
    for line in lines:
        assert re.fullmatch(r"tbgen: compiling the solver, this once: \d+ %, about 0\.\d s left", line)


def test_a_table_begun_anew_leaves_no_time_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    with displays.Display(quiet=False, period=0.01) as display:
        task = display.task("5 tables", 1.0, every=0.01)
        task.advance(0.1 + 0.2)
        time.sleep(0.02)
        task.advance(-0.3)  # a float: what remains is not quite 0
    assert 0 < task.done < 1e-9
    assert capsys.readouterr().err.splitlines()[-1] == "tbgen: 5 tables: 0 %"


@pytest.mark.usefixtures("slow")
def test_compiling_on_a_terminal_draws_a_bar_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    progress.warm_up_visibly(2, quiet=False)
    words = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())
    assert re.search(r"compiling the solver, this once .* +\d+% (\d:\d\d:\d\d|-:--:--)", words)


@pytest.mark.usefixtures("slow")
def test_nothing_of_it_where_quiet_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    def silent(processes: int, report: Callable[[float], None] = lambda share: None) -> None:
        compiling(processes, report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "warm_up", silent)
        progress.warm_up_visibly(2, quiet=True)
    assert capsys.readouterr() == ("", "")


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
        captured = capsys.readouterr()
        assert captured.out == ""
        said = [line.split(" %, about ")[0] for line in captured.err.splitlines()]
        assert said == ([] if quiet else ["tbgen: 2 tables: 25", "tbgen: 2 tables: 38"])


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_results_are_printed_in_any_case(
    quiet: bool, stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", out := stream())
    with progress.TableProgress([parse("KBvK")], quiet=quiet) as bars:
        bars.show(["KBvK: all right"])
    assert "KBvK: all right\n" in out.getvalue()
    assert (out.getvalue() == "KBvK: all right\n") == (quiet or stream is io.StringIO)


def test_the_machine_code_is_as_large_as_expected() -> None:
    """Where all is compiled, as scripts/test does first. Tests compile some kernels for other arguments too, so only
    what builds need must not be more."""
    if precompile.cold_parts():
        pytest.skip("not all is compiled here")
    caches = [group.cache for group, _ in precompile._GROUPS]
    needed = {line for cache in caches for line in (kept.read(cache / precompile._DONE) or b"").decode().splitlines()}
    assert sum((caches[0].parent / name).stat().st_size for name in needed) < 1.3 * precompile._EXPECTED
    assert precompile.share_compiled() > 0.9


def test_what_is_compiled_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tbgen.jit import Group

    monkeypatch.setattr(precompile, "_GROUPS", ((Group([], "", tmp_path), {}),))
    before = precompile.share_compiled()
    (tmp_path / ".one.kernel.part").write_bytes(bytes(1 << 20))
    assert precompile.share_compiled() == before
    (tmp_path / f"one{kept.SUFFIX}").write_bytes(bytes(2 << 20))
    assert precompile.share_compiled() > before + 0.05
    (tmp_path / f"gone{kept.SUFFIX}").symlink_to("nowhere")  # as one is that another process removes meanwhile
    assert precompile.share_compiled() > before + 0.05
