"""CITATION.cff, docs/data.md and docs/reproduce.md say the same as the program, the article and the figures."""

import csv
import re
from typing import Any

import pytest
import yaml

from tbgen._version import __version__
from tests.support.places import ROOT

DATA = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
TYPES = {
    "cff-version": str, "message": str, "type": str, "title": str, "abstract": str, "version": str, "license": str,
    "authors": list, "keywords": list, "preferred-citation": dict,
}  # fmt: skip
"""What is used of the Citation File Format 1.2.0."""


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def bibtex() -> list[dict[str, str]]:
    entries = re.findall(r"^```bibtex\n@\w+\{\w+,\n(.*?)\n\}\n```", DATA, re.MULTILINE | re.DOTALL)
    return [dict(re.findall(r"^  (\w+) += \{(.*?)\},?$", entry, re.MULTILINE)) for entry in entries]


def test_it_has_the_form_of_its_format(citation: dict[str, Any]) -> None:
    assert {name: type(value) for name, value in citation.items()} == TYPES
    assert citation["cff-version"] == "1.2.0"
    article = citation["preferred-citation"]
    assert {name: type(value) for name, value in article.items()} == {
        "type": str, "title": str, "year": int, "authors": list, "notes": str,
    }  # fmt: skip
    assert citation["authors"] == article["authors"] == [{"name": "The tbgen contributors"}]


def test_it_is_about_this_version(citation: dict[str, Any]) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert citation["version"] == __version__
    assert f'license = "{citation["license"]}"' in project
    assert citation["preferred-citation"]["notes"].endswith(f"tbgen {__version__}")


def test_bibtex_says_the_same(citation: dict[str, Any]) -> None:
    program, article = bibtex()
    told = citation["preferred-citation"]
    assert (program["title"], program["version"]) == (citation["title"], citation["version"])
    assert (article["title"], article["year"], article["note"]) == (told["title"], str(told["year"]), told["notes"])
    assert program["author"] == article["author"] == "{The tbgen contributors}"
    assert program["note"] == citation["abstract"]


def test_the_article_has_that_title(citation: dict[str, Any]) -> None:
    article = (ROOT / "research" / "paper" / "paper.typ").read_text(encoding="utf-8")
    assert f'title: "{citation["preferred-citation"]["title"]}"' in article


def test_the_licence_of_data_is_the_one_that_manifests_name() -> None:
    assert (ROOT / "LICENSE-DATA").read_text(encoding="utf-8").startswith("Creative Commons Legal Code\n\nCC0 1.0")
    assert "CC0 1.0" in DATA


def test_what_was_verified_is_what_the_rows_say() -> None:
    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    with (ROOT / "research" / "five_men" / "tables.csv").open(newline="", encoding="utf-8") as file:
        tables = list(csv.DictReader(file))
    for rules in ("r", "wg"):
        verified = [row["verified"] == "all" for row in tables if row["rules"] == rules]
        assert f"| five men, `{rules}` | {sum(verified)} of {len(verified)} | |" in page
    lines = (ROOT / "docs" / "digests.txt").read_text(encoding="ascii").splitlines()
    assert f"has {sum(not line.startswith('#') for line in lines)} digests" in page
