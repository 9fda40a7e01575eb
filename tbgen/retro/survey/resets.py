"""Resets: moves that leave the slice, the tables they lead to, and what they pay.

A capture or promotion changes the material, a pawn's step the slice. Whatever the record was, such a move pays the
fresh value of the position it leads to, a constant. A *route* tells for each kind of change which table
the move leads to, and from which slot each man there comes.

A local table knows nothing of some of these positions (local/solve.py). There the man that moved may be taken at once:
the opponent can have what that pays, so the move pays no more.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import bit, hits
from tbgen.board.geometry import MOST_PROMOTIONS
from tbgen.board.moves import is_pawn, leaves_king_safe, move_promotion, move_slot, move_taken, move_target, occupied_by
from tbgen.compiler.intrinsics import fetch_i32
from tbgen.compiler.jit import inlined, kernel, plain
from tbgen.core.material import Material, in_order
from tbgen.index.atlas import MEN
from tbgen.index.exits import Reached
from tbgen.index.kernels import locate
from tbgen.index.layout import Layout
from tbgen.retro.values.keys import outcome_of, patience
from tbgen.retro.values.payoff import NO_OUTCOME, Payoff, best_of

RETAKEN: Final = MOST_PROMOTIONS
"""In place of a promotion: the man is taken where it has gone."""
_ENDINGS: Final = MOST_PROMOTIONS + 1
_CHANGES: Final = (MEN + 1) * (MEN + 1) * _ENDINGS


class Routes(NamedTuple):
    table: NDArray[np.int64]
    """`[change]`: the table in the atlas, -1 where there is no such change."""
    swap: NDArray[np.int64]
    """`[change]`: whether the colours are swapped there."""
    source: NDArray[np.int64]
    """`[change * MEN + slot]`: the slot that the man in this slot comes from."""
    address: NDArray[np.int64]
    """`[table]`: where its finished entries lie in memory."""
    stand_in: NDArray[np.int64]
    """One number: the table for all positions that no other table has; -1 where there is none."""


@inlined
def change_number(taken, changed, ending):
    """A man is taken (-1: none), and one that moves is promoted or retaken (-1: it stays what it is)."""
    return ((taken + 1) * (MEN + 1) + changed + 1) * _ENDINGS + ending


def _men_after(layout: Layout, taken: int, changed: int, ending: int) -> list[tuple[int, str, int]]:
    """Side, letter and slot of each man that is there after a change."""
    return [
        (side, layout.material.promotions_to[ending] if slot == changed else letter, slot)
        for slot, (side, letter) in enumerate(layout.letters)
        if slot != taken and not (slot == changed and ending == RETAKEN)
    ]


def _material_of(layout: Layout, men: list[tuple[int, str, int]]) -> Material:
    first, second = (in_order(letter for side, letter, _ in men if side == s and letter != "K") for s in (0, 1))
    return layout.material.with_men(first, second)


def make_routes(layout: Layout, tables: Sequence[Reached], stand_in: int = -1) -> Routes:
    """From the first of these tables, which has this layout, to all of them. `stand_in` is the number of the one for
    positions that no other table has: its kings are the kings, and its other men stand where the first king does."""
    routes = Routes(
        np.full(_CHANGES, -1, np.int64),
        np.zeros(_CHANGES, np.int64),
        np.zeros(_CHANGES * MEN, np.int64),
        np.array([0 if one.entries is None else one.entries.ctypes.data for one in tables], np.int64),
        np.array([stand_in], np.int64),
    )
    found = _by_material(tables[:stand_in] if stand_in >= 0 else tables)
    for taken, changed, ending in _changes(layout):
        men = _men_after(layout, taken, changed, ending)
        table, swap = found.get(_material_of(layout, men), (-1 if ending == RETAKEN else stand_in, False))
        if table < 0:
            continue
        source = [0, 1]
        if table != stand_in:
            source = []
            for side, letter in tables[table].layout.letters:
                place = next(i for i, man in enumerate(men) if man[:2] == (side ^ swap, letter))
                source.append(men.pop(place)[2])
        change = plain(change_number)(taken, changed, ending)
        routes.table[change] = table
        routes.swap[change] = swap
        routes.source[change * MEN : change * MEN + len(source)] = source
    return routes


def _by_material(tables: Sequence[Reached]) -> dict[Material, tuple[int, bool]]:
    """The number of each table, and whether colours are swapped there, by the men of the side that comes first here and
    of the other one."""
    found: dict[Material, tuple[int, bool]] = {}
    for number, one in enumerate(tables):
        material = one.layout.material
        for swap in (False, True) if one.swapped is None else (one.swapped,):
            found.setdefault(material.swapped if swap else material, (number, swap))
    return found


def _changes(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """What a move can take, which man may change, and how."""
    slots = range(2, len(layout.letters))
    for taken in (-1, *slots):
        yield taken, -1, 0
        for changed in slots:
            if changed != taken:
                if layout.letters[changed][1] == "P":
                    yield from ((taken, changed, promotion) for promotion in range(len(layout.material.promotions_to)))
                yield taken, changed, RETAKEN


@inlined
def _set_up(graph, routes, change, squares, slot, target, there):
    """Write the squares of the men after a change, in slots of the table that it leads to, to `there`: one has moved.
    Returns the number of that table, and whether its colours are swapped."""
    table = routes.table[change]
    swap = routes.swap[change]
    mirror = 56 * swap
    for place in range(graph.atlas.men[table]):
        source = routes.source[change * MEN + place]
        square = target if source == slot else squares[source]
        there[place] = square ^ mirror
    return table, swap


@kernel
def follow(graph, routes, squares, side, move, there):
    """Make a move, and write the squares of the men, in slots of the table that it leads to, to `there`. Returns the
    number of that table, and the side to move there."""
    slot = move_slot(move)
    promotion = move_promotion(move)
    promoted = slot if promotion >= 0 else -1
    change = change_number(move_taken(move), promoted, max(promotion, 0))
    table, swap = _set_up(graph, routes, change, squares, slot, move_target(move), there)
    return table, (1 - side) ^ swap


@inlined
def payoff_after(graph, routes, squares, side, move, there):
    """What a reset pays its mover. No outcome where the tables contradict each other."""
    table, mover = follow(graph, routes, squares, side, move, there)
    paid = pays(fetch_i32(routes.address[table], locate(graph.atlas, table, there, mover)))
    if table == routes.stand_in[0] and paid.outcome > 0:
        retaking = _retaking(graph, routes, squares, side, move, there)
        if retaking.outcome != NO_OUTCOME and -retaking.outcome < paid.outcome:
            return Payoff(-retaking.outcome, retaking.shortest + 1, retaking.shortest + 1)
    return paid


@kernel
def _retaking(graph, routes, squares, side, move, there):
    """The best that the opponent is paid for taking the man that has just moved, without promoting."""
    atlas = graph.atlas
    slot, target, taken = move_slot(move), move_target(move), move_taken(move)
    best = Payoff(NO_OUTCOME, 0, 0)
    change = change_number(taken, slot, RETAKEN)
    if slot < 2 or routes.table[change] < 0:
        return best
    occupied = occupied_by(squares, atlas.men[0]) ^ bit(squares[slot])
    if taken >= 0:
        occupied ^= bit(squares[taken])
    occupied |= bit(target)
    for man in range(atlas.men[0]):
        if atlas.side[man] == side or man == taken or (is_pawn(atlas.kind[man]) and (target < 8 or target >= 56)):
            continue
        if not hits(graph, atlas.kind[man], squares[man], target, occupied):
            continue
        if not leaves_king_safe(graph, squares, man, target, slot, occupied):
            continue
        table, swap = _set_up(graph, routes, change, squares, man, target, there)
        one = pays(fetch_i32(routes.address[table], locate(atlas, table, there, side ^ swap)))
        best = best_of(best, one.outcome, one.shortest, one.longest)
    return best


@inlined
def pays(entry):
    """The payoff of a move to a position with this entry."""
    distance = patience(entry) + 1
    return Payoff(-outcome_of(entry), distance, distance)
