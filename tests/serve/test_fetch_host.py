"""`tbgen fetch` from a folder on any web host, and what a hostile one can do to it."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbgen.cli.display import Task
from tbgen.cli.main import main
from tbgen.slim.make import make_slim
from tbgen.store import file_digest
from tbgen.web.server import host as module
from tests.support.hosts import Host, Packing, Ranged, folder, holding, hosting, listed

NAMES = ("KBvK.r.h5", "KvK.r.h5")
Said = tuple[int, str]


def host(kind: type[Host], place: Path, names: tuple[str, ...] = NAMES, **changes: object) -> type[Host]:
    """Such a host with these tables; `changes`: what its catalogue says of KBvK instead."""
    return folder(kind, [place / name for name in names], **changes)


def with_catalogue(data: bytes) -> type[Host]:
    return holding(Host, {"catalogue.json": data})


@pytest.fixture
def fetched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The exit code of fetching KBvK, and what was said; no file but tables is left."""

    def fetch(*words: str, material: str = "KBvK") -> Said:
        options = [part for word in words for part in (["--from", word] if word.startswith("http") else [word])]
        code = main(["fetch", material, "--tables", str(tmp_path / "got"), "-q", *options])
        return code, capsys.readouterr().err

    return fetch


def got(tmp_path: Path) -> dict[str, bytes]:
    place = tmp_path / "got"
    return {path.name: path.read_bytes() for path in place.iterdir()} if place.exists() else {}


def tables(place: Path, names: tuple[str, ...] = NAMES) -> dict[str, bytes]:
    return {name: (place / name).read_bytes() for name in names}


@pytest.mark.parametrize("kind", [Host, Ranged, Packing])
def test_any_host(kind: type[Host], small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    with hosting(host(kind, small_tables)) as url:
        assert fetched(f"{url}/") == (0, "")
        assert fetched(url) == (0, "")
    assert got(tmp_path) == tables(small_tables)


@pytest.mark.parametrize("kind", [Ranged, Host])
def test_what_has_come_stays_where_parts_are_offered(
    kind: type[Host], small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]
) -> None:
    """Elsewhere the table begins again: nothing is said of one that had changed."""

    class Breaks(kind):  # type: ignore[misc, valid-type]
        def say(self, name: str, data: bytes, start: int | None) -> None:
            if name == "KBvK.r.h5" and start is None:
                data = data[:20_000]
            super().say(name, data, start)

    made = host(Breaks, small_tables)
    with hosting(made) as url:
        assert fetched(url) == (0, "")
    assert made.asked.count(("KBvK.r.h5", "bytes=20000-")) == 1
    assert got(tmp_path) == tables(small_tables)


def test_a_host_that_always_breaks_off_at_the_same_byte(
    small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]
) -> None:
    """Enough comes each time, but never more than before."""

    class Breaks(Host):
        def say(self, name: str, data: bytes, start: int | None) -> None:
            super().say(name, data if name != "KBvK.r.h5" else data[:20_000], start)

    made = host(Breaks, small_tables)
    with hosting(made) as url:
        code, said = fetched(url)
    assert (code, said.count("\n")) == (1, 1)
    assert "run this again" in said
    assert len(made.asked) < 10


