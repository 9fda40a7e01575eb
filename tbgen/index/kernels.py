"""Position <-> number, compiled. `squares` holds a man's square in its slot's place (index/layout.py)."""

import numpy as np

from tbgen.board.attacks import bit
from tbgen.board.geometry import SQUARE_PAIRS
from tbgen.compiler.intrinsics import high_product
from tbgen.compiler.jit import inlined
from tbgen.index.atlas import (
    AFTER,
    FIRST,
    FOURS,
    G_COUNT,
    G_INVERSE,
    G_PARTNER,
    G_SLOT,
    G_STRIDE,
    GROUP,
    GROUPS,
    KINGS_SYMMETRY,
    S_FAMILY,
    S_FLIP,
    S_HALF,
    S_START,
    SECOND,
    SLICE,
    T_INVERSE,
    T_MASK,
    T_PAWNS,
    T_SHIFTS,
    T_SLICES,
    T_WEIGHTS,
    TABLE,
    THREES,
)
from tbgen.index.hash import HIGH
from tbgen.index.kings import MOST_PAIRS
from tbgen.index.pawns import SLICE_SHIFT, SWAP_BIT, SYMMETRY_MASK


@inlined
def group_number(atlas, symmetry, squares, slot, count):
    """The number of `count` like men from `slot` on, after a symmetry."""
    image = atlas.image
    shift = symmetry * 64
    a = image[shift + squares[slot]]
    if count == 1:
        return np.int64(a)
    b = image[shift + squares[slot + 1]]
    if a > b:
        a, b = b, a
    if count == 2:
        return a + atlas.choose[64 + b]
    c = image[shift + squares[slot + 2]]
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    if count == 3:
        return a + atlas.choose[64 + b] + atlas.choose[128 + c]
    d = image[shift + squares[slot + 3]]
    if c > d:
        c, d = d, c
        if b > c:
            b, c = c, b
            if a > b:
                a, b = b, a
    return a + atlas.choose[64 + b] + atlas.choose[128 + c] + atlas.choose[192 + d]


@inlined
def quotient(number, inverse):
    """How often the divisor that has this inverse (atlas.py) goes into a number: a division takes three times as long.
    The product of number and divisor has to be less than 2^64."""
    return np.int64(high_product(np.uint64(number + 1), np.uint64(inverse)))


@inlined
def decode_kings(atlas, table, family, number, squares):
    """Put the kings of a number within a half on their squares. Returns their number, what is left for the pieces, and
    the two squares as a set."""
    kings = quotient(number, atlas.table[table * TABLE + T_INVERSE])
    squares[0] = first = np.int64(atlas.kings[FIRST + family * MOST_PAIRS + kings])
    squares[1] = second = np.int64(atlas.kings[SECOND + family * MOST_PAIRS + kings])
    return kings, number - kings * atlas.inner[table], bit(first) | bit(second)


@inlined
def decode_group(atlas, group, number, squares):
    """The same for a group of pieces: what is left for the next ones, and its squares."""
    of_group = quotient(number, atlas.group[group + G_INVERSE])
    left = number - of_group * atlas.group[group + G_STRIDE]
    slot = atlas.group[group + G_SLOT]
    count = atlas.group[group + G_COUNT]
    if count == 1:
        squares[slot] = of_group
        return left, bit(of_group)
    occupied = np.uint64(0)
    at = 0 if count == 2 else THREES if count == 3 else FOURS
    for nth in range(count):
        squares[slot + nth] = square = np.int64(atlas.squares[at + of_group * count + nth])
        occupied |= bit(square)
    return left, occupied


@inlined
def decode_half(atlas, table, family, number, squares):
    """Put the kings and pieces of a number within a half on their squares."""
    _, left, _ = decode_kings(atlas, table, family, number, squares)
    for group in range(table * GROUPS * GROUP, (table * GROUPS + atlas.groups[table]) * GROUP, GROUP):
        left, _ = decode_group(atlas, group, left, squares)


