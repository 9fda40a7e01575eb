"""The digest of what a table says, not of its file: compression, order and version do not matter. docs/format.md says
which bytes it covers."""

import hashlib

from tbgen.material import Material
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decode import spell_out
from tbgen.table_rules import TableRules


class ContentsDigest:
    """Takes all positions in the order of their numbers, piece by piece."""

    def __init__(self, material: Material, rules: TableRules) -> None:
        self._name = f"tbgen contents {material.name} {rules}\n".encode("ascii")
        self._entries, self._lengths, self._steps = (hashlib.sha256() for _ in range(3))

    def add(self, bulk: Bulk) -> None:
        found = spell_out(bulk)
        self._entries.update(bulk.entries.astype("<i4", copy=False).data)
        self._lengths.update(found.length.data)
        self._steps.update(found.steps.data)

    def hexdigest(self) -> str:
        parts = (part.digest() for part in (self._entries, self._lengths, self._steps))
        return hashlib.sha256(b"".join((self._name, *parts))).hexdigest()
