"""Tables taken from a server: whole and checked, or not there at all.

What has come is kept beside the table until all of it is there, so that a broken connection costs what was on its way.
The digest that the server gives is part of that file's name: another table under the same name begins from nothing.
"""

import http.client
import os
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from tbgen.errors import BadInput, CorruptTable, MissingTable, TbgenError
from tbgen.files import settle
from tbgen.material import Material, parse, with_dependencies
from tbgen.safe_files import create, reopen
from tbgen.serve.patience import LEAST, TimedResponse, ask
from tbgen.store import build_some, building, check_file, file_digest, open_table, table_path
from tbgen.store.leftovers import COMING, coming_of
from tbgen.table_rules import TableRules
from tbgen.text import from_json, named

_PIECE: Final = 1 << 18
_ATTEMPTS: Final = 5
"""How many in a row may bring next to nothing."""
_LARGEST_MANIFEST: Final = 4 << 20
"""Bytes; all tables of five men take a hundredth. In memory, JSON may be twenty times as large."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_DIGEST: Final = 16
"""Characters of it in the name of what has come of a table."""
_RANDOM: Final = 8
"""Bytes of that name that nobody can guess."""


class Remote(NamedTuple):
    """A table as the server tells of it."""

    material: Material
    rules: TableRules
    name: str
    size: int
    sha256: str


Tick = Callable[[int], None]
"""Told how many bytes have come."""


class TableServer:
    """A server that has tables."""

    def __init__(self, url: str, *, elsewhere: bool = False) -> None:
        """`elsewhere`: whether it may send us to other hosts."""
        try:
            parts = urlsplit(url)
            is_one = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            is_one = False
        if not is_one or not url.isascii() or not url.isprintable() or " " in url or parts.query or parts.fragment:
            raise BadInput(f"not the address of a server: {url!a} (write http://host:8000/)")
        self.url = url.rstrip("/")
        self._elsewhere = elsewhere

    def tables(self, rules: TableRules) -> dict[Material, Remote]:
        """All that it has of these rules."""
        with self._open("/v1/tables") as answer:
            try:
                found = answer.read(_LARGEST_MANIFEST)
            except (OSError, http.client.HTTPException) as error:
                raise TbgenError(f"{self.url} broke off in its list of tables") from error
        try:
            listed = [_remote(one) for one in from_json(found)["tables"]]
        except (KeyError, TypeError, ValueError) as error:
            raise TbgenError(f"{self.url} does not list tables as tbgen serve does") from error
        return {one.material: one for one in listed if one.rules == rules}

    def read(self, table: Remote, start: int) -> TimedResponse:
        """Its bytes from here on, if it is still the same."""
        tag = f'"{table.sha256}"'
        answer = self._open(f"/v1/tables/{table.name}", {"Range": f"bytes={start}-", "If-Range": tag})
        if answer.headers.get("ETag") != tag or answer.status != http.HTTPStatus.PARTIAL_CONTENT:
            answer.close()
            raise TbgenError(f"{table.name} has changed at {self.url}: run this again")
        return answer

    def _open(self, path: str, headers: dict[str, str] | None = None) -> TimedResponse:
        try:
            return ask(self.url + path, headers or {}, elsewhere=self._elsewhere)
        except HTTPError as error:
            error.close()
            raise TbgenError(f"{self.url}{path}: {error.code} {error.reason}") from None
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


def _remote(one: dict[str, Any]) -> Remote:
    """Nothing of what a server says becomes the name of a file here."""
    material, rules = parse(str(one["material"])), TableRules.of(str(one["rules"]))
    name = table_path("", material, rules).name
    size, sha256 = one["bytes"], str(one["body_sha256"])
    if one["file"] != name or type(size) is not int or size <= 0 or not _SHA256.fullmatch(sha256):
        raise ValueError(name)
    return Remote(material, rules, name, size, sha256)


class Wanted(NamedTuple):
    """What is to be done."""

    coming: list[Remote]
    there: list[Path]
    """Tables that are here already, the same as the server's."""
    left: int
    """Bytes that have yet to come."""


