"""Lanes: 64 positions that differ only in the square of the last man, as bits of one word.

A move of any other man applies to all positions of a lane, so that one step of a kernel serves many positions. If
there are several like last men, or colours are swapped when the turn passes, the positions of a lane are unrelated,
and each is handled alone (`SliceGraph.laned`).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# numba reads the signatures off the calls; annotations would be ignored and partly wrong.

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import DTypeLike, NDArray

from tbgen.board.geometry import FILES_MIRRORED, RANKS_MIRRORED, TRANSPOSED
from tbgen.compiler.jit import inlined
from tbgen.memory.arrays import Make, in_memory

LANE: Final = 64
_ALIGNED: Final = 64
"""Bytes per cache line."""

_FILES: Final = tuple(np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_RANKS: Final = tuple(np.uint64(n) for n in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF))
_DIAGONAL: Final = tuple(np.uint64(n) for n in (0x0F0F0F0F00000000, 0x3333000033330000, 0x5500550055005500))


def laid_out(nodes: int, kind: DTypeLike, make: Make = in_memory) -> NDArray[Any]:
    """An array of `nodes` elements, its lanes aligned to cache lines. A lane may be read from any element on."""
    size = np.dtype(kind).itemsize
    room = make((nodes + LANE) * size + _ALIGNED, np.uint8)
    start = -room.ctypes.data % _ALIGNED
    return room[start : start + nodes * size].view(kind)


@inlined
def _swapped(bits, mask, by):
    return ((bits >> np.uint64(by)) & mask) | ((bits & mask) << np.uint64(by))


@inlined
def _exchanged(bits, mask, by):
    between = mask & (bits ^ (bits << np.uint64(by)))
    return bits ^ between ^ (between >> np.uint64(by))


@inlined
def image_of(bits, symmetry):
    """A set of squares after a symmetry of the board."""
    if symmetry & FILES_MIRRORED:
        bits = _swapped(_swapped(_swapped(bits, _FILES[0], 1), _FILES[1], 2), _FILES[2], 4)
    if symmetry & RANKS_MIRRORED:
        bits = _swapped(_swapped(bits, _RANKS[0], 8), _RANKS[1], 16)
        bits = (bits >> np.uint64(32)) | (bits << np.uint64(32))
    if symmetry & TRANSPOSED:
        bits = _exchanged(_exchanged(_exchanged(bits, _DIAGONAL[0], 28), _DIAGONAL[1], 14), _DIAGONAL[2], 7)
    return bits


class _Row:
    """A lane of an array in a kernel's code, or so many elements from another place on."""

    def __init__(self, context, builder, signature, arguments, step=LANE):
        self._context, self._builder, self._arguments, self._types = context, builder, arguments, signature.args
        array_type = self._types[0]
        self._element = array_type.dtype
        self._bytes = array_type.dtype.bitwidth // 8
        self.type = ir.VectorType(ir.IntType(array_type.dtype.bitwidth), LANE)
        opened = context.make_array(array_type)(context, builder, arguments[0])
        first = builder.mul(arguments[1], ir.Constant(arguments[1].type, step))
        start = cgutils.get_item_pointer(context, builder, array_type, opened, [first])
        self._place = builder.bitcast(start, self.type.as_pointer())

    def load(self):
        return self._builder.load(self._place, align=self._bytes)

    def store(self, row):
        self._builder.store(row, self._place, align=self._bytes)

    def everywhere(self, argument):
        """An argument as each of the elements."""
        one = self._context.cast(self._builder, self._arguments[argument], self._types[argument], self._element)
        lone = self._builder.insert_element(ir.Constant(self.type, ir.Undefined), one, ir.IntType(32)(0))
        return self._builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(ir.IntType(32), LANE), [0] * LANE))

    def chosen(self, argument):
        """The bits of an argument as a choice of elements."""
        return self._builder.bitcast(self._arguments[argument], ir.VectorType(ir.IntType(1), LANE))

    def bits(self, choice):
        return self._builder.bitcast(choice, ir.IntType(64))


@intrinsic
def at_most(typing_context, array, lane, value):
    """`at_most(array, first, value)`: of the 64 elements from the first on, those that are no larger."""

    def code(context, builder, signature, arguments):
        row = _Row(context, builder, signature, arguments, step=1)
        return row.bits(builder.icmp_unsigned("<=", row.load(), row.everywhere(2)))

    return types.uint64(array, types.intp, value), code


@intrinsic
def not_empty(typing_context, array, first):
    """`not_empty(array, first)`: of the 64 elements from the first on, those that are not 0."""

    def code(context, builder, signature, arguments):
        row = _Row(context, builder, signature, arguments, step=1)
        return row.bits(builder.icmp_unsigned("!=", row.load(), ir.Constant(row.type, None)))

    return types.uint64(array, types.intp), code


@intrinsic
def put(typing_context, array, lane, bits, value):
    """`put(array, lane, bits, value)`: write a value to some elements of a lane."""

    def code(context, builder, signature, arguments):
        row = _Row(context, builder, signature, arguments)
        row.store(builder.select(row.chosen(2), row.everywhere(3), row.load()))
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64, value), code


@intrinsic
def add(typing_context, array, lane, bits, value):
    """`add(array, lane, bits, value)`: add a value to some bytes of a lane; no sum exceeds 255."""

    def code(context, builder, signature, arguments):
        row = _Row(context, builder, signature, arguments)
        plus = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(row.type, [row.type, row.type]), f"llvm.uadd.sat.v{LANE}i8"
        )
        old = row.load()
        row.store(builder.select(row.chosen(2), builder.call(plus, [old, row.everywhere(3)]), old))
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64, value), code
