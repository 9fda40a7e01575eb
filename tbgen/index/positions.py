"""The position that a number stands for, in plain Python: for display; too slow for loops."""

import bisect
from typing import NamedTuple

from tbgen.index.groups import GROUP_SIZES, choices
from tbgen.index.kings import kings
from tbgen.index.layout import Layout


class Position(NamedTuple):
    men: tuple[tuple[int, str], ...]
    """(square, letter) slot by slot: capital letters for the first side, as for White."""
    first_to_move: bool


def position(layout: Layout, number: int) -> Position:
    """The first side plays as White."""
    if not 0 <= number < layout.size:
        raise IndexError(f"{layout.material} has no number {number}")
    slice_ = bisect.bisect_right(layout.start.tolist(), number) - 1
    side, rest = divmod(number - int(layout.start[slice_]), int(layout.half_size[slice_]))
    pair, rest = divmod(rest, layout.inner)
    table = kings(int(layout.family[slice_]))
    squares = [int(table.first[pair]), int(table.second[pair])]
    for group in layout.groups:
        of_group, rest = divmod(rest, group.stride)
        assert of_group < GROUP_SIZES[group.count]
        back = choices().squares[group.count]
        squares.extend(back[of_group * group.count : (of_group + 1) * group.count].tolist())
    squares.extend(layout.pawns.squares[slice_].tolist())
    men = tuple(
        (square, letter if owner == 0 else letter.lower())
        for square, (owner, letter) in zip(squares, layout.letters, strict=True)
    )
    return Position(men, side == 0)


def fen(layout: Layout, number: int) -> str:
    """The position of a number as a FEN, White being the first side."""
    men, first_to_move = position(layout, number)
    on = dict(men)
    ranks = []
    for rank in range(7, -1, -1):
        row = "".join(on.get(rank * 8 + file, " ") for file in range(8))
        for length in range(8, 0, -1):
            row = row.replace(" " * length, str(length))
        ranks.append(row)
    return f"{'/'.join(ranks)} {'w' if first_to_move else 'b'} - - 0 1"
