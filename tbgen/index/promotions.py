"""Which slices the pawns of a slice lead to: of its own table by steps, of others by promotions."""

from collections import defaultdict
from collections.abc import Iterator

from tbgen.core.material import Material, in_order
from tbgen.index.layout import Layout, layout_of
from tbgen.index.pawns import SLICE_SHIFT

Pawns = tuple[tuple[int, ...], tuple[int, ...]]
"""Their squares by side."""


def stepped_to(layout: Layout, slice_: int) -> set[int]:
    """The slices of the same table that steps of its pawns lead to. A double step that may be taken en passant is
    followed, too: what it is worth is found by looking at all replies."""
    found = set[int]()
    squares = layout.pawns.squares[slice_].tolist()
    for pawns in _stepped((tuple(squares[: layout.pawns.first]), tuple(squares[layout.pawns.first :]))):
        for side, base, up in ((0, 1, 8), (1, 6, -8)):
            for square in pawns[side]:
                for target in [square + up, square + 2 * up][: 1 + (square // 8 == base)]:
                    if target in {*pawns[0], *pawns[1]}:
                        break
                    after = _replaced(pawns, side, square, target)
                    found.add(layout.pawns.find([*after[0], *after[1]]) >> SLICE_SHIFT)
    return found - {-1}


def promoted_to(layout: Layout, slice_: int) -> dict[Material, set[int]]:
    """The slices of complete tables, by normal material, that promotions without a capture lead to. A double step that
    may be taken en passant is followed, too: what it is worth is found by looking at all replies."""
    found = defaultdict[Material, set[int]](set)
    squares = layout.pawns.squares[slice_].tolist()
    for pawns in _stepped((tuple(squares[: layout.pawns.first]), tuple(squares[layout.pawns.first :]))):
        for side, rank in ((0, 6), (1, 1)):
            for square in pawns[side]:
                if square // 8 == rank:
                    left = _replaced(pawns, side, square)
                    for material in _with_promotion(layout.material, side):
                        found[material.normal].add(_slice_of(material, left))
    return found


def _stepped(pawns: Pawns, last: int | None = None) -> Iterator[Pawns]:
    """These pawns, and those after double steps beside an enemy pawn, the sides in turn. `last`: who stepped last."""
    yield pawns
    for side, rank, step in ((0, 1, 8), (1, 6, -8)):
        for square in pawns[side] if side != last else ():
            target = square + 2 * step
            is_free = not {square + step, target} & {*pawns[0], *pawns[1]}
            if square // 8 == rank and is_free and any(_are_neighbours(target, other) for other in pawns[1 - side]):
                yield from _stepped(_replaced(pawns, side, square, target), side)


def _are_neighbours(square: int, other: int) -> bool:
    return square // 8 == other // 8 and abs(square - other) == 1


def _replaced(pawns: Pawns, side: int, square: int, target: int | None = None) -> Pawns:
    """A pawn has gone to another square, or is no pawn any more."""
    own = tuple(sorted({*pawns[side]} - {square} | ({target} if target is not None else set())))
    return (pawns[0], own) if side else (own, pawns[1])


def _with_promotion(material: Material, side: int) -> Iterator[Material]:
    sides = [material.first, material.second]
    for new in material.promotions_to:
        after = [*sides]
        after[side] = in_order(sides[side].replace("P", new, 1))
        yield material.with_men(*after)


def _slice_of(material: Material, pawns: Pawns) -> int:
    """The slice of the normal material's table."""
    if not material.is_normal:
        pawns = tuple(square ^ 56 for square in pawns[1]), tuple(square ^ 56 for square in pawns[0])
    return layout_of(material.normal).pawns.find([*pawns[0], *pawns[1]]) >> SLICE_SHIFT
