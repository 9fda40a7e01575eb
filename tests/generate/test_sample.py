"""A table that is not what its positions' moves make of it does not get its name."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.cli.main import main
from tbgen.core.table_contents import Contents
from tbgen.errors import WrongTable
from tbgen.generate import sample
from tbgen.retro import export
from tbgen.store.write import table as writing
from tbgen.verify import run, units
from tbgen.verify import table as verified_table


def worsen(contents: Contents) -> Contents:
    """One entry in a hundred says a distance of two plies more."""
    entries = contents.entries.copy()
    entries[np.flatnonzero(entries)[::100]] += 2
    return replace(contents, entries=entries)


@pytest.fixture
def place(tmp_path: Path, small_tables: Path) -> Path:
    for name in ("KvK.r.h5", "KQvK.r.h5", "KRvK.r.h5", "KBvK.r.h5", "KNvK.r.h5"):
        (tmp_path / name).write_bytes((small_tables / name).read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", ["KPvK", "KNNvK"])
@pytest.mark.parametrize("where", ["solver", "writer"])
@pytest.mark.parametrize("many", [False, True])
def test_a_wrong_table_is_not_kept(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, where: str, many: bool
) -> None:
    if many:  # more steps than the verifier is given at once
        monkeypatch.setattr(sample, "_MANY", 0)
        monkeypatch.setattr(verified_table, "_BITS", 12)
    finish, encode = export.finish, writing.encode

    def finish_badly(*arguments: Any, **named: Any) -> Contents:
        return worsen(finish(*arguments, **named))

    def encode_badly(contents: Contents, *arguments: Any, **named: Any) -> writing.Encoded:
        return encode(worsen(contents), *arguments, **named)

    if where == "solver":
        monkeypatch.setattr(export, "finish", finish_badly)
    else:
        monkeypatch.setattr(writing, "encode", encode_badly)
    before = sorted(place.iterdir())
    assert main(["build", name, "--tables", str(place), "-q"]) == WrongTable.exit_code
    words = capsys.readouterr().err
    assert words.startswith(f"tbgen: {name} was built wrong and has not been kept: ")
    assert words.count("\n") == 1
    assert ("moves make of them" if where == "solver" else "the file says something else") in words
    assert sorted(place.iterdir()) == before
    monkeypatch.undo()
    assert main(["build", name, "--tables", str(place), "-q"]) == 0


def test_of_a_slice_with_pawns_a_part_is_looked_at(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbering the staircases of a part takes some twenty bytes for each of its numbers."""
    monkeypatch.setattr(verified_table, "_BITS", 12)
    asked, part = list[int](), Contents.part

    def noted(contents: Contents, start: int, end: int) -> Contents:
        asked.append(end - start)
        return part(contents, start, end)

    monkeypatch.setattr(Contents, "part", noted)
    assert main(["build", "KPvK", "--tables", str(place), "-q"]) == 0
    assert max(asked) == 1 << 12


@pytest.mark.parametrize("fits", [False, True])
def test_of_a_table_larger_than_memory_positions_that_lie_together_are_checked(
    place: Path, monkeypatch: pytest.MonkeyPatch, fits: bool
) -> None:
    """Looks all over it would read it several times."""
    monkeypatch.setattr(run, "_STRETCH", 1 << 12)
    if not fits:
        monkeypatch.setattr(units, "_COLUMNS", 1 << 40)
    drawn, some = list[int](), run._Checker.some

    def noted(checker: run._Checker, numbers: run.Numbers) -> None:
        drawn.append(int(numbers.max() - numbers.min()))
        some(checker, numbers)

    monkeypatch.setattr(run._Checker, "some", noted)
    assert main(["build", "KNNvK", "--tables", str(place), "-q"]) == 0
    assert drawn
    assert (max(drawn) < 1 << 12) != fits