def test_what_begins_again_has_yet_to_come(
    small_tables: Path, tmp_path: Path, fetched: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told of how far it is never goes back, below nothing least of all."""
    told: list[tuple[float, float]] = []
    call = Task.at

    def at(task: Task, done: float, total: float | None = None) -> None:
        call(task, done, total)
        told.append((done, task.total or 0))

    monkeypatch.setattr(Task, "at", at)
    data = (small_tables / "KvK.r.h5").read_bytes()
    (tmp_path / "got").mkdir()
    (tmp_path / "got" / f".KvK.r.h5.{file_digest(small_tables / 'KvK.r.h5')[:16]}.0.coming").write_bytes(data[:5000])
    with hosting(host(Host, small_tables)) as url:
        assert fetched(url, material="KvK")[0] == 0
    assert told[0] == (0, len(data))
    assert told[-1] == (len(data), len(data))


def part(first: str, status: int = 206, **headers: object) -> type[Host]:
    """A host that answers with this part, whatever was asked for."""

    class Lies(Host):
        def say(self, name: str, data: bytes, start: int | None) -> None:
            if start is None:
                super().say(name, data[: len(data) if name != "KBvK.r.h5" else 20_000], start)
            else:
                self.head(status, {"Content-Range": first.format(size=len(data), start=start), **headers})
                self.wfile.write(data[start:])

    return Lies


@pytest.mark.parametrize(
    "kind",
    [
        part("bytes 5-{start}/{size}"), part("bytes {start}-90000/17"), part("lines 1-2/3"), part(""),
        part("bytes {start}-90000/{size}", **{"Content-Encoding": "gzip"}), part("", status=416),
    ],
    ids=["another part", "another size", "lines", "nothing", "packed", "none"],
)  # fmt: skip
def test_parts_that_lie(kind: type[Host], small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    with hosting(host(kind, small_tables)) as url:
        code, said = fetched(url)
    assert (code, said.count("\n")) == (5, 1)
    assert "removed" in said
    assert [*got(tmp_path)] == ["KvK.r.h5"]


class Endless(Host):
    """The table, and then something without end."""

    def say(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {})
        self.wfile.write(data)
        while True:
            self.wfile.write(bytes(1 << 16))


class EndlessPacked(Host):
    """Packed, so that much comes and nothing of it is a table; or very much of little."""

    more = b"\0\0\0\xff\xff"
    """An empty block."""

    def say(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {"Content-Encoding": "gzip"})
        self.wfile.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")
        while True:
            self.wfile.write(self.more * 10_000)


class Bomb(Host):
    def say(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {"Content-Encoding": "gzip"})
        self.wfile.write(gzip.compress(data + bytes(50 << 20)))


class Unpackable(Host):
    packing = "gzip"

    def say(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {"Content-Encoding": self.packing})
        self.wfile.write(data)


class Brotli(Unpackable):
    packing = "br\x1b"


@pytest.mark.parametrize(
    ("kind", "code", "word"),
    [
        (Endless, 0, ""), (EndlessPacked, 1, "broke off"), (Bomb, 0, ""), (Unpackable, 5, "unpacked"),
        (Brotli, 5, "br\\x1b"),
    ],
)  # fmt: skip
def test_bodies_without_end(
    kind: type[Host], code: int, word: str, small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]
) -> None:
    """No more is taken than the catalogue says."""
    with hosting(host(kind, small_tables)) as url:
        found, said = fetched(url)
    assert found == code
    assert word in said
    assert said.count("\n") == (1 if code else 0)
    assert got(tmp_path) == (tables(small_tables) if code == 0 else {})


def test_a_catalogue_without_end(
    small_tables: Path, tmp_path: Path, fetched: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LARGEST_LIST", 1 << 16)

    class Long(Host):
        def say_plainly(self, name: str, data: bytes, start: int | None) -> None:
            self.head(200, {})
            while True:
                self.wfile.write(b" " * (1 << 16))

    with hosting(host(Long, small_tables)) as url:
        code, said = fetched(url)
    assert (code, said) == (1, f"tbgen: {url} has a list of tables of more than 64.0 KiB\n")
    assert not got(tmp_path)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": "../KBvK.r.h5"}, 4), ({"name": "/KBvK.r.h5"}, 4), ({"name": "x/../KBvK.r.h5"}, 4),
        ({"name": "KBvK.r.h5/"}, 4), ({"name": 5}, 4), ({"name": "kbvk.r.h5"}, 4), ({"name": "KBvK.r.h5\0"}, 4),
        ({"bytes": -1}, 1), ({"bytes": True}, 1), ({"bytes": 1e300, "head": ""}, 1), ({"bytes": 4096}, 1),
        ({"sha256": "../../x"}, 1), ({"sha256": None}, 1), ({"sha256": "0" * 64}, 5),
        ({"head": "tbgen"}, 1), ({"head": "\u00e9"}, 1), ({"head": 5}, 1), ({"head": "x" * 99999}, 1),
    ],
)  # fmt: skip
def test_catalogues_that_lie(
    changes: dict[str, Any], code: int, small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]
) -> None:
    """Names with paths are those of no table; nothing that does not fit is begun."""
    with hosting(host(Host, small_tables, **changes)) as url:
        found, said = fetched(url)
    assert (found, said.count("\n")) == (code, 1)
    assert url in said
    assert set(got(tmp_path)) == ({"KvK.r.h5"} if code == 5 else set())


@pytest.mark.parametrize("name", ["../KBvK.r.h5", "/KBvK.r.h5", "KBvK.r.h5/", "index.html", "KBvK.r.tbp", ".KBvK.r.h5"])
def test_a_host_cannot_name_files(name: str, small_tables: Path) -> None:
    with hosting(host(Host, small_tables, name=name)) as url:
        assert [*module.TableHost(url).tables()] == ["KvK.r.h5"]


def test_a_size_beyond_the_disk(small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    entry = {key: value for key, value in listed(small_tables / "KvK.r.h5").items() if key != "head"}
    with hosting(with_catalogue(json.dumps({"tables": [entry | {"bytes": 10**30}]}).encode())) as url:
        code, said = fetched(url, material="KvK")
    assert (code, said.count("\n")) == (6, 1)
    assert not got(tmp_path)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"tables": 5}', b"[" * 5000, b"<html>", b'{"tables": [5]}'])
def test_what_is_no_catalogue(data: bytes, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    with hosting(with_catalogue(data)) as url:
        assert fetched(url) == (1, f"tbgen: {url} does not list tables as tbgen publish does\n")
    assert not got(tmp_path)


def test_another_table_under_a_name(small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    """It is whole, and its digests are those of the catalogue."""
    shutil.copy(small_tables / "KNvK.r.h5", tmp_path / "KBvK.r.h5")
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    with hosting(host(Host, tmp_path)) as url:
        code, said = fetched(url)
    assert (code, said.count("\n")) == (5, 1)
    assert [*got(tmp_path)] == ["KvK.r.h5"]


def test_redirects_within_the_host(small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    class Sends(Host):
        def say_plainly(self, name: str, data: bytes, start: int | None) -> None:
            self.head(302, {"Location": f"{self.to}/{name}", "Content-Length": 0})

        to = ""

    with hosting(host(Host, small_tables)) as url:
        sends = host(Sends, small_tables)
        with hosting(sends) as first:
            sends.to = url.replace("127.0.0.1", "localhost")  # type: ignore[attr-defined]
            code, said = fetched(first)
            assert code == 1
            assert "leads to another host" in said
            sends.to = url  # type: ignore[attr-defined]
            assert fetched(first) == (0, "")
    assert got(tmp_path) == tables(small_tables)


def test_slim_tables(small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    """With --slim, and where there are no others."""
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    make_slim(small_tables / "KBvK.r.h5", tmp_path / "KBvK.r.slim.h5")
    slim = ("KBvK.r.slim.h5", "KvK.r.h5")
    for names, words in ((slim, []), ((*slim, "KBvK.r.h5"), ["--slim"]), ((*slim, "KBvK.r.h5"), [])):
        with hosting(host(Host, tmp_path, names)) as url:
            assert fetched(url, *words) == (0, "")
        assert got(tmp_path) == tables(tmp_path, NAMES if len(names) == 3 and not words else slim)
        shutil.rmtree(tmp_path / "got")


def test_mirrors(small_tables: Path, tmp_path: Path, fetched: Callable[..., Said]) -> None:
    """Where one fails, or has another table, the next one is asked, in time."""

    class Lacks(Host):
        def say(self, name: str, data: bytes, start: int | None) -> None:
            if name == "KBvK.r.h5":
                self.send_error(503)
            else:
                super().say(name, data, start)

    with hosting(host(Lacks, small_tables)) as first, hosting(host(Host, small_tables)) as second:
        code, said = fetched("http://127.0.0.1:9", first, second)
    assert code == 0
    assert [line.rpartition("; asking ")[2] for line in said.splitlines()] == [first, second]
    assert got(tmp_path) == tables(small_tables)
    with hosting(with_catalogue(b"{}")) as url:
        code, said = fetched(url, url, url)
    assert (code, said.count("\n")) == (1, 3)


def test_a_host_named_once_for_all(
    small_tables: Path, tmp_path: Path, fetched: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TBGEN_FROM", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    code, said = fetched()
    assert code == 2
    assert f"a line in {tmp_path}/tbgen/from" in said
    (tmp_path / "tbgen").mkdir()
    with hosting(host(Host, small_tables)) as url:
        (tmp_path / "tbgen" / "from").write_text(f"# mine\n\nhttp://127.0.0.1:9\n {url}/ \n")
        assert fetched()[0] == 0
        assert got(tmp_path) == tables(small_tables)
        monkeypatch.setenv("TBGEN_FROM", "nonsense")
        assert fetched()[0] == 2
        monkeypatch.setenv("TBGEN_FROM", f"http://127.0.0.1:9 {url}")
        assert fetched()[0] == 0
