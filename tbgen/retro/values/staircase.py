"""Staircases: what an open position is worth under each record, as a chain of steps.

A step gives outcome and distance from a level of the record on, for one holder of the record. A position's staircase
is a chain of steps in the order in which the sweep found them. Chains with a common beginning share it, so that a
chain is one number, that of its last link. Links are numbered as they are found, each after the one before it; by how
many threads and when is chance. Therefore finished tables renumber the staircases.

An index finds the link that is there already: hash tables of numbers. A step tells its level, so that only links of
the level at work are looked for: each level has tables of its own, the next one where the last is full. Where no other
slice may have found links, each pass over a level begins with new ones, and what is in their slots counts as free.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import atomic_load, compare_exchange, fetch_add, store_release, yield_processor
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import MOVER_HOLDS
from tbgen.memory.arrays import FAILED, IN_MEMORY, Arrays
from tbgen.retro.room import reserve
from tbgen.retro.values.keys import LONGEST, level_of
from tbgen.system.thresholds import FIRST_LINKS, LINKS_GROWTH, slots_for

FULL: Final = -1

_DISTANCE_BITS: Final = 12
_OUTCOME_BITS: Final = 11
_LEVEL_BITS: Final = 8
_STEP_BITS: Final = 32
"""A step in the lower half of a key; the link before it is in the upper half."""
_NUMBER_AT: Final = 32
"""In a slot: the number of its link, above bits of the hash."""

assert LONGEST < 1 << _DISTANCE_BITS
assert 2 * BASE <= 1 << _OUTCOME_BITS
assert 1 + _LEVEL_BITS + _OUTCOME_BITS + _DISTANCE_BITS <= _STEP_BITS, "the holder takes one bit"

_WINDOW: Final = 32
"""Slots that a link may have in each hash table."""
_LEVELS: Final = 1 << _LEVEL_BITS
_TABLES: Final = 20
"""Hash tables that a level may have."""
_FIRST: Final = 1 << 14
"""Slots of the first, where slices share them."""
_BEGIN_AT: Final = 32
_SIZE: Final = (1 << _BEGIN_AT) - 1
_ALIKE: Final = 4
"""Positions with the same new link, roughly, where there are many of both."""
_ROOM: Final = 4
"""Slots of each position that may have two new links of its own, so that half of them stay free."""
_FEW: Final = 1 << 20
_FROM_EACH: Final = 16
"""A level of five men adds no more links than _FROM_EACH for each that there is, and than _FEW more, roughly. KBNvKN,
with 147 million positions, has 19,484 after the first level of records and 67,125 after the second. But the second of
KRRvKRR adds 57 million where there are 268,482."""
_TAG: Final = np.int64((1 << 32) - 1)
"""Bits of a link's hash in its slot: its key lies elsewhere, and is looked at where these are equal."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_INVERSE: Final = np.uint64(pow(int(_ODD), -1, 1 << 64))


class Links(NamedTuple):
    keys: NDArray[np.int64]
    """`[number - 1]`: the link before this one (0: none) and the step."""
    room: NDArray[np.int64]
    """Of `keys` (arrays.py)."""
    given: NDArray[np.int64]
    """How many numbers are, its only element; more than there is room for when that is used up."""
    slots: NDArray[np.int64]
    """The index, hash tables one behind the other: the number of a link and some bits of its hash; 0 for none."""
    slots_room: NDArray[np.int64]
    """Of `slots`."""
    tables: NDArray[np.int64]
    """`[level * _TABLES + nth]`: where a table begins, above how many slots it has; 0 where there is none yet."""
    used: NDArray[np.int64]
    """How many slots the tables have together, and 1 while a thread adds one."""
    shared: int
    """1 where several slices have links in common."""
    few: int
    """Links that a level adds, roughly, where there are none."""


class LookedFor(NamedTuple):
    """Which links are looked for in the index."""

    since: int
    """Those with this number and more; slots of others are free."""
    first: int
    """Slots of a level's first table. The next one is LINKS_GROWTH times as large, and so on."""


