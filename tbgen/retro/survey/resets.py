"""Resets: moves that leave the slice, the tables they lead to, and what they pay.

A capture or promotion changes the material, a pawn's step the slice. Whatever the record was, such a move pays the
fresh value of the position it leads to, a constant. A *route* tells for each kind of change which table
the move leads to, and from which slot each man there comes.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.moves import PROMOTION_KINDS, move_promotion, move_slot, move_taken, move_target
from tbgen.index.atlas import MEN
from tbgen.index.kernels import locate
from tbgen.index.layout import Layout, layout_of
from tbgen.intrinsics import fetch_i32
from tbgen.jit import inlined, kernel, plain
from tbgen.material import PROMOTIONS, Material
from tbgen.retro.values.keys import outcome_of, patience
from tbgen.retro.values.payoff import Payoff

_CHANGES: Final = (MEN + 1) * (MEN + 1) * PROMOTION_KINDS


class Routes(NamedTuple):
    table: NDArray[np.int64]
    """`[change]`: the table in the atlas, -1 where there is no such change."""
    swap: NDArray[np.int64]
    """`[change]`: whether the colours are swapped there."""
    source: NDArray[np.int64]
    """`[change * MEN + slot]`: the slot that the man in this slot comes from."""
    address: NDArray[np.int64]
    """`[table]`: where its finished entries lie in memory."""


@inlined
def change_number(taken, promoted, promotion):
    return ((taken + 1) * (MEN + 1) + promoted + 1) * PROMOTION_KINDS + promotion


def _route(layout: Layout, taken: int, promoted: int, promotion: int) -> tuple[Material, bool, list[int]]:
    """The normal material after a change, whether its colours are swapped, and where its men come from."""
    men = []
    for slot, (side, letter) in enumerate(layout.letters):
        if slot != taken:
            men.append((side, PROMOTIONS[promotion] if slot == promoted else letter, slot))
    sides = ["".join(letter for side, letter, _ in men if side == s and letter != "K") for s in (0, 1)]
    material = Material(*("".join(sorted(letters, key="QRBNP".index)) for letters in sides))
    swap = not material.is_normal
    source = []
    for side, letter in layout_of(material.normal).letters:
        place = next(i for i, man in enumerate(men) if man[:2] == (side ^ swap, letter))
        source.append(men.pop(place)[2])
    return material.normal, swap, source


def either_way(tables: Sequence[Material]) -> dict[tuple[Material, bool], int]:
    """Numbers for `make_routes`, of tables in the order of the atlas that serve with colours swapped or not."""
    return {(table, swap): number for number, table in enumerate(tables) for swap in (False, True)}


def make_routes(
    layout: Layout, tables: Mapping[tuple[Material, bool], int], addresses: list[int], stand_in: int = -1
) -> Routes:
    """`tables` has the number in the atlas of each material, and whether its colours are swapped. `stand_in` is the
    number for all others: its kings are the kings, and its other men stand where the first king does."""
    routes = Routes(
        np.full(_CHANGES, -1, np.int64),
        np.zeros(_CHANGES, np.int64),
        np.zeros(_CHANGES * MEN, np.int64),
        np.array(addresses, np.int64),
    )
    slots = range(len(layout.letters))
    pawns = [slot for slot in slots if layout.letters[slot][1] == "P"]
    for taken in (-1, *slots[2:]):
        for promoted in (-1, *pawns):
            if promoted == taken and taken >= 0:
                continue
            for promotion in range(PROMOTION_KINDS):
                material, swap, source = _route(layout, taken, promoted, promotion)
                table = tables.get((material, swap), stand_in)
                if table < 0:
                    continue
                change = plain(change_number)(taken, promoted, promotion)
                routes.table[change] = table
                if table == stand_in:
                    swap, source = False, [0, 1]
                routes.swap[change] = swap
                routes.source[change * MEN : change * MEN + len(source)] = source
    return routes


@kernel
def follow(graph, routes, squares, side, move, there):
    """Make a move, and write the squares of the men, in slots of the table that it leads to, to `there`. Returns the
    number of that table, and the side to move there."""
    slot = move_slot(move)
    promotion = move_promotion(move)
    promoted = slot if promotion >= 0 else -1
    change = change_number(move_taken(move), promoted, max(promotion, 0))
    table = routes.table[change]
    swap = routes.swap[change]
    mirror = 56 * swap
    for place in range(graph.atlas.men[table]):
        source = routes.source[change * MEN + place]
        square = move_target(move) if source == slot else squares[source]
        there[place] = square ^ mirror
    return table, (1 - side) ^ swap


@kernel
def entry_after(graph, routes, squares, side, move, there):
    """The finished entry of the position after a move, relative to the mover's opponent."""
    table, mover = follow(graph, routes, squares, side, move, there)
    number = locate(graph.atlas, table, there, mover)
    return fetch_i32(routes.address[table], number)


@inlined
def pays(entry):
    """The payoff of a move to a position with this entry."""
    distance = patience(entry) + 1
    return Payoff(-outcome_of(entry), distance, distance)
