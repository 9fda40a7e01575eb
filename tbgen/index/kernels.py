"""Position <-> number, compiled. `squares` holds a man's square in its slot's place (index/layout.py)."""

from tbgen.index.atlas import (
    AFTER,
    FIRST,
    G_COUNT,
    G_PARTNER,
    G_SLOT,
    G_STRIDE,
    GROUP,
    GROUPS,
    S_FAMILY,
    S_FLIP,
    S_HALF,
    S_START,
    SECOND,
    SLICE,
    SYMMETRY,
    T_PAWNS,
    T_SLICES,
    TABLE,
    THREES,
)
from tbgen.index.pawns import SWAP_BIT
from tbgen.jit import inlined, kernel

_PAIRS = 3612


@inlined
def group_number(atlas, symmetry, squares, slot, count):
    """The number of `count` like men from `slot` on, after a symmetry."""
    image = atlas.image
    shift = symmetry * 64
    a = image[shift + squares[slot]]
    if count == 1:
        return atlas.choose[a]
    b = image[shift + squares[slot + 1]]
    if a > b:
        a, b = b, a
    if count == 2:
        return atlas.choose[a] + atlas.choose[64 + b]
    c = image[shift + squares[slot + 2]]
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    return atlas.choose[a] + atlas.choose[64 + b] + atlas.choose[128 + c]


@inlined
def decode_half(atlas, table, family, number, squares):
    """Put the kings and pieces of a number within a half on their squares; return the number of the kings."""
    inner = atlas.inner[table]
    kings = number // inner
    rest = number - kings * inner
    squares[0] = atlas.kings[FIRST + family * _PAIRS + kings]
    squares[1] = atlas.kings[SECOND + family * _PAIRS + kings]
    for group in range(table * GROUPS * GROUP, (table * GROUPS + atlas.groups[table]) * GROUP, GROUP):
        stride = atlas.group[group + G_STRIDE]
        of_group = rest // stride
        rest -= of_group * stride
        slot = atlas.group[group + G_SLOT]
        count = atlas.group[group + G_COUNT]
        if count == 1:
            squares[slot] = of_group
        elif count == 2:
            squares[slot] = atlas.squares[of_group * 2]
            squares[slot + 1] = atlas.squares[of_group * 2 + 1]
        else:
            for nth in range(3):
                squares[slot + nth] = atlas.squares[THREES + of_group * 3 + nth]
    return kings


@kernel
def locate(atlas, table, squares, mover):
    """The number of a position in its table, -1 where its kings touch or a pawn stands on a last rank."""
    code = 0
    shift = 0
    for slot in range(atlas.first_pawn[table], atlas.men[table]):
        code += squares[slot] << shift
        shift += 6
    found = atlas.slice_of[atlas.table[table * TABLE + T_PAWNS] + code]
    if found < 0:
        return -1
    part = (atlas.table[table * TABLE + T_SLICES] + (found >> 4)) * SLICE
    symmetry = found & 7
    swap = (found & SWAP_BIT) != 0
    if swap:
        mover = 1 - mover
    flip = atlas.slice[part + S_FLIP]
    if flip >= 0 and mover == 1:
        swap = not swap
        symmetry = atlas.image[AFTER + flip * 8 + symmetry]
        mover = 0
    first = squares[1] if swap else squares[0]
    second = squares[0] if swap else squares[1]
    family = atlas.slice[part + S_FAMILY]
    pair = family * 4096 + atlas.image[symmetry * 64 + first] * 64 + atlas.image[symmetry * 64 + second]
    kings = atlas.kings[pair]
    if kings < 0:
        return -1
    symmetry = atlas.image[AFTER + atlas.kings[SYMMETRY + pair] * 8 + symmetry]
    number = kings * atlas.inner[table]
    for group in range(table * GROUPS * GROUP, (table * GROUPS + atlas.groups[table]) * GROUP, GROUP):
        source = (table * GROUPS + atlas.group[group + G_PARTNER]) * GROUP if swap else group
        number += atlas.group[group + G_STRIDE] * group_number(
            atlas, symmetry, squares, atlas.group[source + G_SLOT], atlas.group[group + G_COUNT]
        )
    return atlas.slice[part + S_START] + mover * atlas.slice[part + S_HALF] + number


@kernel
def locate_many(atlas, table, squares, movers, numbers):
    """`locate` for rows of squares."""
    for row in range(len(numbers)):
        numbers[row] = locate(atlas, table, squares[row], movers[row])


@kernel
def decode_many(atlas, table, pawns, numbers, squares, movers):
    """The way back for all `numbers` of a table; `pawns` are the placements of its slices, row by row."""
    first_pawn = atlas.first_pawn[table]
    count = atlas.men[table] - first_pawn
    base = atlas.table[table * TABLE + T_SLICES]
    part = base
    for row in range(len(numbers)):
        number = numbers[row]
        if number < atlas.slice[part * SLICE + S_START]:
            part = base
        while True:
            sides = 1 if atlas.slice[part * SLICE + S_FLIP] >= 0 else 2
            if number < atlas.slice[part * SLICE + S_START] + sides * atlas.slice[part * SLICE + S_HALF]:
                break
            part += 1
        number -= atlas.slice[part * SLICE + S_START]
        movers[row] = number // atlas.slice[part * SLICE + S_HALF]
        number -= movers[row] * atlas.slice[part * SLICE + S_HALF]
        decode_half(atlas, table, atlas.slice[part * SLICE + S_FAMILY], number, squares[row])
        for pawn in range(count):
            squares[row, first_pawn + pawn] = pawns[part - base, pawn]
