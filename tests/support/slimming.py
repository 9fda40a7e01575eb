"""Tables that are made slim, and made whole again, within a test."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.cli.main import main
from tbgen.core.material import Material
from tbgen.slim.make import make_slim
from tbgen.slim.unpack import SlimSource, unpack
from tbgen.store import open_table, table_path


def slim_from(table: Path, place: Path) -> Path:
    """Make the slim table of a table that stores both sides to move."""
    path = place / f"{table.name.removesuffix('.h5')}.slim.h5"
    slimmed = make_slim(table, path, threads=2)
    assert slimmed is not None
    assert path.stat().st_size == slimmed.size
    return path


def successors_of(source: SlimSource, tables: Path) -> dict[Material, NDArray[np.int32]]:
    """Return the entries of the tables of a directory that resets lead to."""
    entries = {}
    for material in source.material.successors():
        with open_table(table_path(tables, material, source.rules)) as table:
            entries[material] = table.entries()
    return entries


def make_again(slim: Path, tables: Path, place: Path) -> Path:
    """Make the whole table again, given the tables of a directory."""
    with closing(SlimSource(slim)) as source:
        path = table_path(place, source.material, source.rules)
        assert unpack(source, path, successors_of(source, tables), threads=2)
    return path


def refusal(capsys: pytest.CaptureFixture[str], code: int, *words: str | Path) -> str:
    """Return the one line that a command gets."""
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("tbgen: ")
    return err
