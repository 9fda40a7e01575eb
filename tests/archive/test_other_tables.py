"""Packed files beside tables that are missing, or others than when they were packed."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tbgen.archive.pack import pack
from tbgen.cli.main import main
from tbgen.contents import Contents
from tbgen.errors import CorruptTable
from tbgen.material import parse
from tbgen.store import file_digest, open_table
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.packing import forged, make_again, packed_from, refusal


@pytest.mark.usefixtures("no_bundle")
def test_a_missing_table_is_named(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = packed_from(small_tables / "KNNvK.r.h5", tmp_path)
    place = tmp_path / "place"
    said = refusal(capsys, 4, "unpack", packed, "--tables", place, "-q")
    assert "KNvK.r.h5 is missing (to build it: tbgen build KNvK --tables " in said
    assert not list(place.iterdir())
    assert "KRvKN.r.h5 is missing" in refusal(capsys, 4, "pack", "KRvKN", "--tables", tmp_path)
    assert "nothing.tbp is missing" in refusal(capsys, 4, "unpack", tmp_path / "nothing.tbp", "--tables", place)
    new = tmp_path / "new"
    refusal(capsys, 4, "unpack", tmp_path / "nothing.tbp", "--tables", new)
    assert not new.exists()


def test_another_table_than_at_packing_is_noticed(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The knight's table says something else by now, so what is told from it is wrong."""
    packed = packed_from(small_tables / "KNNvK.r.h5", tmp_path)
    write_table(tmp_path / "KNvK.r.h5", random_contents(parse("KNvK"), seed=1, staircases=0), {})
    said = refusal(capsys, 5, "unpack", packed, "--tables", tmp_path, "-q")
    assert "does not give the table that was packed" in said
    assert not (tmp_path / "KNNvK.r.h5").exists()


def test_a_wrong_table_is_noticed(small_tables: Path, tmp_path: Path) -> None:
    """Packing believes the table; what is unpacked is compared."""
    with open_table(small_tables / "KNvK.r.h5") as table:
        right = table.part(0, table.size)
    entries = right.entries.copy()
    entries[np.flatnonzero(entries)[::50]] += 2
    path = tmp_path / "KNvK.r.h5"
    write_table(path, Contents(right.material, right.rules, entries, right.staircases, right.steps), {})
    packed = packed_from(path, tmp_path)
    path.unlink()
    with pytest.raises(CorruptTable, match="does not give the table"):
        make_again(packed, small_tables, tmp_path)
    assert not path.exists()


def test_a_table_that_is_replaced_while_it_is_packed(small_tables: Path, tmp_path: Path) -> None:
    """The digest is that of the table that was packed, not of what has its name by now."""
    path = Path(shutil.copy(small_tables / "KNvK.r.h5", tmp_path))
    digest = file_digest(path)

    def replace(what: str, numbers: int) -> None:
        write_table(path, random_contents(parse("KNvK"), seed=1, staircases=0), {})

    packed = tmp_path / "KNvK.r.tbp"
    with packed.open("wb") as file:
        assert pack(path, file, begin=replace).notes.sha256 == digest
    assert file_digest(path) != digest
    path.unlink()
    make_again(packed, small_tables, tmp_path)


def test_other_bytes_are_told(kbvk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What another version of zlib or HDF5 makes of the same contents."""
    packed = tmp_path / "KBvK.r.tbp"
    packed.write_bytes(forged(kbvk, sha256="0" * 64))
    assert main(["unpack", str(packed), "--tables", str(tmp_path), "-q"]) == 0
    assert "KBvK.r.h5: the same contents in other bytes" in capsys.readouterr().out
    assert (tmp_path / "KBvK.r.h5").exists()
