"""rmtb-verify passes what is right, and finds any one thing that is altered."""

import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.slim.make import make_slim
from tbgen.store import open_table, table_path
from tbgen.store.write import write_table
from tests.support.c_client import CLIENT, run, there_is
from tests.support.places import ROOT

pytestmark = pytest.mark.skipif(not there_is("gcc"), reason="no C compiler (Debian: apt install gcc)")

OPTIONS = ("-O2", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wno-unused-function", "-pthread")
DIGESTS = ROOT / "docs" / "digests.txt"


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("verify") / "rmtb-verify"
    run(["gcc", *OPTIONS, CLIENT / "rmtb-verify.c", "-o", made])
    return made


@pytest.mark.parametrize("name", ["KvK.r", "KvK.wg", "KNvK.r", "KPvK.r", "KPvK.wg", "KRvK.wg"])
def test_right_tables_pass(verifier: Path, small_tables: Path, name: str) -> None:
    material, rules = name.split(".")
    said = run([verifier, "-j", 2, "--digests", DIGESTS, small_tables / f"{name}.h5"])
    assert said.splitlines()[-1].endswith(" 0 wrong")
    digest = said.split()[1]
    assert f"{material} {rules} {digest}" in DIGESTS.read_text()


@pytest.mark.parametrize("line", ["KNvK wg {}", "KNvK r 0{}", "KNvK r {}0", "KNvKN r {}", "#KNvK r {}"])
def test_contents_that_a_list_lacks_are_wrong(verifier: Path, small_tables: Path, tmp_path: Path, line: str) -> None:
    digest = re.findall("^KNvK r (.*)", DIGESTS.read_text(), re.MULTILINE)[0]
    listed = tmp_path / "digests.txt"
    listed.write_text(f"{line.format(digest)}\n")
    said = run([verifier, "--digests", listed, small_tables / "KNvK.r.h5"], code=1)
    assert " 0 wrong\n" in said
    assert "contents\n" in said
    with pytest.raises(AssertionError, match=r"nothing\.txt: it cannot be read"):
        run([verifier, "--digests", tmp_path / "nothing.txt", small_tables / "KvK.r.h5"], code=2)


def test_a_slim_table_is_refused(verifier: Path, small_tables: Path, tmp_path: Path) -> None:
    assert make_slim(small_tables / "KNvK.r.h5", tmp_path / "KNvK.r.slim.h5")
    with pytest.raises(AssertionError, match="slim table; `tbgen unpack`"):
        run([verifier, tmp_path / "KNvK.r.slim.h5"], code=2)


def altered(contents: Contents, kind: str, draw: random.Random) -> Contents:
    entries, staircases, steps = contents.entries.copy(), contents.staircases.copy(), contents.steps
    number = draw.choice(np.flatnonzero(entries).tolist())
    with_steps = np.flatnonzero(staircases).tolist()
    if kind == "distance":
        entries[number] += draw.choice((1, 2, -2)) if entries[number] & 0xFFFF > 2 else 2
    elif kind == "outcome":
        entries[number] += 65536 * draw.choice((-1, 1))
    elif kind == "legality":
        entries[number] = 0
    elif kind == "staircase":
        number = draw.choice(with_steps)
        staircases[number] = draw.choice([n for n in set(staircases.tolist()) if n != staircases[number]])
    elif kind == "no staircase":
        staircases[draw.choice(with_steps)] = 0
    else:
        name = kind.removeprefix("step's ")
        column = getattr(steps, name).copy()
        column[draw.randrange(len(column))] += 1
        steps = steps._replace(**{name: column})
    return replace(contents, entries=entries, staircases=staircases, steps=steps)


KINDS = (
    "distance", "outcome", "legality", "staircase", "no staircase", "step's level", "step's outcome", "step's distance",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_altered_is_found(verifier: Path, small_tables: Path, tmp_path: Path, kind: str) -> None:
    draw = random.Random(kind)
    for name in ("KvK", "KNvK"):
        shutil.copy(small_tables / f"{name}.r.h5", tmp_path)
    with open_table(table_path(small_tables, parse("KNvK"), "r")) as table:
        contents = table.part(0, table.size)
    for _ in range(6):
        place = table_path(tmp_path, parse("KNvK"), "r")
        place.unlink()
        write_table(place, altered(contents, kind, draw), {})
        assert "wrong" in run([verifier, place], code=1)


def test_a_damaged_or_missing_table_is_told(verifier: Path, small_tables: Path, tmp_path: Path) -> None:
    data = (small_tables / "KNvK.r.h5").read_bytes()
    place = tmp_path / "KNvK.r.h5"
    place.write_bytes(data)
    with pytest.raises(AssertionError, match="a table is missing"):
        run([verifier, place], code=2)
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    place.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(AssertionError, match="its SHA-256 is wrong"):
        run([verifier, place], code=2)
