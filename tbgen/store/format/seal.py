"""The first 512 bytes of a file: what it is, its format, its length, and the digests of its bytes.

HDF5 leaves this room to its users. The digests cover everything behind it, and a checksum covers the seal itself, so no
byte of a file can change unseen.
"""

import hashlib
import io
import os
import re
import stat
import zlib
from pathlib import Path
from typing import Final, NamedTuple

SIZE: Final = 512
MAGIC: Final = b"tbgen r-mobility endgame table\n"
FORMAT: Final = (1, 0)
"""Major and minor. A reader refuses another major number and ignores what a larger minor one has added."""

_NUMBER: Final = re.compile(r"[0-9]{1,18}")
"""Larger numbers cannot be places in a file."""


class Unsealed(ValueError):
    """What is wrong with the first bytes, in words."""


class Seal(NamedTuple):
    major: int
    minor: int
    size: int
    """Bytes of the whole file."""
    head: int
    """The byte at which the chunks begin. Before it lies all that a reader needs to know before it reads a chunk."""
    head_crc32: int
    """The checksum of the bytes between the seal and the chunks."""
    sha256: str
    """The digest of all bytes behind the seal."""

    def render(self) -> bytes:
        lines = MAGIC + (
            f"format {self.major}.{self.minor}\nsize {self.size}\nhead {self.head}\n"
            f"head_crc32 {self.head_crc32:08x}\nsha256 {self.sha256}\n"
        ).encode("ascii")
        lines += b"crc32 %08x\n" % zlib.crc32(lines)
        return lines.ljust(SIZE, b"\0")


def parse(block: bytes) -> Seal:
    if not block.startswith(MAGIC):
        raise Unsealed("it is not a table of tbgen")
    lines, mark, check = block.rstrip(b"\0").rpartition(b"crc32 ")
    if len(block) != SIZE or not mark or check != b"%08x\n" % zlib.crc32(lines):
        raise Unsealed("its first bytes are damaged")
    try:
        words = dict(line.split(" ", 1) for line in lines[len(MAGIC) :].decode("ascii").splitlines())
        major, minor = map(_number, words["format"].split("."))
        if major != FORMAT[0]:
            raise Unsealed(f"it has format {major}.{minor}, this version of tbgen reads {FORMAT[0]}.x")
        size, head = _number(words["size"]), _number(words["head"])
        return Seal(major, minor, size, head, int(words["head_crc32"], 16), words["sha256"])
    except Unsealed:
        raise
    except (ValueError, LookupError) as error:
        raise Unsealed("its first bytes do not say what they should") from error


def _number(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"not a number: {word!r}")
    return int(word)


def sha256_of(path: Path) -> str:
    """The digest in a file's seal. Whatever has its name instead, such as a pipe, is refused and not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unsealed("it is not a file")
        return parse(os.pread(handle, SIZE, 0)).sha256
    finally:
        os.close(handle)


def make_seal(file: io.BufferedRandom, head: int) -> Seal:
    """The seal of a file that is complete but for the seal."""
    file.seek(SIZE)
    sha256, size = hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    file.seek(SIZE)
    return Seal(*FORMAT, size, head, zlib.crc32(file.read(head - SIZE)), sha256)
