"""Which parts to solve: the position's own, and those that resets lead to unless they are too large."""

import sys
from collections.abc import Container
from typing import NamedTuple

import chess

from tbgen.material import Material
from tbgen.own.slices import PartName, in_frame, name_of, numbers_per_slice, placement_of, resets
from tbgen.own.walks import Placement, TooMany, closed


class Chosen(NamedTuple):
    placements: set[Placement]
    leads_to: set[PartName]
    """The parts that its resets lead to, chosen or not."""
    numbers: int


def choose(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize
) -> dict[PartName, Chosen]:
    """The parts of at most `most` numbers, the position's own first. `complete` are the materials that have tables.
    TooMany if all together have more than `room`."""
    root = name_of(board)
    chosen: dict[PartName, Chosen] = {}
    waiting = {root: {placement_of(in_frame(board, root))}}
    while waiting:
        # resets lead to fewer men, or to fewer pawns: all that leads to this one is known
        name = max(waiting, key=lambda one: (one.material.men, one.material.pawns))
        each = numbers_per_slice(name.material)
        limit = sys.maxsize if name == root else min(most // each, room // each + 1)
        try:
            placements = closed(waiting.pop(name), limit)
        except TooMany:
            continue
        room -= len(placements) * each
        if room < 0 and name != root:
            raise TooMany
        leads_to = set[PartName]()
        for pawns in placements:
            for after, there in resets(name, pawns):
                leads_to.add(after)
                if after.material not in complete and after.material.pawns:
                    waiting.setdefault(after, set()).add(there)
        chosen[name] = Chosen(placements, leads_to, len(placements) * each)
    return chosen
