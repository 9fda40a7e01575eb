"""Workspaces of stopped builds, damaged before the build goes on."""

import random
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from soaking import hooks
from soaking.case import Failed, Limits
from soaking.damage import damage_directory
from soaking.ground import check_place, file_of, lay, needed_by
from tbgen.core.material import Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import TbgenError
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of

_PAUSES: Final = {"KPvK": 90, "KBvK": 5}
"""Snapshots from one stop to the next, of tables with many slices and with one: under `wg` there are 2,379 and 138 in
all."""
_STOPS: Final = 24
"""Moments at which a build may have stopped, the slices of KPvK."""
_PLENTY: Final = 1 << 60
_SELDOM: Final = 1e9
"""Seconds between snapshots, where none is to be kept: they take time."""


class _Enough(Exception):
    """The build is to stop here."""


class Workspaces:
    limits = Limits(seconds=120, memory=1 << 30, lives=500)

    def __init__(self, ground: Path) -> None:
        self._ground = ground
        hooks.change(**{**hooks.SNAPSHOTS, **hooks.ALL_IN_FILES, "every": _SELDOM})
        self._stopped: dict[tuple[str, int, bool, bool, str], Path] = {}
        self._kept = Path(tempfile.mkdtemp(prefix="stopped-", dir=ground))

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        rules = draw.choice((TableRules.RESET, TableRules.RESET, TableRules.WHOLE_GAME))
        name = draw.choice(("KPvK", "KPvK", "KBvK"))
        stop, inside = draw.randrange(2, _STOPS), name == "KBvK" or draw.random() < 0.5
        compressed = draw.random() < 0.5
        hooks.change(compressed=0 if compressed else _PLENTY)
        later = self._workspace(name, stop, rules, inside=inside, compressed=compressed)
        earlier = self._workspace(name, draw.randrange(1, stop), rules, inside=inside, compressed=compressed)
        names = lay(self._ground, place, needed_by(name), rules)
        work = workspace_of(table_path(place, parse(name), rules))
        shutil.copytree(later, work)
        story = damage_directory(draw, work, earlier)
        memory = draw.choice((0, _PLENTY))
        marks = [word for word, holds in (("inside", inside), ("compressed", compressed)) if holds]
        where = f"{', '.join([name, rules, str(stop), *marks, *story])}{', in files' * (not memory)}"
        try:
            _build(name, place, rules, memory)
        except TbgenError as error:
            raise Failed(f"{where}: the build fails: {error}") from None
        check_place(self._ground, place, {*names, file_of(name, rules)}, where)
        slices = stop * (name == "KPvK")
        return Counter({"damaged workspaces": 1, "slices in them": slices, "snapshots in them": int(inside)})

    def _workspace(self, name: str, stop: int, rules: TableRules, *, inside: bool, compressed: bool) -> Path:
        """The workspace of a build that stopped after this many slices, or inside one."""
        kept = self._stopped.get((name, stop, inside, compressed, rules))
        if kept is None:
            with tempfile.TemporaryDirectory(dir=self._kept) as base:
                place = Path(base)
                lay(self._ground, place, needed_by(name), rules)
                if inside:
                    hooks.change(**hooks.SNAPSHOTS)
                    hooks.stop_at_snapshot(_PAUSES[name] * stop, _Enough())
                with suppress(_Enough):
                    _build(name, place, rules, _PLENTY, None if inside else stop)
                hooks.change(every=_SELDOM)
                kept = self._kept / f"{name}.{stop}.{inside}.{compressed}.{rules}"
                workspace_of(table_path(place, parse(name), rules)).rename(kept)
            self._stopped[name, stop, inside, compressed, rules] = kept
        return kept


class _Stopping(Watcher):
    """Stops a build that has told of so many slices."""

    def __init__(self, after: int | None) -> None:
        self._left = after

    def solved(self, material: Material, numbers: int) -> None:
        if self._left is not None:
            self._left -= 1
            if not self._left:
                raise _Enough


def _build(name: str, place: Path, rules: TableRules, memory: int, stop_after: int | None = None) -> None:
    """Build the table, or some of its slices."""
    disk_arrays = DiskArrays(place, memory)
    cache = EntryCache(place, rules, disk_arrays)
    try:
        build_table(parse(name), place, rules, cache, disk_arrays, threads=1, watcher=_Stopping(stop_after))
    finally:
        disk_arrays.close()
