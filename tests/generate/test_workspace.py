"""Builds that were stopped go on where they were, and only with what is sound."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tbgen.core.material import parse
from tbgen.generate import finished_slices, journal
from tbgen.generate.table import build_table
from tbgen.generate.workspace import STARTS_OVER, Workspace
from tbgen.index import layout_of
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro.checkpoint import Counts
from tbgen.store import file_digest, open_table, stamp_of, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import tidy
from tbgen.store.write import write_table
from tbgen.system import output_files
from tests.support.patience import PATIENCE
from tests.support.stopped import KPVK, Enough, Listener, build, go_on, journal_of, kept_in, links_of, slices_in, stop
from tests.support.thinned import thinned


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("stop_after", [1, 7, 23])
def test_a_stopped_build_goes_on(place: Path, expected: bytes, stop_after: int) -> None:
    stop(place, stop_after)
    kept = slices_in(place)
    assert len(kept) in (stop_after, stop_after + 1)  # the next slice may have been at work
    assert go_on(place) == sorted(kept)
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected
    assert not journal_of(place).parent.exists()


def test_a_table_that_is_built_again_goes_on_as_well(place: Path, expected: bytes) -> None:
    table = table_path(place, KPVK, "r")
    table.write_bytes(expected)
    stamp = stamp_of(table.stat())
    stop(place, 7, stamp)
    kept = slices_in(place)
    tidy(place, again=[KPVK])
    assert go_on(place) == sorted(kept)
    assert build(place, replaced=stamp)
    assert stamp_of(table.stat()) != stamp
    assert table.read_bytes() == expected
    assert not build(place, replaced=stamp), "it has been built again"
    stop(place, 7, stamp_of(table.stat()))
    tidy(place)
    assert not journal_of(place).parent.exists(), "nobody wants it to be built again"


def flip(path: Path, at: int, bit: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        found = file.read(1)[0]
        file.seek(at)
        file.write(bytes([found ^ bit]))


@pytest.mark.parametrize("array", ["entries", "staircases"])
def test_a_slice_that_has_changed_is_solved_again(place: Path, expected: bytes, array: str) -> None:
    stop(place, 5)
    kept = slices_in(place)
    flip(journal_of(place).parent / array, 4 * (int(layout_of(KPVK).start[kept[2]]) + 17))
    assert go_on(place) == sorted(set(kept) - {kept[2]})
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_links_are_not_believed_either(place: Path, expected: bytes) -> None:
    """Whichever byte has changed: the slices that need these links are solved again, and no others."""
    stop(place, 9)
    batches, saved = kept_in(place), links_of(place).read_bytes()
    assert sum(len(batch.links) for batch in batches) > 3
    at = 0
    for number, batch in enumerate(batches):
        for stretch in batch.links:
            assert stretch.offset == at
            at += 12 * stretch.links
            first = {done.slice for before in batches[:number] for done in before.slices}
            links_of(place).write_bytes(saved)
            flip(links_of(place), stretch.offset + 12 * stretch.links // 2)
            copy = place / "copy"
            shutil.copytree(place, copy)
            left = go_on(copy)
            assert first <= set(left)
            assert batch.slices[0].slice not in left
            build(copy)
            assert table_path(copy, KPVK, "r").read_bytes() == expected
            shutil.rmtree(copy)
    assert at == len(saved)


@pytest.mark.parametrize(
    ("name", "harm"), thinned(["entries", "staircases", "links"], ["gone", "empty", "half", "another"])
)
def test_files_that_are_not_what_they_were(place: Path, expected: bytes, name: str, harm: str) -> None:
    stop(place, 9)
    path = links_of(place) if name == "links" else journal_of(place).parent / name
    data = path.read_bytes()
    path.unlink()
    if harm != "gone":
        path.write_bytes({"empty": b"", "half": data[: len(data) // 2], "another": data[::-1]}[harm])
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def put(kind: str, path: Path) -> None:
    """Something that is no file, in the place of one."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
            (path / "file").touch()
        case "zeros":
            path.symlink_to("/dev/zero")
        case "nowhere":
            path.symlink_to("none/at/all")
        case "elsewhere":
            path.symlink_to(path.parent.parent / "elsewhere")
        case "hard link":
            path.hardlink_to(path.parent.parent / "elsewhere")


