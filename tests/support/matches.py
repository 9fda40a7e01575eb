"""Matches of `tbgen match` for tests, between engines that are scripts."""

import json
import os
import shlex
import shutil
import sys
from typing import Any

import pytest

from tbgen.cli.main import main
from tests.support.places import FAKE_ENGINE

FAKE = FAKE_ENGINE
KRK = "8/8/8/4k3/8/8/8/K6R w - -"
STOCKFISH = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")


def fake(name: str, *words: str) -> list[str]:
    command = shlex.join([sys.executable, str(FAKE), *words])
    return ["--engine", f"cmd={command}", f"name={name}"]


GOOD = fake("Good", "--seed", "1")


def played(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[list[dict[str, Any]], Any]:
    """The games and the standings."""
    assert main(["match", "--json", *words]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    *events, standings = [json.loads(line) for line in captured.out.splitlines()]
    assert standings["event"] == "end"
    return [event for event in events if event["event"] == "game"], standings


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["match", *words])
    return code, capsys.readouterr().err
