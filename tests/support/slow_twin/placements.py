"""Placements of men, and which of them are alike."""

import itertools
from collections.abc import Iterator
from functools import lru_cache

import chess

from tests.support.slow_twin.fairy import MOVES, FairyBoard

OF_CHESS = "PpKkQqRrBbNn"  # even: White's. Pawns are first, so the least image has the least pawns.
KINDS = OF_CHESS + "".join(letter + letter.lower() for letter in MOVES if letter not in OF_CHESS)
PIECES = [chess.Piece.from_symbol(symbol) for symbol in OF_CHESS]
Placement = tuple[int, ...]  # 64 * kind + square for each man, ascending
SliceName = tuple[Placement, tuple[int, ...]]  # the pawns, and the kinds of the other men


def man(kind: int, square: chess.Square) -> int:
    return 64 * kind + square


def parse_man(text: str) -> int:
    """Like "pd4": the kind as in a FEN, then the square."""
    return man(KINDS.index(text[0]), chess.parse_square(text[1:]))


def men_of(board: chess.Board) -> Placement:
    men = board.piece_map().items()
    return tuple(sorted(man(KINDS.index(piece.symbol()), square) for square, piece in men))


def board_of(men: Placement, turn: chess.Color) -> chess.Board:
    if max(men) // 64 >= len(OF_CHESS):
        return FairyBoard({code % 64: KINDS[code // 64] for code in men}, turn)  # type: ignore[return-value]  # it acts
    board = chess.Board(None)
    for code in men:
        board.set_piece_at(code % 64, PIECES[code // 64])
    board.turn = turn
    return board


def _man_maps() -> Iterator[list[int]]:
    """The eight symmetries; only the first two, identity and mirrored files, allow for pawns."""
    for diagonal, ranks, files in itertools.product((False, True), (0, 7), (0, 7)):
        pairs = [divmod(s, 8)[:: 1 if diagonal else -1] for s in chess.SQUARES]
        squares = [chess.square(x ^ files, y ^ ranks) for x, y in pairs]
        yield [man(kind, square) for kind in range(len(KINDS)) for square in squares]


MAN_MAPS = list(_man_maps())


@lru_cache(1 << 18)
def least_image(men: Placement) -> Placement:
    maps = MAN_MAPS[:2] if men[0] < man(2, 0) else MAN_MAPS
    return min([tuple(sorted([image[code] for code in men])) for image in maps])


def normal_form(men: Placement) -> tuple[Placement, bool]:
    """The placement to solve in place of this one, and whether the colours are swapped in it."""
    white, black = ([c // 128 for c in men if c // 64 % 2 == colour] for colour in (0, 1))
    swap = (len(black), black) > (len(white), white)
    if swap:
        men = tuple(man(code // 64 ^ 1, chess.square_mirror(code % 64)) for code in men)
    return least_image(men), swap


def slice_name(men: Placement) -> SliceName:
    pawns = tuple(code for code in men if code < man(2, 0))
    return pawns, tuple(code // 64 for code in men[len(pawns) :])


def placements(name: SliceName) -> list[Placement]:
    """Every placement that is the least of its images, without regard to legality."""
    pawns, kinds = name
    free = sorted(set(chess.SQUARES) - {code % 64 for code in pawns})
    chosen = itertools.permutations(free, len(kinds))
    found = (pawns + tuple(sorted(map(man, kinds, squares))) for squares in chosen)
    return sorted({men for men in found if least_image(men) == men})


def after_quiet_move(men: Placement, move: chess.Move) -> Placement:
    """One man changes its square and nothing else happens."""
    step = move.to_square - move.from_square
    return least_image(tuple(c + step if c % 64 == move.from_square else c for c in men))
