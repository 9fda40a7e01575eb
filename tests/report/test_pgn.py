"""Lines of a report as games: `tbgen adjudicate` comes to the same result, without being told the rules."""

import re
from pathlib import Path

import pytest

from tbgen.cli.main import main

RESULT = re.compile(r'^\[RMobilityResult "(.*)"\]$', re.MULTILINE)


def test_the_record_may_stand_in_the_fen(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # "FENs (inputs and outputs) have an aditional accreted G-Score"
    written, judged = tmp_path / "lines.pgn", tmp_path / "judged.pgn"
    words = ["report", "records", "KRvK", "--tables", str(small_tables), "-o", str(written)]
    assert main([*words, "--record-in-fen"]) == 0
    fens = re.findall(r'^\[FEN "(.*)"\]$', written.read_text(), re.MULTILINE)
    assert fens
    assert all(re.fullmatch(r"\S+ [wb] - - \d+ \d+ -?G\d+\.[05]", fen) for fen in fens)
    assert main(["adjudicate", str(written), "-o", str(judged), "--tables", str(small_tables)]) == 0
    assert RESULT.findall(judged.read_text()) == RESULT.findall(written.read_text())


@pytest.mark.parametrize("words", ["records", "records --rules wg", "compare --rules r wg"])
@pytest.mark.parametrize("decide", ["none", "all"])
def test_adjudicate_reads_them_back(
    words: str, decide: str, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, written, judged = ("--tables", str(small_tables)), tmp_path / "lines.pgn", tmp_path / "judged.pgn"
    assert main(["report", *words.split(), *there, "-o", str(written)]) == 0
    assert main(["adjudicate", str(written), "-o", str(judged), *there, "--decide", decide]) == 0
    expected = RESULT.findall(written.read_text())
    assert len(expected) > 10
    assert RESULT.findall(judged.read_text()) == expected
    assert "passed on" not in capsys.readouterr().err
