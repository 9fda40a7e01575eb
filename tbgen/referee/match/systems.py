"""Who plays whom: systems of pairing, each a generator of batches.

A batch is asked for when all games of the one before have been played, so that a system may look at the results. It
gives the same batches for the same results, which is how a match is taken up again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

from tbgen.errors import BadInput

_EXTRA: Final = 4
"""How often a match of a knockout that is level is prolonged by two games. Then the better seed goes on."""


class Pairing(NamedTuple):
    """A game to be played."""

    round: str
    """The round as in the PGN tag, `3.1`. No two games of a match have the same."""
    white: int
    """The engine's place in the list."""
    black: int
    opening: int


Batch: TypeAlias = Sequence[Pairing]


class Results(Protocol):
    """What there is to know of the games so far, by engines' numbers."""

    def score_of(self, player: int, opponent: int | None = None) -> Fraction:
        """Points, in all games or in those against an opponent."""

    def order(self) -> list[int]:
        """The players from first to last."""

    def add_bye(self, player: int, points: int) -> None:
        """Give a player points for games that it could not play for want of an opponent."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """How a match is played."""

    system: str = "round-robin"
    engines: int = 2
    games: int = 2
    """The games of each pair of engines that meets."""
    rounds: int | None = None
    """The rounds of a swiss tournament."""
    seeds: int = 1
    """The first engines, who play all others in a gauntlet."""
    swap: bool = True
    reverse: bool = False
    each: bool = False
    """Whether each pair of engines has its own opening in a round."""

    def __post_init__(self) -> None:
        if self.system == "gauntlet" and self.seeds >= self.engines:
            raise BadInput(f"a gauntlet of {self.seeds} seeds takes more engines than {self.engines}")

    def batches(self, results: Results) -> Iterator[Batch]:
        """All games of the match, batch after batch."""
        return SYSTEMS[self.system](self, results)

    @property
    def total(self) -> int | None:
        """How many games that are; None if it depends on the results."""
        if self.system == "knockout":
            return None
        if self.system == "swiss":
            return self.engines // 2 * self.games * self.swiss_rounds
        return self.games * len(_pairs(self))

    @property
    def swiss_rounds(self) -> int:
        """As many as it takes to find a winner, if nobody says how many."""
        return self.rounds or max(1, (self.engines - 1).bit_length())

    @property
    def in_encounter(self) -> int:
        """The rounds that an encounter takes: an opening each."""
        return -(-self.games // (2 if self.swap else 1))

    @property
    def has_pairs(self) -> bool:
        """Whether openings are played twice with colours swapped."""
        return self.swap and self.games > 1

    @property
    def openings(self) -> int:
        """How many openings are wanted, but for encounters that are prolonged."""
        meetings = [len(_pairs(self))]
        if self.system == "swiss":
            meetings = [self.engines // 2] * self.swiss_rounds
        elif self.system == "knockout":
            size = len(_bracket(self.engines)) // 2
            meetings = [self.engines - size]
            while size > 1:
                size //= 2
                meetings.append(size)
        return sum(self.openings_of(pairs) for pairs in meetings)

    def openings_of(self, pairs: int) -> int:
        """How many openings it takes for so many pairs of engines to meet."""
        return self.in_encounter * (pairs if self.each else 1)


def _pairs(form: Format) -> list[tuple[int, int]]:
    """Who meets whom in a system that does not look at results."""
    pairs = list(combinations(range(form.engines), 2))
    if form.system == "gauntlet":
        return [pair for pair in pairs if pair[0] < form.seeds <= pair[1]]
    if form.system == "pyramid":
        return sorted(pairs, key=lambda pair: (pair[1], pair[0]))
    return pairs


def _encounters(form: Format, pairs: Sequence[tuple[int, int]], first: int = 0, opening: int = 0) -> Iterator[Pairing]:
    """All games of these pairs, round by round: every pair plays so many games.

    In a round a pair plays one opening twice, colours swapped; of an odd number of games the last round
    has only the first. Without `swap` it is played once. All pairs of a round play the same opening, or `each` its
    own. `first` is how many rounds came before, `opening` the first that is played.
    """
    in_pair = 2 if form.swap else 1
    for number in range(form.in_encounter):
        in_round = 0
        for place, (one, two) in enumerate(pairs):
            if form.reverse:
                one, two = two, one
            for white, black in ((one, two), (two, one))[: min(in_pair, form.games - in_pair * number)]:
                in_round += 1
                later = number * len(pairs) + place if form.each else number
                yield Pairing(f"{first + number + 1}.{in_round}", white, black, opening + later)


def _at_once(form: Format, results: Results) -> Iterator[Batch]:
    """Everything that does not depend on results."""
    yield list(_encounters(form, _pairs(form)))


def _pyramid(form: Format, results: Results) -> Iterator[Batch]:
    """Every engine plays against all before it, one encounter after the other."""
    games: list[Pairing] = []
    for number, pair in enumerate(_pairs(form)):
        before = number * form.in_encounter
        games += _encounters(form, [pair], before, before if form.each else 0)
    yield games


def _swiss(form: Format, results: Results) -> Iterator[Batch]:
    """In each round those meet who are level, or nearly so, and have not met before, as long as there are any."""
    meetings: Counter[frozenset[int]] = Counter()
    whites: Counter[int] = Counter()
    had_bye: set[int] = set()
    for number in range(form.swiss_rounds):
        order = results.order() if number else list(range(form.engines))
        if len(order) % 2:
            bye = next(player for player in reversed(order) if player not in had_bye or len(had_bye) == len(order))
            had_bye.add(bye)
            order.remove(bye)
            results.add_bye(bye, form.games)
        half = len(order) // 2
        if not number:  # the first of one half against the first of the other, and so on
            pairs = list(zip(order[:half], order[half:], strict=True))
        else:
            pairs = _pairs_near(order, meetings)
        pairs = [pair if whites[pair[0]] <= whites[pair[1]] else pair[::-1] for pair in pairs]
        whites.update(one for one, _ in pairs)
        meetings.update(map(frozenset, pairs))
        yield list(_encounters(form, pairs, number * form.in_encounter, number * form.openings_of(len(pairs))))


def _pairs_near(order: Sequence[int], meetings: Counter[frozenset[int]]) -> list[tuple[int, int]]:
    """Return pairs of all players, as few of whom have met before as possible, and those as rarely as possible.

    Of such pairings it is the one where the first player meets the next best, then the first of the others, and so on.
    """
    import networkx as nx  # late: it takes a quarter of a second

    players = len(order)
    graph = nx.Graph()
    for better, worse in combinations(range(players), 2):
        met = meetings[frozenset((order[better], order[worse]))]
        # A number whose digits say, the better player's in front, who meets whom; one more meeting outweighs them all,
        # and one more pair that has met outweighs all meetings.
        opponents = worse * players ** (players - 1 - better)
        weight = opponents + players**players * (met + bool(met) * meetings.total())
        graph.add_edge(better, worse, weight=weight)
    pairs = sorted(tuple(sorted(pair)) for pair in nx.min_weight_matching(graph))
    return [(order[better], order[worse]) for better, worse in pairs]


def _knockout(form: Format, results: Results) -> Iterator[Batch]:
    """Who loses an encounter is out. The first engines meet last."""
    alive = _bracket(form.engines)
    prolonged = replace(form, games=2 if form.swap else 1)
    done = opening = 0
    while len(alive) > 1:
        meetings = list(zip(alive[::2], alive[1::2], strict=True))
        pairs = [(min(one, two), max(one, two)) for one, two in meetings if one is not None and two is not None]
        yield list(_encounters(form, pairs, done, opening))
        done += form.in_encounter
        opening += form.openings_of(len(pairs))
        for _ in range(_EXTRA):
            level = [(one, two) for one, two in pairs if results.score_of(one, two) == results.score_of(two, one)]
            if not level:
                break
            yield list(_encounters(prolonged, level, done, opening))
            done += 1
            opening += prolonged.openings_of(len(level))
        alive = [_winner(one, two, results) for one, two in meetings]


def _bracket(engines: int) -> list[int | None]:
    """Places of a knockout, so that the first players meet last; None where a player has no opponent."""
    places = [0]
    while len(places) < engines:
        size = 2 * len(places)
        places = [place for one in places for place in (one, size - 1 - one)]
    return [place if place < engines else None for place in places]


def _winner(one: int | None, two: int | None, results: Results) -> int | None:
    if one is None or two is None:
        return two if one is None else one
    better, worse = min(one, two), max(one, two)
    return worse if results.score_of(worse, better) > results.score_of(better, worse) else better


SYSTEMS: Final[Mapping[str, Callable[[Format, Results], Iterator[Batch]]]] = MappingProxyType(
    {
        "round-robin": _at_once,
        "gauntlet": _at_once,
        "swiss": _swiss,
        "knockout": _knockout,
        "pyramid": _pyramid,
    }
)
