"""The slices that can come up from one position without a change of material: its pawns' placements, step by step."""

from typing import Final, NamedTuple

import chess

from tbgen.errors import UnsupportedPosition
from tbgen.index.groups import choices
from tbgen.index.kings import kings
from tbgen.index.layout import Layout
from tbgen.material import Material

MOST_PAWNS: Final = 4
"""Placements are looked up in an array of 64 ** pawns."""

Placement = tuple[int, ...]
"""The squares of pawns, the first side's first, each side's in rising order."""


class Seen(NamedTuple):
    """A position as a layout sees it: the first side plays up the board."""

    board: chess.Board
    """White is the first side."""
    swapped: bool
    """Whether colours are swapped for that."""
    layout: Layout


def own_layout(board: chess.Board) -> Seen:
    """The layout of the slices that can come up."""
    material = _material(board)
    swapped = not material.is_normal
    if swapped:
        board = board.mirror()
    if not 0 < material.pawns <= MOST_PAWNS:
        raise UnsupportedPosition(f"{material.pawns} pawns: a position's own table has 1 to {MOST_PAWNS}")
    return Seen(board, swapped, Layout(material.normal, tuple(sorted(_reached(board)))))


def number_of(seen: Seen) -> int:
    """The number of the position itself in a layout with placements of its own."""
    board, layout = seen.board, seen.layout
    part = layout.placements.pawns.tolist().index(list(_placement(board)))
    number = int(layout.start[part]) + (0 if board.turn else int(layout.half_size[part]))
    table = kings(int(layout.family[part]))
    first, second = board.king(chess.WHITE), board.king(chess.BLACK)
    assert first is not None
    assert second is not None
    number += int(table.number[first * 64 + second]) * layout.inner
    for group in layout.groups:
        kind = chess.PIECE_SYMBOLS.index(group.letter.lower())
        squares = sorted(board.pieces(kind, group.side == 0))
        number += group.stride * sum(int(choices().choose[64 * nth + square]) for nth, square in enumerate(squares))
    return number


def _material(board: chess.Board) -> Material:
    sides = []
    for color in (chess.WHITE, chess.BLACK):
        kinds = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
        sides.append("".join(chess.piece_symbol(kind).upper() * len(board.pieces(kind, color)) for kind in kinds))
    return Material(*sides)


def _placement(board: chess.Board) -> Placement:
    return (*sorted(board.pieces(chess.PAWN, True)), *sorted(board.pieces(chess.PAWN, False)))


def _reached(board: chess.Board) -> set[Placement]:
    """All placements that pawn steps lead to, whoever makes them; pieces may always be out of the way."""
    white = len(board.pieces(chess.PAWN, True))
    found = {_placement(board)}
    fresh = list(found)
    while fresh:
        pawns = fresh.pop()
        for place, square in enumerate(pawns):
            up = 8 if place < white else -8
            target = square + up  # a double step is two single ones
            if target in pawns or not 8 <= target < 56:
                continue
            stepped = [*pawns[:place], target, *pawns[place + 1 :]]
            after = (*sorted(stepped[:white]), *sorted(stepped[white:]))
            if after not in found:
                found.add(after)
                fresh.append(after)
    return found
