"""Damaged, truncated and foreign files: found, named, and never a wrong answer."""

import os
import resource
from pathlib import Path

import h5py
import numpy as np
import pytest
from soaking.forge import relined, says

from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable, OutOfRoom
from tbgen.store import TableFile, open_table, table_path, way_to_some
from tbgen.store.format import head as heads
from tbgen.store.format.schema import CHUNKS
from tbgen.store.write import write_table
from tests.support.contents import random_contents, steps_at
from tests.support.damaged import damaged


@pytest.fixture(scope="module")
def contents() -> Contents:
    return random_contents(parse("KvK"), seed=4, staircases=40)


@pytest.fixture
def path(tmp_path: Path, contents: Contents) -> Path:
    path = table_path(tmp_path, contents.material, contents.rules)
    write_table(path, contents, {"seconds": 1.0})
    return path


def assert_sound_or_corrupt(path: Path, contents: Contents) -> bool:
    """Whatever can be read is right. Returns whether the damage was noticed."""
    try:
        with open_table(path) as table:
            assert (table.material, table.rules) == (contents.material, contents.rules)
            for number in range(table.size):
                outcome, distance, staircase = table.look(number)
                assert outcome * 65536 + distance == contents.entries[number]
                assert table.steps_of(staircase) == steps_at(contents, number)
    except CorruptTable as error:
        return str(path) in str(error)
    return False


def test_any_changed_byte_is_found(path: Path) -> None:
    with open_table(path) as table, path.open("r+b") as file:
        table.check()
        whole = path.read_bytes()
        for at, byte in enumerate(whole):
            for changed in (byte ^ 1 << at % 8, byte ^ 0xFF):
                os.pwrite(file.fileno(), bytes([changed]), at)
                with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
                    table.check()
            os.pwrite(file.fileno(), bytes([byte]), at)
        table.check()


def test_a_changed_byte_never_gives_a_wrong_answer(path: Path, contents: Contents) -> None:
    whole = path.read_bytes()
    sections = heads.parse(whole[: heads.SIZE]).sections
    text = whole.index(b"\0")
    read = [range(heads.SIZE), *(range(place.offset, place.end) for place in sections.values())]
    for at in [*range(0, text, 11), *range(text, len(whole), 89), *(at for here in read[1:] for at in here[::17])]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        noticed = assert_sound_or_corrupt(path, contents)
        # all but what HDF5 tells its users, which only `check` compares, is noticed at once
        assert noticed == any(at in here for here in read), at


def damage_the_last_chunk(table: TableFile) -> None:
    with table.path.open("r+b") as file:  # the same file, since it is open
        file.write(damaged(table.path.read_bytes(), CHUNKS))


def test_a_chunk_damaged_while_open(path: Path) -> None:
    with open_table(path) as table:
        damage_the_last_chunk(table)
        for read in (
            lambda: table.look(5),
            lambda: table.look_many(np.arange(5)),
            lambda: table.part(0, table.size),
            table.digest,
            table.check,
        ):
            with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
                read()
        os.truncate(path, 600)
        with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
            table.look(5)


def test_a_chunk_damaged_while_several_threads_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table_path(tmp_path, parse("KNvK"), TableRules.RESET)
    write_table(path, random_contents(parse("KNvK"), seed=4, staircases=40), {})
    with open_table(path, threads=2) as table:
        monkeypatch.setattr("tbgen.store.read.table.PIECE", table._chunk_format.width)
        damage_the_last_chunk(table)
        for read in (table.digest, table.entries):
            with pytest.raises(CorruptTable, match=r"KNvK\.r\.h5"):
                read()


def test_truncated_at_any_length(path: Path) -> None:
    for length in reversed(range(path.stat().st_size)):
        os.truncate(path, length)
        with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
            open_table(path)


def test_longer_than_it_was(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(CorruptTable, match="instead of"):
        open_table(path)


def test_other_formats(path: Path, contents: Contents) -> None:
    whole = path.read_bytes()
    path.write_bytes(relined(whole, lambda lines: says(lines, "format", "2.0")))
    with pytest.raises(CorruptTable, match=r"format 2\.0, this version of tbgen reads 1\.x"):
        open_table(path)
    path.write_bytes(relined(whole, lambda lines: says(lines, "format", "1.7")))
    assert not assert_sound_or_corrupt(path, contents)


def test_where_no_more_files_are_opened_it_is_not_the_table(path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(OutOfRoom, match=r"KvK\.r\.h5 cannot be read: Too many open files"):
            open_table(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("what", ["empty", "text", "zeros", "hdf5", "directory"])
def test_foreign_files(tmp_path: Path, what: str) -> None:
    path = tmp_path / "KvK.r.h5"
    match what:
        case "empty":
            path.touch()
        case "text":
            path.write_text("not a table\n" * 100)
        case "zeros":
            path.write_bytes(bytes(5000))
        case "hdf5":
            with h5py.File(path, "w") as file:
                file["chunks"] = [1, 2, 3]
        case "directory":
            path.mkdir()
    with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
        open_table(path)


def test_a_table_under_another_name(path: Path, contents: Contents) -> None:
    for name in ("KQvK.r.h5", "KvK.wg.h5"):
        other = path.rename(path.with_name(name))
        with pytest.raises(CorruptTable, match=r"holds KvK \(r\), not what its name says"):
            open_table(other)
        other.rename(path)
    assert not assert_sound_or_corrupt(path.rename(path.with_name("any name")), contents)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("KRvKN.r.h5", "tbgen build KRvKN"),
        ("KvK.wg.h5", "tbgen build --rules wg KvK"),
        ("x/KvK.r.h5", "tbgen build KvK"),
    ],
)
def test_missing(tmp_path: Path, name: str, command: str) -> None:
    path = tmp_path / name
    with pytest.raises(MissingTable) as caught:
        open_table(path)
    assert str(caught.value) == f"{path} is missing (to build it: {command} --tables {path.parent})"


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("KRBvKNN.r.h5", "tbgen plan KRBvKNN says what building that takes; tbgen solve does without"),
        ("KNNPvKP.wg.h5", "tbgen plan --rules wg KNNPvKP says what building that takes; tbgen solve does without"),
        ("KNNPPvKBNP.r.h5", "tables have at most 6 men; tbgen solve takes positions with any number"),
    ],
)
def test_nobody_is_told_to_build_what_build_refuses(tmp_path: Path, name: str, way: str) -> None:
    with pytest.raises(MissingTable) as caught:
        open_table(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name} is missing ({way})"
    material, rules, _ = name.split(".")
    assert way_to_some("some", tmp_path, [parse(material)], rules) == way
