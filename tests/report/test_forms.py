"""Every form of a report says the same."""

import csv
import io
import json
import re
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.errors import BadInput
from tbgen.report.document import Document, lines, written
from tbgen.report.document import tables as tables_of
from tbgen.report.make import Request, make
from tbgen.report.write import write


def test_every_table_in_every_form(document: Document, html: str) -> None:
    read = json.loads(write(document, "json"))
    text = write(document, "text", details=True)
    markdown = write(document, "md", details=True)
    for table in tables_of(document):
        rows = list(csv.reader(io.StringIO(write(document, "csv", table=table.key))))
        assert rows[0] == [column.key for column in table.columns]
        assert len(rows) == 1 + len(table.rows)
        assert len(read["tables"][table.key]) == len(table.rows)
        for row, of_csv in zip(read["tables"][table.key], rows[1:], strict=True):
            assert ["" if value is None else str(value) for value in row.values()] == of_csv
        if table.rows:
            assert table.title in text
            assert f"### {table.title}" in markdown
            assert (f'id="table-{table.key}"' in html) == table.on_page


def test_lines_in_every_form(document: Document, html: str) -> None:
    read = json.loads(write(document, "json"))["lines"]
    games = io.StringIO(write(document, "pgn"))
    found = lines(document)
    assert len(found) == len(read) > 10
    for line in found:
        game = chess.pgn.read_game(games)
        assert game is not None
        assert game.headers["RMobilityResult"] == read[line.key]["gscore"] == outcome.text(line.outcome)
        assert game.board().fen() == read[line.key]["fen"]
        sans = [node.san() for node in game.mainline()]
        assert sans == [move["san"] for move in read[line.key]["moves"]]
        assert f'id="line-{line.key}"' in html
    assert chess.pgn.read_game(games) is None


def test_findings_in_every_form_for_people(document: Document, html: str) -> None:
    assert 3 <= len(document.findings) <= 5
    text = " ".join(write(document, "text").split())
    seen = re.sub(r"</?strong>", "", html)
    for words in document.findings:
        assert words in text
        assert f"- {words}\n" in write(document, "md")
        assert f"<p>{words}</p>" in seen
    assert json.loads(write(document, "json"))["findings"] == list(document.findings)
    narrow = "\n".join(write(document, "text", width=width) for width in range(40, 60))
    assert not re.search(r"\d\n *(%|pl(y|ies)\b)", narrow)


def test_markdown_tables_are_rectangular(document: Document) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", write(document, "md", details=True), re.MULTILINE):
        assert len({row.count("|") for row in block.splitlines()}) == 1


def test_details_are_left_out_until_asked_for(document: Document) -> None:
    assert len(write(document, "text")) < len(write(document, "text", details=True))
    assert "Every outcome" not in write(document, "md")


@given(st.floats(0, 1))
def test_shares_hide_nothing(share: float) -> None:
    text = written(share, "share")
    assert (text == "0.00 %") == (share == 0)
    assert (text == "100.00 %") == (share == 1)


@given(st.integers(0, outcome.MAX_LEVEL), st.booleans())
def test_outcomes_are_written_as_everywhere(level: int, white_to_move: bool) -> None:
    value = outcome.goal(level, white_to_move)
    assert outcome.parse(written(value, "gscore")) == value


def test_a_report_tells_how_far_it_is(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[tuple[str, int, int]] = []
    make("stats", Request(small_tables, materials=(parse("KBvK"),), report=lambda *step: steps.append(step)))
    assert {(what, total) for what, total, _ in steps} == {("counting", 59136)}
    assert sum(numbers for *_, numbers in steps) == 59136
    assert main(["report", "stats", "KBvK", "--tables", str(small_tables)]) == 0
    assert not capsys.readouterr().err, "nobody looks"


def run(*words: str) -> int:
    return main(["report", *words])


def test_from_the_command_line(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = ("--tables", str(small_tables))
    assert run("stats", "KBvK", *tables) == 0
    assert re.search(r"KBvK +52,234 +417,228", capsys.readouterr().out)
    assert run("compare", "--rules", "r", "wg", "KBvK", *tables) == 0
    assert "lower G-score" in capsys.readouterr().out
    assert run("records", "--rules", "wg", *tables, "--limit", "2", "KvK") == 0
    assert "G5.5" in capsys.readouterr().out
    assert run("potential", *tables, "--format", "csv") == 0
    assert capsys.readouterr().out.startswith("material,ahead,")
    for ending in ("md", "csv", "json", "html", "txt"):
        file = tmp_path / f"report.{ending}"
        assert run("stats", "KvK", *tables, "-o", str(file)) == 0
        assert "KvK" in file.read_text(encoding="utf-8")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["stats", "KXvK"], 2, "no man has the letter X"),
        (["stats", "--rules", "x"], 2, "no such rules"),
        (["stats", "--rules", "r", "wg"], 2, "one set of rules"),
        (["compare"], 2, "--rules r wg"),
        (["stats", "KQvKQ"], 4, "to build it"),
        (["records", "--limit", "0"], 2, "--limit"),
        (["stats", "-o", "report.doc"], 2, "--format"),
        (["stats", "-o", "no/such/place.md"], 2, "no directory"),
        (["stats", "--table", "summary"], 2, "--format csv"),
        (["stats", "KvK", "--format", "csv", "--table", "no"], 2, "there are: summary"),
        (["stats", "KvK", "--format", "pgn"], 2, "no lines"),
        (["everything"], 2, "invalid choice"),
    ],
)
def test_errors_take_one_line(
    small_tables: Path, words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words, "--tables", str(small_tables)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.usefixtures("no_bundle")
def test_no_tables_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("stats", "--tables", str(tmp_path)) == 4
    assert "to build some" in capsys.readouterr().err


def test_forms_are_known() -> None:
    with pytest.raises(BadInput):
        write(Document("", ()), "doc")
