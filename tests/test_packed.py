"""Packed files: read and written by the end of their names."""

import bz2
import gzip
import io
import lzma
import random
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from tbgen.errors import BadInput
from tbgen.system.compressed_files import bare_suffix, reading, writing

DATA = b"".join(b"line %d\n" % number for number in range(50_000))


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.pgn{suffix}"
    for _ in range(2):  # parts, one behind the other, as others append them
        with path.open("ab") as raw, writing(raw, path) as packed:
            packed.write(DATA)
    assert bare_suffix(path) == ".pgn"
    assert (path.stat().st_size < len(DATA)) == bool(suffix)
    with reading(path) as stream:
        assert stream.readline(4) == b"line"
        assert stream.readline() == b" 0\n"
        assert stream.read() == (DATA + DATA)[7:]


def test_others_read_it(tmp_path: Path) -> None:
    ways = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress, ".zst": zstd}
    for suffix, unpack in ways.items():
        path = tmp_path / f"a{suffix}"
        with path.open("wb") as raw, writing(raw, path) as packed:
            packed.write(DATA)
        assert unpack(path.read_bytes()) == DATA


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("what", ["cut", "other", "changed"])
def test_what_cannot_be_unpacked_is_one_line(tmp_path: Path, suffix: str, what: str) -> None:
    path = tmp_path / f"a{suffix}"
    with path.open("wb") as raw, writing(raw, path) as packed:
        packed.write(DATA)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(
        {"cut": data[:half], "other": b"1. e4 *\n" * 9, "changed": data[:half] + b"\0" * 40 + data[half + 40 :]}[what]
    )
    with pytest.raises(BadInput, match="cannot be unpacked: "), reading(path) as stream:
        stream.read()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_small_file_that_becomes_a_large_one_takes_little_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    with path.open("wb") as raw, writing(raw, path) as packed:
        for _ in range(64):
            packed.write(b"\0" * (1 << 20))
    tracemalloc.start()
    try:
        with reading(path) as stream:
            assert sum(len(line) for line in iter(lambda: stream.readline(1 << 18), b"")) == 64 << 20
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_asks_for_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbgen.system.compressed_files._MOST_MEMORY", 1 << 22)  # a usual file asks for 9 MiB
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(DATA))
    with pytest.raises(BadInput, match=r"cannot be unpacked: .*Memory"), reading(path) as stream:
        stream.read()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_what_breaks_off_is_not_made_to_look_whole(suffix: str) -> None:
    """Closed by the collector, it would say so on Python 3.13, and find its file closed."""
    stream = io.BytesIO()
    with pytest.raises(KeyboardInterrupt), writing(stream, Path(f"x{suffix}")) as packed:  # noqa: PT012
        packed.write(random.Random(1).randbytes(1 << 20))
        before = len(stream.getvalue())
        raise KeyboardInterrupt
    assert packed.closed
    assert len(stream.getvalue()) == before
