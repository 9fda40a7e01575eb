"""Elo, error bars, superiority and the sequential test, against the usual formulas."""

import math
import statistics
from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tbgen.errors import BadInput
from tbgen.rules.statistics import PairedSprt, Pairs, Points, Sample, Sprt, SprtVerdict, elo, expected

counts = st.integers(0, 200)


def games(wins: int, draws: int, losses: int) -> list[float]:
    return [1.0] * wins + [0.5] * draws + [0.0] * losses


def sample_of(points: Iterable[Points]) -> Pairs:
    """Games without pairs."""
    sample = Pairs()
    for each in points:
        sample.add(each)
    return sample


def usual_llr(wins: float, draws: float, losses: float, elo0: float, elo1: float) -> float:
    """The test with the BayesElo model as engine testers write it, which needs draws."""
    total = wins + draws + losses

    def laws(bayes: float, draw: float) -> tuple[float, float, float]:
        win = 1 / (1 + 10 ** ((draw - bayes) / 400))
        loss = 1 / (1 + 10 ** ((draw + bayes) / 400))
        return win, 1 - win - loss, loss

    win, loss = wins / total, losses / total
    draw = 200 * math.log10((1 - loss) / loss * (1 - win) / win)
    grown = 10 ** (-draw / 400)
    scale = 4 * grown / (1 + grown) ** 2
    laws0, laws1 = laws(elo0 / scale, draw), laws(elo1 / scale, draw)
    seen = (wins, draws, losses)
    return sum(n * math.log(p1 / p0) for n, p0, p1 in zip(seen, laws0, laws1, strict=True))


def test_elo_of_a_ratio() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.8485)
    assert elo(0.25) == pytest.approx(-190.8485)
    assert elo(0.545) == pytest.approx(31.35, abs=0.01)
    assert (elo(1.0), elo(0.0)) == (math.inf, -math.inf)
    assert expected(elo(0.6)) == pytest.approx(0.6)


@given(counts, counts, counts)
def test_whole_points_give_the_usual_figures(wins: int, draws: int, losses: int) -> None:
    total = wins + draws + losses
    assume(total >= 8)
    assume(total > max(wins, draws, losses))
    sample = sample_of(games(wins, draws, losses))
    mean = (wins + draws / 2) / total
    variance = (wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2) / total
    assert sample.games.games == total
    assert sample.games.ratio == pytest.approx(mean)
    assert sample.error == pytest.approx(math.sqrt(variance / total), abs=1e-9)


def test_error_bars() -> None:
    low, value, high = sample_of(games(60, 100, 40)).elo()
    assert value == pytest.approx(34.86, abs=0.01)
    assert low == pytest.approx(1.04, abs=0.01)
    assert high == pytest.approx(69.36, abs=0.01)


def test_likelihood_of_superiority() -> None:
    assert sample_of(games(60, 100, 40)).los == pytest.approx(0.9785, abs=0.0005)
    assert sample_of(games(40, 100, 60)).los == pytest.approx(0.0215, abs=0.0005)
    assert sample_of(games(50, 100, 50)).los == 0.5


def test_edges() -> None:
    empty = Pairs()
    assert (empty.games.ratio, empty.los) == (0.5, 0.5)
    assert empty.elo() == (-math.inf, 0, math.inf)
    assert empty.elo().margin == math.inf
    clean = sample_of([1.0] * 50)
    assert clean.elo()[1:] == (math.inf, math.inf)
    assert clean.elo().margin == math.inf
    assert clean.los == pytest.approx(1)
    assert sample_of([0.0] * 50).los == pytest.approx(0)
    assert sample_of([0.5, 0.5]).los == 0.5
    one = sample_of([0.75])  # says nothing yet of how much the next may differ
    assert one.elo() == (-math.inf, pytest.approx(190.85, abs=0.01), math.inf)
    assert one.los == 0.5


