"""What a report says that it found is true of the tables, whatever they hold."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.report import differences, findings, overview
from tbgen.report.census import Case, Census, Spread, take
from tbgen.report.charts import Stack
from tbgen.report.compare import Comparison, Kinds
from tbgen.report.compare_section import section
from tbgen.report.distances import distances
from tbgen.report.make import Request, make
from tbgen.report.records import Longest, sentence
from tbgen.store import open_table, table_path

SMALL = ("KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK")


def census_of(tables: Path, name: str, rules: str = "r") -> Census:
    with open_table(table_path(tables, parse(name), rules)) as table:
        return take(table)


def census(name: str, cases: dict[Case, list[int]], recorded: int = 0) -> Census:
    """A table with these placements by distance; each stands for a position."""
    spreads = {case: Spread(np.array(counts), np.array(counts), ()) for case, counts in cases.items()}
    return Census(parse(name), TableRules.RESET, spreads, (recorded, recorded))


MATES = {(0, outcome.BASE): [0, 3], (1, outcome.BASE): [1, 0, 4]}
STALEMATES = {(0, outcome.BASE - 1): [0, 1], (1, outcome.BASE - 1): [1]}


def test_the_figures_are_those_of_the_tables(small_tables: Path) -> None:
    first, second = findings.decided([census_of(small_tables, name) for name in SMALL])
    assert first == (
        "6 tables of two and three men hold 368,330 positions, each counted once up to symmetry; in 48.38 % of all "
        "placements of their men one side forces mate, as in chess."
    )
    assert re.search(
        r"the others drawn; .* most often by G1.5, the loser left with one move, .*: in 20.78 % of", second
    )


def test_all_mates_and_none() -> None:
    assert list(findings.decided([census("KQvK", MATES)])) == [
        "One table of three men holds 8 positions, each counted once up to symmetry; "
        "in each of them mate can be forced."
    ]
    first, second = findings.decided([census("KBvK", STALEMATES)])
    assert first.endswith("in none of them mate can be forced.")
    assert "calls them drawn" in second
    assert second.endswith("most often by G0.5, the loser stalemated: in 100.00 % of all placements.")


def test_how_many_men() -> None:
    told = [next(findings.decided([census(name, MATES) for name in names])) for names in (SMALL[:1], ["KvK", "KRPvKR"])]
    assert told[0].startswith("One table of two men holds")
    assert told[1].startswith("2 tables of two and five men hold")


def test_records_that_matter_and_records_that_do_not() -> None:
    assert "Whatever was scored before" in findings.recorded([census("KQvK", MATES)])
    assert findings.recorded([census("KQvK", MATES, 2)]).startswith("In 25.00 % of the positions")
    both = findings.recorded([census("KQvK", MATES, 2), census("KBvK", STALEMATES, 2)])
    assert both.endswith("most often in KBvK (100.00 %).")


def way(name: str, value: str, dtg: int) -> Longest:
    return Longest(parse(name), 0, "White", outcome.parse(value), dtg, 1, ())


def test_the_longest_way() -> None:
    mate, other = way("KPvK", "G0.0", 56), way("KBvK", "G1.5", 46)
    assert sentence([mate, other]) == "The longest way is to a mate: 56 plies, in KPvK."
    assert sentence([other]).endswith("46 plies, to G1.5 in KBvK; no mate can be forced.")
    longer = way("KQvKQ", "-G5.5", 197)
    assert sentence([mate, other, longer]) == (
        "The longest way to a goal is 197 plies, to -G5.5 in KQvKQ; the longest forced mate takes 56 plies, in KPvK."
    )
    assert "already" in sentence([way("KvK", "G3.5", 0)])


def test_the_rule_of_thumb() -> None:
    assert findings.judged([], [], 0) == ""
    assert "of all materials" in findings.judged([], [], 3)
    told = findings.judged(["KPvK"], ["KQvKR", "KQvKB", "KQvKN", "KRvKN", "KRvKB"], 10)
    assert "agrees with 4 of 10 tables" in told
    assert told.endswith("it is too hopeful in KPvK and too gloomy in KQvKR, KQvKB, KQvKN and 2 more.")


def comparison(name: str, slower: int, placements: int = 100) -> Comparison:
    rules = (TableRules.RESET, TableRules.WHOLE_GAME)
    return Comparison(parse(name), rules, placements, placements, (slower, slower), (), ())


def test_the_two_rules() -> None:
    assert section([comparison("KvK", 0)]).findings == ("Outcomes and distances are the same under r and wg.",)
    (told,) = section([comparison("KvK", 0), comparison("KBvK", 50)]).findings
    assert "the same in 100.00 % of the placements, its distance as well in 75.00 %" in told
    assert told.endswith("they differ most in KBvK, in 50.00 %.")


@pytest.mark.parametrize("what", ["stats", "records", "compare", "potential", "all"])
def test_every_report_has_findings(small_tables: Path, what: str) -> None:
    rules = ("r", "wg") if what in ("compare", "all") else ("r",)
    document = make(what, Request(small_tables, tuple(map(TableRules, rules)), (parse("KBvK"), parse("KPvK"))))
    assert document.findings
    for words in document.findings:
        assert words.endswith(".")
        assert not re.search(r"nan|None|\b0 plies", words)


def test_pictures_say_what_the_tables_say(small_tables: Path) -> None:
    censuses = [census_of(small_tables, name) for name in SMALL]
    bars = overview.holders(censuses)
    for bar in bars.bars:
        assert sum(bar.shares) == pytest.approx(1)
    assert share_of(bars, "KQvK", "w0") == pytest.approx(0.9374, abs=1e-4)
    kings = [share_of(bars, "KvK", name) for name, _ in bars.parts]
    assert kings == pytest.approx(kings[::-1]), "the same men, the same chances"
    heat = overview.heat_map(censuses)
    either, white, black = (view.rows for view in heat.views)
    for row, whites, blacks in zip(either, white, black, strict=True):
        assert sum(row) == pytest.approx(1)
        assert [one + other for one, other in zip(whites, blacks, strict=True)] == pytest.approx(list(row))
    assert either[heat.labels.index("KBvK")][heat.columns.index("G1.5")] == pytest.approx(0.9247, abs=1e-4)


def share_of(chart: Stack, label: str, part: str) -> float:
    (bar,) = (bar for bar in chart.bars if bar.label == label)
    return bar.shares[[name for name, _ in chart.parts].index(part)]


def test_pictures_of_distances(small_tables: Path) -> None:
    names = ("KvK", "KBvK")
    first, second = ([census_of(small_tables, name, rules) for name in names] for rules in ("r", "wg"))
    chart = distances(first, second)
    assert [panel.label for panel in chart.panels] == ["all", *names]
    for panel, census in zip(chart.panels[1:], first, strict=True):
        counts = sum(spread.placements for spread in census.cases.values())
        at_once = int(counts[:3].sum()) / census.placements
        drawn = sum(panel.curves[0].white) + sum(panel.curves[0].black)
        assert 1 - 0.002 <= drawn + at_once <= 1 + 1e-9
        assert panel.words.startswith(f"{findings.share(at_once)} within 2 plies, ")
    assert len(chart.panels[1].curves) == 2
    kings = chart.panels[1].curves[0]
    assert kings.white == kings.black
    one_missing = distances(first, second[:1])
    assert [len(panel.curves) for panel in one_missing.panels] == [1, 2, 1], "no comparison of different materials"
    assert "half in 32, all in 46" in chart.panels[2].words


def test_differences_add_up_to_nothing(small_tables: Path) -> None:
    first, second = ([census_of(small_tables, name, rules) for name in SMALL] for rules in ("r", "wg"))
    chart = overview.heat_map_of_differences(first, second)
    for row in chart.views[0].rows:
        assert sum(row) == pytest.approx(0, abs=1e-12)
    assert any(abs(value) > 0.001 for value in chart.views[0].rows[0])


def test_who_wins_with_two_men_against_one() -> None:
    """White's two down, Black's one across; there is nothing to see with less than two of either."""
    names = ("KQQvKQ", "KQQvKR", "KQRvKQ")
    told = [census(name, MATES if name == "KQQvKR" else STALEMATES) for name in names]
    (chart,) = overview.two_against_one(told)
    assert (chart.labels, chart.columns) == (("KQQ", "KQR"), ("vKQ", "vKR"))
    mates, otherwise, black = (view.rows for view in chart.views)
    assert mates == ((0, 1), (0, None))
    assert otherwise == ((1, 0), (1, None))
    assert black == ((0, 0), (0, None))
    assert not list(overview.two_against_one(told[:2]))
    assert not list(overview.two_against_one([census("KQQQvK", MATES)]))


def test_the_longest_way_to_each_score() -> None:
    mates = outcome.BASE
    chart = overview.longest([("KPvK", mates, 56), ("KPvK", -mates, 3), ("KQvK", mates, 20), ("KQvK", mates - 1, 0)])
    assert chart.columns == ("G0.0", "G0.5")
    assert dict(zip(chart.labels, chart.views[0].rows, strict=True)) == {
        "all": (56, 0), "KPvK": (56, None), "KQvK": (20, 0),
    }  # fmt: skip
    assert overview.longest([("KPvK", mates, 56)]).labels == ("KPvK",)


def test_the_mean_of_differences_is_known_where_all_was_counted() -> None:
    rules = (TableRules.RESET, TableRules.WHOLE_GAME)
    alike, half = (
        Kinds(parse("KvK"), rules, 8, 8, (1, 0, 0, 0, 0), None, 0),
        Kinds(parse("KBvK"), rules, 8, 8, (0.5, 0, 0.25, 0.25, 0), 2.0, 4),
    )
    assert [row[-1] for row in differences.table([alike, half]).rows] == [None, 2.0]
    assert differences.table([alike, half]).total[-1] == 2.0
    assert differences.table([alike, replace(half, counted=0)]).total[-1] is None
