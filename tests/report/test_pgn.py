"""Lines of a report as games: `tbgen adjudicate` comes to the same result, without being told the rules."""

import re
from pathlib import Path

import pytest

from tbgen.cli.main import main

RESULT = re.compile(r'^\[RMobilityResult "(.*)"\]$', re.MULTILINE)


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
