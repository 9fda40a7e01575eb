"""What a release of tables is, for whoever cites it, or checks it years later: what the files are, who made them, under
what licence, and what has been verified.

Others may keep it elsewhere, beside an article or in an archive: `tbgen fetch --manifest` then takes from any host only
what is in it. docs/publish.md describes it, docs/manifest.schema.json has its form.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tbgen._version import __version__
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, quoted
from tbgen.store.directory import MANIFEST
from tbgen.store.format import head
from tbgen.system.text import from_json, to_json

VERSION: Final = 1
CC0: Final = "CC0-1.0"
"""The licence of the project's own tables: docs/data.md."""
_LICENSE: Final = re.compile(r"[A-Za-z0-9.+-]{1,64}")

Verified = Mapping[str, dict[str, Any]]
"""By the SHA-256 of a table's bytes behind the head: how many of its entries were compared with what their moves lead
to, the seed of the sample, and by which program."""


def license_of(words: str) -> str:
    if not _LICENSE.fullmatch(words):
        raise BadInput(f"{quoted(words, ascii)} is no SPDX identifier of a licence, such as CC0-1.0")
    return words


def verified(file: Path, known: Verified) -> Verified:
    """With what `tbgen verify --json` has printed, a line for each table. The whole of a table counts for more than a
    sample of it, and one that failed for nothing."""
    found = dict(known)
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            row = from_json(line)
            body, check = row["body_sha256"], _check(row | {"entries": row["checked"]})
            right = row["code"] == 0 and row["unchecked"] == 0 == row["wrong"] and type(body) is str
        except (BadInput, KeyError, TypeError):
            raise BadInput(f"{file}:{number} is no line that tbgen verify --json prints") from None
        if right and (check["seed"] is None or body not in found or found[body]["seed"] is not None):
            found[body] = check
    return found


def before(site: Path) -> Verified:
    """What an earlier run says was verified; nothing if it cannot be read."""
    with suppress(OSError, BadInput, KeyError, TypeError, AttributeError):
        rows = from_json((site / MANIFEST).read_bytes())["tables"]
        return {row["body_sha256"]: _check(row["verified"]) for row in rows if row["verified"]}
    return {}


def _check(said: Mapping[str, Any]) -> dict[str, Any]:
    """TypeError where it cannot be one."""
    entries, seed, program = said["entries"], said["seed"], said["program"]
    if type(entries) is not int or type(seed) not in (int, type(None)) or type(program) is not str:
        raise TypeError
    return {"entries": entries, "seed": seed, "program": program}


def as_text(rows: Iterable[Mapping[str, Any]], checks: Verified, license: str, url: str | None) -> str:
    """Of the tables that a catalogue has."""
    tables = [_table(row, checks) for row in rows]
    told = {
        "manifest": VERSION,
        "license": license,
        "url": url,
        "published_by": f"tbgen {__version__}",
        "built_by": sorted({table["program"] for table in tables}),
        "formats": sorted({table["format"] for table in tables}),
        "rules": {
            rules: _sums(some)
            for rules in TableRules
            if (some := [table for table in tables if table["rules"] == rules])
        },
    }
    lines = ",\n".join(map(to_json, tables))
    return f'{to_json(told).removesuffix("}")}, "tables": [\n{lines}\n]}}\n'


def _table(row: Mapping[str, Any], checks: Verified) -> dict[str, Any]:
    said = head.parse(row["head"].encode("ascii").ljust(head.SIZE, b"\0"))
    return {
        **{name: row[name] for name in ("name", "bytes", "sha256", "contents", "material", "rules", "form")},
        "body_sha256": said.sha256,
        "program": said.program,
        "format": f"{head.FORMAT[0]}.{said.minor}",
        "entries": said.legal,
        "verified": checks.get(said.sha256),
    }


def _sums(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the tables of one set of rules."""
    whole = [table for table in tables if table["verified"] and table["verified"]["seed"] is None]
    men = Counter(len(table["material"]) - 1 for table in tables)
    return {
        "tables": len(tables),
        "men": {str(many): men[many] for many in sorted(men)},
        "bytes": sum(table["bytes"] for table in tables),
        "verified": len(whole),
        "verified_in_part": sum(table["verified"] is not None for table in tables) - len(whole),
    }
