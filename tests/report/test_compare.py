"""Two sets of rules side by side, and the engines' rule of thumb beside the tables."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.core import outcome
from tbgen.core.material import Material, parse
from tbgen.errors import BadInput, MissingTable
from tbgen.probe import Positions, open_tablebase
from tbgen.report.census import take
from tbgen.report.compare import HIGHER, LOWER, OTHER, SAME, SLOWER, Comparison, compare
from tbgen.report.make import Request, make
from tbgen.report.potential import expected, observed, potential, shares
from tbgen.rules.potential.pair_o_max import advise
from tbgen.store import open_table, table_path


def compared(tables: Path, name: str) -> Comparison:
    material = parse(name)
    with (
        open_tablebase(tables, "r") as first,
        open_tablebase(tables, "wg") as second,
        open_table(table_path(tables, material, "r")) as one,
        open_table(table_path(tables, material, "wg")) as other,
    ):
        return compare((one, other), (first, second), lambda numbers: None)


@pytest.mark.parametrize("name", ["KBvK", "KNvK"])
def test_differences_are_those_of_all_placements(small_tables: Path, name: str) -> None:
    cells = np.indices((64, 64, 64, 2)).reshape(4, -1)
    positions = Positions(name, cells[:3].T, cells[3] == 1)
    with open_tablebase(small_tables, "r") as first, open_tablebase(small_tables, "wg") as second:
        one, other = first.probe_many(positions), second.probe_many(positions)
    legal = one.outcomes != 0
    sign = np.where(cells[3] == 1, 1, -1)
    pairs = Counter(zip((one.outcomes * sign)[legal].tolist(), (other.outcomes * sign)[legal].tolist(), strict=True))
    result = compared(small_tables, name)
    assert {(change.first, change.second): change.placements for change in result.changes} == {
        pair: count for pair, count in pairs.items() if pair[0] != pair[1]
    }
    assert result.placements == legal.sum()
    assert result.slower[1] == ((one.outcomes == other.outcomes) & (one.dtg != other.dtg)).sum()
    assert sum(result.share(kind) for kind in (SAME, SLOWER, LOWER, HIGHER, OTHER)) == pytest.approx(1)


def test_a_bishop_that_falls_no_longer_loses(small_tables: Path) -> None:
    """-G8.5 under r in 520 numbers of the table, which are 399 positions; under wg White has something by then."""
    result = compared(small_tables, "KBvK")
    lost = outcome.BASE - 17
    of_black = [change for change in result.changes if change.first == lost]
    assert sum(change.positions for change in of_black) == 399
    assert {change.kind for change in of_black} == {OTHER}
    assert all(6 <= outcome.level(change.second) <= 14 for change in of_black)


@pytest.mark.parametrize("name", ["KBvK", "KPvK", "KRvK"])
def test_examples_are_what_they_are_called(small_tables: Path, name: str) -> None:
    result = compared(small_tables, name)
    assert {example.kind for example in result.examples} >= {change.kind for change in result.changes}
    for example in result.examples:
        first, second = example.lines
        assert first is not None
        assert second is not None
        assert first.fen == second.fen == chess.Board(example.fen).fen()
        same_side = (first.outcome > 0) == (second.outcome > 0)
        assert same_side == (example.kind != OTHER)
        if same_side:
            levels = outcome.level(first.outcome), outcome.level(second.outcome)
            assert {LOWER: levels[0] < levels[1], HIGHER: levels[0] > levels[1]}.get(
                example.kind, levels[0] == levels[1] and len(first.steps) != len(second.steps)
            )


@pytest.mark.usefixtures("no_bundle")
def test_comparing_takes_two_sets_of_tables(small_tables: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="two sets of rules"):
        make("compare", Request(small_tables))
    with pytest.raises(MissingTable):
        make("compare", Request(tmp_path, ("r", "wg")))


@pytest.mark.parametrize(
    ("name", "leader", "factor"),
    [
        ("KBvK", 0, "1/8"),
        ("KNvK", 0, "1/8"),
        ("KRvKN", 0, "1/8"),
        ("KRNvKR", 0, "1/8"),
        ("KQBvKQ", 0, "1/8"),
        ("KBNvKB", 0, "1/8"),
        ("KRBvKNN", 0, "1/2"),
        ("KNNvK", 0, "1/8"),
        ("KNNvKP", 0, "1/8"),
        ("KBvKP", 0, "1/8"),
        ("KBPvKN", 0, "1/4"),
        ("KNPvKB", 0, "1/4"),
        ("KRPvKR", 0, "1"),
        ("KQvKR", 0, "1/2"),
        ("KQvK", 0, "1"),
        ("KQvKP", 0, "1"),
        ("KRPvKQ", 1, "1/2"),
        ("KRvKR", None, "1"),
        ("KvK", None, "1"),
    ],
)
def test_the_rule_of_thumb(name: str, leader: int | None, factor: str) -> None:
    advice = advise(parse(name))
    assert (advice.leader, advice.factor) == (leader, Fraction(factor))


def test_the_rule_does_not_depend_on_the_colours() -> None:
    assert advise(Material("R", "N"))[1:] == advise(Material("N", "R"))[1:]
    assert advise(Material("N", "R")).leader == 1


def test_potential_from_tables(small_tables: Path) -> None:
    with open_table(table_path(small_tables, parse("KQvK"), "r")) as table:
        census = take(table)
    queen, king = potential(shares(census), 0), potential(shares(census), 1)
    assert queen.mate_to_move == 1
    assert queen.mate == pytest.approx((queen.mate_to_move + queen.mate_other_to_move) / 2, abs=0.1)
    assert king.mate == king.stalemate == 0
    assert queen.points + king.points == pytest.approx(1)
    assert queen.mate + queen.stalemate + queen.low + queen.more == pytest.approx(1 - queen.lost)
    assert (queen.lost, king.low + king.more) == (pytest.approx(king.low + king.more), pytest.approx(queen.lost))
    assert observed(queen.mate) == expected(advise(parse("KQvK"))) == 2


def test_even_sides_have_the_same_potential(small_tables: Path) -> None:
    with open_table(table_path(small_tables, parse("KvK"), "r")) as table:
        census = take(table)
    assert potential(shares(census), 0) == pytest.approx(potential(shares(census), 1))
    assert potential(shares(census), 0).points == pytest.approx(1 / 2)
