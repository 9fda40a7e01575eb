"""The explorer in the folder of `tbgen publish`: its files. tests/serve/test_browser_published.py looks at it."""

import json
import re
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.slim.make import make_slim
from tbgen.web.publish import pages as module

pytestmark = pytest.mark.usefixtures("no_bundle")


@pytest.fixture
def tables(small_tables: Path, tmp_path: Path) -> Path:
    place = tmp_path / "tables"
    place.mkdir()
    for name in ("KBvK.r.h5", "KPvK.r.h5", "KvK.r.h5", "KvK.wg.h5"):
        (place / name).write_bytes((small_tables / name).read_bytes())
    make_slim(small_tables / "KBvK.r.h5", place / "KBvK.r.slim.h5")
    make_slim(small_tables / "KRvK.r.h5", place / "KRvK.r.slim.h5")
    return place


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def publish(tables: Path, site: Path, *words: str) -> int:
    return main(["publish", str(tables), str(site), "-q", *words])


def made(site: Path) -> set[str]:
    return {path.name for path in (site / "pages").iterdir() if path.name != "static"}


def test_every_link_leads_somewhere(tables: Path, site: Path) -> None:
    """From each page and style, and from one script to another."""
    assert publish(tables, site, "--url", "https://example.org/tables/") == 0
    found = 0
    links = {
        ".html": r'(?<!canonical" )(?:href|src)="([^"]+)"',
        ".js": r'from "([^"]+)"',
        ".css": r"""url\(['"]?([^)'"]+)""",
    }
    for path in site.rglob("*.*"):
        kind = links.get(path.suffix)
        for link in re.findall(kind, path.read_text()) if kind else ():
            target = link.partition("#")[0].partition("?")[0]
            if target and not link.startswith("data:"):
                assert not re.match("[a-z]+:|/", link), (path, link)
                assert (path.parent / target).resolve().is_file(), (path, link)
                found += 1
    assert found > 100


def test_what_there_is(tables: Path, site: Path) -> None:
    assert publish(tables, site) == 0
    counted = {f"{name}.{form}" for name in ("KBvK.r", "KPvK.r", "KvK.r", "KvK.wg") for form in ("html", "json")}
    assert made(site) == counted | {"materials.r.html", "materials.wg.html", "files.html", "tables.json"}
    study = json.loads((site / "pages" / "KBvK.r.json").read_bytes())
    assert study["stats"]["longest_dtg"] == max(row["dtg"] for row in study["records"]["records"])
    assert "Slim tables are not counted" in (site / "pages" / "materials.r.html").read_text()
    assert "no resets" not in (site / "pages" / "KBvK.r.html").read_text()
    assert "no resets" in (site / "pages" / "KvK.r.html").read_text()
    assert "og:image" not in (site / "index.html").read_text()


def test_a_link_to_it_shows_what_it_is(tables: Path, site: Path) -> None:
    """Who shows links wants addresses in full, and a picture that is there."""
    assert publish(tables, site, "--url", "https://example.org/tables") == 0
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', (site / "index.html").read_text()))
    assert found["url"] == "https://example.org/tables/"
    picture = site / found["image"].removeprefix(found["url"])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_first_answer_is_in_the_page(tables: Path, site: Path) -> None:
    assert publish(tables, site) == 0
    page = (site / "index.html").read_text()
    told = json.loads(re.findall(r'<script type="application/json" id="told">(.*)</script>', page)[0])
    assert (told["answer"]["gscore"], told["answer"]["dtg"]) == ("G1.5", 4)
    assert "White forces G1.5 (Black left with one move, not in check) in 4 plies" in page
    assert 'href="index.html?fen=' in page, "moves lead on without scripts"
    (tables / "KBvK.r.h5").unlink()
    (tables / "KBvK.r.slim.h5").unlink()
    for path in site.glob("KBvK*"):
        path.unlink()
    assert publish(tables, site) == 0
    assert 'id="told"' not in (site / "index.html").read_text(), "what the folder cannot tell it does not say"


def test_again(tables: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has not changed is neither counted nor written again; pages of what has gone go."""
    assert publish(tables, site) == 0
    before = {path: path.stat().st_mtime_ns for path in (site / "pages").rglob("*") if path.is_file()}
    counted: list[str] = []
    study = module.study
    monkeypatch.setattr(module, "study", lambda path, tables: (counted.append(path.name), study(path, tables))[1])
    assert publish(tables, site) == 0
    assert not counted
    assert {path: path.stat().st_mtime_ns for path in before} == before
    (site / "pages" / "KPvK.r.json").write_text("{}")
    (site / "pages" / "KvK.r.json").write_text("[")
    for name in ("KvK.wg.h5", "KBvK.r.h5", "KBvK.r.slim.h5"):
        (site / name).unlink()
        (tables / name).unlink()
    assert publish(tables, site) == 0
    assert counted == ["KvK.r.h5", "KPvK.r.h5"]
    assert not {name for name in made(site) if "KBvK" in name or ".wg." in name}


def test_a_page_of_ones_own_stays(tables: Path, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.mkdir()
    (site / "index.html").write_text("<h1>mine</h1>")
    assert publish(tables, site) == 2
    assert "is a page of yours: move it away, or publish with --no-pages" in capsys.readouterr().err
    assert [path.name for path in site.iterdir()] == ["index.html"]
    assert publish(tables, site, "--no-pages") == 0
    assert not (site / "pages").exists()
    assert (site / "index.html").read_text() == "<h1>mine</h1>"
