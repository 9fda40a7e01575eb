"""Decoding whole chunks, spelling out staircases and numbering keys: compiled, because most of the time of a long
reading went there.

A single look needs none of it, and must not wait for a compiler to be loaded."""

import numpy as np

from tbgen.compiler.jit import inlined, kernel
from tbgen.core.packed_steps import pack_step
from tbgen.store.format.schema import ESCAPE
from tbgen.store.format.shapes import AS_FRESH
from tbgen.store.read.keys import NOBODY

OTHER_SHAPES, TOO_SHORT = 1, 2
"""What may be wrong with a chunk."""
SPARE = 2
"""Slots of a hash table per staircase, at least."""


@kernel
def decode(raw, lengths, numbers, escape_planes, planes, held, number, some, spare, digits, next_, shapes, halves):
    """Decode the chunks in the rows of `raw`, of which so many bytes each are known, into columns by number.

    `halves` has a row of zeros for each section that is wanted. `number` are zeros by shape, and become so again. The
    other arrays need no values. Returns 0, or what is wrong."""
    width = len(numbers)
    for chunk in range(len(raw)):
        known, wrong, base = raw[chunk], 0, chunk * width
        escaped = 0
        if escape_planes:
            for place in range(width):
                escaped += known[place] == ESCAPE
        at = width + escape_planes * escaped
        if at > lengths[chunk]:
            return TOO_SHORT
        kinds, nth_escaped = 0, 0
        for place in range(width):
            shape = np.int64(known[place])
            if escape_planes and shape == ESCAPE:
                for plane in range(escape_planes):
                    shape += np.int64(known[width + plane * escaped + nth_escaped]) << 8 * plane
                nth_escaped += 1
            if shape >= len(held):
                wrong = OTHER_SHAPES
                break
            shapes[base + numbers[place]] = shape
            if number[shape] == 0:
                some[kinds] = shape
                kinds += 1
            number[shape] += 1
        if wrong == 0:
            _sort(some, kinds, 1 + escape_planes, spare, digits)
            if _lay_out(some, kinds, held, number, next_, len(halves), at, planes) > lengths[chunk]:
                wrong = TOO_SHORT
        if wrong == 0:
            _spread(known, base, numbers, planes, held, number, next_, shapes, halves)
        for kind in range(kinds):
            number[some[kind]] = 0
        if wrong:
            return wrong
    return 0


@kernel
def _sort(values, count, places, spare, digits):
    """Digit by digit, the last first, since comparing hundreds of values took a quarter of the time. A digit is a byte,
    and a value has so many `places`."""
    for place in range(places):
        for digit in range(len(digits)):
            digits[digit] = 0
        for nth in range(count):
            spare[nth] = values[nth]
            digits[values[nth] >> 8 * place & 0xFF] += 1
        end = count
        for digit in range(len(digits) - 1, -1, -1):
            end -= digits[digit]
            digits[digit] = end  # where values with this digit begin
        for nth in range(count):
            digit = spare[nth] >> 8 * place & 0xFF
            values[digits[digit]] = spare[nth]
            digits[digit] += 1


@kernel
def _lay_out(some, kinds, held, number, next_, sections, at, planes):
    """`next_[1 + kind, section]` becomes where the first number of a shape lies, and `number[shape]` which kind it is,
    from 1. `next_[0, section]` becomes how many numbers a section has. Return where the last section ends."""
    for section in range(sections):
        next_[0, section] = 0
    for kind in range(kinds):
        shape = some[kind]
        for section in range(min(sections, int(held[shape]))):
            next_[1 + kind, section] = next_[0, section]
            next_[0, section] += number[shape]
        number[shape] = 1 + kind
    for section in range(sections):
        for kind in range(kinds):
            next_[1 + kind, section] += at
        at += planes * next_[0, section]
    return at


@kernel
def _spread(known, base, numbers, planes, held, number, next_, shapes, halves):
    """A section's numbers are sorted by shape, those of a shape by place."""
    for place in range(len(numbers)):
        to = base + numbers[place]
        shape = shapes[to]
        if shape:  # a legal position, which has a fresh distance at least
            kind = number[shape]
            halves[0, to] = _next(known, planes, next_, kind, 0)
            for section in range(1, min(len(halves), int(held[shape]))):
                halves[section, to] = _next(known, planes, next_, kind, section)


