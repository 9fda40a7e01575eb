"""manifest.json says what a release is, and what of it was verified; `tbgen fetch --manifest` goes by it."""

import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tbgen._version import __version__
from tbgen.cli.main import main
from tbgen.store import open_table
from tests.support.hosts import Host, Ranged, folder, hosting
from tests.support.places import ROOT
from tests.support.published import SLIM, WHOLE

SCHEMA = json.loads((ROOT / "docs" / "manifest.schema.json").read_bytes())
Publish = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.usefixtures("no_bundle")


@pytest.fixture
def publish(tables: Path, tmp_path: Path) -> Publish:
    def run(*words: str) -> dict[str, Any]:
        assert main(["publish", str(tables), str(tmp_path / "site"), "-q", "--no-pages", *words]) == 0
        found: dict[str, Any] = json.loads((tmp_path / "site" / "manifest.json").read_bytes())
        jsonschema.validate(found, SCHEMA)
        return found

    return run


@pytest.fixture
def check(tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Path]:
    """A file with what `tbgen verify --json` prints. KPvK cannot be checked without the tables that it leads to."""

    def run(*words: str) -> Path:
        capsys.readouterr()
        main(["verify", *words, "--tables", str(tables), "--json"])
        path = tmp_path / "verified"
        path.write_text(capsys.readouterr().out)
        return path

    return run


def checks(found: dict[str, Any]) -> dict[str, Any]:
    return {table["name"]: table["verified"] for table in found["tables"]}


def test_it_says_what_there_is(publish: Publish, tables: Path) -> None:
    found = publish("--url", "https://example.org/tables/")
    assert (found["manifest"], found["license"], found["url"]) == (1, "CC0-1.0", "https://example.org/tables")
    assert found["published_by"] == f"tbgen {__version__}"
    rows = {table["name"]: table for table in found["tables"]}
    assert set(rows) == {*WHOLE, SLIM}
    for name, row in rows.items():
        data = (tables / name).read_bytes()
        assert (row["bytes"], row["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        with open_table(tables / name) as table:
            assert row["body_sha256"] == table.sha256
            assert (row["program"], row["entries"]) == (table.head.program, table.head.legal)
    assert found["built_by"] == sorted({row["program"] for row in rows.values()})
    assert found["rules"]["r"] | {"bytes": 0} == {
        "tables": 4, "men": {"2": 1, "3": 3}, "bytes": 0, "verified": 0, "verified_in_part": 0,
    }  # fmt: skip
    assert sum(sums["bytes"] for sums in found["rules"].values()) == sum(row["bytes"] for row in rows.values())


def test_what_was_verified_is_said_and_stays(publish: Publish, check: Callable[..., Path]) -> None:
    all_of_them = {"entries": 462, "seed": None, "program": f"tbgen {__version__}"}
    found = publish("--verified", str(check("KvK")))
    assert checks(found) == dict.fromkeys(checks(found)) | {"KvK.r.h5": all_of_them}
    assert checks(publish()) == checks(found)
    drawn = check("--sample", "50", "--seed", "7", "--rules", "r")
    found = publish("--verified", str(drawn))
    sample = {"entries": 50, "seed": 7, "program": f"tbgen {__version__}"}
    assert checks(found) == {
        "KBvK.r.h5": sample, "KBvK.r.slim.h5": sample, "KPvK.r.h5": None, "KvK.r.h5": all_of_them, "KvK.wg.h5": None,
    }  # fmt: skip
    assert (found["rules"]["r"]["verified"], found["rules"]["r"]["verified_in_part"]) == (1, 2)
    assert checks(publish("--verified", str(check("--rules", "r"))))["KBvK.r.h5"]["seed"] is None


def test_what_failed_or_is_another_file_is_not_verified(publish: Publish, check: Callable[..., Path]) -> None:
    file = check("KvK", "KBvK")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for change in ({"code": 5}, {"wrong": 1}, {"unchecked": 1}, {"unchecked": None}, {"body_sha256": "0" * 64}):
        file.write_text("".join(f"{json.dumps(row | change)}\n" for row in rows))
        assert set(checks(publish("--verified", str(file))).values()) == {None}, change


LINE = '{"body_sha256": "0", "checked": 1, "seed": "x", "program": "tbgen 1", "code": 0, "unchecked": 0, "wrong": 0}\n'


@pytest.mark.parametrize("words", ["", "5\n", "{}\n", "\xff", "[" * 5000, '{"material": "KvK"}\n', LINE])
def test_what_is_no_report_is_refused(
    words: str, tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "verified"
    file.write_bytes(words.encode("latin-1"))
    code = main(["publish", str(tables), str(tmp_path / "site"), "-q", "--verified", str(file)])
    said = capsys.readouterr().err
    assert (code, said.count("\n")) == ((2, 1) if words else (0, said.count("\n")))
    assert not words or "verified:1 is no line that tbgen verify --json prints" in said


@pytest.mark.parametrize("words", [["--license", "free for all"], ["--verified", "/nowhere/at/all"]])
def test_bad_words_take_one_line(
    words: list[str], tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", str(tables), str(tmp_path / "site"), *words]) != 0
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "site" / "manifest.json").exists()


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "[]",
        '{"tables": [{"body_sha256": "0", "verified": {"entries": "x"}}]}',
        '{"tables": 5}',
        '{"tables": [{}]}',
        '{"tables": [5]}',
        "[" * 5000,
    ],
)
def test_a_broken_one_is_made_anew(broken: str, publish: Publish, tmp_path: Path) -> None:
    made = publish()
    (tmp_path / "site" / "manifest.json").write_text(broken)
    assert publish() == made


Fetched = tuple[int, str, set[str]]


@pytest.fixture
def fetched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Fetched]:
    """KBvK with KvK, by the manifest: the exit code, what was said, and what is there."""

    def run(*urls: str) -> Fetched:
        place, manifest = tmp_path / "got", tmp_path / "site" / "manifest.json"
        hosts = [word for url in urls for word in ("--from", url)]
        capsys.readouterr()
        code = main(["fetch", "KBvK", "--tables", str(place), "-q", "--manifest", str(manifest), *hosts])
        there = {path.name for path in place.iterdir()} if place.exists() else set()
        return code, capsys.readouterr().err, there

    return run


