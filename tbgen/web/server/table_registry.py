"""What is served: which tables are there, and open tablebases that follow when files are replaced."""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, TbgenError
from tbgen.probe import Tablebase
from tbgen.store import Stamp, file_digest, list_slim, readable_tables, stamp_of
from tbgen.store.directory import Listed
from tbgen.store.local import list_local


class Shelved(NamedTuple):
    """A table that is there."""

    path: Path
    material: Material
    rules: TableRules
    stamp: Stamp
    sha256: str
    """Of all bytes behind the head; empty where the file is no table."""

    @property
    def size(self) -> int:
        return self.stamp[0]


class State(NamedTuple):
    """What was there at the last look."""

    tables: Mapping[tuple[Material, TableRules], Shelved]
    slim: Mapping[tuple[Material, TableRules], Shelved]
    """Probed where there is no whole table."""
    tag: str
    """Another one when any table is another."""
    trouble: str = ""
    """Why local tables cannot be listed; empty where they are."""


def look(directory: Path, before: State | None = None) -> State:
    """Only files are opened that are new, have changed, or could not be read."""
    tables = _there(readable_tables(directory), before.tables if before else {})
    slim = _there(list_slim(directory), before.slim if before else {})
    lines = [f"{one.path.name} {one.sha256}\n" for one in (*tables.values(), *slim.values())]
    trouble = ""
    try:
        lines += [f"{one.path.name}\n" for one in list_local(directory)]  # another local table has another name
    except (TbgenError, OSError) as error:
        trouble = str(error)
    digest = hashlib.sha256("".join(lines).encode())
    return State(tables, slim, digest.hexdigest()[:16], trouble)


def _there(
    listed: Iterable[Listed], known: Mapping[tuple[Material, TableRules], Shelved]
) -> dict[tuple[Material, TableRules], Shelved]:
    found = {}
    for path, material, rules in listed:
        try:
            stamp = stamp_of(path.stat())
        except OSError:
            continue
        try:
            old = known.get((material, rules))
            known_as = old.sha256 if old is not None and old.stamp == stamp else ""
            sha256 = known_as or file_digest(path)
        except FileNotFoundError:
            continue
        except (OSError, CorruptTable):
            sha256 = ""
        found[material, rules] = Shelved(path, material, rules, stamp, sha256)
    return found


class _Lent:
    """A tablebase that is closed when it is no longer wanted and the last who uses it has gone."""

    def __init__(self, tablebase: Tablebase) -> None:
        self.tablebase = tablebase
        self.users = 0
        self.retired = False


class Served:
    """The tables of a directory, and those that only the package has, for all threads."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.state = look(directory)
        if self.state.trouble:
            raise TbgenError(self.state.trouble)
        self._changing = threading.Lock()
        self._open = {rules: _Lent(Tablebase(directory, rules)) for rules in TableRules}

    def refresh(self) -> bool:
        """Look again; True if something has changed. A table that was replaced or is gone is read no more.

        The new state comes last: an answer from an old table is never kept under the new tag."""
        old, new = self.state, look(self.directory, self.state)
        for rules in TableRules:
            if any(
                there.get(key) != one
                for before, there in ((old.tables, new.tables), (old.slim, new.slim))
                for key, one in before.items()
                if one.rules == rules
            ):
                with self._changing:
                    lent, self._open[rules] = self._open[rules], _Lent(Tablebase(self.directory, rules))
                    lent.retired = True
                    self._close_if_idle(lent)
        self.state = new
        return new.tag != old.tag

    @contextmanager
    def tablebase(self, rules: TableRules) -> Iterator[Tablebase]:
        with self._changing:
            lent = self._open[rules]
            lent.users += 1
        try:
            yield lent.tablebase
        finally:
            with self._changing:
                lent.users -= 1
                self._close_if_idle(lent)

    def close(self) -> None:
        for lent in self._open.values():
            with self._changing:
                lent.retired = True
                self._close_if_idle(lent)

    def _close_if_idle(self, lent: _Lent) -> None:
        if lent.retired and not lent.users:
            lent.tablebase.close()
