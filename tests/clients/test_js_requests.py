"""clients/js/rmtb.js asks a host for little, and for nothing twice."""

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tbgen.slim.make import make_slim
from tbgen.store import BUNDLED
from tests.support.js_client import PAWN, Question, ask, catalogue, needs_node, positions
from tests.support.range_host import Answer, Asked, Host, hosting


class Cost(NamedTuple):
    """Of single questions, each to tables of which nothing is known yet, the catalogue apart."""

    requests: list[int]
    bytes: list[int]


def cost(directory: Path, asked: Sequence[Question], *, heads: bool) -> Cost:
    def answer(host: Host, asked: Asked) -> Answer:
        return host.parts(asked._replace(name=asked.name.rpartition("/")[2]))

    with hosting(directory, answer) as host:
        host.extra["catalogue.json"] = catalogue(directory, heads=heads)
        found = ask(host.url, asked, anew=True)
        assert not [answer for answer in found if "code" in answer]
        requests, sizes = [0] * len(asked), [0] * len(asked)
        for name, _ in host.asked:
            if name.endswith(".h5"):
                requests[int(name.partition("/")[0])] += 1
        for name, size in host.bytes.items():
            if name.endswith(".h5"):
                sizes[int(name.partition("/")[0])] += size
    return Cost(requests, sizes)


def check_costs(
    directory: Path, materials: Sequence[str], count: int, *, heads: bool, most: tuple[int, int] = (25, 60)
) -> None:
    given = list(positions(materials, count, 3))
    asked = [("probe", fen, {"record": record if heads else None}) for fen, record in given]
    probes = cost(directory, asked, heads=heads)
    assert max(probes.requests) <= 4
    assert 1000 < max(probes.bytes) <= 100_000
    moves = cost(directory, [("moves", fen, {"record": record}) for fen, record in given], heads=heads)
    assert statistics.median(moves.requests) <= most[0]
    assert statistics.quantiles(moves.requests, n=100)[98] <= most[1]


@needs_node
@pytest.mark.parametrize("heads", [True, False])
def test_few_requests_and_bytes(small_tables: Path, heads: bool) -> None:
    """Of small tables even fewer."""
    check_costs(small_tables, ("KPvK", "KNNvK"), 40, heads=heads, most=(3, 9))


@pytest.mark.full
@needs_node
@pytest.mark.skipif("TBGEN_FIVE" not in os.environ, reason="$TBGEN_FIVE names no directory with tables of five men")
@pytest.mark.parametrize("heads", [True, False])
def test_few_requests_and_bytes_with_five_men(heads: bool) -> None:
    directory = Path(os.environ["TBGEN_FIVE"])
    five = [
        path.name.partition(".")[0] for path in directory.glob("K???*.r.h5") if len(path.name) == len("KRBvKR.r.h5")
    ]
    check_costs(directory, sorted(five), 300, heads=heads)


@needs_node
def test_without_a_catalogue_names_are_tried(small_tables: Path, tmp_path: Path) -> None:
    assert make_slim(small_tables / "KRvK.r.h5", tmp_path / "KRvK.r.slim.h5")
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    with hosting(tmp_path) as host:
        (found,) = ask(host.url, [("probe", "8/8/1k6/8/8/3K4/8/7R b - - 0 1", {})])
        assert found["material"] == "KRvK"
        names = [asked.name for asked in host.asked]
        assert names[:3] == ["catalogue.json", "KRvK.r.h5", "KRvK.r.slim.h5"]


@needs_node
def test_what_many_ask_for_is_fetched_once(small_tables: Path) -> None:
    """Whether they ask at once, or while an answer is under way."""

    def slow(host: Host, asked: Asked) -> Answer:
        time.sleep(0.2)
        return host.parts(asked)

    asked = ("moves", "8/8/8/3k4/8/8/2N5/K1N5 w - - 3 1", {"record": "G5.0"})
    with hosting(small_tables, slow) as host:
        ask(host.url, [asked])
        alone = sorted(host.asked)
        host.asked.clear()
        ask(host.url, [[(*asked[:2], asked[2] | {"after": 20 * nth}) for nth in range(40)]])
        assert sorted(host.asked) == alone
        assert len(set(alone)) == len(alone) > 3


@needs_node
def test_a_host_without_parts_gives_whole_files_once(small_tables: Path) -> None:
    fens = [fen for fen, _ in positions(("KNNvK", "KPvK"), 20, 4)]
    with hosting(small_tables, Host.whole) as host:
        host.extra["catalogue.json"] = catalogue(small_tables)
        found = ask(host.url, [("moves", fen, {}) for fen in fens])
        assert not [answer for answer in found if "code" in answer]
        assert found == ask(small_tables, [("moves", fen, {}) for fen in fens])
        sizes = {path.name: path.stat().st_size for path in small_tables.iterdir()}
        assert host.sent <= 2 * sum(sizes[name] for name in {asked.name for asked in host.asked} - {"catalogue.json"})
        host.asked.clear()
        (refused,) = ask(host.url, [("probe", fens[0], {})], whole=50_000)
        assert refused["code"] == "host"
        assert "no parts of files" in refused["message"]


@needs_node
def test_a_whole_file_has_the_catalogues_digest() -> None:
    has_digests = subprocess.run(["node", "-p", "!!globalThis.crypto"], capture_output=True, text=True, check=True)
    if "true" not in has_digests.stdout:
        pytest.skip("this node makes no digests")
    with hosting(BUNDLED, Host.whole) as host:
        host.extra["catalogue.json"] = catalogue(BUNDLED)
        host.extra["KPvK.r.h5"] = (BUNDLED / "KPvK.r.h5").read_bytes()[:-1] + b"!"
        (refused,) = ask(host.url, [("probe", PAWN, {})])
        assert (refused["code"], "SHA-256" in refused["message"]) == ("host", True)
