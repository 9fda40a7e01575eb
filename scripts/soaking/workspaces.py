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
from tbgen.errors import TbgenError
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.material import Material, parse
from tbgen.store import table_path
from tbgen.store.disk_arrays import DiskArrays
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of
from tbgen.table_rules import TableRules

_NAME: Final = "KPvK"
_SLICES: Final = 24
_PAUSES: Final = 90
"""Snapshots of each slice, at most: under `wg` there are 2,379 in all."""
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
        self._stopped: dict[tuple[int, bool, str], Path] = {}
        self._kept = Path(tempfile.mkdtemp(prefix="stopped-", dir=ground))

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        rules = draw.choice((TableRules.RESET, TableRules.RESET, TableRules.WHOLE_GAME))
        slices, inside = draw.randrange(2, _SLICES), draw.random() < 0.5
        later = self._workspace(slices, rules, inside=inside)
        earlier = self._workspace(draw.randrange(1, slices), rules, inside=inside)
        names = lay(self._ground, place, needed_by(_NAME), rules)
        work = workspace_of(table_path(place, parse(_NAME), rules))
        shutil.copytree(later, work)
        story = damage_directory(draw, work, earlier)
        memory = draw.choice((0, _PLENTY))
        where = f"{rules}, {slices} slices{', inside one' * inside}, {'; '.join(story)}{', in files' * (not memory)}"
        try:
            _build(place, rules, memory)
        except TbgenError as error:
            raise Failed(f"{where}: the build fails: {error}") from None
        check_place(self._ground, place, {*names, file_of(_NAME, rules)}, where)
        return Counter({"damaged workspaces": 1, "slices in them": slices, "snapshots in them": int(inside)})

    def _workspace(self, slices: int, rules: TableRules, *, inside: bool) -> Path:
        """The workspace of a build that stopped after this many slices, or inside one of them."""
        kept = self._stopped.get((slices, inside, rules))
        if kept is None:
            with tempfile.TemporaryDirectory(dir=self._kept) as base:
                place = Path(base)
                lay(self._ground, place, needed_by(_NAME), rules)
                if inside:
                    hooks.change(**hooks.SNAPSHOTS)
                    hooks.stop_at_snapshot(_PAUSES * slices, _Enough())
                with suppress(_Enough):
                    _build(place, rules, _PLENTY, None if inside else slices)
                hooks.change(every=_SELDOM)
                kept = self._kept / f"{slices}.{inside}.{rules}"
                workspace_of(table_path(place, parse(_NAME), rules)).rename(kept)
            self._stopped[slices, inside, rules] = kept
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


def _build(place: Path, rules: TableRules, memory: int, stop_after: int | None = None) -> None:
    """Build the table, or some of its slices."""
    disk_arrays = DiskArrays(place, memory)
    cache = EntryCache(place, rules, disk_arrays)
    try:
        build_table(parse(_NAME), place, rules, cache, disk_arrays, threads=1, watcher=_Stopping(stop_after))
    finally:
        disk_arrays.close()
