"""Mating potential: the rules, pairs of bishops counted apart."""

import csv
import io
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.board.men import BUILT_IN, Man, defined
from tbgen.cli.main import main
from tbgen.core.material import Material, parse
from tbgen.core.outcome import BASE
from tbgen.index import layout_of
from tbgen.index.positions import position
from tbgen.report import potential
from tbgen.report.census import BLACK, WHITE
from tbgen.report.document import Table
from tbgen.report.pairs import one_colour
from tbgen.report.potential import Shares
from tbgen.rules.potential import better, pair_o_max
from tbgen.rules.potential.pair_o_max import advise
from tbgen.rules.potential.pieces import worth

ROOT = Path(__file__).resolve().parents[2]


def test_bishops_on_one_colour() -> None:
    """By python-chess's dark squares."""
    layout = layout_of(parse("KBBvK"))
    among = one_colour(layout)
    assert among is not None
    start, stop = 700_000, 700_500
    found = among(start, stop)
    assert 0 < np.count_nonzero(found) < stop - start
    for number, is_one in zip(range(start, stop), found.tolist(), strict=True):
        squares = [square for square, letter in position(layout, number).men if letter == "B"]
        dark = [bool(chess.BB_SQUARES[square] & chess.BB_DARK_SQUARES) for square in squares]
        assert is_one == (len(set(dark)) == 1)


@pytest.mark.parametrize("name", ["KBvKB", "KQvK", "KNNvK"])
def test_no_pair_of_bishops(name: str) -> None:
    assert one_colour(layout_of(parse(name))) is None


def test_a_pair_on_both_colours_is_worth_more() -> None:
    assert advise(parse("KBBvKN"), pair=False).factor * 4 == advise(parse("KBBvKN"), pair=True).factor
    assert better.line(parse("KBBvKN"), pair=True)[1] is better.AHEAD
    assert better.line(parse("KBBvKN"), pair=False)[1] is better.CANNOT
    assert better.line(parse("KBBvK"), pair=False)[1] is better.CANNOT
    assert better.line(parse("KBBvK"))[1] is better.AHEAD


@pytest.mark.parametrize(("name", "bonus"), [("KBBvK", 40), ("KBEvKN", 40), ("KRBBvKR", 40), ("KPFFvK", 17)])
def test_a_pair_has_its_bonus_whenever_there_are_two(name: str, bonus: int) -> None:
    """Who knows the material alone sees a pair; bishops that are known to stand on one colour are none."""
    material = parse(name)
    assert advise(material) == advise(material, pair=True)
    assert advise(material).advantage - advise(material, pair=False).advantage == bonus


def test_the_better_rule_does_not_depend_on_the_colours() -> None:
    for ours, theirs in (("Q", "R"), ("RP", "R"), ("", "BN"), ("NP", "B"), ("R", "R"), ("BB", "N")):
        one, other = (better.points(Material(*men)) for men in ((ours, theirs), (theirs, ours)))
        assert one + other == pytest.approx(1)
    assert better.points(Material("RB", "R")) == better.FEW.points
    assert better.points(Material("P", "")) == better.SMALL.points


def test_men_beyond_chess_are_worth_what_their_moves_are() -> None:
    """As Pair-o-Max's author has them: about a rook, about seven pawns, a minor; and the formula knows chess."""
    values = {man.letter: worth(man) for man in BUILT_IN.values()}
    assert values["E"] == pytest.approx(500, rel=0.1)
    assert values["J"] == pytest.approx(700, rel=0.05)
    assert max(values[letter] for letter in "ACDFOW") < 350
    for moves, value in (("N", 325), ("B", 325), ("R", 500), ("RB", 950)):
        assert worth(Man("X", moves)) == pytest.approx(value, rel=0.12)


@pytest.mark.parametrize(
    ("name", "why", "factor"),
    [
        ("KEvK", pair_o_max.COLOUR_BOUND, 1 / 8),
        ("KRvKJ", pair_o_max.COLOUR_BOUND, 1 / 8),
        ("KQvKC", pair_o_max.TOUGH, 1 / 8),
        ("KFFvK", pair_o_max.FEW, 1 / 8),
        ("KCvK", "nothing against it", 1),
        ("KNOvKN", "no pawns", 1 / 2),
        ("KNNvKN", pair_o_max.LIKE_PAIR, 1 / 8),
        ("KPOvKN", "has pawns", 1),
    ],
)
def test_its_remarks_on_such_men(name: str, why: str, factor: float) -> None:
    advice = advise(parse(name))
    assert (advice.why, float(advice.factor)) == (why, factor)


