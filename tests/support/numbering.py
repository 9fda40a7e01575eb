"""The compiled numbering for many positions at once, both ways."""

from tbgen.compiler.jit import kernel
from tbgen.index.kernels import decode, locate, slice_from


@kernel
def locate_many(atlas, table, squares, movers, numbers):
    """`locate` for rows of squares."""
    for row in range(len(numbers)):
        numbers[row] = locate(atlas, table, squares[row], movers[row])


@kernel
def decode_many(atlas, table, pawns, numbers, squares, movers):
    """The way back for all `numbers` of a table."""
    slice_ = 0
    for row in range(len(numbers)):
        slice_ = slice_from(atlas, table, slice_, numbers[row])
        movers[row] = decode(atlas, table, pawns, slice_, numbers[row], squares[row])
