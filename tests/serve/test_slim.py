"""The server over slim tables says what it says over whole ones."""

import shutil
from pathlib import Path

import httpx
import pytest

from tbgen.slim.make import make_slim
from tests.support.patience import PATIENCE
from tests.support.serving import serving, wait_for

FENS = ("8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "8/8/8/3k4/8/8/4P3/4K3 b - - 5 9 G2.5", "8/8/1k6/8/8/3K4/8/7R b - - 0 1")


@pytest.fixture(scope="module")
def slim(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("slim")
    for name in ("KPvK", "KRvK"):
        assert make_slim(small_tables / f"{name}.r.h5", place / f"{name}.r.slim.h5")
    return place


def test_positions_and_batches(small_tables: Path, slim: Path) -> None:
    with (
        serving(small_tables) as whole,
        serving(slim) as other,
        httpx.Client(base_url=whole.url, timeout=PATIENCE) as wanted,
        httpx.Client(base_url=other.url, timeout=PATIENCE) as found,
    ):
        for fen in FENS:
            for address in ("/v1/probe", "/v1/moves", "/v1/line", "/v1/probe"):
                params = {"fen": fen}
                assert found.get(address, params=params).json() == wanted.get(address, params=params).json()
        asked = {"fens": [fen for fen in FENS if "G" not in fen]}
        assert found.post("/v1/batch", json=asked).text == wanted.post("/v1/batch", json=asked).text


def test_slim_tables_that_come_and_go(small_tables: Path, slim: Path, tmp_path: Path) -> None:
    shutil.copy(small_tables / "KPvK.r.h5", tmp_path)
    with serving(tmp_path, bundled=False) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:

        def lacks_rooks() -> bool:
            answer = client.get("/v1/moves", params={"fen": "8/4P3/8/3k4/8/8/8/4K3 w - - 0 1"}).json()
            return "KRvK.r.h5" in {move.get("missing") for move in answer["moves"]}

        assert lacks_rooks()
        shutil.copy(slim / "KRvK.r.slim.h5", tmp_path)
        wait_for(lambda: not lacks_rooks())
        (tmp_path / "KRvK.r.slim.h5").unlink()
        wait_for(lacks_rooks)
