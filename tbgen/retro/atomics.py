"""Steps that no other thread can split, which numba does not offer by itself. Compiled code only."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# numba reads the signatures off the calls; annotations would be ignored and partly wrong.

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

yield_processor = types.ExternalFunction("sched_yield", types.int32())
"""Let another thread of the system run: the C library's `sched_yield`."""


def _element(context, builder, array_type, array, index):
    """The address of `array[index]`, one-dimensional and contiguous, unchecked."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


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


add = _read_modify_write("add")
"""`add(array, index, value)`: add in place, return what was there before."""
set_bits = _read_modify_write("or")
keep_bits = _read_modify_write("and")


@intrinsic
def replace(typing_context, array, index, expected, new):
    """`replace(array, index, expected, new)`: put `new` where `expected` stands; return what stood there."""

    def code(context, builder, signature, arguments):
        array_type = signature.args[0]
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        old = context.cast(builder, arguments[2], signature.args[2], array_type.dtype)
        put = context.cast(builder, arguments[3], signature.args[3], array_type.dtype)
        return builder.extract_value(builder.cmpxchg(target, old, put, "seq_cst", "seq_cst"), 0)

    return array.dtype(array, types.intp, expected, new), code


@intrinsic
def current(typing_context, array, index):
    """`current(array, index)`: what other threads have put there by now (a plain load may be kept in a register)."""

    def code(context, builder, signature, arguments):
        array_type = signature.args[0]
        target = _element(context, builder, array_type, arguments[0], arguments[1])
        return builder.load_atomic(target, "seq_cst", array_type.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), code


@intrinsic
def fetch_i32(typing_context, address, index):
    """The int32 at `address + 4 * index`: tables of many files are reached by one array of addresses."""

    def code(context, builder, signature, arguments):
        base = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.load(builder.gep(base, [arguments[1]], inbounds=True))

    return types.int32(types.int64, types.int64), code
