"""What `tbgen publish` makes, on real web hosts: `tbgen fetch` brings all of it back."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.slim.make import make_slim
from tbgen.store import file_digest
from tests.support.web_hosts import Hosting, nginx, python

BELOW = "below/any path"


@pytest.fixture(
    params=[python, nginx(), nginx("etag off; gzip on; gzip_types *;"), nginx("max_ranges 0;")],
    ids=["python", "nginx", "nginx without ETags", "nginx without ranges"],
)
def published(
    request: pytest.FixtureRequest, small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Path]]:
    """The address of a folder, and the folder."""
    root, place = tmp_path / "root", tmp_path / "place"
    place.mkdir()
    site = root / BELOW
    assert main(["publish", str(small_tables), str(site), "-q"]) == 0
    make_slim(small_tables / "KPvK.r.h5", site / "KPvK.r.slim.h5")
    assert main(["publish", str(small_tables), str(site), "-q"]) == 0
    hosting: Hosting = request.param
    with hosting(root, place) as url:
        yield f"{url}/{BELOW.replace(' ', '%20')}/", site


def test_everything_comes_back(published: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, site = published
    got = tmp_path / "got"
    for words in (["KNNvK", "--all", "3"], ["KPvK", "--slim"], ["--all", "3", "--rules", "wg"]):
        assert main(["fetch", *words, "--from", url, "--tables", str(got), "-q"]) == 0
    assert capsys.readouterr().err == ""
    tables = {path.name: path.read_bytes() for path in site.glob("*.h5")}
    assert "KPvK.r.slim.h5" in tables
    assert {path.name: path.read_bytes() for path in got.iterdir()} == tables


def test_what_broke_off(published: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some of a table is there: it goes on, or begins again."""
    url, site = published
    got = tmp_path / "got"
    got.mkdir()
    table = site / "KPvK.wg.h5"
    come = got / f".KPvK.wg.h5.{file_digest(table)[:16]}.0123.coming"
    come.write_bytes(table.read_bytes()[:50_000])
    assert main(["fetch", "KPvK", "--rules", "wg", "--from", url, "--tables", str(got), "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert (got / table.name).read_bytes() == table.read_bytes()
    assert not come.exists()
    with suppress(FileNotFoundError):
        parts = [line for line in (tmp_path / "place" / "asked").read_text().splitlines() if '" 206 ' in line]
        ranges = "max_ranges" not in (tmp_path / "place" / "conf").read_text()
        assert len(parts) == ranges
