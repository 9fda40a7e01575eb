"""`tbgen publish`: a folder with all that a web host needs, and nothing half."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tbgen.cli.main import main
from tbgen.store import open_table
from tbgen.web.publish import site as module
from tests.support.published import SLIM, WHOLE

pytestmark = pytest.mark.usefixtures("no_bundle")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def catalogue(site: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((site / "catalogue.json").read_bytes())
    return found


def names(site: Path) -> set[str]:
    """But for pages."""
    return {path.name for path in site.iterdir() if path.name not in ("index.html", "pages")}


def test_the_folder(tables: Path, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(tables), str(site)]) == 0
    said = capsys.readouterr()
    assert said.out == f"{site}: 5 tables, {said.out.split(', ')[1].split(';')[0]}; 5 of them new\n"
    assert "KNvK (r), KQvK (r), KRvK (r)" in said.err
    assert names(site) == {*WHOLE, SLIM, "catalogue.json", "manifest.json", "SHA256SUMS"}
    assert all((site / path.name).samefile(path) for path in tables.iterdir())
    assert subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=site, check=False).returncode == 0
    rows = {row["name"]: row for row in catalogue(site)["tables"]}
    assert len(rows) == 5
    for name, row in rows.items():
        data = (tables / name).read_bytes()
        assert (row["bytes"], row["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert row["head"].encode().ljust(4096, b"\0") == data[:4096]
        assert row["form"] == ("slim" if "slim" in name else "whole")
        assert f"{row['material']}.{row['rules']}" in name
    assert rows["KPvK.r.h5"]["needs"] == ["KvK", "KQvK", "KRvK", "KBvK", "KNvK"]
    with open_table(tables / "KBvK.r.h5") as table:
        assert rows["KBvK.r.h5"]["contents"] == rows["KBvK.r.slim.h5"]["contents"] == table.digest()


def test_the_package_has_what_the_directory_lacks(
    tables: Path, site: Path, small_tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbgen.store.directory.BUNDLED", small_tables)
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    assert names(small_tables) <= names(site)


def test_again(
    tables: Path, site: Path, small_tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is new comes, what lies there stays, and contents are added up once."""
    assert main(["publish", str(tables), str(site), "-q", "--url", "https://example.org/tables/"]) == 0
    before = {name: (site / name).read_bytes() for name in names(site)}
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    assert {name: (site / name).read_bytes() for name in names(site)} == before
    (site / "mine.html").write_text("mine")
    (tables / "KBvK.r.h5").unlink()
    shutil.copy(small_tables / "KNvK.r.h5", tables)
    capsys.readouterr()
    added: list[str] = []
    digest = module.open_table(tables / "KNvK.r.h5").__class__.digest
    monkeypatch.setattr(
        "tbgen.store.TableFile.digest", lambda self, report: (added.append(self.path.name), digest(self, report))[1]
    )
    assert main(["publish", str(tables), str(site), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["new"] == ["KNvK.r.h5"] == added
    assert said["files"] == ["catalogue.json", "manifest.json", "SHA256SUMS", "tables.torrent", "index.html", "pages"]
    assert names(site) == {*before, "KNvK.r.h5", "mine.html"}
    assert len(catalogue(site)["tables"]) == 6 == said["tables"]
    for broken in ("", "[]", '{"url": 5, "tables": []}', '{"url": null, "tables": [{}]}', "[" * 5000):
        (site / "catalogue.json").write_text(broken)
        assert main(["publish", str(tables), str(site), "-q"]) == 0
        assert len(catalogue(site)["tables"]) == 6


def test_a_directory_can_be_its_own_folder(tables: Path) -> None:
    assert main(["publish", str(tables), str(tables), "-q"]) == 0
    assert {row["name"] for row in catalogue(tables)["tables"]} == {*WHOLE, SLIM}


@pytest.mark.parametrize("where", ["tables", "site"])
@pytest.mark.parametrize("at", [5000, -1])
def test_damaged_tables_are_not_listed(
    where: str, at: int, tables: Path, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    before = {name: (site / name).read_bytes() for name in names(site)}
    if where == "tables":
        (site / "KBvK.r.h5").unlink()
        del before["KBvK.r.h5"]
    place = tables.parent / where / "KBvK.r.h5"
    data = bytearray(place.read_bytes())
    data[at] ^= 1
    place.unlink()  # and not what else is this file
    place.write_bytes(data)
    capsys.readouterr()
    assert main(["publish", str(tables), str(site), "-q"]) == 5
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(place) in said
    before |= {} if where == "tables" else {"KBvK.r.h5": bytes(data)}
    assert {name: (site / name).read_bytes() for name in names(site)} == before


def no_link(*words: object) -> NoReturn:
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def test_copies_where_no_links_can_be_made(tables: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_link)
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    stamps = {path.name: path.stat().st_mtime_ns for path in site.glob("*.h5")}
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    assert stamps == {path.name: path.stat().st_mtime_ns for path in site.glob("*.h5")}
    for path in tables.iterdir():
        assert (site / path.name).read_bytes() == path.read_bytes()
        assert not (site / path.name).samefile(path)


@pytest.mark.parametrize("link", [True, False])
def test_nothing_half_has_a_name(
    link: bool, tables: Path, site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that fills up, and a run that is killed, whose leftovers the next one removes."""

    def full(*words: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        if not link:
            patched.setattr(os, "link", no_link)
            patched.setattr(shutil, "copyfileobj", full)
        patched.setattr(os, "replace", full)
        assert main(["publish", str(tables), str(site), "-q"]) == 6
    assert capsys.readouterr().err.count("\n") == 1
    assert not names(site)
    left = site / f".KvK.r.h5.{16 * '0'}.part"
    os.link(tables / "KvK.r.h5", left)
    assert main(["publish", str(tables), str(site), "-q"]) == 0
    assert not left.exists()


def test_what_is_refused(tables: Path, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, words in (
        (2, [str(tables / "none"), str(site)]),
        (2, [str(tables), str(site), "--url", "example.org"]),
        (2, [str(tables), str(site), "--url", "https://example.org/"]),
        (2, [str(tables), str(site), "--url", "https://example.org/a/%2e%2e/"]),
        (2, [str(tables), str(site), "--url", "https://example.org/a%2fb"]),
        (1, [str(tables), str(tables / "KvK.r.h5")]),
    ):
        capsys.readouterr()
        assert main(["publish", *words]) == code
        assert capsys.readouterr().err.count("\n") == 1
    assert not site.exists()
