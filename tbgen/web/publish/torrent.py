"""A torrent of a folder, with the web host as a seed that is always there (BEP 3 and 19)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tbgen._version import __version__
from tbgen.errors import BadInput

_SHORTEST: Final = 1 << 18
_LONGEST: Final = 1 << 24
_MOST: Final = 2000
"""Pieces, as long as these are shorter than the longest: what is said of them is 40 kB then."""


class Pieces:
    """Digests of all files one after the other, in pieces of the same length."""

    def __init__(self, total: int) -> None:
        """`total`: bytes that will come."""
        self.length = _SHORTEST
        while self.length < _LONGEST and self.length * _MOST < total:
            self.length *= 2
        self._left, self._sum, self._done = self.length, hashlib.sha1(usedforsecurity=False), b""

    def add(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            here, rest = rest[: self._left], rest[self._left :]
            self._sum.update(here)
            self._left -= len(here)
            if not self._left:
                self._left, self._sum, self._done = self.length, hashlib.sha1(usedforsecurity=False), self.digests()

    def digests(self) -> bytes:
        return self._done if self._left == self.length else self._done + self._sum.digest()


def name_in(url: str) -> str:
    """What a torrent calls a folder: by this name web seeds are asked for it, so that the address must end in it."""
    name = unquote(urlsplit(url).path.rpartition("/")[2])
    if name in ("", ".", "..") or "/" in name or not name.isprintable():
        raise BadInput(
            f"a torrent needs an address that ends in a folder's name, as in https://example.org/tables/: {url}"
        )
    return name


def torrent(url: str, files: Sequence[tuple[str, int]], pieces: Pieces) -> bytes:
    """Of files, with name and bytes, that are served at this address, which has no slash at its end."""
    info = {
        "files": [{"length": length, "path": [name]} for name, length in files],
        "name": name_in(url),
        "piece length": pieces.length,
        "pieces": pieces.digests(),
    }
    above = url[: url.rindex("/") + 1]
    return _bencoded({"created by": f"tbgen {__version__}", "info": info, "url-list": [above]})


def _bencoded(what: Any) -> bytes:
    if isinstance(what, Mapping):
        return b"d%se" % b"".join(_bencoded(key) + _bencoded(what[key]) for key in sorted(what))
    if isinstance(what, list):
        return b"l%se" % b"".join(map(_bencoded, what))
    if isinstance(what, int):
        return b"i%de" % what
    data = what.encode() if isinstance(what, str) else what
    return b"%d:%s" % (len(data), data)
