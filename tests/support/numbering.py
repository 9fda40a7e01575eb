"""The compiled numbering for many positions at once, both ways."""

from tbgen.index.kernels import decode, locate, part_from
from tbgen.jit import kernel


@kernel
def locate_many(atlas, table, squares, movers, numbers):
    """`locate` for rows of squares."""
    for row in range(len(numbers)):
        numbers[row] = locate(atlas, table, squares[row], movers[row])


@kernel
def decode_many(atlas, table, pawns, numbers, squares, movers):
    """The way back for all `numbers` of a table."""
    part = 0
    for row in range(len(numbers)):
        part = part_from(atlas, table, part, numbers[row])
        movers[row] = decode(atlas, table, pawns, part, numbers[row], squares[row])
