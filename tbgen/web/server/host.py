"""Whoever gives tables over HTTP: a folder on any web host, with the catalogue that `tbgen publish` makes, or `tbgen
serve`.

Of a folder nothing is asked but GET. Parts of files are taken where they are offered. What is packed on the way is
unpacked, and no more is taken of anything than was announced: a host may say something without end.
"""

import http.client
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError, URLError

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, TbgenError
from tbgen.store.directory import CATALOGUE, SLIM, named
from tbgen.store.format import head
from tbgen.system.locations import address
from tbgen.system.text import from_json, size_of
from tbgen.web.server.http_client import TimedResponse, ask
from tbgen.web.server.known import Known

_PIECE: Final = 1 << 18
_PACKED: Final = 1 << 14
"""Bytes that are unpacked at once: to 16 MiB at most."""
_LARGEST_LIST: Final = 16 << 20
"""Bytes; all tables of five men take a tenth. In memory, JSON may be twenty times as large."""
_SERVED: Final = "/v1/tables"
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_ABSENT: Final = frozenset({403, 404, 410})
"""What hosts say of a file that is not there."""
_NO_SUCH_PART: Final = 416


class Remote(NamedTuple):
    """A table as its host tells of it."""

    material: Material
    rules: TableRules
    name: str
    size: int
    body: str
    """SHA-256 of all bytes behind the head; empty where the host does not say it."""
    sha256: str
    """Of the whole file; likewise, but one of them is there."""

    @property
    def digest(self) -> str:
        return self.body or self.sha256

    @property
    def slim(self) -> bool:
        return self.name.endswith(SLIM)


class _Absent(TbgenError):
    """The host has no such file."""


