"""Estimates of tables that have been built: their own figures, at the pace of the machine."""

import csv
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.core.material import every, parse
from tbgen.core.table_rules import TableRules
from tbgen.generate import calibration
from tbgen.generate.estimate import estimate
from tbgen.generate.recorded import recorded
from tbgen.store import find_table, open_table

ROOT = Path(__file__).resolve().parents[2]
AGAIN = Path(__file__).with_name("built_again.csv")
"""What tables took on another occasion than the recorded one: one build of all of four men for each set of rules."""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("rules", TableRules)
def test_every_table_of_up_to_four_men_is_recorded(rules: TableRules) -> None:
    for material in every(4):
        found = estimate(material, rules, 2)
        assert found.recorded
        assert found.positions > 0
        assert found.disk > 0
        assert found.cpu_seconds > 0


@pytest.mark.parametrize("rules", TableRules)
def test_the_package_s_own_tables_are_as_recorded(rules: TableRules) -> None:
    for material in every(3):
        path = find_table(Path("nowhere"), material, rules)
        found = recorded(material.name, rules)
        assert found
        assert path.stat().st_size == pytest.approx(found.bytes, rel=0.02), "bytes depend on zlib's version"
        with open_table(path) as table:
            assert table.head.legal >= found.positions


def test_five_men_are_recorded_as_published() -> None:
    published = {(row["material"], row["rules"]): row for row in rows(ROOT / "research" / "five_men" / "tables.csv")}
    noted = [row for row in rows(ROOT / "tbgen" / "generate" / "recorded.csv") if parse(row["material"]).men == 5]
    for row in noted:
        assert all(row[name] == published[row["material"], row["rules"]][name] for name in ("positions", "bytes"))


@pytest.mark.parametrize("rules", TableRules)
def test_nine_tables_in_ten_take_what_was_estimated(
    rules: TableRules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a quarter, at the pace that builds say."""
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "tested", lambda: 1.0)
    took = {parse(row["material"]): float(row["cpu_seconds"]) for row in rows(AGAIN) if row["rules"] == rules}
    for material, seconds in took.items():
        calibration.record_build(estimate(material, rules, 2).cpu_seconds, seconds)
    pace = calibration.known_pace()
    ratios = {one.name: took[one] / estimate(one, rules, 2, pace.factor).cpu_seconds for one in took}
    far = {name: round(ratio, 2) for name, ratio in ratios.items() if not 0.75 <= ratio <= 1.25}
    assert len(ratios) >= 25
    assert len(far) <= len(ratios) // 10, far


def test_a_table_that_was_never_built_is_estimated_by_its_kind() -> None:
    found = estimate(parse("KRPvKRP"), TableRules.RESET, 2)
    assert not found.recorded
    assert len(str(found.positions).rstrip("0")) <= 2


def test_the_pace_scales_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    slow, fast = (estimate(parse("KRvKN"), TableRules.RESET, 2, pace) for pace in (2.0, 1.0))
    assert slow.cpu_seconds == pytest.approx(2 * fast.cpu_seconds, abs=0.1)
    assert slow.disk == fast.disk


def test_a_short_test_says_the_pace_of_a_new_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    asked = []
    monkeypatch.setattr(calibration, "tested", lambda: asked.append(1) or 3.0)
    for _ in range(2):
        assert main(["plan", "--only", "KRvKN", "--json"]) == 0
    assert len(asked) == 1, "it is remembered"
    expected = estimate(parse("KRvKN"), TableRules.RESET, 2, 3.0).cpu_seconds
    assert f'"cpu_seconds": {expected}' in capsys.readouterr().out


def test_the_short_test_says_a_pace() -> None:
    assert 0.05 < calibration.tested() < 50
