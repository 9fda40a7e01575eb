"""The crosstable and its tiebreaks."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.rules.scoring import Classical, Exponential, Harmonic, Komi, WithKomi
from tbgen.rules.tiebreaks import Crosstable


def table(*games: str) -> Crosstable:
    """From `white black result` lines."""
    found = Crosstable()
    for game in games:
        white, black, result = game.split()
        found.add(white, black, outcome.parse(result))
    return found


def test_the_sum_of_mobility_points_breaks_a_tie() -> None:
    games = table("A B G1.0", "B C G5.5", "C A G0.5", "B C G0.0", "A C G0.0")
    assert games.points("A", Exponential()) == Fraction(5, 8) + Fraction(1, 4) + 1
    assert games.points("B", Exponential()) == Fraction(3, 8) + Fraction(1, 2) + Fraction(1, 4096) + 1
    rows = games.rows(Classical(), Exponential())
    assert [(row.place, row.player, row.games, row.score) for row in rows] == [
        (1, "B", 3, Fraction(2)),
        (2, "A", 3, Fraction(2)),
        (3, "C", 4, Fraction(1)),
    ]
    assert [row.mobility for row in rows] == [games.points(player, Exponential()) for player in "BAC"]
    assert [row.place_by_balance for row in rows] == [1, 2, 3]
    assert games.rows(Classical(), Harmonic())[0].mobility == games.points("A", Harmonic())


def test_direct_encounter_goes_first() -> None:
    """The wiki: r-mobility breaks ties after direct encounter."""
    rows = table("A B G0.0", "B C G0.0", "B C G0.5", "A C -G0.5").rows(Classical(), Exponential())
    assert [(row.place, row.place_by_balance, row.player) for row in rows] == [(1, 1, "A"), (2, 2, "B"), (3, 3, "C")]
    assert rows[0].score == rows[1].score
    assert rows[0].mobility < rows[1].mobility
    assert rows[0].balance < rows[1].balance


def test_who_met_others_more_often_has_no_more_of_it() -> None:
    rows = table("A B G3.0", "B A -G3.0", "C D G0.0", "C D -G0.0").rows(Classical(), Exponential())
    assert {row.score for row in rows} == {1}
    assert [(row.place, row.player) for row in rows] == [(1, "A"), (2, "C"), (2, "D"), (4, "B")]


def test_stalemates_come_first_then_the_next_goals() -> None:
    games = table("A B G0.5", "B A G1.0", "C D G1.0", "D C -G1.0", "E F G0.0")
    assert games.balance("A") == (1, -1)
    assert games.balance("B") == (-1, 1)
    assert games.balance("C") == (0, 2)
    assert games.balance("E") == (0, 0)  # mates are in the score already
    rows = games.rows(Classical(), Exponential())
    assert sorted((row.place_by_balance, row.player) for row in rows) == [
        (1, "A"),
        (2, "C"),
        (3, "E"),
        (4, "D"),
        (5, "B"),
        (6, "F"),
    ]


def test_players_level_on_everything_share_a_place() -> None:
    rows = table("A B G3.0", "B A G3.0", "C D G1.0", "C D G1.5").rows(Classical(), Exponential())
    assert [(row.place, row.player) for row in rows] == [(1, "C"), (2, "A"), (2, "B"), (4, "D")]


def test_a_komi_is_seen_from_the_board_not_from_the_player() -> None:
    games = table("A B G2.0", "B A G2.5")
    komi = WithKomi(komi=Komi.parse("G2.25"))
    assert games.points("A", komi) == 2
    assert games.points("B", komi) == 0


def test_points_and_games_against_one_opponent() -> None:
    games = table("A B G0.0", "B A G0.5", "A C -G0.0")
    assert games.against("A", Classical()) == {"B": (2, Fraction(3, 2)), "C": (1, Fraction(0))}
    assert games.against("A", Harmonic())["B"] == (2, Fraction(5, 4))
    assert games.points("nobody", Classical()) == 0


def test_games_that_are_alike_are_counted() -> None:
    games = table(*["A B G0.5"] * 1000, *["B A G1.0"] * 10)
    assert games.meetings("A").total() == 1010
    assert len(games.meetings("A")) == 2
    assert games.points("A", Exponential()) == 1000 * Fraction(3, 4) + 10 * Fraction(3, 8)
    assert games.balance("B") == (-1000, 10)
    assert [row.games for row in games.rows(Classical(), Exponential())] == [1010, 1010]


def test_no_games_no_rows() -> None:
    assert Crosstable().rows(Classical(), Exponential()) == []


def direct_encounter(games: Crosstable, player: str, level: list[str]) -> Fraction:
    """Points above one half against those with the same score."""
    met = [
        points - Fraction(count, 2)
        for other, (count, points) in games.against(player, Exponential()).items()
        if other in level
    ]
    return sum(met, Fraction(0))


players = st.sampled_from("ABCD")
results = st.builds(outcome.goal, st.integers(0, 30), st.booleans())


@given(st.lists(st.tuples(players, players, results)))
def test_what_one_side_wins_the_other_loses(games: list[tuple[str, str, int]]) -> None:
    found = Crosstable()
    for game in games:
        found.add(*game)
    rows = found.rows(Exponential(), Exponential())
    assert sum(row.score for row in rows) == len(games)
    assert sum(row.games for row in rows) == 2 * len(games)
    assert not any(map(sum, zip(*(row.balance for row in rows), strict=True)))
    direct = {
        row.player: direct_encounter(found, row.player, [one.player for one in rows if one.score == row.score])
        for row in rows
    }
    keys = sorted(((row.score, direct[row.player], row.balance) for row in rows), reverse=True)
    places = [keys.index((row.score, direct[row.player], row.balance)) + 1 for row in rows]
    assert [row.place_by_balance for row in rows] == places
    assert [row.place for row in rows] == sorted(row.place for row in rows)