def wanted(server: TableServer, materials: Iterable[Material], rules: TableRules, directory: Path) -> Wanted:
    """What has to come for these and all that they depend on. MissingTable names what the server lacks."""
    offered = server.tables(rules)
    materials = list(materials)
    needed = with_dependencies(materials)
    lacking = [one for one in needed if one not in offered]
    if lacking:
        names = ", ".join(one.name for one in lacking)
        raise MissingTable(f"{server.url} lacks {names} (to build them: {build_some(directory, materials, rules)})")
    coming, there, left = [], [], 0
    for material in needed:
        remote, path = offered[material], table_path(directory, material, rules)
        if check_file(path):
            if file_digest(path) == remote.sha256:
                there.append(path)
                continue
            raise TbgenError(f"{path} is there and is another table than the server's: remove it to fetch that one")
        coming.append(remote)
        come = _come(path, remote)
        left += remote.size - (come if come <= remote.size else 0)
    return Wanted(coming, there, left)


def fetch(server: TableServer, table: Remote, directory: Path, tick: Tick = lambda count: None) -> Path:
    """Take one table. While it comes, nobody else builds or fetches it."""
    path = table_path(directory, table.material, table.rules)
    with building(path):
        if check_file(path):  # another process was faster
            return path
        beside, handle = _begun(path, table) or _begin(path, table)
        with named(str(path)), os.fdopen(handle, "ab") as file:  # a full disk does not say what did not fit
            for old in coming_of(path):
                if old != beside:  # of a table that the server has replaced
                    with suppress(OSError):  # another user's, or no file
                        old.unlink()
            _take(server, table, file, tick)
        _check(beside, table)
        os.replace(beside, path)  # noqa: PTH105
        settle(path.parent)
    return path


def _begun(path: Path, table: Remote) -> tuple[Path, int] | None:
    """What a fetch of this user has of the table, and where it is."""
    for beside in coming_of(path, table.sha256[:_DIGEST]):
        with suppress(OSError):
            return beside, reopen(beside, os.O_RDWR | os.O_APPEND)
    return None


def _begin(path: Path, table: Remote) -> tuple[Path, int]:
    beside = path.with_name(f".{path.name}.{table.sha256[:_DIGEST]}.{secrets.token_hex(_RANDOM)}{COMING}")
    return beside, create(beside, os.O_APPEND)


def _come(path: Path, table: Remote) -> int:
    """How many bytes of the table are here."""
    begun = _begun(path, table)
    if begun is None:
        return 0
    with os.fdopen(begun[1], "rb") as file:
        return file.seek(0, os.SEEK_END)


def _take(server: TableServer, table: Remote, file: BinaryIO, tick: Tick) -> None:
    """All bytes that are not here yet. As long as enough come, a connection may break as often as it likes."""
    failures = 0
    if file.tell() > table.size:
        file.seek(file.truncate(0))
    while file.tell() < table.size:
        before = file.tell()
        try:
            with server.read(table, before) as answer:
                _copy(answer, file, table.size, tick)
            if file.tell() < table.size:
                raise ConnectionError(f"{server.url} broke off in {table.name}")
        except (OSError, http.client.HTTPException) as error:
            if not isinstance(error, ConnectionError | TimeoutError | http.client.HTTPException):
                raise
            failures = 0 if file.tell() >= before + LEAST else failures + 1
            if failures >= _ATTEMPTS:
                raise TbgenError(f"{error} (run this again to go on at byte {file.tell():,})") from None
    file.flush()
    os.fsync(file.fileno())


def _copy(answer: TimedResponse, file: BinaryIO, size: int, tick: Tick) -> None:
    while data := answer.read1(min(_PIECE, size - file.tell())):
        file.write(data)
        answer.came(len(data))
        tick(len(data))


def _check(beside: Path, table: Remote) -> None:
    """Every byte, before it gets a name under which somebody might believe it."""
    try:
        with open_table(beside) as opened:
            opened.check()
            found = opened.material, opened.rules, opened.sha256
        if found != (table.material, table.rules, table.sha256):
            raise CorruptTable("it is another table")
    except CorruptTable as error:
        beside.unlink(missing_ok=True)
        raise CorruptTable(f"what came as {table.name} is not what it should be, and is removed: {error}") from None
