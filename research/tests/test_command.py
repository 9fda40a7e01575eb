"""Studies that write reports have a command each, which errs in one line as `tbgen` does."""

import re
import sys
from pathlib import Path

import pytest

import research.clock.report
import research.optimal.report
import research.reports.report
from research.command import run_reports
from tbgen.errors import OutOfRoom
from tbgen.report.make import Reports
from tbgen.system.thresholds import PROGRAM

STUDIES: dict[str, Reports] = {
    "clock": research.clock.report.REPORTS,
    "optimal": research.optimal.report.REPORTS,
    "reports": research.reports.report.REPORTS,
}


def run(monkeypatch: pytest.MonkeyPatch, study: str, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["run", *words])
    return run_reports(study, STUDIES[study], "")


@pytest.mark.parametrize(("study", "report"), [("reports", "zugzwangs"), ("optimal", "tree")])
def test_a_table_that_does_not_fit_in_memory_is_refused(
    small_tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, study: str, report: str
) -> None:
    monkeypatch.setattr("tbgen.system.machine.memory", lambda: PROGRAM + 1000)
    assert run(monkeypatch, study, report, "KRvK", "--tables", str(small_tables)) == OutOfRoom.exit_code
    assert re.fullmatch(
        r"tbgen: KRvK takes \S+ .iB of memory here, and there are \S+ .iB: name others\n", capsys.readouterr().err
    )


def test_a_report_is_written_and_names_its_command(
    small_tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["stalemates", "KQvK", "--tables", str(small_tables), "--format", "md"]
    assert run(monkeypatch, "reports", *words) == 0
    page = capsys.readouterr().out
    assert "Stalemates among the draws of chess" in page
    assert "research/run reports stalemates KQvK" in page


def test_a_report_of_another_study_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, "reports", "tree") == 2
    assert "tree" in capsys.readouterr().err