@pytest.mark.parametrize(
    ("definition", "name", "unmarked", "marked"),
    [
        ("X=WA 0,3", "KXvK", pair_o_max.FEW, "nothing against it"),  # a light man that mates alone
        ("X=WA 0,3", "KNXvKN", pair_o_max.FEW, "no pawns"),  # a minor ahead may be enough: trade
        ("X=WDA 0,-4", "KXXvK", "nothing against it", pair_o_max.LIKE_PAIR),  # two equal men that cannot mate
        ("X=WA 0,-1", "KQvKX", "no pawns", pair_o_max.TOUGH),  # draws although far more than 350 behind
        ("X=WA 0,-1", "KXvK", pair_o_max.FEW, "nothing against it"),  # it mates alone, too
        ("X=FA 0,60", "KXXvKN", pair_o_max.FEW, "no pawns"),  # the bonus of a pair
    ],
)
def test_marks_say_what_moves_do_not(definition: str, name: str, unmarked: str, marked: str) -> None:
    words = [definition, definition.partition(" ")[0]]
    assert [advise(parse(name, men=defined([word]))).why for word in words] == [marked, unmarked]


def test_a_marked_bonus_is_that_of_a_pair() -> None:
    men = defined(["X=FA 0,60"])
    assert advise(parse("KXXvK", men=men)).advantage - advise(parse("KXXvK", men=men), pair=False).advantage == 60
    assert advise(parse("KBXvK", men=men)).advantage - advise(parse("KBXvK", men=men), pair=False).advantage == 40


def test_men_that_move_alike_have_the_same_mark() -> None:
    men = defined(["X=WF", "Y=WD", "Z=N"])
    for ours, theirs in (("KQvKX", "KQvKC"), ("KYvK", "KOvK"), ("KZZvK", "KNNvK")):
        assert advise(parse(ours, men=men)).why == advise(parse(theirs)).why


def test_colour_bound_men_of_two_kinds_are_a_pair() -> None:
    layout = layout_of(parse("KBEvK"))
    assert one_colour(layout) is not None
    assert advise(parse("KBEvK"), pair=True).advantage > advise(parse("KBEvK"), pair=False).advantage
    assert better.line(parse("KBEvK"), pair=False)[1] is better.CANNOT


@pytest.mark.parametrize(
    ("name", "factor", "why"),
    [
        ("KRBvKNN", "1/2", "no pawns"),  # two against two is only halved
        ("KNNPvKP", "1", "has pawns"),
        ("KNNPPvKBNP", "1", "has pawns"),
        ("KNNPvKNP", "1/4", pair_o_max.LAST_PAWN),  # after a minor for a pawn
        ("KQBvKQ", "1/8", pair_o_max.FEW),
    ],
)
def test_the_rule_needs_no_table(
    small_tables: Path, capsys: pytest.CaptureFixture[str], name: str, factor: str, why: str
) -> None:
    asked = ["report", "potential", name, "--tables", str(small_tables)]
    assert main(asked) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"No table of {name} is there to compare." in said
    assert main([*asked, "--format", "csv"]) == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row[key] for key in ("factor", "why", "found", "share_mate")] == [factor, why, "no table", ""]


def test_tables_that_are_there_are_laid_beside_the_rule(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["report", "potential", "KBBvKN", "KRvK", "--tables", str(small_tables), "--format", "csv"]
    assert main(asked) == 0
    rows = {row["material"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert {name: row["factor"] for name, row in rows.items()} == {
        "KRvK": "1", "KBBvKN": "1/2", "KBBvKN on both colours": "1/2", "KBBvKN on one colour": "1/8",
    }  # fmt: skip
    assert [bool(row["share_mate"]) for row in rows.values()] == [True, False, False, False]


@pytest.mark.usefixtures("no_bundle")
def test_without_any_table_the_rule_speaks_of_what_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "potential", "KRBvKNN"]) == 0
    assert "no pawns" in capsys.readouterr().out
    assert main(["report", "potential"]) == 4


def test_the_report_takes_men_beyond_chess() -> None:
    """A table of nothing but mates by the first side."""
    material = parse("KCvK")
    found = potential.section([Shares("KCvK", material, {(WHITE, BASE): 1, (BLACK, BASE): 3})])
    row = next(block for block in found.blocks if isinstance(block, Table)).rows[0]
    assert row[:2] == ("KCvK", "White")
    assert row[5] == row[7] == "mostly"
