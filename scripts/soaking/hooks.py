"""Changes to tbgen while it is attacked: it treats small tables as large ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

_PLACES: Final = {
    "worth": ("tbgen.system.thresholds", "KEPT_FROM"),
    "long": ("tbgen.system.thresholds", "LONG_FROM"),
    "compressed": ("tbgen.system.thresholds", "COMPRESSED_FROM"),
    "wait": ("tbgen.generate.workspace", "_WAIT"),
    "every": ("tbgen.generate.workspace", "_EVERY"),
    "together": ("tbgen.retro.export", "TOGETHER"),
    "large": ("tbgen.system.thresholds", "LARGE"),
    "small": ("tbgen.memory.disk_arrays", "SMALL"),
    "program": ("tbgen.memory.disk_arrays", "PROGRAM"),
}
"""`[name]`: module and constant. Numbers from which a table has a workspace, a slice snapshots, and a table with pawns
compressed slices; seconds after which slices are made safe, and snapshots kept; positions whose staircases are numbered
at a time; bytes from which an array of a table is on disk, and one of a slice at work where memory has no room; bytes
of the program, which the arrays of a slice leave room for."""
KEPT: Final[dict[str, float]] = {"worth": 0, "wait": -1.0, "together": 1 << 12}
"""Tables of all sizes have workspaces, and each slice is made safe."""
COMPRESSED: Final[dict[str, float]] = {**KEPT, "compressed": 0}
"""Finished slices are compressed."""
SNAPSHOTS: Final[dict[str, float]] = {**KEPT, "long": 0, "every": -1.0}
"""A snapshot is kept of every slice, wherever its sweep can pause."""
TABLE_IN_FILES: Final[dict[str, float]] = {"large": 1 << 14}
ALL_IN_FILES: Final[dict[str, float]] = {**TABLE_IN_FILES, "small": 1 << 10, "program": 1 << 50}
"""The arrays of a slice at work, too, as with less memory than they take."""


def change(**values: float) -> None:
    """Set some of them."""
    for name, value in values.items():
        module, attribute = _PLACES[name]
        place = import_module(module)
        if not hasattr(place, attribute):
            raise SystemExit(f"{module} has no {attribute} any more: tell scripts/soaking/hooks.py")
        setattr(place, attribute, value)


def stop_at_snapshot(count: int, error: Exception) -> None:
    """Raise an error when so many snapshots have been kept from now on; never again after that."""
    place = import_module("tbgen.generate.workspace").Workspace
    keep, left = place.keep, count

    def counted(*arguments: Any) -> None:
        nonlocal left
        keep(*arguments)
        left -= 1
        if not left:
            place.keep = keep
            raise error

    place.keep = counted


def trust_the_disk() -> None:
    """Skip the check for room before a build, so that room runs out during it."""
    forecast: Any = import_module("tbgen.generate.forecast")
    if not hasattr(forecast, "check_disk"):
        raise SystemExit("tbgen.generate.forecast has no check_disk any more: tell scripts/soaking/hooks.py")
    forecast.check_disk = lambda *words, **named: None


_CACHES: Final = {
    "tbgen.store.read.table": ("_CHUNKS", "_GLANCED", "_DECODED"),
    "tbgen.store.read.open_file": ("_GROUPS",),
    "tbgen.store.read.forms": ("_PAGES",),
}
"""Caches of what was read from tables, by module."""


@contextmanager
def kept_parts(size: int) -> Iterator[None]:
    """Keep no more than so many bytes of tables in each cache: the rest is read from the file again."""
    caches = [_cache(module, name) for module, names in _CACHES.items() for name in names]
    before = [cache.budget for cache in caches]
    for cache, budget in zip(caches, before, strict=True):
        cache.budget = min(size, budget)
    try:
        yield
    finally:
        for cache, budget in zip(caches, before, strict=True):
            cache.budget = budget


def _cache(module: str, name: str) -> Any:
    place = import_module(module)
    if not hasattr(place, name):
        raise SystemExit(f"{module} has no {name} any more: tell scripts/soaking/hooks.py")
    return getattr(place, name)
