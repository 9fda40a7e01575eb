"""Lines: eight words that fill a cache line, the bits that eight lanes have in a set, changed at once."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# numba reads the signatures off the calls; annotations would be ignored and partly wrong.

from typing import Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES: Final = 8
"""Per line."""


class _Line:
    """Words of an array that fill a cache line."""

    def __init__(self, context, builder, array_type, array, first):
        opened = context.make_array(array_type)(context, builder, array)
        place = cgutils.get_item_pointer(context, builder, array_type, opened, [first])
        self._builder = builder
        self.type = ir.VectorType(ir.IntType(64), LANES)
        self._place = builder.bitcast(place, self.type.as_pointer())

    def load(self):
        return self._builder.load(self._place, align=8)

    def store(self, line):
        self._builder.store(line, self._place, align=8)


def _in_each(builder, word):
    """A word as each of a line's."""
    line = ir.VectorType(ir.IntType(64), LANES)
    lone = builder.insert_element(ir.Constant(line, ir.Undefined), word, ir.IntType(32)(0))
    return builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _places_not_empty(context, builder, line):
    """Which words of a line are not 0, as bits."""
    chosen = builder.icmp_unsigned("!=", line, ir.Constant(line.type, None))
    return builder.zext(builder.bitcast(chosen, ir.IntType(LANES)), ir.IntType(64))


@intrinsic
def words_not_empty(typing_context, words, first):
    """`words_not_empty(words, first)`: of the line from `first` on, the words that are not 0, as bits."""

    def code(context, builder, signature, arguments):
        line = _Line(context, builder, signature.args[0], arguments[0], arguments[1])
        return _places_not_empty(context, builder, line.load())

    return types.uint64(words, types.intp), code


@intrinsic
def news_of(typing_context, row, first, bits, words, told, done, news):
    """`news_of(row, first, bits, words, told, done, news)`: of a line of a row from `first` on, those of some bits that
    are in `words` neither from `told` on nor from `done` on. They go to the beginning of `news`. Returns the places
    that have any."""

    def code(context, builder, signature, arguments):
        kinds = signature.args
        here = _Line(context, builder, kinds[0], arguments[0], arguments[1]).load()
        known = builder.or_(*(_Line(context, builder, kinds[3], arguments[3], arguments[at]).load() for at in (4, 5)))
        found = builder.and_(builder.and_(here, _in_each(builder, arguments[2])), builder.not_(known))
        _Line(context, builder, kinds[6], arguments[6], ir.Constant(ir.IntType(64), 0)).store(found)
        return _places_not_empty(context, builder, found)

    return types.uint64(row, types.intp, types.uint64, words, types.intp, types.intp, news), code


@intrinsic
def add_line(typing_context, words, at, news):
    """`add_line(words, at, news)`: put the first line of `news` into that from `at` on."""

    def code(context, builder, signature, arguments):
        line = _Line(context, builder, signature.args[0], arguments[0], arguments[1])
        more = _Line(context, builder, signature.args[2], arguments[2], ir.Constant(ir.IntType(64), 0))
        line.store(builder.or_(line.load(), more.load()))
        return context.get_dummy_value()

    return types.void(words, types.intp, news), code


@intrinsic
def keep_line(typing_context, row, first, words, at, bits):
    """`keep_line(row, first, words, at, bits)`: of a line of a row, keep what is in `words` from `at` on, and these
    bits. Returns whether anything is left."""

    def code(context, builder, signature, arguments):
        kinds = signature.args
        line = _Line(context, builder, kinds[0], arguments[0], arguments[1])
        kept = builder.or_(
            _Line(context, builder, kinds[2], arguments[2], arguments[3]).load(), _in_each(builder, arguments[4])
        )
        left = builder.and_(line.load(), kept)
        line.store(left)
        return builder.icmp_unsigned("!=", _places_not_empty(context, builder, left), ir.Constant(ir.IntType(64), 0))

    return types.boolean(row, types.intp, words, types.intp, types.uint64), code
