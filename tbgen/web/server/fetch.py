"""Tables taken from web hosts: whole and checked, or not there at all.

What has come is kept beside the table until all of it is there, so that a broken connection costs what was on its way.
The digest that the host gives is part of that file's name: another table under the same name begins from nothing, and
another host with the same table goes on with it.
"""

import hashlib
import http.client
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeVar

from tbgen.core.material import Material, with_dependencies
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, CorruptTable, MissingTable, TbgenError
from tbgen.store import SlimFile, building, check_file, file_digest, open_table, slim_path, table_path, way_to_some
from tbgen.store.leftovers import COMING, coming_of
from tbgen.system.output_files import settle
from tbgen.system.safe_files import create, reopen
from tbgen.system.text import named
from tbgen.web.server.host import Remote, TableHost
from tbgen.web.server.http_client import LEAST

_ATTEMPTS: Final = 5
"""How many in a row may bring next to nothing."""
_DIGEST: Final = 16
"""Characters of it in the name of what has come of a table."""
_RANDOM: Final = 8
"""Bytes of that name that nobody can guess."""
_T = TypeVar("_T")

Tick = Callable[[int], None]
"""Told a number of bytes."""


class Mirrors:
    """Hosts that have the same tables, one or more: where one fails the next one is asked."""

    def __init__(self, hosts: Iterable[TableHost], told: Callable[[str], None] = lambda line: None) -> None:
        """`told`: is told in a line which host has failed, and which one is next."""
        self._hosts = list(hosts)
        self.told = told

    def first(self, ask: Callable[[TableHost], _T]) -> _T:
        """What the first that does not fail gives. It is the first to be asked again."""
        for left in reversed(range(len(self._hosts))):
            try:
                return ask(self._hosts[0])
            except (TbgenError, ConnectionError) as error:
                self._hosts.append(self._hosts.pop(0))
                if not left:
                    raise
                self.told(f"{error}; asking {self._hosts[0].url}")
        raise BadInput("no host is named")


class Wanted(NamedTuple):
    """What is to be done."""

    coming: list[Remote]
    there: list[Path]
    """Tables that are here already, the same as the host's."""
    left: int
    """Bytes that have yet to come."""


def wanted(
    mirrors: Mirrors, materials: Iterable[Material], rules: TableRules, directory: Path, *, slim: bool = False
) -> Wanted:
    """What has to come for these and all that they depend on. MissingTable names what the host lacks. `slim`: slim
    tables where there are any; otherwise they come only where there is no other."""
    return mirrors.first(partial(_plan, [*materials], rules, directory, slim))


def _plan(materials: list[Material], rules: TableRules, directory: Path, slim: bool, host: TableHost) -> Wanted:
    needed, offered = with_dependencies(materials), host.tables()
    forms = (slim_path, table_path) if slim else (table_path, slim_path)
    found = {
        one: next((offered[name] for form in forms if (name := form("", one, rules).name) in offered), None)
        for one in needed
    }
    lacking = [one for one, remote in found.items() if remote is None]
    if lacking:
        names = ", ".join(one.name for one in lacking)
        raise MissingTable(f"{host.lacks} {names} ({way_to_some('them', directory, materials, rules)})")
    coming, there, left = [], [], 0
    for remote in filter(None, found.values()):
        path = directory / remote.name
        if check_file(path):
            if _is(path, remote):
                there.append(path)
                continue
            raise TbgenError(f"{path} is there and is another table than the server's: remove it to fetch that one")
        coming.append(remote)
        come = _come(path, remote)
        left += remote.size - (come if come <= remote.size else 0)
    return Wanted(coming, there, left)


def _is(path: Path, table: Remote) -> bool:
    """Whether this file is the host's: as its head says, unless the host tells of the whole file alone."""
    return file_digest(path) == table.body if table.body else _sum(path) == table.sha256


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _untold(count: int) -> None:
    """Nobody wants to know."""


