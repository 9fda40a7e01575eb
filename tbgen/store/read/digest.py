"""The digest of what a table says, not of its file: compression, order and version do not matter. docs/format.md says
which bytes it covers."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from tbgen.material import Material
from tbgen.store.read.kernels import staircases
from tbgen.store.read.positions import Positions
from tbgen.table_rules import TableRules


class ContentsDigest:
    """Takes all positions in the order of their numbers, in pieces of any length."""

    def __init__(self, material: Material, rules: TableRules) -> None:
        self._name = f"tbgen contents {material.name} {rules}\n".encode("ascii")
        self._entries, self._lengths, self._steps = (hashlib.sha256() for _ in range(3))

    def add(self, positions: Positions, places: NDArray[np.int64]) -> None:
        found = staircases(positions, places)
        self._entries.update(positions.entries[places].astype("<i4", copy=False).data)
        self._lengths.update(found.length.data)
        self._steps.update(found.steps.data)

    def hexdigest(self) -> str:
        parts = (part.digest() for part in (self._entries, self._lengths, self._steps))
        return hashlib.sha256(b"".join((self._name, *parts))).hexdigest()
