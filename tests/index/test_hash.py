"""Every placement of a local table is found by its pawns in any order, and none else is."""

import random
from itertools import permutations

import numpy as np
import pytest

from tbgen.board.geometry import FILES_MIRRORED
from tbgen.index.hash import make_hash
from tbgen.index.pawns import SLICE_SHIFT, SYMMETRY_MASK, every_slice, some

Placed = tuple[int, ...]


def random_placements(first: int, second: int, count: int) -> list[Placed]:
    chance, found = random.Random(count), set[Placed]()
    while len(found) < count:
        squares = chance.sample(range(8, 56), first + second)
        found.add((*sorted(squares[:first]), *sorted(squares[first:])))
    return sorted(found)


@pytest.mark.parametrize(
    ("first", "second", "count"), [(1, 0, 1), (1, 1, 40), (3, 2, 3_000), (5, 5, 30_000), (6, 4, 1)]
)
def test_every_placement_has_its_row(first: int, second: int, count: int) -> None:
    chosen = np.array(random_placements(first, second, count), np.int64)
    found, rows = make_hash(chosen, (0,) * first + (1,) * second)
    assert [rows[found.place(squares)] for squares in chosen.tolist()] == list(range(count))


def test_like_pawns_in_any_order() -> None:
    found = some(3, 2, tuple(random_placements(3, 2, 200)))
    for number, squares in enumerate(found.squares.tolist()):
        for white in permutations(squares[:3]):
            for black in permutations(squares[3:]):
                assert found.find([*white, *black]) >> SLICE_SHIFT == number


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 2)])
def test_nothing_else_is_found(first: int, second: int) -> None:
    """Above all not the same squares with other colours. Mirror images are found, as such where they are not chosen."""
    chosen = set(random_placements(first, second, 300))
    found = some(first, second, tuple(chosen))
    for squares in [*random_placements(first, second, 1_000), *(mirrored(one, first) for one in chosen)]:
        for asked in (squares, (*squares[first:], *squares[:first])):
            packed, image = found.find(asked), mirrored(asked, first)
            assert (packed >= 0) == (asked in chosen or image in chosen)
            if packed >= 0:
                stored = tuple(found.squares[packed >> SLICE_SHIFT].tolist())
                assert (stored, packed & SYMMETRY_MASK) == ((asked, 0) if asked in chosen else (image, FILES_MIRRORED))


def mirrored(squares: Placed, first: int) -> Placed:
    return tuple(square for side in (squares[:first], squares[first:]) for square in sorted(one ^ 7 for one in side))


def test_all_placements_are_found_with_their_symmetry() -> None:
    every = every_slice(1, 1, True)
    assert {every.find(squares) >> SLICE_SHIFT for squares in random_placements(1, 1, 1_000)} <= set(
        range(len(every.squares))
    )
    assert every.find([8, 8]) == every.find([0, 20]) == -1
