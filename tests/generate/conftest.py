"""Where builds of KPvK are stopped, and what they are to come to."""

from pathlib import Path

import pytest

from tbgen.generate import workspace
from tbgen.store import compressed, table_path
from tbgen.system import thresholds
from tests.support.stopped import KPVK, build, fill


@pytest.fixture
def place(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with all that KPvK needs; every slice is made safe at once."""
    fill(tmp_path, small_tables)
    monkeypatch.setattr(thresholds, "KEPT_FROM", 0)
    monkeypatch.setattr(workspace, "_WAIT", -1.0)
    return tmp_path


@pytest.fixture(scope="session")
def expected(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table from a build that nothing stopped and that kept nothing on the way."""
    place = tmp_path_factory.mktemp("expected")
    fill(place, small_tables)
    build(place)
    return table_path(place, KPVK, "r").read_bytes()


@pytest.fixture
def in_pieces(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices are compressed, however small, in several pieces."""
    monkeypatch.setattr(thresholds, "COMPRESSED_FROM", 0)
    monkeypatch.setattr(compressed, "_PIECE", 1000)


@pytest.fixture(params=["in full", "compressed"])
def either_way(request: pytest.FixtureRequest) -> None:
    """Where finished slices are."""
    if request.param == "compressed":
        request.getfixturevalue("in_pieces")
