"""What is changed in tbgen while it is attacked: small tables are treated as large ones are."""

from importlib import import_module
from typing import Any, Final

_PLACES: Final = {
    "worth": ("tbgen.generate.workspace", "KEPT_FROM"),
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
