"""The digest of what a table says, not of its file: compression, order and version do not matter. docs/format.md says
which bytes it covers."""

import hashlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.packed_steps import unpack_steps
from tbgen.core.table_contents import Contents, selected
from tbgen.core.table_rules import TableRules
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decode import spell_out
from tbgen.system.parallel import pieces

_PIECE: Final = 1 << 18
_STEP: Final = np.dtype([("holder", "u1"), ("level", "u1"), ("outcome", "<i2"), ("distance", "<u2")])


def digest_of(contents: Contents) -> str:
    """The digest of contents that are in no file."""
    digest, steps = ContentsDigest(contents.material, contents.rules), contents.steps
    for here in pieces(len(contents.entries), _PIECE):
        some = selected(steps, contents.staircases[here])
        digest.put(contents.entries[here], np.diff(some.start), some[1:])
    return digest.hexdigest()


class ContentsDigest:
    """Takes all positions in the order of their numbers, piece by piece."""

    def __init__(self, material: Material, rules: TableRules) -> None:
        men = "".join(f" {man}" for man in material.fairy)
        self._name = f"tbgen contents {material.name} {rules}{men}\n".encode("ascii")
        self._entries, self._lengths, self._steps = (hashlib.sha256() for _ in range(3))

    def add(self, bulk: Bulk) -> None:
        spelled = spell_out(bulk)
        self.put(bulk.entries, spelled.lengths, unpack_steps(spelled.steps))

    def put(
        self, entries: NDArray[np.int32], lengths: NDArray[np.integer], columns: tuple[NDArray[np.integer], ...]
    ) -> None:
        """`lengths`: steps of each position's staircase, whose holders, levels, outcomes and distances are in
        `columns`."""
        told = np.empty(len(columns[0]), _STEP)
        for name, column in zip(_STEP.names or (), columns, strict=True):
            told[name] = column
        self._entries.update(entries.astype("<i4", copy=False).data)
        self._lengths.update(lengths.astype(np.uint8).data)
        self._steps.update(told.data)

    def hexdigest(self) -> str:
        parts = (part.digest() for part in (self._entries, self._lengths, self._steps))
        return hashlib.sha256(b"".join((self._name, *parts))).hexdigest()
