"""Rewrite tables of the layout of before the first release into the present one. A new file gets its name if what it
says has the digest of what the old one said, and the one that docs/digests.txt has.

Until all such files are rewritten, this program knows their layout; nothing else does.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.errors import TbgenError
from tbgen.memory.arrays import in_memory
from tbgen.store import PIECE, Bulk, open_table, table_path
from tbgen.store.format.local import LocalNotes, read_notes
from tbgen.store.format.order import numbers_of
from tbgen.store.format.shapes import Forms, ShapeTable, pack_base
from tbgen.store.local import local_file, prepare
from tbgen.store.read.chunk import ChunkFormat
from tbgen.store.read.decode import decode, spell_out
from tbgen.store.read.digest import ContentsDigest
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import write_table

DIGESTS: Final = Path(__file__).resolve().parent.parent / "docs" / "digests.txt"
_SEAL: Final = 512
_MAGIC: Final = b"tbgen r-mobility endgame table\n"
_ZLIB: Final = 2
"""Bytes before each deflated stream."""


class OldTable:
    """All of a file of the old layout. ValueError if it has another, or has changed."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        seal = file.read(_SEAL)
        if not seal.startswith(_MAGIC):
            raise ValueError("it does not have the old layout")
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if f"\nsha256 {sha256}\n".encode("ascii") not in seal:
            raise ValueError("it has changed since it was written")
        with h5py.File(file) as store:
            notes = _attributes(store)
            self.program = notes["program"]
            self.material, self.rules = parse(notes["material"]), TableRules(notes["rules"])
            self.size, planes = notes["size"], notes["distance_planes"]
            self.local = self._local(store, notes["bound"]) if "local" in store else None
            self.facts = _attributes(store["facts"])
            self._places = store["chunk_places"][:].tolist()
            order, longest = numbers_of(store["order"][:].tolist()), store["chunks"].shape[1]
            shapes = {name: column[:] for name, column in store["shapes"].items()}
        self._forms = Forms(
            shapes["steps"], shapes["holder"], shapes["level"], shapes["step_outcome"], shapes["source"]
        )
        held = self._forms.stored() + np.uint8(1)
        held[0] = 0
        number = np.where(shapes["steps"] > 0, np.arange(len(held)), 0)
        self._table = ShapeTable(pack_base(shapes["outcome"], shapes["odd"]), held, number, self._load)
        self._format = ChunkFormat(Path(file.name), longest, order, notes["escape_planes"], planes)

    def _local(self, store: h5py.File, bound: str) -> LocalNotes:
        words = _attributes(store["local"])
        lists = {name: words[name].removeprefix("-" * (words[name] == "-")).split() for name in ("complete", "tables")}
        return read_notes(self.material, bound, words | lists | {"slices": store["index/pawns"][:].tolist()})

    def _load(self, numbers: NDArray[np.int64], stored: NDArray[np.uint8]) -> Forms:
        return self._forms.taken(numbers)

    def _pieces(self) -> Iterator[tuple[slice, Bulk]]:
        width = self._format.width
        for first in range(0, len(self._places), PIECE // width):
            places = self._places[first : first + PIECE // width]
            bulk = decode(self._format, self._table, map(self._stored, places), len(places))
            here = slice(first * width, min(self.size, (first + len(places)) * width))
            yield here, bulk.cut(slice(0, here.stop - here.start))

    def _stored(self, place: list[int]) -> bytes:
        self._file.seek(place[0])
        return self._file.read(place[1])[_ZLIB:]

    def read(self) -> tuple[Contents, str]:
        """What it says, and the digest of that."""
        digest = ContentsDigest(self.material, self.rules)
        entries, numbers = np.zeros((2, self.size), np.int32)
        staircases = Staircases(in_memory)
        for here, bulk in self._pieces():
            digest.add(bulk)
            entries[here] = bulk.entries
            numbers[here] = staircases.number(*spell_out(bulk))
        return Contents(self.material, self.rules, entries, numbers, staircases.finish()), digest.hexdigest()


def _attributes(of: h5py.Group) -> dict[str, Any]:
    return {name: _plain(value) for name, value in of.attrs.items()}


def _plain(value: Any) -> Any:
    return value.decode("utf-8") if isinstance(value, bytes) else value.item()


def _known() -> dict[tuple[str, str], str]:
    """Digests by material and rules."""
    lines = [line.split() for line in DIGESTS.read_text(encoding="ascii").splitlines() if line[:1] not in ("", "#")]
    return {(material, rules): digest for material, rules, digest in lines}


def rewrite(path: Path, tables: Path, threads: int) -> Path:
    """Returns the new file. ValueError if the old one cannot be believed."""
    with path.open("rb") as file:
        old = OldTable(file)
        contents, digest = old.read()
    if old.local is not None:
        prepare(tables)
        to = local_file(tables, old.local.name(old.material)).path
    elif _known().get((old.material.name, old.rules), digest) != digest:
        raise ValueError("it does not say what docs/digests.txt has")
    else:
        to = table_path(tables, old.material, old.rules)

    def check(written: Path) -> None:
        with open_table(written, threads=threads) as table:
            if table.digest() != digest:
                raise ValueError("the new file would say something else")

    write_table(to, contents, old.facts, local=old.local, threads=threads, program=old.program, check=check)
    return to


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/rewrite", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="old; what lies in DIR is replaced")
    parser.add_argument("--tables", type=Path, required=True, metavar="DIR", help="where the new files go")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    args = parser.parse_args()
    args.tables.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for path in args.files:
        try:
            before = path.stat().st_size
            to = rewrite(path, args.tables, args.threads)
        except (ValueError, LookupError, OSError, TbgenError) as error:
            wrong += 1
            print(f"scripts/rewrite: {path}: {error}", file=sys.stderr)
        else:
            print(f"{to}: {before} bytes, now {to.stat().st_size}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
