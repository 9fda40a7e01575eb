"""The board's page, as it is written."""

import pytest

from tbgen.probe import open_tablebase
from tbgen.serve import question
from tbgen.serve.view import explorer
from tbgen.table_rules import TableRules

READ = question.read_fen


@pytest.mark.parametrize(
    ("fen", "title"), [(explorer.START, "KBvK, Black to move"), ("8/8 w", "tbgen: endgame explorer")]
)
def test_a_page_reads_its_position_once(fen: str, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Panel, title and picture are of what was read."""
    read: list[str] = []

    def reading(text: str, *, whole_game: bool) -> question.Fen:
        read.append(text)
        return READ(text, whole_game=whole_game)

    monkeypatch.setattr(question, "read_fen", reading)
    with open_tablebase() as tables:
        page = explorer.whole(fen, TableRules.RESET, tables, with_line=False)
        assert read == [fen]
        assert explorer.panel(fen, TableRules.RESET, tables, with_line=False) in page
    assert f"<title>{title}" in page
    assert ("<svg" in page.partition("<noscript>")[2].partition("</noscript>")[0]) == (fen == explorer.START)