def no_end(number: int, frame: object) -> None:
    raise AssertionError("the build hangs")


@pytest.mark.parametrize("name", ["journal.new", "links.1", "ends", "numbered", "numbered.new"])
def test_a_link_where_a_file_is_about_to_be_made(
    name: str, place: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has planted it after the build has looked at what is there."""
    stop(place, 9)
    (place / "mine").write_bytes(b"mine")
    (journal_of(place).parent / name).symlink_to(place / "mine")
    monkeypatch.setattr(Workspace, "_remove_what_is_no_file", lambda self: None)
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected
    assert (place / "mine").read_bytes() == b"mine"


def test_what_another_user_has_left_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be the work of hours, and nobody knows what its user does to it meanwhile."""
    stop(place, 9)
    before = {path.name: path.read_bytes() for path in journal_of(place).parent.iterdir()}
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(PermissionError, match=r"remove it: .*work"):
        build(place)
    assert {path.name: path.read_bytes() for path in journal_of(place).parent.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *thinned(
            ["entries", "staircases", "links", "journal", "workspace"],
            ["pipe", "directory", "zeros", "nowhere", "elsewhere"],
        ),
        *((name, "hard link") for name in ("entries", "links", "journal")),
    ],
)
def test_what_is_no_file_is_solved_again(place: Path, expected: bytes, name: str, kind: str) -> None:
    stop(place, 9)
    work = journal_of(place).parent
    elsewhere = place / "elsewhere"
    if name == "workspace":
        elsewhere.mkdir()
        (elsewhere / "link").symlink_to("mine")
        put(kind, work)
    else:
        elsewhere.write_bytes(b"mine")
        put(kind, links_of(place) if name == "links" else work / name)
    before = signal.signal(signal.SIGALRM, no_end)
    signal.alarm(60)
    try:
        build(place)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert table_path(place, KPVK, "r").read_bytes() == expected
    assert not os.path.lexists(work)
    if name == "workspace":
        assert (elsewhere / "link").is_symlink()
    else:
        assert elsewhere.read_bytes() == b"mine"


