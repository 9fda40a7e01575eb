"""A disk that is full, or a limit on files, ends a build with one line and exit code 6, and nothing is lost."""

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.errors import OutOfRoom
from tbgen.store import table_path

# every slice is made safe at once, no array is too small for the disk, and the check beforehand sees nothing
BUILD = """
import sys
from tbgen.system import thresholds; from tbgen.generate import forecast, workspace
thresholds.KEPT_FROM, workspace._WAIT, thresholds.LARGE = 0, -1.0, 1 << 12
thresholds.COMPRESSED_FROM = int(sys.argv[2])
forecast.check_disk = lambda forecast: None
from tbgen.cli.main import main
sys.exit(main(["build", "KPvK", "--tables", sys.argv[1], "--threads", "1", "-q"]))
"""
FULL = re.compile(r"tbgen: \S+: (no space left on device|file too large); make room, and the same command goes on.*\n")


@pytest.fixture(params=[pytest.param(0, marks=pytest.mark.full), 1 << 40], ids=["compressed", "in full"])
def compressed_from(request: pytest.FixtureRequest) -> int:
    least: int = request.param
    return least


@pytest.fixture(scope="module")
def needed(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with all that KPvK needs, and no more."""
    place = tmp_path_factory.mktemp("needed")
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        shutil.copy(table_path(small_tables, parse(name), "r"), place)
    return place


@pytest.fixture(scope="module")
def expected(needed: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("expected")
    shutil.copytree(needed, place, dirs_exist_ok=True)
    assert main(["build", "KPvK", "--tables", str(place), "--threads", "1", "-q"]) == 0
    return table_path(place, parse("KPvK"), "r").read_bytes()


def build(place: Path, compressed_from: int, limit: Callable[[], None] | None = None) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(place), str(compressed_from)],
        capture_output=True, text=True, preexec_fn=limit, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def is_built(place: Path, compressed_from: int, limit: Callable[[], None] | None = None) -> bool:
    """Whether there was room; where there was none, that is said, and there is no table."""
    code, words = build(place, compressed_from, limit)
    if code == 0:
        return True
    assert code == OutOfRoom.exit_code, words
    assert FULL.fullmatch(words), words
    assert not table_path(place, parse("KPvK"), "r").exists()
    return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a file system of so many KiB; skipped where that is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(size: int) -> Path:
        options = f"{'remount,' if place.is_mount() else ''}size={size}k"
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        return place

    if os.geteuid() or shutil.which("mount") is None:
        pytest.skip("only root mounts file systems")
    yield mount
    if place.is_mount():
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_small_disk_fills_at_any_moment(
    small_disk: Callable[[int], Path], needed: Path, expected: bytes, compressed_from: int
) -> None:
    """With a little more room each time: whatever it was that did not fit, the next build goes on with the rest."""
    used = sum(-(-path.stat().st_size // 4096) * 4 for path in needed.iterdir())
    shutil.copytree(needed, small_disk(used + 64), dirs_exist_ok=True)
    table, failures = table_path(small_disk(used + 64), parse("KPvK"), "r"), 0
    for more in range(40):
        if is_built(small_disk(used + 64 + int(64 * 1.7**more)), compressed_from):
            break
        failures += 1
    assert failures > 3
    assert table.read_bytes() == expected
    assert not [path for path in table.parent.iterdir() if path.name.startswith(".")]


def test_a_limit_on_files_is_met_at_any_moment(
    tmp_path: Path, needed: Path, expected: bytes, compressed_from: int
) -> None:
    shutil.copytree(needed, tmp_path, dirs_exist_ok=True)
    table, failures = table_path(tmp_path, parse("KPvK"), "r"), 0
    for limit in (0, 1 << 10, 40 << 10, 300 << 10, 700 << 10, 1400 << 10, 40 << 20):
        if is_built(tmp_path, compressed_from, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))):  # noqa: B023
            break
        failures += 1
    assert failures > 3
    assert table.read_bytes() == expected
