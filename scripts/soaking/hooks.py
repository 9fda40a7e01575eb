"""What is changed in tbgen while it is attacked: small tables are treated as large ones are."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

_PLACES: Final = {
    "worth": ("tbgen.sizes", "KEPT_FROM"),
    "wait": ("tbgen.generate.workspace", "_WAIT"),
    "large": ("tbgen.store.disk_arrays", "LARGE"),
}
"""Names, and where the values are: numbers from which on a table has a workspace, seconds between two times at which it
is made safe, bytes from which on an array is on disk."""


def change(**values: float) -> None:
    """Set some of them."""
    for name, value in values.items():
        module, attribute = _PLACES[name]
        place = import_module(module)
        if not hasattr(place, attribute):
            raise SystemExit(f"{module} has no {attribute} any more: tell scripts/soaking/hooks.py")
        setattr(place, attribute, value)


def trust_the_disk() -> None:
    """Leave out the look at how much room there is before a build begins: it runs out in the midst of it."""
    forecast: Any = import_module("tbgen.generate.forecast")
    if not hasattr(forecast, "check_disk"):
        raise SystemExit("tbgen.generate.forecast has no check_disk any more: tell scripts/soaking/hooks.py")
    forecast.check_disk = lambda *words, **named: None


@contextmanager
def kept_chunks(size: int) -> Iterator[None]:
    """Keep no more than so many bytes of decoded tables: the rest is read from the file again."""
    table: Any = import_module("tbgen.store.read.table")
    names = ("_CHUNKS", "_GLANCED", "_DECODED")
    if not all(hasattr(table, name) for name in names):
        raise SystemExit("tbgen.store.read.table has other caches now: tell scripts/soaking/hooks.py")
    caches = [getattr(table, name) for name in names]
    before = [cache.budget for cache in caches]
    for cache, budget in zip(caches, before, strict=True):
        cache.budget = min(size, budget)
    try:
        yield
    finally:
        for cache, budget in zip(caches, before, strict=True):
            cache.budget = budget
