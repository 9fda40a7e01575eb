"""Writing: all or nothing, one at a time, the same bytes every time."""

import errno
import io
import os
import secrets
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.store import building, open_table, table_path
from tbgen.store.format import schema
from tbgen.store.lock import half_written
from tbgen.store.read import table as read
from tbgen.store.write import encode, hdf5, write_table
from tests.support.contents import random_contents
from tests.support.places import ROOT

# A writer that stops where a test wants to kill it: everything is on disk, under another name.
WRITER = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from tests.support.contents import random_contents
from tbgen.core.material import parse
from tbgen.store import building
from tbgen.store.write import write_table
def stop(*names):
    print("ready", flush=True)
    time.sleep(60)
os.{at} = stop
path = Path({path!r})
with building(path):
    write_table(path, random_contents(parse("KvK"), seed={seed}, staircases=5), {{}})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return table_path(tmp_path, parse("KvK"), "r")


def kvk(seed: int) -> Contents:
    return random_contents(parse("KvK"), seed=seed, staircases=5)


def killed_writer(path: Path, at: str, seed: int) -> None:
    code = WRITER.format(tests=str(ROOT), path=str(path), at=at, seed=seed)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_a_killed_build_leaves_no_table(path: Path, at: str) -> None:
    killed_writer(path, at, seed=1)
    assert not path.exists()
    left = list(path.parent.iterdir())
    assert len(left) == 2
    with building(path):  # the lock went with the process, and what it left is swept
        assert [file.suffix for file in path.parent.iterdir()] == [".lock"]
        write_table(path, kvk(2), {})
    assert list(path.parent.iterdir()) == [path]


def test_a_killed_rebuild_leaves_the_old_table(path: Path) -> None:
    write_table(path, kvk(1), {})
    before = path.read_bytes()
    killed_writer(path, "replace", seed=2)
    assert path.read_bytes() == before


def test_a_failed_write_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*names: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(path, kvk(1), {})
    assert not list(path.parent.iterdir())


def test_a_directory_that_cannot_be_synced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems refuse that; the table is there all the same."""
    really_sync = os.fsync

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        really_sync(handle)

    monkeypatch.setattr(os, "fsync", sync)
    write_table(path, kvk(1), {})
    with open_table(path) as table:
        table.check()


@pytest.mark.parametrize("room", [100, 1500, 9000, 11000])
def test_a_full_disk(path: Path, room: int) -> None:
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.contents import random_contents
from tbgen.core.material import parse
from tbgen.store.write import write_table
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, resource.RLIM_INFINITY))
try:
    write_table({str(path)!r}, random_contents(parse("KvK"), seed=1, staircases=5), {{}})
except OSError as error:
    print(error.strerror, error.filename)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, f"File too large {path}\n"), run.stderr
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_whatever_happens_to_the_file_leaves_none(
    path: Path, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first write, the second, ... and so on."""

    class Failing(io.FileIO):
        def write(self, data: object) -> int:
            nonlocal left
            left -= 1
            if left == 0:
                raise error
            return super().write(data)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fdopen", Failing)
    failed = 0
    while not path.exists():
        left = failed + 1
        try:
            write_table(path, kvk(1), {})
        except error:
            failed += 1
            assert not list(path.parent.iterdir())
    assert failed > 10
    monkeypatch.undo()
    with open_table(path) as table:
        table.check()


