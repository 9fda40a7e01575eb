"""`tbgen adjudicate` in a fresh directory, with small tables at hand."""

from pathlib import Path

import pytest
from small_tables import small_tables

from tbgen.cli.main import main

SAMPLE = Path(__file__).parent / "data" / "games.pgn"


@pytest.fixture(autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every test of a file that imports it."""
    monkeypatch.setenv("TBGEN_TABLES", str(small_tables(tmp_path_factory)))
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["adjudicate", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
