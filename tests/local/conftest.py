"""Local tables that several tests ask."""

from pathlib import Path

import pytest

from tests.support.local_tables import ALL, BLOCKED, keep, links


@pytest.fixture
def solved(small_tables: Path, tmp_path: Path) -> Path:
    """KPvKP on one placement, exact."""
    links(small_tables, tmp_path, f"{ALL} KPvK")
    keep(tmp_path, BLOCKED)
    return tmp_path
