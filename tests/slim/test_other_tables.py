"""Slim tables beside tables that are missing, or others than when they were made."""

import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.errors import CorruptTable
from tbgen.slim.make import make_slim
from tbgen.slim.unpack import SlimSource
from tbgen.store import file_digest, open_table
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.slimming import make_again, refusal, slim_from


@pytest.mark.usefixtures("no_bundle")
def test_a_missing_table_is_named(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slim = slim_from(small_tables / "KNNvK.r.h5", tmp_path)
    place = tmp_path / "place"
    line = refusal(capsys, 4, "unpack", slim, "--tables", place, "-q")
    assert "KNvK.r.h5 is missing (to build it: tbgen build KNvK --tables " in line
    assert not list(place.iterdir())
    assert "KRvKN.r.h5 is missing" in refusal(capsys, 4, "pack", "KRvKN", "--tables", tmp_path)
    new = tmp_path / "new"
    assert "KNvK.r.slim.h5 is missing" in refusal(capsys, 4, "unpack", tmp_path / "KNvK.r.slim.h5", "--tables", new)
    assert not new.exists()


def test_another_table_than_at_packing_is_noticed(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The knight's table says something else by now, so what follows from it is wrong."""
    slim = slim_from(small_tables / "KNNvK.r.h5", tmp_path)
    write_table(tmp_path / "KNvK.r.h5", random_contents(parse("KNvK"), seed=1, staircases=0), {})
    line = refusal(capsys, 5, "unpack", slim, "--tables", tmp_path, "-q")
    assert "does not give the table that was packed" in line
    assert not (tmp_path / "KNNvK.r.h5").exists()


def test_a_wrong_table_is_noticed(small_tables: Path, tmp_path: Path) -> None:
    """Packing believes the table; what is unpacked is compared."""
    with open_table(small_tables / "KNvK.r.h5") as table:
        right = table.part(0, table.size)
    entries = right.entries.copy()
    entries[np.flatnonzero(entries)[::50]] += 2
    path = tmp_path / "KNvK.r.h5"
    write_table(path, Contents(right.material, right.rules, entries, right.staircases, right.steps), {})
    slim = slim_from(path, tmp_path)
    path.unlink()
    with pytest.raises(CorruptTable, match="does not give the table"):
        make_again(slim, small_tables, tmp_path)
    assert not path.exists()


def test_a_table_that_is_replaced_while_it_is_packed(small_tables: Path, tmp_path: Path) -> None:
    """The digest is that of the table that was packed, not of what has its name by now."""
    path = Path(shutil.copy(small_tables / "KNvK.r.h5", tmp_path))
    digest = file_digest(path)

    def replace(step: str, numbers: int) -> None:
        write_table(path, random_contents(parse("KNvK"), seed=1, staircases=0), {})

    slim = tmp_path / "KNvK.r.slim.h5"
    assert make_slim(path, slim, begin=replace)
    with closing(SlimSource(slim)) as source:
        assert source.whole.sha256 == digest
    assert file_digest(path) != digest
    path.unlink()
    make_again(slim, small_tables, tmp_path)


def test_other_bytes_are_told(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of zlib or HDF5 makes other bytes of the same contents."""
    slim = slim_from(small_tables / "KBvK.r.h5", tmp_path)
    monkeypatch.setattr("tbgen.store.write.encode.LEVEL", 1)
    assert main(["unpack", str(slim), "--tables", str(tmp_path), "-q"]) == 0
    assert "KBvK.r.h5: the same contents in other bytes" in capsys.readouterr().out
    assert (tmp_path / "KBvK.r.h5").exists()


def test_owners_of_packed_tables_are_told_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = tmp_path / "KRvKN.r.tbp"
    packed.write_bytes(b"tbgen packed endgame table 1\n")
    line = refusal(capsys, 2, "unpack", packed, "--tables", tmp_path)
    assert "no longer reads: tbgen build KRvKN makes the table again" in line
