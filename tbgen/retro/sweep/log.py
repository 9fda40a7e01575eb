"""The log of rounds: which positions have got which value, until all of it goes into the arrays of values in one pass.

Those arrays may lie on disk, and a round reaches positions all over. A round's entries come in the order of the lanes,
so that merging many rounds window by window goes through the arrays once. No round reads them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.state import key_at, read_values_around, read_worth_around
from tbgen.retro.threads.ahead import BY_PAGES, is_in_file, read_ahead, read_around, read_by
from tbgen.retro.threads.lanes import LANE, put
from tbgen.retro.threads.sets import ALTERED, REVALUED, add_lane, mark_shared, read_set_around
from tbgen.retro.threads.team import LINE, is_to_end, lock_lane, unlock_lane
from tbgen.retro.values.keys import outcome_of

_SHARE: Final = 12
"""Numbers of the slice per entry, at least: a byte each."""
_LEAST: Final = 1 << 12
"""Entries of a thread, at least."""
_ROUNDS: Final = 1 << 13
"""Rounds of a thread, at most."""
_WINDOW: Final = 1 << 16
"""Lanes that are merged before the next ones: few enough to stay in memory."""
_AHEAD: Final = 1 << 14
"""Entries whose pages are read together before they are written anew."""

# columns of `Log.rounds`
_BEGIN: Final = 0
"""Its first entry."""
_CODE: Final = 1
_INTO: Final = 2
"""Which array gets the value."""
_AT: Final = 3
"""The next entry to merge."""
_COLUMNS: Final = 4

# what `Log.rounds[me, round, _INTO]` may be; numpy's integers are no literals to the compiler
WORTH: Final = np.int64(0)
OURS: Final = np.int64(1)
THEIRS: Final = np.int64(2)

# slots of `Log.fill`, in the line of each thread
_ENTRIES: Final = 0
_BEGUN: Final = 1
"""Rounds begun."""


class Log(NamedTuple):
    lanes: NDArray[np.uint32]
    bits: NDArray[np.uint64]
    """`[me, entry]`"""
    rounds: NDArray[np.int64]
    """`[me, round, column]`"""
    fill: NDArray[np.int64]
    """`[me * LINE + slot]`"""
    on_disk: int
    """1 if the entries are in a file."""


def make_log(nodes: int, threads: int, make: Make = in_memory) -> Log:
    room = max(_LEAST, nodes // (_SHARE * threads))
    lanes, bits = make(threads * room, np.uint32), make(threads * room, np.uint64)
    read_by(BY_PAGES, lanes, bits)
    return Log(
        lanes.reshape(threads, room),
        bits.reshape(threads, room),
        np.zeros((threads, _ROUNDS + 1, _COLUMNS), np.int64),
        np.zeros(threads * LINE, np.int64),
        int(is_in_file(bits)),
    )


@kernel
def begin_round(worker, code, into):
    """What this thread logs from now on gets the value with this code."""
    log, me = worker.log, worker.me
    if log.fill[me * LINE + _BEGUN] == _ROUNDS:
        merge(worker)
    begun = log.fill[me * LINE + _BEGUN]
    if begun and log.rounds[me, begun - 1, _BEGIN] == log.fill[me * LINE + _ENTRIES]:
        begun -= 1  # nothing was logged in the last one
    log.rounds[me, begun, _BEGIN] = log.fill[me * LINE + _ENTRIES]
    log.rounds[me, begun, _CODE] = code
    log.rounds[me, begun, _INTO] = into
    log.fill[me * LINE + _BEGUN] = begun + 1


@inlined
def note(worker, lane, bits):
    """Log some positions of a lane; a round's lanes come in rising order."""
    log, me = worker.log, worker.me
    at = log.fill[me * LINE + _ENTRIES]
    if at > log.rounds[me, log.fill[me * LINE + _BEGUN] - 1, _BEGIN] and log.lanes[me, at - 1] == lane:
        log.bits[me, at - 1] |= bits
        return
    if at == log.lanes.shape[1]:
        _go_on(worker)
        at = np.int64(0)
    if log.on_disk and at % _AHEAD == 0:
        end = min(at + _AHEAD, np.int64(log.lanes.shape[1]))
        read_ahead(log.lanes[me], at, end)
        read_ahead(log.bits[me], at, end)
    log.lanes[me, at] = lane
    log.bits[me, at] = bits
    log.fill[me * LINE + _ENTRIES] = at + 1