class TableHost:
    """A host that has tables."""

    def __init__(self, url: str, *, elsewhere: bool = False, manifest: Mapping[str, Known] | None = None) -> None:
        """`elsewhere`: whether it may send us to other hosts. `manifest`: if given, only these files count."""
        self.url = address(url)
        self._manifest = manifest
        self._elsewhere = elsewhere
        self._tables: Mapping[str, Remote] | None = None
        self._folder = ""

    def tables(self) -> Mapping[str, Remote]:
        """All that it has, by name. It is asked once."""
        if self._tables is None:
            self._tables = self._list()
        return self._tables

    def _list(self) -> Mapping[str, Remote]:
        try:
            maker, remote, found = "publish", _published, self._json(f"/{CATALOGUE}")
        except _Absent:
            maker, remote, found = "serve", _served, self._served()
        try:
            listed = [remote(one) for one in from_json(found)["tables"]]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise TbgenError(f"{self.url} does not list tables as tbgen {maker} does") from error
        return {one.name: one for one in map(self._wanted, filter(None, listed)) if one is not None}

    def _wanted(self, one: Remote) -> Remote | None:
        """A file that the manifest has, with the digest that it has there; None of any other."""
        if self._manifest is None:
            return one
        there = self._manifest.get(one.name)
        if there is None or there.size != one.size or one.sha256 not in ("", there.sha256):
            return None
        return one._replace(body="", sha256=there.sha256)

    @property
    def lacks(self) -> str:
        """How to begin a list of what is not there."""
        return f"{self.url} lacks" + ("" if self._manifest is None else ", as the manifest has them,")

    def _served(self) -> bytes:
        self._folder = _SERVED
        try:
            return self._json(_SERVED)
        except _Absent as error:
            raise TbgenError(f"no {CATALOGUE} is at {self.url}, nor does tbgen serve answer ({error})") from None

    def _json(self, path: str) -> bytes:
        with self._open(path) as answer:
            try:
                found = b"".join(_body(answer, _LARGEST_LIST + 1))
            except (OSError, http.client.HTTPException) as error:
                raise TbgenError(f"{self.url} broke off in its list of tables") from error
            except CorruptTable as error:
                raise TbgenError(f"{self.url} gives no list of tables: {error}") from None
            if len(found) > _LARGEST_LIST:
                raise TbgenError(f"{self.url} has a list of tables of more than {size_of(_LARGEST_LIST)}")
            if answer.length:
                raise TbgenError(f"{self.url} broke off in its list of tables")
        return found

    @contextmanager
    def read(self, table: Remote, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Where the bytes begin that come, and they: here, or at 0 on a host that gives no parts. They are no more than
        the table has. CorruptTable if they cannot be the table's."""
        wanted = {"Range": f"bytes={start}-"} if start else {}
        with self._open(f"{self._folder}/{table.name}", wanted) as answer:
            begins = start if answer.status == http.HTTPStatus.PARTIAL_CONTENT else 0
            part = rf"bytes {start}-\d+/({table.size}|\*)"
            if begins and not re.fullmatch(part, _said(answer, "Range")):
                raise CorruptTable(f"{self.url} sends another part of it than was asked for")
            yield begins, _body(answer, table.size - begins)

    def _open(self, path: str, headers: dict[str, str] | None = None) -> TimedResponse:
        try:
            return ask(self.url + path, headers or {}, elsewhere=self._elsewhere)
        except HTTPError as error:
            error.close()
            kind = CorruptTable if error.code == _NO_SUCH_PART else _Absent if error.code in _ABSENT else TbgenError
            raise kind(f"{self.url}{path}: {error.code} {error.reason}") from None
        except URLError as error:
            raise ConnectionError(f"{self.url} cannot be reached: {error.reason}") from None
        except http.client.HTTPException as error:
            raise ConnectionError(f"{self.url} does not speak HTTP: {error!r}") from None
        except OSError as error:  # while it answers
            raise ConnectionError(f"{self.url} broke off: {error}") from None
        except UnicodeError:  # a name that is not encoded; it may come from a server that sends us elsewhere
            raise TbgenError(f"{self.url} cannot be reached: no host has such a name") from None
        except ValueError as error:
            raise TbgenError(f"{self.url} leads to no address: {error}") from None


def _said(answer: TimedResponse, what: str) -> str:
    return answer.headers.get(f"Content-{what}", "").strip().lower()


def _body(answer: TimedResponse, most: int) -> Iterator[bytes]:
    """What it says, unpacked, up to so many bytes."""
    packing = _said(answer, "Encoding")
    if packing not in ("", "identity", "gzip", "x-gzip"):
        raise CorruptTable(f"it comes packed as {packing!a}, which was not asked for")
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16) if "gzip" in packing else None
    piece, left = (_PIECE, most) if inflater is None else (_PACKED, most + (most >> 8) + _PIECE)
    while most and (data := answer.read1(min(piece, left))):
        left -= len(data)
        answer.came(len(data))
        if inflater is not None:
            try:
                data = inflater.decompress(data, most)
            except zlib.error as error:
                raise CorruptTable(f"it comes packed, and cannot be unpacked: {error}") from None
        most -= len(data)
        yield data


def _published(one: dict[str, Any]) -> Remote | None:
    """A line of a catalogue; None of what is no table."""
    body = ""
    if "head" in one:
        said = head.parse(str(one["head"]).encode("ascii").ljust(head.SIZE, b"\0"))
        body = said.sha256
        if said.size != one["bytes"]:
            raise ValueError(one["name"])
    return _remote(str(one["name"]), one["bytes"], body, str(one["sha256"]))


def _served(one: dict[str, Any]) -> Remote | None:
    return _remote(str(one["file"]), one["bytes"], str(one["body_sha256"]), "")


def _remote(name: str, size: object, body: str, sha256: str) -> Remote | None:
    """Nothing of what a host says becomes the name of a file here, but for names of tables."""
    found = named(Path(name))
    if found is None or found.path.name != name:
        return None
    digests = [one for one in (body, sha256) if one]
    if type(size) is not int or size <= 0 or not digests or not all(map(_SHA256.fullmatch, digests)):
        raise ValueError(name)
    return Remote(found.material, found.rules, name, size, body, sha256)
