"""Who plays whom."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import pytest

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.match.ledger import Entry
from tbgen.referee.match.standings import Standings
from tbgen.referee.match.systems import Format, Pairing
from tbgen.rules.scoring import scoring

Result = Callable[[Pairing], str]


def played(form: Format, result: Result = lambda game: "G3.0") -> tuple[list[list[Pairing]], Standings]:
    """All batches of a match whose games end so, and its standings."""
    standings = Standings([str(number) for number in range(form.engines)], scoring("classical"), "")
    batches = []
    for batch in form.batches(standings):
        batches.append(list(batch))
        for game in batch:
            names = (str(game.white), str(game.black))
            standings.add(Entry(game.round, *names, outcome.parse(result(game)), "normal"))
    rounds = [game.round for batch in batches for game in batch]
    assert len(set(rounds)) == len(rounds)
    return batches, standings


def the_first_wins(game: Pairing) -> str:
    return "G0.0" if game.white < game.black else "-G0.0"


def test_the_order_of_players_is_not_that_of_their_games() -> None:
    def standings(form: Format, rng: random.Random) -> Standings:
        found = Standings([str(number) for number in range(form.engines)], scoring("classical"))
        for batch in form.batches(found):
            for game in rng.sample(batch, len(batch)):  # those of a batch end as they end
                level = (game.white * 7 + game.black * 3) % 11
                found.add(Entry(game.round, str(game.white), str(game.black), outcome.held_by_white(level), "normal"))
        return found

    for system in ("swiss", "knockout", "round-robin"):
        form = Format(system=system, engines=7, games=2, rounds=4)
        tables = [standings(form, random.Random(seed)).as_dict()["table"] for seed in range(5)]
        assert tables == [tables[0]] * 5


def test_everybody_plays_everybody_with_both_colours() -> None:
    ((*games,),), _ = played(Format(engines=3, games=4))
    assert len(games) == 12 == Format(engines=3, games=4).total
    assert [game.round for game in games[:7]] == ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "2.1"]
    assert {(game.white, game.black) for game in games if game.opening == 0} == {
        (0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)
    }  # fmt: skip


def test_an_odd_number_of_games() -> None:
    ((*games,),), _ = played(Format(games=3))
    assert [game[1:4] for game in games] == [(0, 1, 0), (1, 0, 0), (0, 1, 1)]


def test_colours_and_openings_by_choice() -> None:
    def games(**options: object) -> list[tuple[int, ...]]:
        (batch,), _ = played(Format(**options))  # type: ignore[arg-type]
        return [game[1:4] for game in batch]

    assert games(swap=False) == [(0, 1, 0), (0, 1, 1)]
    assert games(reverse=True) == [(1, 0, 0), (0, 1, 0)]
    form = Format(engines=3, games=4, each=True)
    assert [opening for *_, opening in games(engines=3, games=4, each=True)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert form.openings == 6


@pytest.mark.parametrize(("seeds", "meetings"), [(1, {(0, 1), (0, 2), (0, 3)}), (2, {(0, 2), (0, 3), (1, 2), (1, 3)})])
def test_a_gauntlet(seeds: int, meetings: set[tuple[int, int]]) -> None:
    form = Format(system="gauntlet", engines=4, seeds=seeds)
    ((*games,),), _ = played(form)
    assert {(min(game[1:3]), max(game[1:3])) for game in games} == meetings
    assert len(games) == form.total
    with pytest.raises(BadInput, match="4 seeds"):
        Format(system="gauntlet", engines=4, seeds=4)


def test_a_pyramid() -> None:
    ((*games,),), _ = played(Format(system="pyramid", engines=4))
    assert [frozenset(game[1:3]) for game in games[::2]] == [{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}]
    assert [game.round for game in games[:4]] == ["1.1", "1.2", "2.1", "2.2"]


def test_the_games_of_a_pair_have_a_round_of_their_own_in_a_pyramid() -> None:
    ((*games,),), _ = played(Format(system="pyramid", engines=3, games=3))
    assert [game[:4] for game in games[:4]] == [("1.1", 0, 1, 0), ("1.2", 1, 0, 0), ("2.1", 0, 1, 1), ("3.1", 0, 2, 0)]
    pairs = Counter((game.round.partition(".")[0], frozenset(game[1:3])) for game in games)
    assert sorted(pairs.values()) == [1, 1, 1, 2, 2, 2], "statistics tell pairs by their rounds"


@pytest.mark.parametrize("system", ["round-robin", "gauntlet", "pyramid", "swiss", "knockout"])
@pytest.mark.parametrize("engines", [2, 5, 7, 8])
@pytest.mark.parametrize(("games", "swap"), [(4, True), (3, True), (3, False), (1, True)])
def test_each_pair_has_openings_of_its_own(system: str, engines: int, games: int, swap: bool) -> None:
    form = Format(system=system, engines=engines, games=games, swap=swap, each=True, rounds=3)
    batches, _ = played(form, the_first_wins)
    players: dict[int, set[frozenset[int]]] = {}
    for number, batch in enumerate(batches):
        for game in batch:
            players.setdefault(game.opening, set()).add(frozenset((*game[1:3], -1 - number)))
    assert all(len(who) == 1 for who in players.values())
    assert sorted(players) == list(range(form.openings))


def test_no_opening_comes_again_where_an_encounter_is_prolonged() -> None:
    batches, _ = played(Format(system="knockout", engines=4, each=True), lambda game: "G3.0")
    pairs = {game.opening: frozenset(game[1:3]) for batch in batches for game in batch}
    assert sum(map(len, batches)) == 2 * len(pairs) == 30
    assert sorted(pairs) == list(range(len(pairs)))


@pytest.mark.parametrize(("engines", "rounds"), [(2, 1), (5, 4), (6, 5), (8, 3), (9, 5), (20, 9)])
def test_a_swiss(engines: int, rounds: int) -> None:
    form = Format(system="swiss", engines=engines, rounds=rounds)
    batches, standings = played(form, the_first_wins)
    assert len(batches) == rounds
    assert sum(map(len, batches)) == form.total
    meetings = Counter(frozenset(game[1:3]) for batch in batches for game in batch)
    assert set(meetings.values()) == {2}, "nobody meets anybody again"
    for batch in batches:
        games = Counter(player for game in batch for player in game[1:3])
        assert set(games.values()) == {2}
        assert len(games) == engines - engines % 2
    assert standings.order()[0] == 0
    assert standings.score_of(0) == 2 * rounds
    byes = sum(standings.score_of(player) for player in range(engines)) - form.total
    assert byes == (2 * rounds if engines % 2 else 0)


def test_in_a_swiss_those_meet_who_are_level() -> None:
    batches, _ = played(Format(system="swiss", engines=8, rounds=3), the_first_wins)
    assert {frozenset(game[1:3]) for game in batches[1]} == {
        frozenset(pair) for pair in ((0, 1), (2, 3), (4, 5), (6, 7))
    }  # fmt: skip


def test_in_a_swiss_of_more_rounds_than_opponents_nobody_meets_again_before_all_have_met() -> None:
    batches, _ = played(Format(system="swiss", engines=4, rounds=6))
    assert [len(batch) for batch in batches] == [4] * 6
    meetings = Counter(frozenset(game[1:3]) for batch in batches for game in batch)
    assert sorted(meetings.values()) == [4] * 6


def pairings(order: Sequence[int]) -> Iterator[list[frozenset[int]]]:
    """All ways to pair the players, those first where the first player meets the next best."""
    if not order:
        yield []
    for place in range(1, len(order)):
        for others in pairings([*order[1:place], *order[place + 1 :]]):
            yield [frozenset((order[0], order[place])), *others]


@pytest.mark.parametrize("engines", [4, 6, 8])
def test_a_swiss_has_the_pairs_nearest_to_each_other_of_all_with_the_fewest_rematches(engines: int) -> None:
    rng = random.Random(engines)
    standings = Standings([str(number) for number in range(engines)], scoring("classical"), "")
    meetings: Counter[frozenset[int]] = Counter()
    for number, batch in enumerate(Format(system="swiss", engines=engines, games=1, rounds=12).batches(standings)):
        pairs = [frozenset(game[1:3]) for game in batch]
        if number:
            best = min(
                pairings(standings.order()),
                key=lambda pairs: (sum(meetings[pair] > 0 for pair in pairs), sum(meetings[pair] for pair in pairs)),
            )
            assert pairs == best
        meetings.update(pairs)
        for game in batch:
            result = outcome.parse(rng.choice(["G0.0", "-G0.0", "G3.0"]))
            standings.add(Entry(game.round, str(game.white), str(game.black), result, "normal"))


class Teams(Standings):
    """Standings in which players of two teams take turns, so that each meets all of the other team first."""

    def __init__(self, size: int) -> None:
        super().__init__([str(number) for number in range(2 * size)], scoring("classical"))
        self.rounds = 0

    def order(self) -> list[int]:
        self.rounds += 1
        size = len(self.players) // 2
        return [player for one in range(size) for player in (one, size + (one + self.rounds) % size)]


def test_a_swiss_of_many_players_goes_on_where_some_must_meet_again() -> None:
    size = 15
    *before, last = Format(system="swiss", engines=2 * size, games=1, rounds=size + 1).batches(Teams(size))
    met = {frozenset(game[1:3]) for batch in before for game in batch}
    assert met == {frozenset((one, size + other)) for one in range(size) for other in range(size)}
    rematches = [pair for pair in (frozenset(game[1:3]) for game in last) if pair in met]
    assert len(rematches) == 1, "in a team of fifteen one is left over"


@pytest.mark.parametrize("engines", [2, 3, 5, 8, 11, 16])
def test_a_knockout(engines: int) -> None:
    batches, _ = played(Format(system="knockout", engines=engines), the_first_wins)
    meetings = [{frozenset(game[1:3]) for game in batch} for batch in batches]
    assert sum(map(len, meetings)) == engines - 1
    assert meetings[-1] == {frozenset((0, 1))}
    if engines == 8:
        assert meetings[0] == {frozenset(pair) for pair in ((0, 7), (3, 4), (1, 6), (2, 5))}


def test_a_level_match_of_a_knockout_is_prolonged() -> None:
    form = Format(system="knockout", engines=2, games=4)
    batches, _ = played(form, lambda game: "G0.0" if game.round == "4.2" else "G3.0")
    assert [len(batch) for batch in batches] == [4, 2, 2]
    batches, standings = played(form)
    assert [len(batch) for batch in batches] == [4, 2, 2, 2, 2]
    assert standings.score_of(0) == Fraction(6)


def test_the_same_results_give_the_same_batches() -> None:
    for system in ("swiss", "knockout"):
        form = Format(system=system, engines=7, rounds=4)
        assert played(form, the_first_wins)[0] == played(form, the_first_wins)[0]
