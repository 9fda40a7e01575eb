"""The attack on tbgen finds nothing, and would find what it is there for."""

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF
from types import SimpleNamespace

import pytest
from soaking import command, crew, ground, readers, serving, siege
from soaking.case import Failed, Limits, seed_of
from soaking.main import PARTS, main, part_class
from soaking.tables import Tables
from soaking.words import Words

from tbgen.cli import main as tbgen
from tbgen.core.material import Material
from tbgen.errors import CorruptTable
from tbgen.probe import tables as probing
from tbgen.store.read.chunk import Chunk
from tbgen.store.read.open_file import OpenFile
from tbgen.store.read.table import TableFile
from tests.support.patience import PATIENCE
from tests.support.serving import serving as server_of

FEW = {
    "kills": 1, "workspaces": 3, "tables": 15, "readers": 2, "fens": 30, "games": 30, "engine": 20, "words": 30,
    "disks": 1,
}  # fmt: skip
SOME = {name: 50 * number for name, number in FEW.items()}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ground that attempts stand on."""
    place = tmp_path_factory.mktemp("soak")
    ground.prepare(place)
    return place


def soak(name: str, base: Path, count: int, run: int = 1) -> crew.Found:
    seeds = (seed_of(run, name, number) for number in range(count))
    return crew.work(part_class(name), base, seeds, 1, float("inf"), lambda found: None)


def check(found: crew.Found, count: int) -> None:
    assert found.failures == []
    assert found.tried == count
    assert sum(found.did.values()) >= count


@pytest.mark.parametrize("name", PARTS)
def test_nothing_is_found(name: str, base: Path) -> None:
    check(soak(name, base, FEW[name]), FEW[name])


@pytest.mark.full
@pytest.mark.parametrize("name", PARTS)
def test_nothing_is_found_for_longer(name: str, base: Path) -> None:
    check(soak(name, base, SOME[name], run=2), SOME[name])


def test_one_client_does_not_stop_the_others(base: Path) -> None:
    """Half of the probes, not 99 of 100: the machine may do other work."""
    names = (
        *("nothing", "lists as positions, 4 MB", "slow bodies", "bodies that go on behind an answer"),
        *("the same, a byte a second", "100 upgrades in a piece", "idle connections", "500 requests in a piece"),
    )
    with server_of(ground.tables_of(base)) as server:
        quiet, *found = siege.besieged(server.port, 3.0, names)
    for one in found:
        assert one.is_good(quiet, 0.5), siege.report([quiet, one])


def test_a_server_under_load(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serving.soak(base, 0.1, 1) == 0
    assert capsys.readouterr().out.endswith("0 wrong\n")


@pytest.mark.parametrize(("memory", "descriptors", "told"), [(0, 0, 0), (1 << 20, 0, 1), (0, 1, 1)])
def test_a_server_that_grows_is_noticed(memory: int, descriptors: int, told: int) -> None:
    looks = [serving.Look(float(n), (100 << 20) + n * memory, 10 + n * descriptors, None) for n in range(100)]
    assert len(serving._growth(looks, 100)) == told


# --- what it is there for ------------------------------------------------------------------------------------


def tried(part: type[crew.Part], base: Path, place: Path, count: int) -> list[str]:
    """What goes wrong in some attempts that are made here."""
    made = part(base)
    found = [crew.attempt(made, seed_of(1, part.__name__, number), place / "place") for number in range(count)]
    return [trouble for trouble, _ in found if trouble is not None]


def test_a_reader_that_believes_everything_is_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenFile, "check", lambda self: None)
    monkeypatch.setattr(
        OpenFile, "_checked", lambda self, name, place, what: self._read(name, place.offset, place.length)
    )
    assert tried(Tables, base, tmp_path, 60)


def test_a_wrong_answer_is_found(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = probing.open_table

    def changed(path: Path, threads: int, material: Material) -> TableFile:
        table = right(path, threads=threads, material=material)
        if "place" in str(path):
            look = table.look
            monkeypatch.setattr(table, "look", lambda number: (look(number)[0], 8, 0))
        return table

    monkeypatch.setattr(probing, "open_table", changed)
    assert any("WRONG" in trouble for trouble in tried(Tables, base, tmp_path, 60))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has the readers be of one kind, which read everything from the file while the table is gone for a while."""

    def choose(kind: str) -> None:
        monkeypatch.setattr(readers, "_KINDS", {kind: readers._KINDS[kind]})
        for name, only in (("_CHANGES", "removed"), ("_MENDED", "copied"), ("_BUDGETS", 0), ("_READERS", 3)):
            monkeypatch.setattr(readers, name, (only,))

    return choose


@pytest.mark.parametrize("kind", ["threads", "forks"])
def test_a_reader_that_goes_by_the_name_is_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[[str], None], kind: str
) -> None:
    right = OpenFile.chunk

    def by_name(self: OpenFile, number: int) -> Chunk:
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise CorruptTable("gone") from error
        os.dup2(handle, self._handle)
        os.close(handle)
        return right(self, number)

    reader(kind)
    assert not tried(readers.Readers, base, tmp_path, 1)
    monkeypatch.setattr(OpenFile, "chunk", by_name)
    assert any("gone" in trouble for trouble in tried(readers.Readers, base, tmp_path, 1))


