"""Engines that no tournament wants, as data: what each does, and whether that costs it its games."""

import shlex
import sys
from pathlib import Path

from tests.support.places import FAKE_ENGINE

_WITHIN_A_GAME = {
    "crash": True,
    "killed": True,
    "hang": True,
    "illegal": True,
    "garbage": True,
    "null": True,
    "none": True,
    "slow": True,
    "twice": False,
    "chatter": False,
    "long": False,
    "flood": False,
    "endless": True,
    "noise": False,
    "confess": True,
    "mute": True,
    "weep": False,
    "orphan": True,
    "stubborn": False,
}
"""Faults of the fake engine, and whether each costs it its games, however much time it has."""
_FROM_THE_START = {"dead": "false", "silent": "sleep 600", "echo": "cat", "babble": "yes"}


def engines(births: Path) -> dict[str, tuple[str, bool]]:
    """Name, command line and whether it loses all its games; those are 24."""
    found = {}
    for fault, loses in _WITHIN_A_GAME.items():
        found[fault] = (shlex.join([sys.executable, str(FAKE_ENGINE), "--fault", fault]), loses)
    for name, command in _FROM_THE_START.items():
        found[name] = (command, True)
    mortal = ["--fault", "crash", "--at", "1", "--lives", "2", "--births", str(births)]
    found["mortal"] = (shlex.join([sys.executable, str(FAKE_ENGINE), *mortal]), True)
    return found
