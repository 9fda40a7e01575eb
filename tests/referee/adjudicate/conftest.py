"""`tbgen adjudicate` in a fresh directory, with small tables at hand."""

from pathlib import Path

import pytest


@pytest.fixture
def here(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_TABLES", str(small_tables))
    monkeypatch.chdir(tmp_path)