@pytest.mark.parametrize("by_pairs", [True, False])
@pytest.mark.parametrize("points", [(1, 0, 0, 1), (0.5, 0.5, 0.5, 0.5), (0.5001, 0.4999, 0.4999, 0.5001)])
def test_a_few_games_all_alike_leave_wide_error_bars(by_pairs: bool, points: tuple[float, ...]) -> None:
    # "its confidence interval and the LOS also depend on the variance of the points per game"
    sample = Pairs(by_pairs=by_pairs)
    for number, each in enumerate(points):
        sample.add(each, number // 2)
    assert sample.elo().value == pytest.approx(0, abs=1e-9)
    assert 200 < sample.elo().margin < math.inf
    assert sample.los == pytest.approx(0.5)


def test_games_that_are_all_alike_have_the_usual_spread() -> None:
    many = sample_of([0.5] * 100)
    assert 40 < many.elo().margin < 60
    assert sample_of([1.0, 1.0]).los == pytest.approx(0.977, abs=0.001)  # two games do not make sure


def test_the_spread_is_that_of_pairs_or_of_games() -> None:
    both = Pairs(), Pairs(by_pairs=False)
    for number in range(40):
        for sample in both:
            sample.add((number // 4 + number) % 2, number // 2)
    assert both[1].error == sample_of((number // 4 + number) % 2 for number in range(40)).error
    assert both[1].error == pytest.approx(0.5 / math.sqrt(40))
    assert both[0].error == pytest.approx(0.25 / math.sqrt(20))  # pairs are all alike


def test_narrow_margins_are_not_lost_in_rounding() -> None:
    share = Fraction(1, 2**31)  # what G14.5 is worth beyond a draw
    sample = sample_of([Fraction(1, 2) + share, Fraction(1, 2)] * 50)
    assert sample.error == pytest.approx(float(share) / 20)
    assert sample.los == pytest.approx(1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_both_sides_see_the_same_match(points: list[float]) -> None:
    one, other = sample_of(points), sample_of(1 - each for each in points)
    assert one.games.ratio + other.games.ratio == pytest.approx(1)
    assert one.error == pytest.approx(other.error, abs=1e-7)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 300))
def test_whole_points_give_the_usual_test(wins: int, draws: int, losses: int) -> None:
    sprt = Sprt(0, 10)
    for points in games(wins, draws, losses):
        sprt.add(points)
    assert (sprt.wins, sprt.draws, sprt.losses) == (wins, draws, losses)
    assert sprt.llr == pytest.approx(usual_llr(wins, draws, losses, 0, 10), abs=1e-6)


def test_shares_of_a_point_are_shares_of_games() -> None:
    sprt = Sprt(0, 10)
    for points in (Fraction(3, 4), 0.625, 0.25, 0.0):
        sprt.add(points)
    assert (sprt.wins, sprt.draws, sprt.losses) == (0.75, 1.75, 1.5)


def test_before_a_whole_win_and_a_whole_loss_there_is_nothing_to_say() -> None:
    sprt = Sprt(0, 10)
    for points in (1.0, 1.0, 0.25):
        sprt.add(points)
        assert sprt.llr == 0
        assert sprt.verdict is SprtVerdict.CONTINUE
    sprt.add(0.25)  # two halves of a loss
    assert sprt.llr > 0


def test_no_draws_are_needed() -> None:
    sprt = Sprt(0, 50)
    for points in games(30, 0, 20):
        sprt.add(points)
    win = 1 / (1 + 10 ** (-50 / 400))
    by_hand = 30 * math.log(2 * win) + 20 * math.log(2 * (1 - win))
    assert sprt.llr == pytest.approx(by_hand)


def test_verdicts() -> None:
    low, high = Sprt(0, 5).bounds
    assert (low, high) == pytest.approx((-2.944, 2.944), abs=1e-3)
    for points, verdict in ((0.7, SprtVerdict.ACCEPT_H1), (0.3, SprtVerdict.ACCEPT_H0)):
        sprt = Sprt(0, 20)
        for each in [1.0, 0.0] + [points] * 60:
            assert sprt.verdict in (SprtVerdict.CONTINUE, verdict)
            sprt.add(each)
        assert sprt.verdict is verdict
    assert str(Sprt(0, 5).verdict) == "continue"


def test_far_apart_hypotheses_do_not_overflow() -> None:
    sprt = Sprt(-10_000, 10_000)
    for points in games(5, 400, 2):
        sprt.add(points)
    assert math.isfinite(sprt.llr)


@pytest.mark.parametrize("points", [-0.1, 1.1, math.nan, math.inf, Fraction(3, 2)])
def test_points_out_of_range_are_refused(points: float) -> None:
    with pytest.raises(BadInput, match="between 0 and 1"):
        Sample().add(points)
    with pytest.raises(BadInput, match="between 0 and 1"):
        Sprt(0, 5).add(points)


@pytest.mark.parametrize("arguments", [(5, 0), (5, 5), (0, math.nan), (0, 5, 0.0), (0, 5, 0.6, 0.6), (0, 5, 0.05, -1)])
def test_tests_of_nothing_are_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(BadInput):
        Sprt(*arguments)


def test_pairs_have_less_spread_than_their_games() -> None:
    one_sided = Pairs()
    for number in range(20):
        for points in (1, 0) if number % 4 else (1, Fraction(1, 2)):
            one_sided.add(points, number)
    assert one_sided.games.games == 40
    assert one_sided.classes == [0, 0, 15, 5, 0]
    assert one_sided.error < one_sided.games.error / 3
    unpaired = sample_of((1, 0) * 15 + (1, Fraction(1, 2)) * 5)
    assert one_sided.elo().margin < unpaired.elo().margin / 3
    assert one_sided.los > unpaired.los


def test_games_without_a_pair_count_by_themselves() -> None:
    sample = Pairs()
    for points in (1, 0, 1):
        sample.add(points)
    assert sample.error == sample.games.error
    assert sum(sample.classes) == 0


@pytest.mark.parametrize(("normalized", "unit"), [(True, 800 / math.log(10)), (False, None)])
def test_a_test_of_pairs(normalized: bool, unit: float | None) -> None:
    """Against the formula with the exact likelihood of normal distributions whose spread is known."""
    test = PairedSprt(0, 20, normalized=normalized)
    half = Fraction(1, 2)
    points = [1, 0, half, half, 1, half, 0, half, half, half, 1, 0, half, half, 1, half, half, half, 0, 1] * 40
    for number, each in enumerate(points):
        test.add(each, number // 2)
    means = [float(points[n] + points[n + 1]) / 2 for n in range(0, len(points), 2)]
    deviation = statistics.pstdev(means)
    low, high = (0.5, 0.5 + 20 / unit * deviation * math.sqrt(2)) if unit is not None else (expected(0), expected(20))
    exact = sum(((one - low) ** 2 - (one - high) ** 2) / (2 * deviation**2) for one in means)
    assert test.llr == pytest.approx(exact, rel=0.05)
    assert test.verdict is SprtVerdict.ACCEPT_H1
    worse = PairedSprt(0, 20, normalized=normalized)
    for number, each in enumerate(points):
        worse.add(1 - each, number // 2)
    assert worse.verdict is SprtVerdict.ACCEPT_H0


def test_a_test_of_pairs_says_nothing_before_it_knows_the_spread() -> None:
    test = PairedSprt(0, 5)
    for number in range(14):
        test.add(1, number // 2)
    assert test.llr == 0


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        (1.0, SprtVerdict.ACCEPT_H1),
        (0.7, SprtVerdict.ACCEPT_H1),
        (0.5, SprtVerdict.ACCEPT_H0),
        (0.0, SprtVerdict.ACCEPT_H0),
    ],
)
def test_a_test_of_pairs_that_are_all_alike_ends(normalized: bool, points: float, verdict: SprtVerdict) -> None:
    test = PairedSprt(0, 20, normalized=normalized)
    for number in range(20):
        test.add(points, number // 2)
    assert test.verdict is SprtVerdict.CONTINUE or points != 0.5, "ten draws show little"
    for number in range(20, 4000):
        test.add(points, number // 2)
    assert test.verdict is verdict
