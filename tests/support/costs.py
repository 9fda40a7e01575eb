"""A plugin of pytest that says at the end which files and folders took how long, and made how much memory grow.

Of each file `.pytest_cache/v/tbgen/seconds` keeps what it took when it ran last."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest

_MOST: Final = 10
"""Files in each list."""
_GROWTH: Final = "megabytes that the process grew by"
_MEMORY: Final = "megabytes that the process has had"
_PEAK: Final = pytest.StashKey[int]()


def _peak_memory() -> int:
    """Return the most megabytes that this process has had. getrusage would count those of its parent as well."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) >> 10 if found else 0


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_PEAK] = _peak_memory()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if _PEAK in item.stash:
        peak = _peak_memory()
        item.user_properties += [(_GROWTH, peak - item.stash[_PEAK]), (_MEMORY, peak)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    seconds: dict[str, float] = defaultdict(float)
    growth: dict[str, float] = defaultdict(float)
    most = 0
    for report in _reports(terminalreporter.stats.values()):
        name = report.nodeid.partition("::")[0]
        seconds[name] += report.duration
        if report.when == "teardown":
            measured: dict[str, Any] = dict(report.user_properties)
            growth[name] += measured.get(_GROWTH, 0)
            most = max(most, measured.get(_MEMORY, 0))
    if len(seconds) < 2:
        return
    cache = getattr(config, "cache", None)
    if cache is not None:
        cache.set("tbgen/seconds", cache.get("tbgen/seconds", {}) | {name: round(seconds[name], 1) for name in seconds})
    folders: dict[str, float] = defaultdict(float)
    for name, took in seconds.items():
        folders[str(PurePosixPath(name).parent)] += took
    terminalreporter.ensure_newline()
    _list(terminalreporter, "seconds of files", seconds, _MOST)
    _list(terminalreporter, "seconds of folders", folders, len(folders))
    _list(terminalreporter, f"megabytes that memory grew by, to {most} in one process at the most", growth, _MOST)


def _reports(lists: Iterable[list[Any]]) -> Iterable[pytest.TestReport]:
    return (report for some in lists for report in some if isinstance(report, pytest.TestReport))


def _list(reporter: pytest.TerminalReporter, title: str, counts: Mapping[str, float], most: int) -> None:
    reporter.section(title)
    for name in sorted(counts, key=counts.__getitem__, reverse=True)[:most]:
        reporter.write_line(f"{counts[name]:9.1f} {name}")
