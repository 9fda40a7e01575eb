"""Position <-> number: there and back again, for every number; like positions share one."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.board.geometry import FILES_MIRRORED, GEOMETRY, RANKS_MIRRORED, TRANSPOSED
from tbgen.compiler.jit import kernel
from tbgen.core.material import Material, every, parse
from tbgen.index import Layout, layout_of
from tbgen.index.atlas import MEN, Atlas, inverse, make_atlas
from tbgen.index.groups import GROUP_SIZES, MOST_ALIKE, choices
from tbgen.index.kernels import quotient
from tbgen.index.kings import FIXED, FREE, MIRRORED, PAIRS, kings
from tbgen.index.pawns import SWAP_BIT, count_slices, every_slice
from tbgen.index.positions import fen, fens, first_to_move, placed, position
from tests.support.materials import LARGER, SMALL
from tests.support.numbering import decode_many, locate_many

Ints = NDArray[np.int64]

OF_EACH_KIND = [one.name for men in (2, 3) for one in every(men)] + [
    "KRvKR",
    "KBvKN",
    "KNNvK",
    "KPvKP",
    "KPPvK",
    "KRvKP",
]
"""Unlike men and like ones, equal sides, pawns of one side and of both."""
CHUNK = 1 << 19


class Table(NamedTuple):
    layout: Layout
    atlas: Atlas

    def decode(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Squares slot by slot, and the side to move, row by row."""
        squares, movers = np.zeros((len(numbers), MEN), np.int64), np.zeros(len(numbers), np.int64)
        decode_many(self.atlas, 0, self.layout.pawns.squares.astype(np.int64), numbers, squares, movers)
        return squares, movers

    def locate(self, squares: Ints, movers: Ints) -> Ints:
        numbers = np.full(len(movers), -2, np.int64)
        locate_many(self.atlas, 0, squares, movers, numbers)
        return numbers

    def locate_one(self, squares: Iterable[int], mover: int) -> int:
        row = np.array([[*squares, *[0] * MEN][:MEN]], np.int64)
        return int(self.locate(row, np.array([mover], np.int64))[0])


@cache
def table_of(name: str) -> Table:
    layout = layout_of(parse(name))
    return Table(layout, make_atlas([layout]))


@kernel
def divided(number, inverse):  # type: ignore[no-untyped-def]
    return quotient(number, inverse)


