"""Compressed columns give back what was written, or an error."""

import errno
import gc
import os
import random
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import CorruptTable
from tbgen.store import compressed
from tbgen.store.compressed import CompressedColumn, CompressedFile, Section, pieces_of
from tbgen.system.safe_files import create

LENGTHS = (1, 999, 1000, 1001, 7300)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CompressedFile]:
    monkeypatch.setattr(compressed, "_PIECE", 1000)
    handle = create(tmp_path / "finished")
    yield CompressedFile(handle, tmp_path / "finished")
    os.close(handle)


def written(file: CompressedFile) -> tuple[np.ndarray, np.ndarray, list[Section]]:
    """A column, where its slices begin, and their sections; other things lie between them."""
    start = np.append(0, np.cumsum(LENGTHS))
    draw = np.random.default_rng(5)
    values = draw.integers(-(1 << 31), 1 << 31, start[-1], np.int32)
    values[2000:5000] = 7
    sections = []
    with ThreadPoolExecutor(2) as pool:
        for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
            sections.append(file.append(pieces_of(values, range(first, end)), pool))
            file.append(pieces_of(values, range(3)), pool)
    return values, start, sections


def test_any_part_of_a_column(file: CompressedFile) -> None:
    values, start, sections = written(file)
    column, draw = CompressedColumn(file, start, sections), random.Random(3)
    assert len(column) == len(values)
    assert all(map(file.is_whole, sections))
    parts = [(0, len(values)), (0, 0), (len(values), len(values) + 9), (999, 1000), (2000, 2001)]
    parts += [(first, first + draw.randrange(3000)) for first in draw.choices(range(len(values)), k=200)]
    for first, end in parts:
        assert np.array_equal(column[first:end], values[first:end])
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda part: column[part[0] : part[1]], parts * 5)
    assert all(np.array_equal(one, values[first:end]) for one, (first, end) in zip(found, parts * 5, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_a_byte_that_has_changed(file: CompressedFile, tmp_path: Path, seed: int) -> None:
    """Checksums of sections tell before they are read, those of pieces while they are."""
    values, start, sections = written(file)
    section = sections[4]
    at = random.Random(seed).randrange(section.begin, section.end)
    with (tmp_path / "finished").open("r+b") as other:
        other.seek(at)
        byte = other.read(1)[0]
        other.seek(at)
        other.write(bytes([byte ^ 1 << seed % 8]))
    assert [file.is_whole(one) for one in sections] == [True, True, True, True, False]
    with pytest.raises(CorruptTable, match="finished is not what was written there; the same command"):
        assert np.array_equal(CompressedColumn(file, start, sections)[:], values)


def test_a_file_is_closed_with_its_last_column(file: CompressedFile) -> None:
    """At once: until then it takes room on disk, though it may have no name any more."""
    values, start, sections = written(file)
    column = CompressedColumn(file, start, sections)
    assert np.array_equal(column[:9], values[:9])
    gone = weakref.ref(column)
    gc.disable()
    try:
        del column
        assert gone() is None
    finally:
        gc.enable()


def test_a_file_that_ends_early(file: CompressedFile, tmp_path: Path) -> None:
    values, start, sections = written(file)
    os.truncate(tmp_path / "finished", sections[4].end - 1)
    assert not file.is_whole(sections[4])
    with pytest.raises(CorruptTable):
        CompressedColumn(file, start, sections)
    with ThreadPoolExecutor(1) as pool:
        sections[4] = file.append(pieces_of(values, range(int(start[4]), int(start[5]))), pool)
    assert np.array_equal(CompressedColumn(file, start, sections)[:], values)


def test_what_does_not_fit_leaves_nothing_behind(
    file: CompressedFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next try would begin behind it, and need all of its room once more."""
    _, _, sections = written(file)
    size, more = (tmp_path / "finished").stat().st_size, np.arange(5000, dtype=np.int32)
    pwrite, calls = os.pwrite, []

    def full(handle: int, data: bytes, at: int) -> int:
        calls.append(at)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(handle, data, at)

    with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="finished"):
            file.append(pieces_of(more, range(5000)), pool)
    assert calls[1] > calls[0] >= size
    assert (tmp_path / "finished").stat().st_size == size
    with ThreadPoolExecutor(2) as pool:
        assert file.append(pieces_of(more, range(5000)), pool).begin == size
    assert all(map(file.is_whole, sections))


def test_what_cannot_be_read_is_not_whole(file: CompressedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is solved again; who reads it all the same is told which file it is."""
    _, start, sections = written(file)
    column = CompressedColumn(file, start, sections)

    def broken(handle: int, size: int, at: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "pread", broken)
    assert not file.is_whole(sections[0])
    with pytest.raises(OSError, match="finished"):
        column[0:1]
