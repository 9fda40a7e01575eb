"""Files that are packed, by the end of their names: `.gz`, `.bz2`, `.xz` and `.zst` are read and written like any."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final, cast

from tbgen.errors import BadInput

_PIECE: Final = 1 << 17
"""Packed bytes that are read at once."""
_BITE: Final = 1 << 8
"""Packed bytes that are unpacked at once: four of them may become 128 KiB, and these 8 MiB."""
_MOST_MEMORY: Final = 1 << 27
"""Bytes that unpacking `.xz` may take: twice what `xz -9` needs. A file may ask for gigabytes."""


class _Packing:
    """One way to pack."""

    def __init__(self, read: Callable[[BinaryIO], BinaryIO], write: Callable[[BinaryIO], BinaryIO]) -> None:
        self.read = read
        self.write = write


class _Frames(io.RawIOBase):
    """Frames that are unpacked one after the other. zstandard's own reader takes a file that breaks off for whole, and
    lzma's has no bound on memory."""

    def __init__(self, stream: BinaryIO, start: Callable[[], Any]) -> None:
        """`start` makes what unpacks one frame."""
        super().__init__()
        self._stream = stream
        self._start = start
        self._frame: Any = None
        self._rest = memoryview(b"")
        """What is left of the packed bytes that have been read."""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read, as `io` wants to know."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Unpack as much as there is room for."""
        while not self._ready and self._fill():
            pass
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _fill(self) -> bool:
        """Unpack some more, if there is more."""
        packed = self._rest or memoryview(self._stream.read(_PIECE))
        if not packed:
            if self._frame is not None:
                raise EOFError("it breaks off")
            return False
        if self._frame is None:
            self._frame = self._start()
        self._ready = memoryview(self._frame.decompress(packed[:_BITE]))
        left = 0
        if self._frame.eof:
            left = len(self._frame.unused_data)
            self._frame = None
        self._rest = packed[min(len(packed), _BITE) - left :]
        return True


def _read_zstd(stream: BinaryIO) -> BinaryIO:
    import zstandard

    return io.BufferedReader(_Frames(stream, lambda: zstandard.ZstdDecompressor().decompressobj()), _PIECE)


def _read_xz(stream: BinaryIO) -> BinaryIO:
    frame = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
    return io.BufferedReader(_Frames(stream, frame), _PIECE)


def _write_zstd(stream: BinaryIO) -> BinaryIO:
    import zstandard

    return cast(BinaryIO, zstandard.ZstdCompressor(write_checksum=True).stream_writer(stream, closefd=False))


_PACKINGS: Final[Mapping[str, _Packing]] = MappingProxyType(
    {
        # No time of day in it: the same games are the same bytes.
        ".gz": _Packing(
            lambda stream: cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")),
            lambda stream: cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=stream, mtime=0)),
        ),
        ".bz2": _Packing(
            lambda stream: cast(BinaryIO, bz2.BZ2File(stream, "rb")),
            lambda stream: cast(BinaryIO, bz2.BZ2File(stream, "wb")),
        ),
        ".xz": _Packing(
            _read_xz,
            lambda stream: cast(BinaryIO, lzma.LZMAFile(stream, "wb")),  # noqa: SIM115 - `writing` closes it
        ),
        ".zst": _Packing(_read_zstd, _write_zstd),
    }
)


def bare_suffix(path: Path) -> str:
    """How a file's name ends, without the end that says how it is packed: `.pgn` of `games.pgn.gz`."""
    return (Path(path.stem) if path.suffix.casefold() in _PACKINGS else path).suffix.casefold()


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked."""
    packing = _PACKINGS.get(path.suffix.casefold())
    with path.open("rb") as raw:
        yield raw if packing is None else cast(BinaryIO, _Checked(packing.read(raw), path))


@contextmanager
def writing(stream: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes go into the other one, packed as the name says."""
    packing = _PACKINGS.get(path.suffix.casefold())
    if packing is None:
        yield stream
        return
    tap = _Tap(stream)
    packed = packing.write(cast(BinaryIO, tap))
    try:
        yield packed
    except BaseException:  # left open it would complain when it is collected; its end would make a part look whole
        tap.stream = None
        packed.close()
        raise
    packed.close()


class _Tap:
    """A stream that can be shut: what is written then goes nowhere."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream: BinaryIO | None = stream

    def write(self, data: bytes, /) -> int:
        return len(data) if self.stream is None else self.stream.write(data)

    def flush(self) -> None:
        if self.stream is not None:
            self.stream.flush()


class _Checked:
    """A file that is unpacked; what cannot be is one line."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream = stream
        self._path = path

    def readline(self, limit: int = -1, /) -> bytes:
        """The next line, or that much of it."""
        return self._checked(lambda: self._stream.readline(limit))

    def read(self, limit: int = -1, /) -> bytes:
        """The next bytes, or all that are left."""
        return self._checked(lambda: self._stream.read(limit))

    def _checked(self, action: Callable[[], bytes]) -> bytes:
        try:
            return action()
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise self._broken(error) from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise self._broken(error) from None
        except Exception as error:  # the package's own
            if type(error).__name__ != "ZstdError":
                raise
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> BadInput:
        return BadInput(f"cannot be unpacked: {self._path}: {error}")
