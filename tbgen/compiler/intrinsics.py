"""Atomic steps, bits, vectors and prefetching, which numba does not offer by itself. Compiled code only."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# numba reads the signatures off the calls; annotations would be ignored and partly wrong.

from typing import Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

VECTOR: Final = 16
"""Bytes that one step of a processor treats at once, as all of them can."""

yield_processor = types.ExternalFunction("sched_yield", types.int32())
"""Let another thread of the system run: the C library's `sched_yield`."""


def _element(context, builder, array_type, array, index):
    """The address of `array[index]`, one-dimensional, unchecked."""
    opened = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, opened, [index])


def _read_modify_write(operation):
    @intrinsic
    def step(typing_context, array, index, value):
        def code(context, builder, signature, arguments):
            array_type, _, value_type = signature.args
            target = _element(context, builder, array_type, arguments[0], arguments[1])
            new = context.cast(builder, arguments[2], value_type, array_type.dtype)
            return builder.atomic_rmw(operation, target, new, "seq_cst")

        return array.dtype(array, types.intp, value), code

    return step


fetch_add = _read_modify_write("add")
"""`fetch_add(array, index, value)`: add in place, return what was there before."""
fetch_or = _read_modify_write("or")
fetch_and = _read_modify_write("and")


@intrinsic
def compare_exchange(typing_context, array, index, expected, new):
    """`compare_exchange(array, index, expected, new)`: replace `expected` by `new`. Returns what was there before."""

    def code(context, builder, signature, arguments):
        array_type = signature.args[0]
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        old = context.cast(builder, arguments[2], signature.args[2], array_type.dtype)
        put = context.cast(builder, arguments[3], signature.args[3], array_type.dtype)
        return builder.extract_value(builder.cmpxchg(target, old, put, "seq_cst", "seq_cst"), 0)

    return array.dtype(array, types.intp, expected, new), code


@intrinsic
def atomic_load(typing_context, array, index):
    """`atomic_load(array, index)`: load what other threads have stored (a plain load may be kept in a register)."""

    def code(context, builder, signature, arguments):
        array_type = signature.args[0]
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        return builder.load_atomic(target, "seq_cst", array_type.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), code


@intrinsic
def store_release(typing_context, array, index, value):
    """`store_release(array, index, value)`: store a value; other threads then see all that was written before."""

    def code(context, builder, signature, arguments):
        array_type = signature.args[0]
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        new = context.cast(builder, arguments[2], signature.args[2], array_type.dtype)
        builder.store_atomic(new, target, "release", array_type.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), code


@intrinsic
def lowest_bit(typing_context, word):
    """The place of the lowest bit that is set; there must be one."""

    def code(context, builder, signature, arguments):
        return context.cast(builder, builder.cttz(arguments[0], ir.IntType(1)(1)), word, types.int64)

    return types.int64(word), code


@intrinsic
def bits_set(typing_context, word):
    """How many bits of a word are set."""

    def code(context, builder, signature, arguments):
        return context.cast(builder, builder.ctpop(arguments[0]), word, types.int64)

    return types.int64(word), code


@intrinsic
def high_product(typing_context, a, b):
    """The upper 64 of the 128 bits of a product of two words."""

    def code(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(one, wide) for one in arguments))
        return builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), code


@intrinsic
def prefetch(typing_context, array, index):
    """`prefetch(array, index)`: load the cache line of an element, for writing, while other work goes on."""

    def code(context, builder, signature, arguments):
        return _prefetch(context, builder, signature, arguments, 1)

    return types.void(array, types.intp), code


@intrinsic
def prefetch_to_read(typing_context, array, index):
    """The same for reading: other cores keep the line."""

    def code(context, builder, signature, arguments):
        return _prefetch(context, builder, signature, arguments, 0)

    return types.void(array, types.intp), code


def _prefetch(context, builder, signature, arguments, for_writing):
    target = _element(context, builder, signature.args[0], arguments[0], arguments[1])
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    step = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    builder.call(step, [builder.bitcast(target, pointer), number(for_writing), number(3), number(1)])
    return context.get_dummy_value()


@intrinsic
def raise_to_negative(typing_context, best, at, other, place):
    """`raise_to_negative(best, at, other, place)`: of a vector's signed bytes from `best[at]` on and the negatives of
    those from `other[place]` on, keep the greater ones in `best`. None may be -128. LLVM leaves such a loop as it is
    where it is short."""

    def code(context, builder, signature, arguments):
        array_type, _, other_type, _ = signature.args
        kind = ir.VectorType(ir.IntType(8), VECTOR)
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        source = _element(context, builder, other_type, arguments[2], arguments[3])
        target, source = (builder.bitcast(one, kind.as_pointer()) for one in (target, source))
        old = builder.load(target, align=1)
        new = builder.neg(builder.load(source, align=1))
        builder.store(builder.select(builder.icmp_signed(">", new, old), new, old), target, align=1)
        return context.get_dummy_value()

    return types.void(best, types.intp, other, types.intp), code


@intrinsic
def fetch_i32(typing_context, address, index):
    """The int32 at `address + 4 * index`: tables of many files are reached by one array of addresses."""

    def code(context, builder, signature, arguments):
        base = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.load(builder.gep(base, [arguments[1]], inbounds=True))

    return types.int32(types.int64, types.int64), code
