"""Geometry: attacks, lines and symmetries of the empty board against python-chess."""

import itertools

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.board import geometry
from tbgen.board.geometry import GEOMETRY

PIECE_OF_KIND = {
    geometry.QUEEN: chess.Piece(chess.QUEEN, chess.WHITE),
    geometry.ROOK: chess.Piece(chess.ROOK, chess.WHITE),
    geometry.BISHOP: chess.Piece(chess.BISHOP, chess.WHITE),
    geometry.KNIGHT: chess.Piece(chess.KNIGHT, chess.WHITE),
    geometry.KING: chess.Piece(chess.KING, chess.WHITE),
    geometry.PAWN_UP: chess.Piece(chess.PAWN, chess.WHITE),
    geometry.PAWN_DOWN: chess.Piece(chess.PAWN, chess.BLACK),
}
KINDS = list(PIECE_OF_KIND)
PAWNS = {geometry.PAWN_UP: geometry.PAWN_DOWN, geometry.PAWN_DOWN: geometry.PAWN_UP}
SYMMETRIES = range(8)

squares = st.sampled_from(chess.SQUARES)
symmetries = st.sampled_from(SYMMETRIES)


def attack_set(kind: int, square: int, occupied: int = 0) -> chess.SquareSet:
    board = chess.Board(None)
    for other in chess.SquareSet(occupied):
        board.set_piece_at(other, chess.Piece(chess.PAWN, chess.BLACK))
    board.set_piece_at(square, PIECE_OF_KIND[kind])
    return board.attacks(square)


def reached(kind: int, square: int, occupied: int) -> list[int]:
    """Destinations as kernels walk them: on to the next ray behind every man that is met."""
    ray = kind * 64 + square
    at, end, found = GEOMETRY.start[ray], GEOMETRY.start[ray + 1], []
    while at < end:
        target = int(GEOMETRY.to[at])
        found.append(target)
        at = GEOMETRY.skip[at] if occupied >> target & 1 else at + 1
    assert at == end, "the last ray ends with the man's destinations"
    return found


def image(symmetry: int, squares_before: chess.SquareSet) -> chess.SquareSet:
    return chess.SquareSet(int(GEOMETRY.image[symmetry, square]) for square in squares_before)


def test_every_letter_has_its_kind() -> None:
    assert {letter: PIECE_OF_KIND[kind].symbol() for letter, kind in geometry.KIND_OF_LETTER.items()} == {
        letter: letter for letter in "QRBNK"
    }


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_on_the_empty_board(kind: int) -> None:
    for square in chess.SQUARES:
        expected = attack_set(kind, square)
        destinations = reached(kind, square, 0)
        assert int(GEOMETRY.attacks[kind, square]) == int(expected)
        assert len(set(destinations)) == len(destinations)
        assert set(destinations) == set(expected)


@given(st.sampled_from(KINDS), squares, st.sets(squares, max_size=20))
def test_rides_end_at_the_first_man(kind: int, square: int, others: set[int]) -> None:
    occupied = int(chess.SquareSet(others - {square}))
    destinations = reached(kind, square, occupied)
    assert len(set(destinations)) == len(destinations)
    assert set(destinations) == set(attack_set(kind, square, occupied))


def test_between_is_what_lies_strictly_between_two_squares_of_a_line() -> None:
    for a, b in itertools.product(chess.SQUARES, repeat=2):
        assert int(GEOMETRY.between[a * 64 + b]) == chess.between(a, b)


def test_a_ride_reaches_what_it_attacks_unless_something_stands_between() -> None:
    """How kernels tell whether a man attacks a square; for the men that do not ride nothing is ever between."""
    for kind in KINDS:
        for square in chess.SQUARES:
            for target in attack_set(kind, square):
                between = int(GEOMETRY.between[square * 64 + target])
                if kind in (geometry.KNIGHT, geometry.KING, *PAWNS):
                    assert between == 0
                for blocker in chess.SquareSet(between):
                    assert target not in attack_set(kind, square, chess.BB_SQUARES[blocker])


# --- symmetries ------------------------------------------------------------------------------------


def test_what_the_bits_of_a_symmetry_do() -> None:
    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        assert GEOMETRY.image[0, square] == square
        assert GEOMETRY.image[geometry.FILES_MIRRORED, square] == chess.square(7 - file, rank)
        assert GEOMETRY.image[geometry.RANKS_MIRRORED, square] == chess.square(file, 7 - rank)
        assert GEOMETRY.image[geometry.TRANSPOSED, square] == chess.square(rank, file)
        mirrored = int(GEOMETRY.image[geometry.FILES_MIRRORED | geometry.RANKS_MIRRORED, square])
        assert GEOMETRY.image[7, square] == GEOMETRY.image[geometry.TRANSPOSED, mirrored]


def test_symmetries_are_eight_different_permutations() -> None:
    assert len({row.tobytes() for row in GEOMETRY.image}) == 8
    assert (np.sort(GEOMETRY.image, axis=1) == np.arange(64)).all()


def test_symmetries_form_a_group() -> None:
    for first, second in itertools.product(SYMMETRIES, repeat=2):
        both = GEOMETRY.after[second, first]
        assert (GEOMETRY.image[both] == GEOMETRY.image[second][GEOMETRY.image[first]]).all()
    for one in SYMMETRIES:
        assert GEOMETRY.after[0, one] == GEOMETRY.after[one, 0] == one
        assert GEOMETRY.after[one, GEOMETRY.inverse[one]] == 0
        assert GEOMETRY.after[GEOMETRY.inverse[one], one] == 0
    for a, b, c in itertools.product(SYMMETRIES, repeat=3):
        assert GEOMETRY.after[c, GEOMETRY.after[b, a]] == GEOMETRY.after[GEOMETRY.after[c, b], a]


@given(symmetries, squares, squares)
def test_symmetries_keep_distances_and_lines(symmetry: int, a: int, b: int) -> None:
    a_after, b_after = (int(GEOMETRY.image[symmetry, square]) for square in (a, b))
    assert chess.square_distance(a, b) == chess.square_distance(a_after, b_after)
    assert image(symmetry, chess.SquareSet(chess.between(a, b))) == chess.SquareSet(chess.between(a_after, b_after))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in PAWNS])
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_pieces_move_alike_in_every_image(kind: int, symmetry: int) -> None:
    for square in chess.SQUARES:
        moved = int(GEOMETRY.image[symmetry, square])
        assert image(symmetry, attack_set(kind, square)) == chess.SquareSet(int(GEOMETRY.attacks[kind, moved]))


@pytest.mark.parametrize("kind", PAWNS)
def test_pawns_allow_for_mirrored_files_and_swap_with_mirrored_ranks(kind: int) -> None:
    for square in chess.SQUARES:
        for symmetry, other in ((geometry.FILES_MIRRORED, kind), (geometry.RANKS_MIRRORED, PAWNS[kind])):
            moved = int(GEOMETRY.image[symmetry, square])
            expected = image(symmetry, attack_set(kind, square))
            assert expected == chess.SquareSet(int(GEOMETRY.attacks[other, moved]))


@given(st.integers(-9, 16), st.integers(-9, 16))
def test_a_square_has_one_of_eight_files_and_ranks(file: int, rank: int) -> None:
    assert geometry.on_board(file, rank) == (file in range(8) and rank in range(8))