@pytest.mark.parametrize("after", range(1, 30, 4))
def test_an_interrupt_while_hdf5_is_at_work(path: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 goes on with whatever it gets, and drops what a program raises."""
    seek, left = hdf5.Image.seek, after

    def stopped(image: hdf5.Image, offset: int, whence: int = io.SEEK_SET) -> int:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return seek(image, offset, whence)

    monkeypatch.setattr(hdf5.Image, "seek", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_table(path, kvk(1), {})
    assert left <= 0
    assert not list(path.parent.iterdir())


def test_the_same_bytes(tmp_path: Path) -> None:
    contents = random_contents(parse("KQvK"), seed=1, staircases=300)
    written = []
    for threads in (1, 4):
        path = tmp_path / f"{threads}.h5"
        write_table(path, contents, {"attractions": 3, "longest": "8/8 w"}, threads=threads)
        written.append(path.read_bytes())
        time.sleep(1.1)  # HDF5 could note when
    assert written[0] == written[1]


def test_many_chunks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And several groups of them."""
    monkeypatch.setattr(encode, "WIDTHS", (64, 64))
    monkeypatch.setattr(schema, "GROUP", 1 << 12)
    monkeypatch.setattr(read, "PIECE", 1 << 12)
    contents = random_contents(parse("KQvK"), seed=1, staircases=3)
    path = table_path(path.parent, contents.material, "r")
    write_table(path, contents, {})
    with open_table(path) as table:
        table.check()
        assert np.array_equal(table.part(0, table.size).entries, contents.entries)


def test_readers_keep_the_file_that_they_opened(path: Path) -> None:
    old, new = kvk(1), kvk(2)
    write_table(path, old, {})
    with open_table(path) as table:
        write_table(path, new, {})
        assert np.array_equal(table.part(0, table.size).entries, old.entries)
        table.check()
    with open_table(path) as table:
        assert np.array_equal(table.part(0, table.size).entries, new.entries)


def test_readers_while_tables_are_replaced(path: Path) -> None:
    possible = [kvk(seed) for seed in range(3)]
    write_table(path, possible[0], {})
    done = threading.Event()
    found: list[bool] = []

    def read() -> None:
        while not done.is_set():
            with open_table(path) as table:
                entries = table.part(0, table.size).entries
            found.append(any(np.array_equal(entries, one.entries) for one in possible))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(20):
        write_table(path, possible[turn % 3], {})
    done.set()
    for reader in readers:
        reader.join()
    assert found
    assert all(found)


def test_one_build_at_a_time(path: Path) -> None:
    events: list[str] = []
    waits, may_end = threading.Event(), threading.Event()

    def second() -> None:
        with building(path, lambda: (events.append("waits"), waits.set())):
            events.append("second")

    other = threading.Thread(target=second)
    with building(path, lambda: events.append("never")):
        other.start()
        assert waits.wait(20)
        events.append("first")
        may_end.set()
    other.join(20)
    assert events == ["waits", "first", "second"]
    assert not list(path.parent.iterdir())


def test_many_builds_at_once(path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def build(me: int) -> None:
        with building(path):
            inside.append(me)
            most.append(len(inside))
            write_table(path, kvk(me), {})
            inside.remove(me)

    builders = [threading.Thread(target=build, args=(me,)) for me in range(8)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    assert most == [1] * 8
    assert list(path.parent.iterdir()) == [path]


def test_different_tables_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda me: write_table(tmp_path / f"{me}.h5", kvk(me), {}), range(20)))
    for me in range(20):
        with open_table(tmp_path / f"{me}.h5") as table:
            assert np.array_equal(table.part(0, table.size).entries, kvk(me).entries)


def test_nothing_is_written_through_a_link(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where somebody has guessed the name."""
    victim = path.with_name("victim")
    victim.write_bytes(b"mine")
    monkeypatch.setattr(secrets, "token_hex", lambda size: "guessed")
    half_written(path).symlink_to(victim)
    with pytest.raises(FileExistsError, match=path.name):
        write_table(path, kvk(1), {})
    monkeypatch.undo()
    path.with_name(f".{path.name}.{os.getpid()}.half").symlink_to(victim)
    write_table(path, kvk(1), {})
    assert victim.read_bytes() == b"mine"


def test_the_directory_is_made(tmp_path: Path) -> None:
    path = table_path(tmp_path / "a" / "b", parse("KvK"), "r")
    with building(path):
        write_table(path, kvk(1), {})
    assert path.exists()