@given(st.integers(1, 1 << 32), st.data())
def test_an_inverse_divides_as_far_as_its_word_reaches(divisor: int, data: st.DataObject) -> None:
    most = min((1 << 64) // divisor, 1 << 63) - 1
    often = data.draw(st.integers(0, most // divisor))
    for number in (often * divisor - 1, often * divisor, most - 1):
        if number >= 0:
            assert divided(number, inverse(divisor)) == number // divisor


# --- every number ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name if name in OF_EACH_KIND else pytest.param(name, marks=pytest.mark.full) for name in SMALL]
)
def test_every_number_comes_back(name: str) -> None:
    table = table_of(name)
    men = len(table.layout.letters)
    for start in range(0, table.layout.size, CHUNK):
        numbers = np.arange(start, min(start + CHUNK, table.layout.size))
        squares, movers = table.decode(numbers)
        assert (table.locate(squares, movers) == numbers).all()
        assert ((squares[:, :men] >= 0) & (squares[:, :men] < 64)).all()
        assert ((movers == 0) | (movers == 1)).all()


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_random_numbers_come_back(name: str) -> None:
    table = table_of(name)
    numbers = np.random.default_rng(len(name)).integers(0, table.layout.size, 20_000)
    numbers[:2] = 0, table.layout.size - 1
    squares, movers = table.decode(numbers)
    assert (table.locate(squares, movers) == numbers).all()


@pytest.mark.parametrize("name", [*SMALL, *LARGER])
def test_numpy_names_the_same_positions(name: str) -> None:
    table = table_of(name)
    layout = table.layout
    numbers = np.random.default_rng(1).integers(0, layout.size, 50)
    numbers[:2] = 0, layout.size - 1
    squares, movers = table.decode(numbers)
    for number, row, mover in zip(numbers.tolist(), squares.tolist(), movers.tolist(), strict=True):
        found = position(layout, number)
        assert [square for square, _ in found.men] == row[: len(layout.letters)]
        assert found.first_to_move == (mover == 0)
        board = chess.Board(fen(layout, number))
        assert board.turn == found.first_to_move
        assert board.piece_map() == {s: chess.Piece.from_symbol(letter) for s, letter in dict(found.men).items()}
    numbers = np.random.default_rng(2).integers(0, layout.size, 20_000)
    squares, movers = table.decode(numbers)
    found = placed(layout, numbers)
    assert (np.transpose(found.squares) == squares[:, : len(layout.letters)]).all()
    assert (found.second_moves == movers).all()


@pytest.mark.parametrize("name", ["KvK", "KRvKR", "KPvKP"])
def test_with_swapped_colours_the_first_side_is_to_move(name: str) -> None:
    table = table_of(name)
    numbers = np.random.default_rng(3).integers(0, table.layout.size, 500)
    found = placed(table.layout, numbers)
    for before, after in zip(
        fens(table.layout, found), fens(table.layout, first_to_move(table.layout, found)), strict=True
    ):
        board = chess.Board(before.decode())
        assert chess.Board(after.decode()) == (board if board.turn else board.mirror())


def test_numbers_outside_of_the_table() -> None:
    layout = layout_of(parse("KQvK"))
    for number in (-1, layout.size):
        with pytest.raises(IndexError, match="KQvK"):
            position(layout, number)


def test_a_layout_is_of_a_normal_material() -> None:
    with pytest.raises(ValueError, match="normal"):
        layout_of(Material("", "Q"))


def test_sizes() -> None:
    names = ("KvK", "KNvK", "KBvKN", "KNNvK", "KRvKR", "KPvK")
    sizes = (462, 2 * 462 * 64, 2 * 462 * 64 * 64, 2 * 462 * 64 * 63 // 2, 462 * 64 * 64, 24 * 2 * 3612)
    assert tuple(layout_of(parse(name)).size for name in names) == sizes


@pytest.mark.parametrize("name", ["KRPvKRP", "KQRBNvK", "KQRvKBN"])
def test_numbers_of_six_men_need_more_than_32_bits(name: str) -> None:
    table = table_of(name)
    assert table.layout.size > 2**32
    assert table.layout.start.dtype == np.int64
    squares, movers = table.decode(np.array([table.layout.size - 1, 2**32 + 12345]))
    assert table.locate(squares, movers).tolist() == [table.layout.size - 1, 2**32 + 12345]


@pytest.mark.parametrize("count", range(1, MOST_ALIKE + 1))
def test_groups_are_numbered_by_the_highest_square_then_the_next(count: int) -> None:
    expected = sorted(itertools.combinations(range(64), count), key=lambda squares: squares[::-1])
    found = choices().squares[count].reshape(-1, count)
    assert len(found) == GROUP_SIZES[count]
    assert (found == np.array(expected)).all()
    terms = [choices().choose[64 * nth + column] for nth, column in enumerate(found.T.astype(np.int64))]
    assert (sum(terms) == np.arange(len(found))).all()


# --- like positions share a number -----------------------------------------------------------------


class Placed(NamedTuple):
    """A position by squares in slot order; the first side moves if `mover` is 0."""

    squares: tuple[int, ...]
    mover: int


def moved_by(one: Placed, symmetry: int) -> Placed:
    return Placed(tuple(int(GEOMETRY.image[symmetry, square]) for square in one.squares), one.mover)


def with_colours_swapped(layout: Layout, one: Placed) -> Placed:
    """The same men in the other hands, seen from the other side of the board (materials with equal sides)."""
    letters = layout.letters
    slots = {man: [slot for slot, other in enumerate(letters) if other == man] for man in letters}
    return Placed(tuple(one.squares[slots[1 - side, letter].pop(0)] ^ 56 for side, letter in letters), 1 - one.mover)


def images(layout: Layout, one: Placed) -> Iterator[Placed]:
    """All that is alike but for symmetry, like men in their given order."""
    symmetries = (0, FILES_MIRRORED) if layout.material.pawns else range(8)
    for symmetry in symmetries:
        yield moved_by(one, symmetry)
        if layout.material.even:
            yield moved_by(with_colours_swapped(layout, one), symmetry)


def shown(layout: Layout, one: Placed) -> tuple[frozenset[tuple[int, tuple[int, str]]], int]:
    return frozenset(zip(one.squares, layout.letters, strict=True)), one.mover


@st.composite
def placed_positions(draw: st.DrawFn, names: list[str]) -> tuple[Table, Placed]:
    """Any men on any squares of their own; kings apart, often both on the long diagonal."""
    table = table_of(draw(st.sampled_from(names)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    while True:
        free = list(chess.SQUARES)
        squares = []
        for _, letter in table.layout.letters:
            fitting = [s for s in free if letter != "P" or 8 <= s < 56]
            if letter == "K" and chance.random() < 0.4:
                fitting = [s for s in fitting if s % 9 == 0]
            squares.append(chance.choice(fitting))
            free.remove(squares[-1])
        if chess.square_distance(squares[0], squares[1]) > 1:
            return table, Placed(tuple(squares), chance.randrange(2))


@given(placed_positions([*SMALL, *LARGER]), st.integers(0, 2**32))
def test_images_share_a_number_or_have_mirror_twins(case: tuple[Table, Placed], seed: int) -> None:
    chance = random.Random(seed)
    table, one = case
    layout = table.layout
    number = table.locate_one(*one)
    squares, movers = table.decode(np.array([number]))
    stored = Placed(tuple(squares[0, : len(one.squares)].tolist()), int(movers[0]))
    assert shown(layout, stored) in [shown(layout, image) for image in images(layout, one)]

    numbers = {number}
    on_diagonal = all(square % 9 == 0 for square in stored.squares[:2])
    if on_diagonal and not layout.material.pawns:
        numbers.add(table.locate_one(*moved_by(stored, TRANSPOSED)))
    found = set()
    for image in images(layout, one):
        order = list(image.squares)
        for _, like in itertools.groupby(range(len(order)), key=layout.letters.__getitem__):
            slots = list(like)
            order[slots[0] : slots[-1] + 1] = chance.sample([order[slot] for slot in slots], len(slots))
        found.add(table.locate_one(order, image.mover))
    assert found == numbers


@given(placed_positions([*SMALL, *LARGER]))
def test_touching_kings_and_pawns_on_last_ranks_have_no_number(case: tuple[Table, Placed]) -> None:
    table, one = case
    beside = [s for s in chess.SQUARES if chess.square_distance(s, one.squares[0]) <= 1]
    for square in beside:
        assert table.locate_one((one.squares[0], square, *one.squares[2:]), one.mover) == -1
    if table.layout.material.pawns:
        for square in (*range(8), *range(56, 64)):
            assert table.locate_one((*one.squares[:-1], square), one.mover) == -1


# --- kings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "symmetries"), [(FREE, range(8)), (MIRRORED, (0, FILES_MIRRORED)), (FIXED, (0,))])
def test_every_pair_of_kings_has_the_number_of_its_images(family: int, symmetries: Iterable[int]) -> None:
    table = kings(family)
    assert len(table.first) == len(table.second) == PAIRS[family]
    for a, b in itertools.product(chess.SQUARES, repeat=2):
        number = int(table.number[a * 64 + b])
        assert (number < 0) == (chess.square_distance(a, b) <= 1)
        if number < 0:
            continue
        image = GEOMETRY.image[table.symmetry[a * 64 + b]]
        assert table.symmetry[a * 64 + b] in symmetries
        assert (image[a], image[b]) == (table.first[number], table.second[number])
        for symmetry in symmetries:
            other = GEOMETRY.image[symmetry].astype(int)
            assert table.number[other[a] * 64 + other[b]] == number


# --- slices ----------------------------------------------------------------------------------------

PAWNS = [
    *("KPvK", "KPPvK", "KPvKP", "KRPvKP", "KPPvKP", "KPPPvK", "KRPvKRP"),
    *(pytest.param(name, marks=pytest.mark.full) for name in ("KPPPPvK", "KPPPvKP", "KPPvKPP")),
]


@pytest.mark.parametrize("name", PAWNS)
def test_every_placement_of_pawns_belongs_to_one_slice(name: str) -> None:
    layout = layout_of(parse(name))
    first, second = layout.material.first.count("P"), layout.material.second.count("P")
    found = every_slice(first, second, layout.material.even)
    met = set()
    for pawns in itertools.permutations(range(8, 56), first + second):
        entry = int(found.slice_of[sum(square << 6 * place for place, square in enumerate(pawns))])
        assert entry >= 0
        met.add(entry >> 4)
        image = [int(GEOMETRY.image[entry & 7, square]) for square in pawns]
        sides = sorted(image[:first]), sorted(image[first:])
        stored = found.squares[entry >> 4].tolist()
        assert stored == (sides[1] + sides[0] if entry & SWAP_BIT else sides[0] + sides[1])
    assert met == set(range(layout.slices))


@pytest.mark.parametrize("name", PAWNS)
def test_slices_know_their_own_symmetries(name: str) -> None:
    layout = layout_of(parse(name))
    first = layout.material.first.count("P")
    for slice_, pawns in enumerate(layout.pawns.squares.tolist()):
        white, black = set(pawns[:first]), set(pawns[first:])
        mirrored = [{square ^ 7 for square in side} for side in (white, black)]
        assert layout.pawns.mirrored[slice_] == (mirrored == [white, black])
        flips = [
            symmetry
            for symmetry in (RANKS_MIRRORED, RANKS_MIRRORED | FILES_MIRRORED)
            if layout.material.even and {int(GEOMETRY.image[symmetry, s]) for s in white} == black
        ]
        assert layout.flip[slice_] in (flips or [-1])
        halves = 1 if flips else 2
        pairs = PAIRS[MIRRORED] if mirrored == [white, black] else PAIRS[FIXED]
        assert layout.start[slice_ + 1] - layout.start[slice_] == halves * pairs * layout.inner


@pytest.mark.parametrize("name", PAWNS)
def test_every_pawn_move_leads_to_a_smaller_slice(name: str) -> None:
    """And to one that has fewer steps before it: slices with as many can be solved side by side."""
    layout = layout_of(parse(name))
    first = layout.material.first.count("P")
    to_go, slice_of = layout.pawns.to_go, layout.pawns.slice_of
    assert (np.diff(to_go) >= 0).all()
    for slice_, pawns in enumerate(layout.pawns.squares.tolist()):
        for slot, square in enumerate(pawns):
            step, home = (8, 1) if slot < first else (-8, 6)
            for target in [square + step] + [square + 2 * step] * (square // 8 == home):
                if not 8 <= target < 56 or target in pawns or square + step in pawns:
                    continue
                after = [*pawns[:slot], target, *pawns[slot + 1 :]]
                later = int(slice_of[sum(s << 6 * place for place, s in enumerate(after))]) >> 4
                assert 0 <= later < slice_
                assert to_go[later] < to_go[slice_]


@pytest.mark.parametrize("men", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.full)])
def test_slices_are_counted_without_being_made(men: int) -> None:
    """How many there are of each kind, and the numbers of a table, by combinatorics and one by one."""
    for material in every(men):
        layout = layout_of(material)
        found = Counter(zip(layout.pawns.mirrored.tolist(), (layout.pawns.flip >= 0).tolist(), strict=True))
        first, second = material.first.count("P"), material.second.count("P")
        if material.pawns:
            assert +Counter(count_slices(first, second, material.even)) == found, material
        assert layout.size == layout.start[-1], material
        assert layout.one_side == layout.half_size.sum(), material