PAIR = ("KBvK.r.h5", "KvK.r.h5")


def test_fetching_what_it_has(publish: Publish, tables: Path, fetched: Callable[..., Fetched]) -> None:
    publish()
    with hosting(folder(Ranged, [tables / name for name in PAIR])) as url:
        assert fetched(url) == (0, "", set(PAIR))
        assert fetched(url) == (0, "", set(PAIR))


def test_a_host_with_another_table_is_not_believed(
    publish: Publish, tables: Path, tmp_path: Path, fetched: Callable[..., Fetched]
) -> None:
    """Whether it says so, or lies; a mirror that has the right one is asked then."""
    publish()
    right = [tables / name for name in PAIR]
    other = tmp_path / "other" / "KBvK.r.h5"
    other.parent.mkdir()
    data = right[0].read_bytes()
    head, _, _ = data[:4096].replace(b"\nprogram tbgen", b"\nprogram other").partition(b"crc32 ")
    head += b"crc32 %08x\n" % zlib.crc32(head)
    other.write_bytes(head.ljust(4096, b"\0") + data[4096:])
    sha256 = hashlib.sha256(right[0].read_bytes()).hexdigest()
    with (
        hosting(folder(Host, [other, right[1]])) as honest,
        hosting(folder(Host, [other, right[1]], sha256=sha256)) as lying,
    ):
        code, said, there = fetched(honest)
        assert (code, said.count("\n"), there) == (4, 1, set())
        assert f"{honest} lacks, as the manifest has them, KBvK" in said
        code, said, there = fetched(lying)
        assert (code, said.count("\n")) == (5, 1)
        assert "KBvK.r.h5" not in there
        with hosting(folder(Host, right)) as good:
            assert fetched(honest, good)[::2] == (0, set(PAIR))


@pytest.mark.parametrize(
    "broken",
    ["", "[]", "{}", '{"manifest": 2, "tables": []}', '{"manifest": 1, "tables": [{"name": "KvK.r.h5"}]}',
     '{"manifest": 1, "tables": [{"name": "KvK.r.h5", "bytes": 5, "sha256": "x"}]}', "[" * 5000],
)  # fmt: skip
def test_a_manifest_is_checked_before_it_is_believed(
    broken: str, publish: Publish, tmp_path: Path, fetched: Callable[..., Fetched]
) -> None:
    publish()
    (tmp_path / "site" / "manifest.json").write_text(broken)
    code, said, there = fetched("http://127.0.0.1:9")
    assert (code, said.count("\n"), there) == (2, 1, set())