def test_forks_that_move_the_place_in_a_file_are_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[[str], None]
) -> None:
    def moving(handle: int, size: int, offset: int) -> bytes:
        os.lseek(handle, offset, os.SEEK_SET)
        time.sleep(0.001)
        return os.read(handle, size)

    reader("forks")
    monkeypatch.setattr(os, "pread", moving)
    assert any("is damaged" in trouble for trouble in tried(readers.Readers, base, tmp_path, 1))


def test_files_that_stay_open_are_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[[str], None]
) -> None:
    reader("threads")
    right = TableFile.close
    monkeypatch.setattr(TableFile, "close", lambda table: None if "place" in str(table.path) else right(table))
    assert any("files are open" in trouble for trouble in tried(readers.Readers, base, tmp_path, 1))


@pytest.mark.parametrize(
    ("harm", "trouble"),
    [
        (lambda words: 7, "exit code 7"),
        (lambda words: 1 // 0, "an exception came out"),
        (lambda words: print("\x1b[2J") or 0, "control characters"),
        (lambda words: Path("x.part").touch() or 0, "left behind"),
    ],
)
def test_a_command_that_misbehaves_is_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: object, trouble: str
) -> None:
    monkeypatch.setattr(tbgen, "main", harm)
    found = tried(Words, base, tmp_path, 3)
    assert len(found) == 3
    assert all(trouble in one for one in found)


def test_leftovers_and_wrong_tables_are_found(base: Path, tmp_path: Path) -> None:
    names = ground.lay(base, tmp_path, ("KvK", "KBvK"))
    ground.check_place(base, tmp_path, names, "here")
    (tmp_path / ".KBvK.r.h5.lock").touch()
    with pytest.raises(Failed, match=r"left behind: \.KBvK\.r\.h5\.lock"):
        ground.check_place(base, tmp_path, names, "here")
    (tmp_path / ".KBvK.r.h5.lock").unlink()
    table = tmp_path / "KvK.r.h5"
    data = table.read_bytes()
    table.unlink()
    with pytest.raises(Failed, match=r"not there: KvK\.r\.h5"):
        ground.check_place(base, tmp_path, names, "here")
    table.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(Failed, match=r"KvK\.r\.h5 is WRONG"):
        ground.check_place(base, tmp_path, names, "here")


class Moody:
    """A part that does what its seed says, in a process of its own."""

    limits = Limits(seconds=PATIENCE, memory=64 << 20, lives=100)

    def __init__(self, ground: Path) -> None:
        self.word = ground.name

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        match self.word:
            case "sleeps":
                time.sleep(600)
            case "dies":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "grows":
                assert len(bytes(range(256)) * (1 << 19)) > 0
            case "leaves":
                raise SystemExit(0)
        return Counter({self.word: 1})


@pytest.mark.parametrize(
    ("mood", "trouble"),
    [("sleeps", "no end after"), ("dies", "SIGSEGV"), ("grows", "grew by"), ("leaves", "an exception came out")],
)
def test_processes_that_misbehave_are_found_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mood: str, trouble: str
) -> None:
    if mood == "sleeps":
        monkeypatch.setattr(Moody, "limits", Moody.limits._replace(seconds=1.5))
    (tmp_path / mood).mkdir()
    seeds = ["one", "two"]
    found = crew.work(Moody, tmp_path / mood, iter(seeds), 1, float("inf"), lambda found: None)
    assert [seed for seed, _ in found.failures] == seeds
    assert all(trouble in words for _, words in found.failures)
    assert found.tried == 2
    assert not list((tmp_path / mood).iterdir())


# --- the command ---------------------------------------------------------------------------------------------


def test_the_table_and_the_seed(
    base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ground, "prepare", lambda place: shutil.copytree(base / "tables", place / "tables"))
    words = ["--place", str(tmp_path), "--jobs", "1", "--seed", "3", "--only", "words", "--count", "words=4"]
    assert main(words) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("scripts/soak --seed 3,")
    assert out[2].split()[:3] == ["words", "4", "0"]
    assert main(["--place", str(tmp_path), "--case", f"words:{seed_of(3, 'words', 2)}"]) == 0
    assert "nothing wrong" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["--count", "x=1"], ["--count", "kills"], ["--case", "kills"], ["--minutes", "-1"]])
def test_bad_command_lines(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert capsys.readouterr().err.splitlines()[-1].startswith("scripts/soak: error:")


def test_memory_of_processes_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = command.run_apart(["--version"])
    command.check_memory(ran, 1 << 40)
    usage = SimpleNamespace(ru_maxrss=1 << 20)
    ours = SimpleNamespace(ru_maxrss=1 << 10)
    monkeypatch.setattr(command.resource, "getrusage", lambda whose: ours if whose == RUSAGE_SELF else usage)
    with pytest.raises(Failed, match="1024 MiB of memory"):
        command.check_memory(ran, 1 << 29)
