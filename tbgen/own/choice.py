"""Which parts to solve: the position's own, and those that resets lead to unless they are too large."""

import sys
from collections.abc import Container, Iterable, Set
from typing import NamedTuple

import chess

from tbgen.material import Material
from tbgen.own.slices import (
    PartName,
    can_be_solved,
    in_frame,
    name_of,
    numbers_per_slice,
    part_after,
    parts_after_retaking,
    placement_of,
    resets,
)
from tbgen.own.walks import AllFrom, Placement, TooMany, by_two_files, closed


class Chosen(NamedTuple):
    placements: Set[Placement]
    leads_to: dict[PartName, set[PartName]]
    """The parts that its resets lead to, chosen or not; and what each leads to if the man that moved is retaken, unless
    it has a table."""
    numbers: int


def choose(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize
) -> dict[PartName, Chosen]:
    """The parts of at most `most` numbers, the position's own first. `complete` are the materials that have tables.
    TooMany if all together have more than `room`."""
    root = name_of(board)
    chosen: dict[PartName, Chosen] = {}
    waiting = {root: {placement_of(in_frame(board, root))}}
    retaken: dict[PartName, set[tuple[PartName, Placement]]] = {}
    """Of parts that wait: the placements to be solved if they are not."""

    def is_small(material: Material) -> bool:
        """Whether a part of it may be chosen, by the size of a single slice."""
        return can_be_solved(material) and numbers_per_slice(material) <= most

    def add(placements: Iterable[tuple[PartName, Placement]]) -> None:
        for name, there in placements:
            if is_small(name.material) and name.material not in complete:
                waiting.setdefault(name, set()).add(there)

    while waiting:
        # resets lead to fewer men, or to fewer pawns: all that leads to this one is known
        name = max(waiting, key=lambda one: (one.material.men, one.material.pawns))
        each = numbers_per_slice(name.material)
        limit = sys.maxsize if name == root else min(most // each, room // each + 1)
        placements: Set[Placement]
        found = waiting.pop(name)
        try:
            placements = closed(found, limit) if most else AllFrom(*found)
        except TooMany:
            add(retaken.pop(name, ()))
            continue
        room -= len(placements) * each
        if room < 0 and name != root:
            raise TooMany
        leads_to: dict[PartName, set[PartName]] = {}
        # where the other parts' placements do not matter, there is no need to list these
        for pawns in placements if most else by_two_files(*found):
            for reset in resets(pawns, name.material):
                after, there = part_after(name, reset)
                behind = leads_to.setdefault(after, set())
                if after.material in complete:
                    continue
                retaking = {*parts_after_retaking(name, reset)}
                behind.update(part for part, _ in retaking)
                if is_small(after.material):
                    waiting.setdefault(after, set()).add(there)
                    retaken.setdefault(after, set()).update(retaking)
                else:
                    add(retaking)
        chosen[name] = Chosen(placements, leads_to, len(placements) * each)
    return chosen
