"""A packed table that tests do not change."""

from pathlib import Path

import pytest

from tests.support.packing import packed_from


@pytest.fixture(scope="session")
def kbvk(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed_from(small_tables / "KBvK.r.h5", tmp_path_factory.mktemp("packed"))
