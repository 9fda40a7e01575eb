"""Which parts to solve for a position: as many as fit, those with the fewest men first."""

from collections.abc import Container
from typing import NamedTuple

import chess

from tbgen.material import Material
from tbgen.own.slices import PartName, Placement, closed, in_frame, name_of, numbers_per_slice, placement_of, resets


class PlannedPart(NamedTuple):
    name: PartName
    placements: set[Placement]
    numbers: int
    known: list[PartName]
    """The parts that its resets lead to and that are planned."""
    exact: bool
    """Whether nothing that its resets lead to is unknown."""


def make_plan(board: chess.Board, complete: Container[Material], most: int) -> list[PlannedPart]:
    """The parts in the order in which they can be solved; the last is the position's own. `complete` are the materials
    that have tables. A part of more than `most` numbers is left out, but for the position's own, and so is all that
    only it leads to."""
    root = name_of(board)
    waiting = {root: {placement_of(in_frame(board, root))}}
    leads_to: dict[PartName, set[PartName]] = {}
    sizes: dict[PartName, int] = {}
    placements: dict[PartName, set[Placement]] = {}
    while waiting:
        name = max(waiting, key=lambda one: (one.material.men, one.material.pawns))
        found = closed(waiting.pop(name))
        size = len(found) * numbers_per_slice(name.material)
        if name != root and size > most:
            continue
        sizes[name], placements[name], leads_to[name] = size, found, set()
        for pawns in found:
            for after, there in resets(name, pawns):
                leads_to[name].add(after)
                if after.material not in complete and after.material.pawns:
                    waiting.setdefault(after, set()).add(there)
    plan: list[PlannedPart] = []
    exact: dict[PartName, bool] = {}
    for name in reversed(sizes):
        exact[name] = all(one.material in complete or exact.get(one, False) for one in leads_to[name])
        known = [one for one in leads_to[name] if one in sizes]
        plan.append(PlannedPart(name, placements[name], sizes[name], sorted(known), exact[name]))
    return plan
