"""`scripts/rewrite` gives files of the old layout the new one, and believes none that says something else."""

import shutil
import sys
from pathlib import Path

import pytest
import rewrite

from tbgen.cli.main import main
from tbgen.errors import CorruptTable
from tbgen.store import BUNDLED, TableFile, open_table
from tests.support.places import ROOT

OLD = ROOT / "tests" / "store" / "old"
"""A table, and a local one, of before the first release."""
COMPLETE = OLD / "KQvK.r.h5"
(KEPT,) = OLD.glob("KPvKP*.h5")


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["rewrite", *map(str, words)])
    return rewrite.main()


def test_tables_are_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new"
    assert run(monkeypatch, COMPLETE, KEPT, "--tables", new) == 0
    assert (new / COMPLETE.name).read_bytes() == (BUNDLED / COMPLETE.name).read_bytes()
    kept = new / "local" / KEPT.name
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: {old.stat().st_size} bytes, now {path.stat().st_size}"
        for old, path in ((COMPLETE, new / COMPLETE.name), (KEPT, kept))
    ]
    with open_table(kept) as table:
        assert table.local is not None
        assert table.local.slices == ((27, 35),)
    (new / "KvK.r.h5").symlink_to(BUNDLED / "KvK.r.h5")
    assert main(["verify", "--tables", str(new), "-q", "--threads", "1"]) == 0


def test_a_table_is_rewritten_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(shutil.copy(COMPLETE, tmp_path))
    assert run(monkeypatch, path, "--tables", tmp_path) == 0
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_bytes() == (BUNDLED / path.name).read_bytes()


@pytest.mark.parametrize("what", ["changed", "new", "text", "nowhere", "another digest", "another table"])
def test_what_cannot_be_believed_is_not_rewritten(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line of each, and the others are rewritten."""
    path, new = tmp_path / "one.h5", tmp_path / "new"
    digests = tmp_path / "digests.txt"
    digests.write_text(f"KQvK r {'0' * 64}\n" if what.startswith("another") else "")
    monkeypatch.setattr(rewrite, "DIGESTS", digests)
    data = bytearray(COMPLETE.read_bytes())
    match what:
        case "changed":
            data[-1] ^= 1
        case "new":
            data[:] = (BUNDLED / "KvK.r.h5").read_bytes()
        case "text":
            data[:] = b"no table\n"
    if what != "nowhere":
        path.write_bytes(data)
    if what == "another table":
        digests.write_text("")
        monkeypatch.setattr(TableFile, "digest", lambda table: "0" * 64)
    assert run(monkeypatch, path, "--tables", new) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"scripts/rewrite: {path}: ")
    assert not [*new.iterdir()]
    monkeypatch.undo()
    assert run(monkeypatch, path, KEPT, "--tables", new) == (what in ("changed", "new", "text", "nowhere"))
    assert (new / "local" / KEPT.name).exists()


def test_no_old_file_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The one line says how to get the new layout, and that script is there."""
    shutil.copy(COMPLETE, tmp_path)
    path = tmp_path / COMPLETE.name
    said = f"{path}: it has the layout of before the first release: scripts/rewrite gives it the new one"
    with pytest.raises(CorruptTable) as caught:
        open_table(path)
    assert str(caught.value) == said
    assert main(["probe", "8/8/8/4K1k1/8/8/8/7Q b - - 0 1", "--tables", str(tmp_path)]) == CorruptTable.exit_code
    assert capsys.readouterr().err == f"tbgen: {said}\n"
    assert (ROOT / "scripts" / "rewrite").stat().st_mode & 0o100


def test_help(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        run(monkeypatch, "--help")
    assert capsys.readouterr().out.startswith("usage: scripts/rewrite ")
