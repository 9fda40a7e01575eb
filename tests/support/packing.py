"""Tables that are packed, unpacked and forged within a test."""

import hashlib
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.archive.format import Packed
from tbgen.archive.pack import pack
from tbgen.archive.unpack import PackedSource, Source, unpack
from tbgen.cli.main import main
from tbgen.material import Material
from tbgen.store import open_table, table_path

LENGTH, DIGEST = 8, 32
"""Bytes at the end of a packed file."""


def packed_from(table: Path, place: Path) -> Path:
    path = place / f"{table.stem}.tbp"
    with path.open("wb") as file:
        result = pack(table, file, threads=2)
    assert path.stat().st_size == result.size
    return path


def successors_of(source: Source, tables: Path) -> dict[Material, NDArray[np.int32]]:
    """The entries of the tables of a directory that resets lead to."""
    found = {}
    for material in source.material.successors():
        with open_table(table_path(tables, material, source.rules)) as table:
            found[material] = table.entries()
    return found


def make_again(packed: Path, tables: Path, place: Path) -> Path:
    """Unpack, given the tables of a directory."""
    with closing(Packed(packed)) as opened:
        source = PackedSource(opened)
        path = table_path(place, opened.material, opened.rules)
        assert unpack(source, path, successors_of(source, tables), threads=2)
    return path


def forged(packed: Path, **changes: Any) -> bytes:
    """The same file with other notes, and a digest that is right."""
    data = packed.read_bytes()
    end = len(data) - DIGEST - LENGTH
    start = end - int.from_bytes(data[end : end + LENGTH], "little")
    notes = json.dumps({**json.loads(data[start:end]), **changes}).encode()
    data = data[:start] + notes + len(notes).to_bytes(LENGTH, "little")
    return data + hashlib.sha256(data).digest()


def refusal(capsys: pytest.CaptureFixture[str], code: int, *words: str | Path) -> str:
    """The one line that a command gets."""
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("tbgen: ")
    return err