@inlined
def _place(atlas, table, squares):
    """Where the pawns' entry is in the table's part of `slice_of`. With a hash for all, `locate` took 15 % longer."""
    first_pawn = atlas.first_pawn[table]
    fields = table * TABLE
    place = 0
    if atlas.table[fields + T_MASK] == 0:
        shift = 0
        for slot in range(first_pawn, atlas.men[table]):
            place += squares[slot] << shift
            shift += 6
        return np.int64(place)
    code = np.int64(0)
    weights = atlas.table[fields + T_WEIGHTS]
    for slot in range(first_pawn, atlas.men[table]):
        code += atlas.weight[weights + squares[slot]]
        weights += 64
    shift = atlas.shift[atlas.table[fields + T_SHIFTS] + (code >> HIGH)]
    return (code + shift) & atlas.table[fields + T_MASK]


@inlined
def turned(atlas, table, squares, mover):
    """How a position must be turned for its pawns to stand as in a slice: where the fields of that begin (-1: there is
    none), the symmetry, whether colours are swapped, and the side to move after that."""
    place = _place(atlas, table, squares)
    found = np.int64(atlas.slice_of[atlas.table[table * TABLE + T_PAWNS] + place])
    if found < 0:
        return np.int64(-1), np.int64(0), False, np.int64(0)
    fields = (atlas.table[table * TABLE + T_SLICES] + (found >> SLICE_SHIFT)) * SLICE
    symmetry = found & SYMMETRY_MASK
    swap = (found & SWAP_BIT) != 0
    turn = np.int64(1 - mover if swap else mover)
    flip = np.int64(atlas.slice[fields + S_FLIP])
    if flip >= 0 and turn == 1:
        return fields, np.int64(atlas.image[AFTER + flip * 8 + symmetry]), not swap, np.int64(0)
    return fields, symmetry, swap, turn


@inlined
def turned_kings(atlas, fields, symmetry, swap, squares):
    """The number of the kings of a position that is to be turned like this, -1 where they touch; and the symmetry for
    all other pieces."""
    first = squares[1] if swap else squares[0]
    second = squares[0] if swap else squares[1]
    family = atlas.slice[fields + S_FAMILY]
    pair = family * SQUARE_PAIRS + atlas.image[symmetry * 64 + first] * 64 + atlas.image[symmetry * 64 + second]
    return np.int64(atlas.kings[pair]), np.int64(atlas.image[AFTER + atlas.kings[KINGS_SYMMETRY + pair] * 8 + symmetry])


@inlined
def locate(atlas, table, squares, mover):
    """The number of a position in its table, -1 where its kings touch or a pawn stands on a last rank."""
    fields, symmetry, swap, mover = turned(atlas, table, squares, mover)
    if fields < 0:
        return -1
    kings, symmetry = turned_kings(atlas, fields, symmetry, swap, squares)
    if kings < 0:
        return -1
    number = kings * atlas.inner[table]
    for group in range(table * GROUPS * GROUP, (table * GROUPS + atlas.groups[table]) * GROUP, GROUP):
        source = (table * GROUPS + atlas.group[group + G_PARTNER]) * GROUP if swap else group
        number += atlas.group[group + G_STRIDE] * group_number(
            atlas, symmetry, squares, atlas.group[source + G_SLOT], atlas.group[group + G_COUNT]
        )
    return atlas.slice[fields + S_START] + mover * atlas.slice[fields + S_HALF] + number


@inlined
def slice_from(atlas, table, slice_, number):
    """The slice in which a number of a table lies, looked for from this one on."""
    base = atlas.table[table * TABLE + T_SLICES]
    if number < atlas.slice[(base + slice_) * SLICE + S_START]:
        slice_ = 0
    while True:
        fields = (base + slice_) * SLICE
        sides = 1 if atlas.slice[fields + S_FLIP] >= 0 else 2
        if number < atlas.slice[fields + S_START] + sides * atlas.slice[fields + S_HALF]:
            return slice_
        slice_ += 1


@inlined
def decode(atlas, table, pawns, slice_, number, squares):
    """Put the men of a number in this slice on their squares; return the side to move. `pawns` has the squares
    of all slices' pawns, row by row."""
    fields = (atlas.table[table * TABLE + T_SLICES] + slice_) * SLICE
    number -= atlas.slice[fields + S_START]
    half = atlas.slice[fields + S_HALF]
    mover = 1 if number >= half else 0
    decode_half(atlas, table, atlas.slice[fields + S_FAMILY], number - mover * half, squares)
    first_pawn = atlas.first_pawn[table]
    for pawn in range(atlas.men[table] - first_pawn):
        squares[first_pawn + pawn] = pawns[slice_, pawn]
    return mover
