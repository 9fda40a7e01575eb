"""How many positions there are: whoever is asked says the same."""

import json
from pathlib import Path

import pytest

from tbgen.cli.main import main

KBVK = 52_234
"""What K. Kryukov counts as well: http://kirill-kryukov.com/chess/nulp/results.html"""
STORED = 53_380


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def test_one_number(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = ("--tables", str(small_tables))
    built = said(capsys, "build", "KBvK", "--tables", str(tmp_path), "--json").splitlines()[-1]
    (info,) = (
        row
        for row in map(json.loads, said(capsys, "info", "KBvK", *there, "--json").splitlines())
        if row["rules"] == "r"
    )
    verified = json.loads(said(capsys, "verify", "KBvK", *there, "--json"))
    (report,) = json.loads(said(capsys, "report", "stats", "KBvK", *there, "--format", "json"))["tables"]["summary"]
    for row in (json.loads(built), info, verified, report):
        assert row["positions"] == KBVK
    assert json.loads(built)["stored_entries"] == info["stored_entries"] == verified["checked"] == STORED
    assert info["bytes_per_position"] == round(info["bytes"] / KBVK, 3)


def test_one_number_in_words(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = ("--tables", str(small_tables))
    for words in (
        said(capsys, "build", "KBvK", "--tables", str(tmp_path)),
        said(capsys, "verify", "KBvK", *there, "--quiet"),
        said(capsys, "report", "stats", "KBvK", *there),
        said(capsys, "info", "KBvK", *there),
    ):
        assert f"{KBVK:,}" in words
        assert f"{STORED:,} positions" not in words
