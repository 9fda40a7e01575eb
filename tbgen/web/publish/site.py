"""Making the folder: tables come first, each checked, and the catalogue of all that are there comes last."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from tbgen._version import __version__
from tbgen.errors import BadInput, CorruptTable
from tbgen.store import SlimFile, file_digest, list_slim, list_tables, open_table, readable_tables
from tbgen.store.directory import CATALOGUE, MANIFEST, Listed, named
from tbgen.store.format.head import SIZE
from tbgen.system.locations import address
from tbgen.system.output_files import replace, sweep, take_in
from tbgen.system.parallel import cores
from tbgen.system.text import from_json, to_json
from tbgen.web.publish import manifest
from tbgen.web.publish.pages import FOLDER, INDEX, Pages, check
from tbgen.web.publish.torrent import Pieces, name_in, torrent

SUMS: Final = "SHA256SUMS"
TORRENT: Final = "tables.torrent"
_BLOCK: Final = 1 << 20

Begin = Callable[[str, int], None]
"""Told what is done now, and how much of it there is."""
Report = Callable[[int], None]
"""Told how much more of that is done."""


class Published(NamedTuple):
    rows: list[dict[str, Any]]
    """What the catalogue says of each table."""
    files: list[str]
    """What there is beside tables, and pages."""
    new: list[str]
    """Files that were not there, or were others."""
    lacking: list[str]
    """Materials that tables lead to, and that the folder does not have."""


def publish(
    directory: Path,
    site: Path,
    url: str | None,
    begin: Begin,
    report: Report,
    *,
    pages: bool = True,
    verified: Iterable[Path] = (),
    license: str = manifest.CC0,
) -> Published:
    """Bring the tables of a directory, and the package's that it lacks, into a folder, and list all that this has.

    `url`: where the folder will be; if not given, as it was told before. `pages`: whether people find an explorer.
    `verified`: what `tbgen verify --json` has printed of these tables. What an earlier run was told of the same files
    still counts."""
    if pages:
        check(site)
    checks = manifest.before(site)
    for file in verified:
        checks = manifest.verified(file, checks)
    before, contents = _before(site)
    url = url or before
    if url:
        name_in(url)
    site.mkdir(parents=True, exist_ok=True)
    sweep(site, lambda name: named(Path(name)) is not None)
    new = [one.path.name for one in _tables(directory, packaged=True) if _take(one.path, site, begin, report)]
    there = _tables(site)
    sizes = [(one.path.name, one.path.stat().st_size) for one in there]
    pieces = Pieces(sum(size for _, size in sizes))
    rows = [_row(one, contents, pieces, begin, report) for one in there]
    replace(site / SUMS, "".join(f"{row['sha256']}  {row['name']}\n" for row in rows).encode())
    if url:
        replace(site / TORRENT, torrent(url, sizes, pieces))
    head = to_json({"program": f"tbgen {__version__}", "url": url, "tables": []})
    lines = ",\n".join(map(to_json, rows))
    replace(site / MANIFEST, manifest.as_text(rows, checks, license, url).encode())
    replace(site / CATALOGUE, f"{head.removesuffix(']}')}\n{lines}\n]}}\n".encode())
    if pages and rows:
        Pages(site, rows, url, begin).write()
    files = [CATALOGUE, MANIFEST, SUMS, *[TORRENT] * bool(url), *[INDEX, FOLDER] * bool(pages and rows)]
    return Published(rows, files, new, _lacking(rows))


def _before(site: Path) -> tuple[str | None, dict[str, str]]:
    """What an earlier run says: the address, and the digests of contents by those of files; nothing if it cannot be
    read."""
    try:
        found = from_json((site / CATALOGUE).read_bytes())
        url = None if found["url"] is None else address(str(found["url"]))
        return url, {row["sha256"]: row["contents"] for row in found["tables"]}
    except (OSError, BadInput, KeyError, TypeError):
        return None, {}


def _tables(place: Path, *, packaged: bool = False) -> list[Listed]:
    """Whole and slim ones, in order of name."""
    whole = readable_tables(place) if packaged else list_tables(place)
    return sorted(chain(whole, list_slim(place)), key=lambda one: one.path.name)


def _take(table: Path, site: Path, begin: Begin, report: Report) -> bool:
    """Bring a table into the folder, unless it is there."""
    target = site / table.name
    if target.exists() and file_digest(target) == file_digest(table):
        return False
    begin(f"checking {table.name}", 1)
    with open_table(table) as opened:
        opened.check()
    take_in(table, target)
    report(1)
    return True


def _row(one: Listed, known: Mapping[str, str], pieces: Pieces, begin: Begin, report: Report) -> dict[str, Any]:
    """What the catalogue says of a table. `known`: digests of contents, by that of the file."""
    with open_table(one.path, threads=cores()) as table, one.path.open("rb") as file:
        begin(f"reading {one.path.name}", table.head.size)
        head = file.read(SIZE)
        whole, body = hashlib.sha256(head), hashlib.sha256()
        pieces.add(head)
        while data := file.read(_BLOCK):
            for each in (whole, body):
                each.update(data)
            pieces.add(data)
            report(len(data))
        if body.hexdigest() != table.sha256:
            raise CorruptTable(f"{one.path} has changed since it was written (remove it, and run this again)")
        contents = table.whole.contents if isinstance(table, SlimFile) else known.get(whole.hexdigest())
        if contents is None:
            begin(f"adding up {one.path.name}", table.size)
            contents = table.digest(report)
    return {
        "name": one.path.name,
        "bytes": table.head.size,
        "sha256": whole.hexdigest(),
        "contents": contents,
        "material": one.material.name,
        "rules": one.rules,
        "form": "slim" if one.slim else "whole",
        "needs": [other.name for other in one.material.successors()],
        "head": head.rstrip(b"\0").decode("ascii"),
    }


def _lacking(rows: list[dict[str, Any]]) -> list[str]:
    there = {(row["material"], row["rules"]) for row in rows}
    needed = {(name, row["rules"]) for row in rows for name in row["needs"]}
    return [f"{name} ({rules})" for name, rules in sorted(needed - there)]
