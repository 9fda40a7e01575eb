"""Sizes from which tables, slices and arrays are treated in another way; solver, workspace and estimates share them."""

from typing import Final

TEAM_FROM: Final = 1 << 21
"""Slices of at least this many numbers are solved by all threads together; smaller ones side by side."""
KEPT_FROM: Final = 1 << 23
"""Tables of fewer numbers have no workspace: they are built so soon that starting over costs little."""
LARGE: Final = 1 << 26
"""Bytes. Arrays of this size and more are on disk, smaller ones in memory."""


def is_kept(slices: int, numbers: int) -> bool:
    """Whether a table is built in a workspace, with which a stopped build goes on."""
    return slices > 1 and numbers >= KEPT_FROM


FIRST_LINKS: Final = 1 << 20
LINKS_GROWTH: Final = 4
"""Slots of the first hash table of links, and the factor from each table to the next."""
FEW_LINKS, MANY_LINKS = (FIRST_LINKS * (LINKS_GROWTH**tables - 1) // (LINKS_GROWTH - 1) for tables in (2, 5))
"""Slots for most tables, and for the largest. KNNvKR has 3.4 million staircases, KBPvKN 27 million."""
MANY_LINKS_FROM: Final = 1 << 26
"""Tables of at least this many numbers get MANY_LINKS."""


def links_for(numbers: int) -> int:
    """Slots for the links of a table, by its numbers."""
    return int(FEW_LINKS if numbers < MANY_LINKS_FROM else MANY_LINKS)
