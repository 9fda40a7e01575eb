"""The page says what the figures beside it say, and these are what tables say."""

from pathlib import Path

import chess
import pytest

from research.questions import figures, page
from tbgen.core.material import parse

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


@pytest.mark.parametrize("report", COUNTED)
def test_figures_of_small_tables_counted_anew(report: str, small_tables: Path) -> None:
    names = COUNTED[report]
    kept = figures.read()
    for key, rows in figures.counted(report, small_tables, tuple(map(parse, names))).items():
        assert rows
        anew = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
        assert anew == [row for row in kept[key] if not names or row["material"] in names], key


def test_the_page_is_that_of_the_figures() -> None:
    kept = figures.read()
    assert page.page(kept) == page.PAGE.read_text()
    for answer in page.ANSWERS:
        assert all(kept.get(name) for name in answer.needs), answer.question
        assert chess.Board(answer.fen(kept)).is_valid(), answer.question
        assert (page.BOARDS / f"{answer.key}.svg").read_text().startswith("<svg"), answer.question


def test_king_and_pawn_has_the_zugzwangs_of_chess() -> None:
    """As many as python-chess and an attractor find, and as the literature has."""
    (row,) = (row for row in figures.read()["zugzwangs"] if row["material"] == "KPvK")
    assert row["of_chess"] == "80"
