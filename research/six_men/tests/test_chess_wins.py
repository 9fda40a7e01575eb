"""Who can force mate is the same in chess, under both rules, so as many positions are won as Syzygy's tables have it.

The file chess_wins.csv has the counts that their generator printed (syzygy-tables.info, stats/regular), wins and
losses that the 50-move rule spoils among them. Like men are told apart there. Without pawns a position whose men all
stand on one long diagonal is its own mirror image: it counts there as any other, and half as much here, where
placements are counted.
"""

import csv
import itertools
import math
from collections import Counter
from collections.abc import Iterator

import pytest

from tbgen.core.material import Material, every, parse
from tests.support.places import ROOT

KINGS = 4
"""White's king is on the first so many squares of the diagonal, by symmetry."""
LONGEST_OF_FIVE = len("KRvKRP")
SIDES, RESULTS = ("white", "black"), ("wins", "draws", "losses")
Counts = dict[tuple[str, str], int]


def read(path: str) -> Iterator[dict[str, str]]:
    with (ROOT / path).open(newline="") as file:
        yield from csv.DictReader(file)


@pytest.fixture(scope="module")
def chess() -> dict[str, Counts]:
    return {
        row["material"]: {(side, what): int(row[f"{side}_{what}"]) for side in SIDES for what in RESULTS}
        for row in read("research/six_men/tests/chess_wins.csv")
    }


@pytest.fixture(scope="module")
def ours() -> dict[tuple[str, str], Counts]:
    """Placements, of each material of five and six men that is built under each of the rules."""
    found: dict[tuple[str, str], Counts] = {}
    for row in itertools.chain(read("research/five_men/outcomes.csv"), read("research/six_men/outcomes.csv")):
        counts = found.setdefault((row["material"], row["rules"]), Counter())
        placements = int(row["placements"])
        if row["to_move"] == "either":  # both sides have the same men; the one to move has the score
            what = {"G0.0": "wins", "-G0.0": "losses"}.get(row["gscore"], "draws")
            for side in SIDES:
                counts[side, what] += placements // len(SIDES)
        else:
            side = row["to_move"].lower()
            mates = {"G0.0": "white", "-G0.0": "black"}.get(row["gscore"])
            counts[side, "draws" if mates is None else "wins" if mates == side else "losses"] += placements
    return found


def orders(material: Material) -> int:
    """In how many ways like men can change places."""
    counts = [Counter(side) for side in (material.first, material.second)]
    return math.prod(math.factorial(count) for side in counts for count in side.values())


def on_diagonal(material: Material, side: str) -> int:
    """The legal positions with all men on the diagonal and this side to move; like men are told apart."""
    men = [*((True, man) for man in material.first), *((False, man) for man in material.second)]
    found = 0
    for king, other in itertools.product(range(KINGS), range(8)):
        if abs(king - other) <= 1:
            continue
        free = [square for square in range(8) if square not in {king, other}]
        for squares in itertools.permutations(free, len(men)):
            there = dict(zip(squares, men, strict=True))
            waits, mover = (other, True) if side == "white" else (king, False)
            there[king if mover else other] = (mover, "K")
            found += not attacked(there, waits, mover)
    return found


def attacked(there: dict[int, tuple[bool, str]], square: int, by: bool) -> bool:
    """Along the diagonal only bishops and queens attack, and the next man hides what is behind him."""
    nearest = [
        max((one for one in there if one < square), default=None),
        min((one for one in there if one > square), default=None),
    ]
    return any(one is not None and there[one][0] == by and there[one][1] in "QB" for one in nearest)


def differences(material: Material, mine: Counts, theirs: Counts) -> list[str]:
    """What cannot be explained."""
    has_pawns = "P" in material.first + material.second
    images = 2 if has_pawns else 8
    found = []
    for side in SIDES:
        more = {what: images * theirs[side, what] - orders(material) * mine.get((side, what), 0) for what in RESULTS}
        own_images = 0 if has_pawns else images // 2 * on_diagonal(material, side)
        if min(more.values()) < 0 or sum(more.values()) != own_images:
            found.append(f"{material.name}, {side} to move: {more}, {own_images} explained")
    return found


def test_as_many_positions_are_won_as_in_chess(chess: dict[str, Counts], ours: dict[tuple[str, str], Counts]) -> None:
    assert chess.keys() == {one.name for one in every(5)} | {name for name, _ in ours if len(name) > LONGEST_OF_FIVE}
    assert len(chess) > len(every(5))
    assert [line for (name, _), mine in ours.items() for line in differences(parse(name), mine, chess[name])] == []


def test_one_position_more_is_seen(chess: dict[str, Counts], ours: dict[tuple[str, str], Counts]) -> None:
    for name, count in (("KBNPvK", 2), ("KRBvKR", 4)):
        mine = ours[name, "r"]
        for place in mine:
            for change in (-count, count):
                assert differences(parse(name), {**mine, place: mine[place] + change}, chess[name]), (name, place)
