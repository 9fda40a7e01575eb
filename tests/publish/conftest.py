"""A directory of tables to publish, one of them slim."""

import shutil
from pathlib import Path

import pytest

from tbgen.slim.make import make_slim
from tests.support.published import SLIM, WHOLE


@pytest.fixture
def tables(small_tables: Path, tmp_path: Path) -> Path:
    place = tmp_path / "tables"
    place.mkdir()
    for name in WHOLE:
        shutil.copy(small_tables / name, place)
    make_slim(small_tables / "KBvK.r.h5", place / SLIM)
    return place
