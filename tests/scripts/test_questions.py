"""docs/questions.md says what the figures beside it say, and these are what tables say."""

import importlib
from pathlib import Path
from types import ModuleType

import chess
import pytest

from tbgen.material import parse
from tests.support.places import ROOT

COUNTED = {
    "stalemates": ("KvK", "KQvK", "KPvK", "KNNvK"),
    "checks": ("KBvK", "KPvK", "KNNvK"),
    "komi": ("KRvK", "KPvK"),
    "tree": ("KvK", "KNvK"),
    "kings": (),
    "zugzwangs": ("KvK", "KNvK", "KPvK"),
    "fifty": ("KvK", "KQvK", "KPvK"),
    "cursed": ("KRvK",),
}


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("questions")


@pytest.mark.parametrize("report", COUNTED)
def test_figures_of_small_tables_counted_anew(report: str, questions: ModuleType, small_tables: Path) -> None:
    names = COUNTED[report]
    kept = questions.read()
    for key, rows in questions.counted(report, small_tables, tuple(map(parse, names))).items():
        assert rows
        anew = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
        assert anew == [row for row in kept[key] if not names or row["material"] in names], key


def test_the_page_is_that_of_the_figures(questions: ModuleType) -> None:
    page = importlib.import_module("questions_page")
    kept = questions.read()
    assert page.page(kept) == page.PAGE.read_text()
    for answer in page.ANSWERS:
        assert all(kept.get(name) for name in answer.needs), answer.question
        assert chess.Board(answer.fen(kept)).is_valid(), answer.question
        assert (page.BOARDS / f"{answer.key}.svg").read_text().startswith("<svg"), answer.question


def test_king_and_pawn_has_the_zugzwangs_of_chess(questions: ModuleType) -> None:
    """As many as python-chess and an attractor find, and as the literature has."""
    (row,) = (row for row in questions.read()["zugzwangs"] if row["material"] == "KPvK")
    assert row["of_chess"] == "80"
