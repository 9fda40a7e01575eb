"""`tbgen adjudicate` run within a test, and the games that it judges."""

import pytest

from tbgen.cli.main import main
from tests.support.places import GAMES_PGN

SAMPLE = GAMES_PGN


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["adjudicate", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
