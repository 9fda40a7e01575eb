"""Position <-> number, compiled. `squares` holds a man's square in its slot's place (index/layout.py)."""

from tbgen.index.atlas import GROUPS, MEN
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
    squares[0] = atlas.king_first[family * _PAIRS + kings]
    squares[1] = atlas.king_second[family * _PAIRS + kings]
    for group in range(table * GROUPS, table * GROUPS + atlas.groups[table]):
        stride = atlas.group_stride[group]
        of_group = rest // stride
        rest -= of_group * stride
        slot = atlas.group_slot[group]
        count = atlas.group_count[group]
        if count == 1:
            squares[slot] = of_group
        elif count == 2:
            squares[slot] = atlas.squares2[of_group * 2]
            squares[slot + 1] = atlas.squares2[of_group * 2 + 1]
        else:
            for nth in range(3):
                squares[slot + nth] = atlas.squares3[of_group * 3 + nth]
    return kings


@kernel
def locate(atlas, table, squares, mover):
    """The number of a position in its table, -1 where its kings touch or a pawn stands on a last rank."""
    code = 0
    shift = 0
    for slot in range(atlas.first_pawn[table], atlas.men[table]):
        code += squares[slot] << shift
        shift += 6
    found = atlas.slice_of[atlas.pawn_base[table] + code]
    if found < 0:
        return -1
    part = atlas.slice_base[table] + (found >> 4)
    symmetry = found & 7
    swap = (found & SWAP_BIT) != 0
    if swap:
        mover = 1 - mover
    flip = atlas.slice_flip[part]
    if flip >= 0 and mover == 1:
        swap = not swap
        symmetry = atlas.after[flip * 8 + symmetry]
        mover = 0
    first = squares[1] if swap else squares[0]
    second = squares[0] if swap else squares[1]
    family = atlas.slice_family[part]
    pair = family * 4096 + atlas.image[symmetry * 64 + first] * 64 + atlas.image[symmetry * 64 + second]
    kings = atlas.king_number[pair]
    if kings < 0:
        return -1
    symmetry = atlas.after[atlas.king_symmetry[pair] * 8 + symmetry]
    number = kings * atlas.inner[table]
    for group in range(table * GROUPS, table * GROUPS + atlas.groups[table]):
        source = table * GROUPS + atlas.group_partner[group] if swap else group
        number += atlas.group_stride[group] * group_number(
            atlas, symmetry, squares, atlas.group_slot[source], atlas.group_count[group]
        )
    return atlas.slice_start[part] + mover * atlas.slice_half[part] + number


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
    base = atlas.slice_base[table]
    part = base
    for row in range(len(numbers)):
        number = numbers[row]
        if number < atlas.slice_start[part]:
            part = base
        while True:
            sides = 1 if atlas.slice_flip[part] >= 0 else 2
            if number < atlas.slice_start[part] + sides * atlas.slice_half[part]:
                break
            part += 1
        number -= atlas.slice_start[part]
        movers[row] = number // atlas.slice_half[part]
        number -= movers[row] * atlas.slice_half[part]
        decode_half(atlas, table, atlas.slice_family[part], number, squares[row])
        for pawn in range(count):
            squares[row, first_pawn + pawn] = pawns[part - base, pawn]


__all__ = ["MEN", "decode_half", "decode_many", "group_number", "locate", "locate_many"]