@kernel
def _go_on(worker):
    """Merge a full log in the middle of a round."""
    log, me = worker.log, worker.me
    last = log.fill[me * LINE + _BEGUN] - 1
    code, into = log.rounds[me, last, _CODE], log.rounds[me, last, _INTO]
    merge(worker)
    begin_round(worker, code, into)


@kernel
def merge(worker):
    """Put all values that this thread has logged into the arrays, and empty its log."""
    log, team, me, state = worker.log, worker.team, worker.me, worker.state
    begun = log.fill[me * LINE + _BEGUN]
    log.rounds[me, begun, _BEGIN] = log.fill[me * LINE + _ENTRIES]
    for one in range(begun):
        log.rounds[me, one, _AT] = log.rounds[me, one, _BEGIN]
    for window in range(0, -(-len(state.worth) // LANE), _WINDOW):
        if is_to_end(team):
            break
        for one in range(begun):
            _merge_round(worker, one, window + _WINDOW)
    log.fill[me * LINE + _ENTRIES] = 0
    log.fill[me * LINE + _BEGUN] = 0


@inlined
def _merge_round(worker, one, end):
    """Merge a round's entries of lanes before `end`."""
    log, me, state, team = worker.log, worker.me, worker.state, worker.team
    code, into = np.uint16(log.rounds[me, one, _CODE]), log.rounds[me, one, _INTO]
    at, last = log.rounds[me, one, _AT], log.rounds[me, one + 1, _BEGIN]
    gains = into == WORTH and len(state.theirs) != 0 and outcome_of(key_at(state, code)) > 0
    while at < last:
        if log.on_disk:
            read_around(worker.buffers.clusters, log.lanes[me], at)
            read_around(worker.buffers.clusters, log.bits[me], at)
        if log.lanes[me, at] >= end:
            break
        lane = np.int64(log.lanes[me, at])
        if into == WORTH:
            read_worth_around(state, worker.buffers, lane * LANE)
            news = np.uint64(0)
            if gains:
                read_values_around(state, worker.buffers, lane * LANE)
                news = _news(state, lane, log.bits[me, at], code)
            lock_lane(team, lane)
            put(state.worth, lane, log.bits[me, at], code)
            add_lane(worker.sets, REVALUED, lane, news)
            unlock_lane(team, lane)
        else:
            read_values_around(state, worker.buffers, lane * LANE)
            read_set_around(worker.sets, ALTERED, worker.buffers, lane)
            altered = _put(state, into, lane, log.bits[me, at], code)
            if altered:
                mark_shared(team, worker.sets, ALTERED, lane, altered)
        at += 1
    log.rounds[me, one, _AT] = at


@inlined
def _news(state, lane, bits, code):
    """Those of some positions of a lane that were worth something else while the opponent holds the record."""
    news = np.uint64(0)
    while bits:
        one = bits & (~bits + np.uint64(1))
        bits ^= one
        if state.theirs[cell_of(state.cells, lane * LANE + lowest_bit(one))] != code:
            news |= one
    return news


@inlined
def _put(state, into, lane, bits, code):
    """Store a value of some open positions of a lane. Returns those that had another one."""
    altered = np.uint64(0)
    values = state.ours if into == OURS else state.theirs
    while bits:
        one = bits & (~bits + np.uint64(1))
        bits ^= one
        cell = cell_of(state.cells, lane * LANE + lowest_bit(one))
        if values[cell] != code:
            values[cell] = code
            altered |= one
    return altered
