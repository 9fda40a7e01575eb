"""A manifest that `tbgen publish` made, from wherever its reader trusts: which tables a host may give."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.errors import BadInput
from tbgen.system.text import from_json

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_VERSION: Final = 1
_LARGEST: Final = 64 << 20
"""Bytes; all tables of five men take a thirtieth."""


class Known(NamedTuple):
    """A file."""

    size: int
    sha256: str


def known(file: Path) -> Mapping[str, Known]:
    """By name."""
    if file.stat().st_size > _LARGEST:
        raise BadInput(f"{file} is too large for a manifest of tables")
    try:
        found = from_json(file.read_bytes())
        if found["manifest"] != _VERSION:
            raise BadInput(f"{file} is a manifest of another kind than this version of tbgen reads")
        tables = {row["name"]: Known(row["bytes"], row["sha256"]) for row in found["tables"]}
    except (KeyError, TypeError):
        raise BadInput(f"{file} is no manifest such as tbgen publish makes") from None
    for name, one in tables.items():
        if type(one.size) is not int or type(one.sha256) is not str or not _SHA256.fullmatch(one.sha256):
            raise BadInput(f"{file} does not say what {name!a} is")
    return tables