def fetch(mirrors: Mirrors, table: Remote, directory: Path, came: Tick = _untold, again: Tick = _untold) -> Path:
    """Take one table. While it comes, nobody else builds or fetches it. `came`: is told how many bytes have come;
    `again`: how many have to come once more."""
    path = directory / table.name
    with building(path):
        if check_file(path):  # another process was faster
            return path
        beside, handle = _begun(path, table) or _begin(path, table)
        with named(str(path)), os.fdopen(handle, "ab") as file:  # a full disk does not say what did not fit
            for old in coming_of(path):
                if old != beside:  # of a table that the host has replaced
                    with suppress(OSError):  # another user's, or no file
                        old.unlink()
            try:
                mirrors.first(partial(_take, table, beside, file, came, again))
            finally:
                if not file.tell():
                    beside.unlink(missing_ok=True)
        os.replace(beside, path)  # noqa: PTH105
        settle(path.parent)
    return path


def _begun(path: Path, table: Remote) -> tuple[Path, int] | None:
    """What a fetch of this user has of the table, and where it is."""
    for beside in coming_of(path, table.digest[:_DIGEST]):
        with suppress(OSError):
            return beside, reopen(beside, os.O_RDWR | os.O_APPEND)
    return None


def _begin(path: Path, table: Remote) -> tuple[Path, int]:
    beside = path.with_name(f".{path.name}.{table.digest[:_DIGEST]}.{secrets.token_hex(_RANDOM)}{COMING}")
    return beside, create(beside, os.O_APPEND)


def _come(path: Path, table: Remote) -> int:
    """How many bytes of the table are here."""
    begun = _begun(path, table)
    if begun is None:
        return 0
    with os.fdopen(begun[1], "rb") as file:
        return file.seek(0, os.SEEK_END)


def _take(table: Remote, beside: Path, file: BinaryIO, came: Tick, again: Tick, host: TableHost) -> None:
    """All that is not here yet; checked, it is the table. What cannot be the table does not stay."""
    offered = host.tables().get(table.name)
    if offered is None or (offered.size, offered.digest) != (table.size, table.digest):
        raise TbgenError(f"{host.url} has another {table.name} than was wanted, or none")
    if file.tell() > table.size:
        _rewind(file, _untold)  # nobody has counted that
    try:
        _receive(host, table, file, came, again)
        _check(beside, table)
    except CorruptTable as error:
        _rewind(file, again)
        raise CorruptTable(
            f"what came from {host.url} as {table.name} is not what it should be, and is removed: {error}"
        ) from None


def _receive(host: TableHost, table: Remote, file: BinaryIO, came: Tick, again: Tick) -> None:
    """As long as there is more than ever before, a connection may break as often as it likes."""
    failures, most = 0, file.tell()
    while file.tell() < table.size:
        try:
            with host.read(table, file.tell()) as (begins, pieces):
                if begins < file.tell():
                    _rewind(file, again)
                for piece in pieces:
                    file.write(piece)
                    came(len(piece))
            if file.tell() < table.size:
                raise ConnectionError(f"{host.url} broke off in {table.name}")
        except (OSError, http.client.HTTPException) as error:
            if not isinstance(error, ConnectionError | TimeoutError | http.client.HTTPException):
                raise
            failures = 0 if file.tell() >= most + LEAST else failures + 1
            most = max(most, file.tell())
            if failures >= _ATTEMPTS:
                raise TbgenError(f"{error} (run this again to go on at byte {file.tell():,})") from None
    file.flush()
    os.fsync(file.fileno())


def _rewind(file: BinaryIO, again: Tick) -> None:
    """Begin from nothing."""
    again(file.tell())
    file.seek(file.truncate(0))


def _check(beside: Path, table: Remote) -> None:
    """Every byte, before it gets a name under which somebody might believe it."""
    with open_table(beside) as opened:
        opened.check()
        found = opened.material, opened.rules, isinstance(opened, SlimFile), opened.local
        body = opened.sha256
    if found != (table.material, table.rules, table.slim, None) or table.body not in ("", body):
        raise CorruptTable("it is another table")
    if table.sha256 and _sum(beside) != table.sha256:
        raise CorruptTable("it does not have the SHA-256 that it is told to have")
