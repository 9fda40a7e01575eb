"""Engines that no tournament wants, as data: what each does, and whether that costs it its games."""

import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.fake_engine import FAULTS
from tests.support.places import FAKE_ENGINE

_HARMLESS = {"twice", "stale", "chatter", "long", "flood", "noise", "weep", "stubborn"}
"""Faults of the fake engine that cost it no game, if it has the time."""
_FROM_THE_START = {
    "dead": ("false", "ends at once"),
    "silent": ("sleep 600", "never says a word"),
    "echo": ("cat", "says what it is told"),
    "babble": ("yes", "talks nonsense without end"),
}


class Misbehaving(NamedTuple):
    """An engine."""

    command: str
    does: str
    """In words."""
    loses: bool
    """Whether it loses all its games, however much time it has."""
    never_starts: bool = False


def engines(births: Path) -> dict[str, Misbehaving]:
    """All of them by name; those are 26."""
    found = {
        fault: Misbehaving(_fake("--fault", fault), does, fault not in _HARMLESS) for fault, does in FAULTS.items()
    }
    for name, (command, does) in _FROM_THE_START.items():
        found[name] = Misbehaving(command, does, loses=True, never_starts=True)
    mortal = _fake("--fault", "crash", "--at", "1", "--lives", "2", "--births", str(births))
    found["mortal"] = Misbehaving(mortal, "dies at its first move, and starts twice only", loses=True)
    return found


def _fake(*words: str) -> str:
    return shlex.join([sys.executable, str(FAKE_ENGINE), *words])