@inlined
def all_links(links):
    return LookedFor(1, max(1, min(_FIRST, len(links.slots) // _LEVELS)))


@inlined
def positions_of_pass(links):
    """For the steps of how many positions the index has room, where slices do not share it."""
    return len(links.slots) // _ROOM


@inlined
def is_room_for(links, positions):
    """Whether the index has room for the steps of so many positions, whatever they are. Where slices share links, all
    have to have room."""
    return links.shared or positions <= positions_of_pass(links)


@inlined
def may_have_room(links, positions):
    """The same, if they add no more links than a level mostly does."""
    return is_room_for(links, _most_new(links, positions))


@inlined
def is_used_up(links):
    """Whether no link can be added, in whatever pass."""
    has_no_room = links.room[FAILED] or links.slots_room[FAILED]
    return links.shared or has_no_room or links.given[0] > len(links.keys)


@inlined
def links_of_pass(links, positions):
    """Those that a pass is to add; all, where slices share them."""
    if links.shared:
        return all_links(links)
    most = min(_most_new(links, positions), positions_of_pass(links))
    return LookedFor(links.given[0] + 1, max(FIRST_LINKS, most // _ALIKE))


@inlined
def forget_tables(links, level):
    """Have a pass begin with new tables, where slices do not share them."""
    if not links.shared:
        links.tables[level * _TABLES : (level + 1) * _TABLES] = 0
        links.used[0] = 0


@inlined
def _most_new(links, positions):
    """How many positions may have a link of their own among the new ones, at most and roughly."""
    return min(positions, links.few + _FROM_EACH * links.given[0])


def make_links(capacity: int, *, shared: bool, arrays: Arrays = IN_MEMORY) -> Links:
    """Room for so many. In the index there are links of all slices, or of one pass over one slice."""
    slots = arrays.growing(slots_for(capacity, shared=shared), np.int64, scattered=True)
    keys = arrays.growing(capacity, np.int64, scattered=True)
    tables = np.zeros(_LEVELS * _TABLES, np.int64)
    return Links(*keys, np.zeros(1, np.int64), *slots, tables, np.zeros(2, np.int64), int(shared), _FEW)


@inlined
def pack_step(holder, level, outcome, distance):
    step = (holder << _LEVEL_BITS) | level
    step = (step << _OUTCOME_BITS) | (outcome + BASE)
    return (step << _DISTANCE_BITS) | distance


@inlined
def step_holder(step):
    return step >> (_LEVEL_BITS + _OUTCOME_BITS + _DISTANCE_BITS) & 1


@inlined
def step_level(step):
    return step >> (_OUTCOME_BITS + _DISTANCE_BITS) & ((1 << _LEVEL_BITS) - 1)


@inlined
def step_outcome(step):
    return (step >> _DISTANCE_BITS & ((1 << _OUTCOME_BITS) - 1)) - BASE


@inlined
def step_distance(step):
    return step & ((1 << _DISTANCE_BITS) - 1)


@inlined
def step_of(links, link):
    return links.keys[link - 1] & ((1 << _STEP_BITS) - 1)


@inlined
def link_before(links, link):
    return links.keys[link - 1] >> _STEP_BITS


@inlined
def _mix(mixed):
    return (mixed ^ (mixed >> np.uint64(29))) * _ODD


@inlined
def _unmixed(mixed):
    """What was mixed."""
    mixed *= _INVERSE
    return mixed ^ (mixed >> np.uint64(29)) ^ (mixed >> np.uint64(58))


@inlined
def _first_slot(mixed, begin, size):
    """Where the window of a mixed key begins in the hash table of `size` slots from `begin` on."""
    return begin + np.int64((mixed >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))


@inlined
def enter(links, looked_for, key, number=0):
    """Find the link with this key, or enter it with a number, the next one if none is given. Returns its number; FULL
    when there is no room left, here or on disk."""
    mixed = _mix(np.uint64(key))
    tag = np.int64(mixed) & _TAG
    row = step_level(key) * _TABLES
    for nth in range(_TABLES):
        table = atomic_load(links.tables, row + nth)
        if table == 0:
            table = _add_table(links, row + nth, looked_for.first * LINKS_GROWTH**nth)
        if table == 0:
            break
        begin, size = table >> _BEGIN_AT, table & _SIZE
        slot = _first_slot(mixed, begin, size)
        for at in range(slot, min(slot + _WINDOW, begin + size)):
            found = links.slots[at]
            while found >> _NUMBER_AT < looked_for.since:
                if number == 0:
                    number = fetch_add(links.given, 0, 1) + 1
                    if number > len(links.keys) or not reserve(links.room, number * links.keys.itemsize):
                        return np.int64(FULL)
                    links.keys[number - 1] = key
                seen = compare_exchange(links.slots, at, found, np.int64(number) << _NUMBER_AT | tag)
                if seen == found:
                    return np.int64(number)
                found = seen
            if found & _TAG == tag and links.keys[(found >> _NUMBER_AT) - 1] == key:
                return found >> _NUMBER_AT
        mixed = _mix(mixed)
    return np.int64(FULL)


@kernel
def _add_table(links, at, size):
    """Add a table of so many slots, or of those that are left, unless another thread has just done so. 0 if there is no
    room."""
    while compare_exchange(links.used, 1, 0, 1) != 0:
        yield_processor()
    table, begin = links.tables[at], links.used[0]
    size = min(size, len(links.slots) - begin)
    if table == 0 and size > 0 and reserve(links.slots_room, (begin + size) * links.slots.itemsize):
        table = begin << _BEGIN_AT | size
        links.used[0] += size
        store_release(links.tables, at, table)
    store_release(links.used, 1, 0)
    return table


@inlined
def _known(links, looked_for, key):
    """The number of the link with this key; 0 if the index does not have it. Each table of a level has twice as many as
    the one before, so the last is looked at first."""
    first = _mix(np.uint64(key))
    tag = np.int64(first) & _TAG
    row = step_level(key) * _TABLES
    mixed, tables = first, 0
    while tables < _TABLES and atomic_load(links.tables, row + tables):
        mixed, tables = _mix(mixed), tables + 1
    for nth in range(tables - 1, -1, -1):
        mixed = _unmixed(mixed)
        table = links.tables[row + nth]
        begin, size = table >> _BEGIN_AT, table & _SIZE
        slot = _first_slot(mixed, begin, size)
        for at in range(slot, min(slot + _WINDOW, begin + size)):
            found = links.slots[at]
            if found >> _NUMBER_AT < looked_for.since:
                break
            if found & _TAG == tag and links.keys[(found >> _NUMBER_AT) - 1] == key:
                return found >> _NUMBER_AT
    return np.int64(0)


@kernel
def add_step(links, looked_for, link, step):
    """The number of the chain `link` with one more step; FULL when there is no room left."""
    key = (np.int64(link) << _STEP_BITS) | step
    known = _known(links, looked_for, key)
    return known if known else enter(links, looked_for, key)


@kernel
def last_step(links, link, holder, level):
    """The last step of a chain for this holder at this level of the record or before; -1 if there is none."""
    while link:
        step = step_of(links, link)
        if step_holder(step) == holder and step_level(step) <= level:
            return step
        link = link_before(links, link)
    return np.int64(-1)


@kernel
def value_under_record(links, link, outcome, distance, own_level, holder, level):
    """What a position is worth under a record of this level in these hands: relative outcome and distance.

    `outcome` and `distance` are its fresh ones, `link` its staircase, `own_level` its own level. The record
    must not be weaker than the position's own goal."""
    if own_level < level or level_of(outcome) < level:
        return outcome, distance
    record = BASE - level if holder == MOVER_HOLDS else level - BASE
    step = last_step(links, link, holder, level)
    if step >= 0:
        found = step_outcome(step)
        if (found < record) if holder == MOVER_HOLDS else (found > record):
            return found, step_distance(step)
    return np.int64(record), np.int64(0)
