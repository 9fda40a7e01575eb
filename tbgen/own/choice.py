"""Which parts to solve: the position's own, and those that resets lead to unless they are too large."""

import sys
from collections.abc import Container, Iterable, Mapping, Set
from typing import Final, NamedTuple

import chess

from tbgen.material import Material
from tbgen.own.slices import (
    PartName,
    beyond,
    can_be_solved,
    lead_of,
    leads_after_retaking,
    numbers_per_slice,
    resets,
    root_of,
)
from tbgen.own.walks import AllFrom, Placement, TooMany, by_two_files, closed

Tables = Mapping[Material, Set[Placement] | None]
"""Complete tables, and the placements of pawns that are asked of each; None: all of them."""

_LISTED: Final = 2048
"""Placements of a part alone, at most, whose resets are listed: that takes a quarter of a millisecond each."""


class Chosen(NamedTuple):
    placements: Set[Placement]
    leads_to: dict[PartName, set[PartName]]
    """Where its resets lead to, chosen or not; and for each where it comes to if the man that moved is retaken, unless
    it has a table. All of these are seen from here."""
    tables: Tables
    """What all of them may ask of complete tables."""
    numbers: int


def choose(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize
) -> dict[PartName, Chosen]:
    """The parts of at most `most` numbers, the position's own first. `complete` are the materials that have tables.
    TooMany if all together have more than `room`."""
    root, start = root_of(board)
    chosen: dict[PartName, Chosen] = {}
    waiting = {root: {start}}
    retaken: dict[PartName, set[tuple[PartName, Placement]]] = {}
    """Of parts that wait: the placements to be solved if they are not."""

    def is_small(material: Material) -> bool:
        """Whether a part of it may be chosen, by the size of a single slice."""
        return can_be_solved(material) and numbers_per_slice(material) <= most

    def add(placements: Iterable[tuple[PartName, Placement]]) -> None:
        for part, there in placements:
            if is_small(part.material) and part.material not in complete:
                waiting.setdefault(part, set()).add(there)

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
        asked: dict[Material, set[Placement]] = {}
        # alone, and with many placements, it takes whole tables
        listed = most or len(placements) <= _LISTED
        for pawns in placements if listed else by_two_files(*found):
            for reset in resets(pawns, name.material):
                lead, there = lead_of(reset)
                behind = leads_to.setdefault(lead, set())
                if lead.material in complete:
                    asked.setdefault(lead.material, set()).add(there)
                    continue
                leads = {*leads_after_retaking(reset)}
                behind.update(one for one, _ in leads)
                for one, retaking in leads:
                    if one.material in complete:
                        asked.setdefault(one.material, set()).add(retaking)
                after, seen = beyond(name, lead), {(beyond(name, one), retaking) for one, retaking in leads}
                if is_small(after.material):
                    waiting.setdefault(after, set()).add(there)
                    retaken.setdefault(after, set()).update(seen)
                else:
                    add(seen)
        tables: Tables = asked if listed else dict.fromkeys(asked)
        chosen[name] = Chosen(placements, leads_to, tables, len(placements) * each)
    return chosen