@pytest.mark.parametrize("torn", [1, 10, 60])
def test_a_torn_journal_loses_its_last_line(place: Path, expected: bytes, torn: int) -> None:
    stop(place, 4)
    kept = slices_in(place)
    data = journal_of(place).read_bytes()
    journal_of(place).write_bytes(data[: len(data) - torn])
    assert go_on(place) == sorted(kept[:-1])
    assert sorted(slices_in(place)) == sorted(kept[:-1]), "the journal is whole again"
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_a_journal_that_cannot_be_read_now_is_not_thrown_away(
    place: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system over a network may answer the next time."""
    stop(place, 9)
    kept, read_bytes = slices_in(place), Path.read_bytes

    def read(path: Path) -> bytes:
        if path == journal_of(place):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(path))
        return read_bytes(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", read)
        with pytest.raises(OSError, match="journal"):
            build(place)
    assert slices_in(place) == kept
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_a_journal_that_begins_again_is_not_believed_from_there_on(place: Path, expected: bytes) -> None:
    stop(place, 6)
    first, *rest = journal_of(place).read_bytes().splitlines(keepends=True)
    for at in (0, 2):
        journal_of(place).write_bytes(b"".join([first, *rest[:at], first, *rest[at:]]))
        assert len(kept_in(place)) == at
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_a_changed_journal_is_not_believed(place: Path, expected: bytes) -> None:
    """A digit, somewhere: nothing from there on."""
    stop(place, 6)
    data = journal_of(place).read_bytes()
    digits = [at for at, byte in enumerate(data) if chr(byte).isdigit()]
    for at in digits[:: len(digits) // 12]:
        journal_of(place).write_bytes(data[:at] + (b"1" if data[at : at + 1] != b"1" else b"2") + data[at + 1 :])
        lines = data[:at].count(b"\n")
        assert len(kept_in(place)) == (lines - 1 if lines > 1 else 0)
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


@pytest.mark.usefixtures("either_way")
def test_two_builds_may_be_stopped_one_after_the_other(place: Path, expected: bytes) -> None:
    for _ in range(4):
        kept = len(slices_in(place))
        stop(place, kept + 5)
        assert len(slices_in(place)) >= kept + 4
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_a_slice_is_on_the_disk_before_the_journal_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def sync(path: Path) -> None:
        done.append(path.name)
        output_files.sync(path)

    def add(directory: Path, batch: journal.Batch) -> None:
        done.append("journal")

    monkeypatch.setattr(finished_slices, "sync", sync)
    monkeypatch.setattr(journal, "add", add)
    build(place)
    slices = len(done) // 3
    assert slices == layout_of(KPVK).slices
    assert done == ["entries", "staircases", "journal"] * slices


@pytest.mark.parametrize("name", ["program", "sources", "rules", "needed"])
def test_another_build_starts_anew(place: Path, expected: bytes, name: str) -> None:
    stop(place, 4)
    head, lines = journal.read(journal_of(place).parent)  # type: ignore[misc]
    batches = [*lines]
    told: list[str] = []
    journal.start(journal_of(place).parent, head, batches)
    assert go_on(place, told.append)
    assert not told
    journal.start(journal_of(place).parent, {**head, name: "another"}, batches)
    # lines of another version may look otherwise
    with journal_of(place).open("ab") as file:
        file.write(journal._text({"slices": "all"}))
    assert go_on(place, told.append) == []
    assert go_on(place, told.append) == [], "there is none"
    assert told == [STARTS_OVER]
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_other_dependencies_make_another_build(place: Path, expected: bytes) -> None:
    stop(place, 4)
    assert go_on(place)
    path = table_path(place, parse("KQvK"), "r")
    with open_table(path) as table:
        write_table(path, table.part(0, table.size), {"attractions": 17})
    assert go_on(place) == []
    build(place)


def test_a_build_depends_on_the_tables_that_it_has_read(place: Path) -> None:
    """Entries are kept for the next build; by then another table may have the name."""
    disk_arrays = DiskArrays(place, 1 << 40)
    cache = EntryCache(place, "r", disk_arrays)
    cache.take(KPVK.successors())
    queen = table_path(place, parse("KQvK"), "r")
    read = file_digest(queen)
    with open_table(queen) as table:
        write_table(queen, table.part(0, table.size), {"attractions": 17})

    with pytest.raises(Enough):
        build_table(KPVK, place, "r", cache, disk_arrays, threads=1, watcher=Listener(1))
    head, _ = journal.read(journal_of(place).parent)  # type: ignore[misc]
    assert head["needed"]["KQvK"] == read != file_digest(queen)


def test_small_tables_leave_no_workspace(tmp_path: Path) -> None:
    workspace = Workspace(table_path(tmp_path, KPVK, "r"), layout_of(KPVK), "r", DiskArrays(tmp_path, 1 << 40))
    workspace.open(layout_of(KPVK), 64)
    workspace.solved(3, Counts(5, 6, 7))
    assert not list(tmp_path.iterdir())


KILLED = """
import sys
from pathlib import Path
from typing import Any
from tbgen.system import thresholds
from tbgen.generate import workspace
thresholds.KEPT_FROM, workspace._WAIT = 0, -1.0
from tbgen.cli.main import main
main(["build", "KPvK", "--tables", sys.argv[1], "--threads", "2"])
"""


def test_a_killed_build_goes_on(place: Path, expected: bytes) -> None:
    running = subprocess.Popen([sys.executable, "-c", KILLED, str(place)], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while not (journal_of(place).exists() and len(journal_of(place).read_text().splitlines()) > 3):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.001)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not table_path(place, KPVK, "r").exists()
    told = build(place)
    assert sum(told) == layout_of(KPVK).size
    assert table_path(place, KPVK, "r").read_bytes() == expected
