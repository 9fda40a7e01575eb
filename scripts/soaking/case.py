"""One attempt: its seed, its limits, and its failure."""

import hashlib
import os
import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple, Protocol


class Failed(Exception):
    """Something that must not happen has happened."""


class Limits(NamedTuple):
    """Above these, an attempt counts as a failure: it hangs, or takes too much memory."""

    seconds: float
    memory: int
    """Bytes by which the process may grow."""
    lives: int
    """Attempts after which a process is replaced by a fresh one."""


class Part(Protocol):
    """One kind of attack. A process makes one, then many attempts with it."""

    limits: Limits

    def __init__(self, ground: Path) -> None:
        """`ground` has the right tables: see ground.py."""

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        """Make one attempt in an empty directory, all of it drawn from `draw`. Returns what was done, or raises
        Failed."""


def seed_of(run: int, part: str, number: int) -> str:
    """The seed of one attempt of a run."""
    return hashlib.sha256(f"{run} {part} {number}".encode()).hexdigest()[:12]


def names_in(directory: Path) -> set[str]:
    """The names of all that lies in a directory."""
    return set(os.listdir(directory)) if directory.exists() else set()  # noqa: PTH208  names, not paths


def shown(data: bytes | str, most: int = 300) -> str:
    """A text for a report: one line, not too long, without control characters."""
    text = data.decode("utf-8", "backslashreplace") if isinstance(data, bytes) else data
    return ascii(text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}")[1:-1]