@inlined
def _next(known, planes, next_, kind, section):
    there = next_[kind, section]
    next_[kind, section] = there + 1
    value = np.int64(known[there])
    if planes > 1:
        value |= np.int64(known[there + next_[0, section]]) << 8
    return value


@kernel
def count(shapes, halves, of_shape, counts):
    """Count positions in `counts[of_shape[shape], half of a fresh distance]`."""
    for position in range(len(shapes)):
        counts[of_shape[shapes[position]], halves[position]] += 1


@kernel
def write_steps(
    shapes,
    halves,
    base,
    start,
    length,
    known_holder,
    known_level,
    known_outcome,
    column,
    odd,
    steps,
):
    """Spell out the staircases of all positions, one after the other. `base`, `start`, `length` are by shape,
    `known_...`, `column` and `odd` by step of a shape."""
    to = 0
    for position in range(len(shapes)):
        shape = shapes[position]
        for step in range(start[shape], start[shape] + length[shape]):
            is_odd = np.int64(base[shape] & 1 if column[step] == AS_FRESH else np.int32(odd[step]))
            distance = 2 * np.int64(halves[column[step], position]) + is_odd
            holder, level, outcome = known_holder[step], known_level[step], np.int64(known_outcome[step])
            steps[to] = pack_step(np.int64(holder), np.int64(level), outcome, distance)
            to += 1


@inlined
def _place_of(wanted, factor, shift, key):
    """The place of a key in a table, or the one where it may be put. The table has a power of two places, not all of
    them taken: `shift` leaves a number below that."""
    last = len(key) - 1
    place = np.int64(np.uint64(wanted) * factor >> shift)  # all bits of a key count in the highest ones
    while key[place] != NOBODY and key[place] != wanted:
        place = (place + 1) & last
    return place


@kernel
def number_keys(keys, done, factor, shift, key, number, count, numbers, new):
    """Number keys, those from `done` on, until half of the table's places are taken. Returns how many are done, and how
    many numbers there are. `new` gets where new keys stand."""
    fresh = 0
    for at in range(done, len(keys)):
        place = _place_of(keys[at], factor, shift, key)
        if key[place] == NOBODY:
            if 2 * (count + fresh) >= len(key):
                return at, count + fresh
            key[place] = keys[at]
            number[place] = count + fresh
            new[fresh] = at
            fresh += 1
        numbers[at] = number[place]
    return len(keys), count + fresh


@kernel
def enter_keys(old_key, old_number, factor, shift, key, number):
    """Put the keys of one table into a larger one."""
    for place in range(len(old_key)):
        if old_key[place] != NOBODY:
            there = _place_of(old_key[place], factor, shift, key)
            key[there] = old_key[place]
            number[there] = old_number[place]


@inlined
def _slot(factor, step, at, length, slots):
    """The slot to look at first for a staircase with these steps."""
    mixed = np.uint64(length)
    for nth in range(at, at + length):
        mixed = (mixed ^ np.uint64(step[nth])) * factor
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(len(slots) - 1))


@inlined
def _is(first, step, number, steps, at, length):
    """Whether a staircase has these steps."""
    begin = first[number]
    if first[number + 1] - begin != length:
        return False
    for nth in range(length):
        if step[begin + nth] != steps[at + nth]:
            return False
    return True


@kernel
def number_staircases(lengths, steps, factor, first, step, slots, count, used, begin, found):
    """Number the staircases of the positions from `begin` on, as far as there is room. Returns the first position that
    is left; how many staircases there are now; and how many steps."""
    at = np.int64(0)
    for position in range(begin, len(lengths)):
        length = np.int64(lengths[position])
        if length == 0:
            continue
        if count + 1 >= len(first) or used + length > len(step) or SPARE * count > len(slots):
            return np.int64(position), np.int64(count), np.int64(used)
        slot = _slot(factor, steps, at, length, slots)
        while slots[slot] and not _is(first, step, slots[slot], steps, at, length):
            slot = (slot + 1) & (len(slots) - 1)
        if not slots[slot]:
            slots[slot] = count
            for nth in range(length):
                step[used + nth] = steps[at + nth]
            count += 1
            used += length
            first[count] = used
        found[position] = slots[slot]
        at += length
    return np.int64(len(lengths)), np.int64(count), np.int64(used)


@kernel
def enter_staircases(factor, first, step, slots, count):
    """Put the staircases into a larger hash table."""
    for number in range(1, count):
        slot = _slot(factor, step, first[number], first[number + 1] - first[number], slots)
        while slots[slot]:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number
