"""Sizes from which tables, slices and arrays are treated in another way; solver, workspace and estimates share them."""

from typing import Final

TEAM_FROM: Final = 1 << 21
"""Slices of at least this many numbers may be solved by several threads together; smaller ones have one each."""
AT_WORK: Final = 13
"""Bytes per number that a slice takes while it is solved, at most and all together (generate/estimate.py)."""
KEPT_FROM: Final = 1 << 23
"""Tables of fewer numbers have no workspace: they are built so soon that starting over costs little."""
LARGE: Final = 1 << 26
"""Bytes. A table's arrays of this size and more are on disk; smaller ones are in memory, if that has room."""
ENTRY: Final = 4
"""Bytes per number of a table from which others are built."""
SMALL: Final = 1 << 20
"""Bytes. Arrays of a slice at work below this size are in memory, whatever room there is."""


SHORT: Final = 1 << 31
"""Numbers of a slice whose positions 32 bits can name."""
LONG_FROM: Final = 1 << 28
"""Slices of at least this many numbers take so long that snapshots of them are kept: those of six men."""


def is_large(numbers: int) -> bool:
    """Whether the entries of a table are on disk in any case while others are built from it."""
    return ENTRY * numbers >= LARGE


def is_long(numbers: int) -> bool:
    """Whether snapshots are kept of a slice."""
    return numbers >= LONG_FROM


def is_kept(slices: int, numbers: int) -> bool:
    """Whether a table is built in a workspace, with which a stopped build goes on."""
    return numbers >= KEPT_FROM if slices > 1 else is_long(numbers)


TURNED_TO: Final = 1 << 28
"""Numbers of slices that are there in full to be solved next, one after the other or side by side; of one at least."""
COMPRESSED_FROM: Final = 1 << 28
"""Tables with pawns of at least this many numbers keep finished slices compressed while they are built."""


def is_compressed(slices: int, numbers: int) -> bool:
    """Whether finished slices of a table are compressed."""
    return slices > 1 and numbers >= COMPRESSED_FROM


PROGRAM: Final = 220 << 20
"""Bytes of memory of the program itself, imports included."""

_FEW: Final = 64
"""1 / _FEW of the memory and more is too much for an array that could be on disk: a table has some ten of such a size.
"""


def on_disk_from(memory: int) -> int:
    """Bytes of a table's array from which it is on disk."""
    return min(LARGE, max(SMALL, memory // _FEW))


FIRST_LINKS: Final = 1 << 20
LINKS_GROWTH: Final = 2
"""Slots of the first hash table of the links' index, at least, and the factor from each table to the next. Links lie
all over the last: a larger factor takes more memory, a smaller one more looks."""
LINK_TABLES: Final = range(11)
"""The hash tables that there can be; the first two always are. Numbers of links have 32 bits, one for the sign."""


def links_for(numbers: int, *, with_record: bool = True) -> int:
    """Room for the links of a table. Where no move resets the record there are none; elsewhere one for two numbers, as
    far as so many hash tables go. KBPvKN has 27 million for its 710 million numbers, but KNPvKNP with a6 and h6 more
    than five for 30 million."""
    if not with_record:
        return 1
    room = 0
    for table in LINK_TABLES:
        room += FIRST_LINKS * LINKS_GROWTH**table
        if table and 2 * room >= numbers:
            break
    return room


PASS_SLOTS: Final = 1 << 24
"""Slots of the index where it has the links of one pass over a level, at most: 134 MB, all over which a pass looks."""


def slots_for(links: int, *, shared: bool) -> int:
    """Slots of the links' index: for all where slices have links in common, elsewhere for those that a pass adds."""
    return links if shared else max(1, min(links // 2, PASS_SLOTS))
