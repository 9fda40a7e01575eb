"""The article says what the files say that it is made from: no figure in it is typed."""

import csv
import json
import re
from typing import Any

import pytest

from research.paper import article
from research.paper import figures as paper_figures
from tests.support.places import ROOT

PLACE = ROOT / "research" / "paper"
ARTICLE = (PLACE / "paper.typ").read_text(encoding="utf-8")
AGAIN = "run research/run paper"


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PLACE / "figures.json").read_bytes())
    return found


def named() -> set[str]:
    return set(re.findall(r'#n\("([^"]+)"\)', ARTICLE))


def test_the_figures_are_what_the_files_say_today(figures: dict[str, Any]) -> None:
    assert figures == json.loads(json.dumps(paper_figures.figures())), AGAIN


def test_every_figure_in_the_text_is_a_computed_one(figures: dict[str, Any]) -> None:
    assert named() == set(figures["text"])


def prose() -> str:
    """The article without what is no figure of its own: code, computed figures, marks of works and sections,
    FENs and names of files, mathematics, names of scores."""
    text = ARTICLE.partition("abstract: [")[2]
    for pattern in (
        r'#(n|told)\([^)]*\)', r"#figure\(\w+, caption: ", r"#bibliography\(.*", r"grid\(.*", r'#heading\([^)]*\)',
        r'\("\w+", ', r"@\w+", r"<\w+>", r"`[^`]*`", r"\$[^$]*\$", r"−?\bG\d\.\d\b", r"\bCC0\b",
    ):  # fmt: skip
        text = re.sub(pattern, " ", text)
    return text


def test_no_figure_is_typed() -> None:
    assert len(prose()) > 15_000
    assert not re.findall(r".{0,40}\d.{0,20}", prose())


def test_no_semicolon_is_lost() -> None:
    """Behind code it is typst's own, and is not printed."""
    assert not re.findall(r"#\w+\([^)]*\);", ARTICLE)


def test_the_article_is_made_of_what_is_there() -> None:
    assert article.made_of().encode() in article.PDF.read_bytes(), AGAIN


def test_it_has_the_length_of_an_article() -> None:
    (pages,) = re.findall(rb"<</Type/Pages/Count (\d+)", article.PDF.read_bytes())
    assert 8 <= int(pages) <= 12


@pytest.mark.full
def test_typst_makes_the_same_article() -> None:
    made, kept = article.pdf(), article.PDF.read_bytes()
    version = re.compile(rb"/Creator\([^)]*\)")
    assert made.startswith(b"%PDF-")
    if version.findall(made) == version.findall(kept):
        assert made == kept, AGAIN


def titles() -> dict[str, str]:
    """By key, without braces."""
    entries = re.findall(r"@\w+\{(\w+),.*? title = \{(.*?)\}, \w+ = ", (PLACE / "references.bib").read_text("utf-8"))
    return {key: title.replace("{", "").replace("}", "") for key, title in entries}


def test_references_are_those_of_the_bibliography() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8"))
    assert len(titles()) == (PLACE / "references.bib").read_text(encoding="utf-8").count("\n")
    for title in titles().values():
        assert title.lower() in page.lower(), title


def test_every_reference_is_referred_to() -> None:
    assert set(titles()) <= set(re.findall(r"[@<](\w+)", ARTICLE))


@pytest.mark.parametrize("name", ["said.csv", "others.csv"])
def test_what_others_report_has_a_source(name: str) -> None:
    with (PLACE / name).open(newline="", encoding="utf-8") as file:
        assert {row["source"] for row in csv.DictReader(file)} <= set(titles())
