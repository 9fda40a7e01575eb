"""Arrays that get room on disk as they are filled: so much and no more, and where there is none, the solver says so."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from tbgen.compiler.jit import kernel
from tbgen.core.material import parse
from tbgen.index import Layout
from tbgen.index.exits import exits_of
from tbgen.memory.arrays import HANDLE, RESERVED, Growing, InMemoryArrays, check_room, make_room
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro import room as room_module
from tbgen.retro import solver
from tbgen.retro.checkpoint import Counts, InMemory, TableArrays
from tbgen.retro.room import reserve
from tests.support.solved import entries_of

MIB = 1 << 20
PIECE = room_module._PIECE
LINE = 64


@kernel
def reserved(room: NDArray[np.int64], size: int) -> bool:
    return reserve(room, size)  # type: ignore[no-any-return]


def on_disk(room: NDArray[np.int64]) -> int:
    return os.fstat(int(room[HANDLE])).st_blocks * 512


def test_room_is_reserved_by_pieces(tmp_path: Path) -> None:
    disk_arrays = DiskArrays(tmp_path, 1 << 30)
    array, room = disk_arrays.growing(PIECE * 3, np.uint8)
    assert room[RESERVED] == disk_arrays.peak == 0
    for size, expected in ((1, PIECE), (PIECE, PIECE), (PIECE + 1, 2 * PIECE), (3 * PIECE - 1, 3 * PIECE)):
        assert reserved(room, size)
        assert room[RESERVED] == expected
        assert expected <= on_disk(room) < expected + MIB
        disk_arrays.look()
        assert disk_arrays.peak == expected
    assert not array.any()
    disk_arrays.close()


def test_room_is_given_back_with_its_array(tmp_path: Path) -> None:
    disk_arrays = DiskArrays(tmp_path, 1 << 30)
    array, room = disk_arrays.growing(PIECE, np.uint8)
    handle = int(room[HANDLE])
    assert reserved(room, 1)
    disk_arrays.look()
    os.fstat(handle)
    del array
    disk_arrays.look()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(handle)
    disk_arrays.close()


def test_handles_are_closed_once_and_all(tmp_path: Path) -> None:
    """Also those of arrays that outlive what made them: their numbers may soon be other files'."""
    disk_arrays = DiskArrays(tmp_path, 1 << 30)
    arrays = [disk_arrays.growing(PIECE, np.uint8) for _ in range(3)]
    handles = [int(one.room[HANDLE]) for one in arrays]
    del arrays[0]
    assert disk_arrays.owed() == 2 * PIECE
    disk_arrays.close()
    for handle in handles:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(handle)
    assert [one.room[HANDLE] for one in arrays] == [-1, -1]
    assert not reserved(arrays[0].room, 1)


class Full(InMemoryArrays):
    """Has room on disk for a part of one of the growing arrays only: the first has the index of links, the second
    links, the third positions that are sorted."""

    def __init__(self, which: int, part: float = 0.0) -> None:
        self._left, self._part = which, part

    def growing(self, count: int, kind: DTypeLike, /, *, scattered: bool = False) -> Growing:
        array, room = super().growing(count, kind)
        self._left -= 1
        return Growing(array, room if self._left else make_room(array.nbytes, int(self._part * array.nbytes)))


@pytest.mark.parametrize("which", [1, 2, 3])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_full_disk_ends_the_solver(which: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "TEAM_FROM", 1)
    material = parse("KNvK")
    exits = exits_of(material, entries_of(material.successors(), "r"))
    with pytest.raises(OSError, match="Bad file descriptor"):
        solver.solve_table(exits, threads=threads, checkpoint=InMemory(Full(which)))


class Lasting(InMemory):
    """Has what settled positions are worth, in an array that begins with a line of the cache, and room for few links
    in the index."""

    def __init__(self, part: float, slots: int) -> None:
        super().__init__(Full(3, part))
        self._slots = slots

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        arrays, done = super().open(layout, links)
        return arrays._replace(links=arrays.links._replace(slots=arrays.links.slots[: self._slots])), done

    def lasting(self, slice_: int, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        room = super().lasting(slice_, count + LINE, kind)
        self.worth = room[-room.ctypes.data % LINE :][:count]
        return self.worth


@pytest.mark.parametrize(("part", "slots"), [(0.02, 1 << 20), (0.02, 50), (0.05, 50), (0.1, 50)])
def test_a_full_disk_leaves_what_settled_positions_are_worth(part: float, slots: int) -> None:
    """As a snapshot counts on it, with which the build goes on."""
    material = parse("KQvK")
    exits = exits_of(material, entries_of(material.successors(), "r"))
    whole, full = Lasting(1.0, slots), Lasting(part, slots)
    solver.solve_table(exits, checkpoint=whole)
    with pytest.raises(OSError, match="Bad file descriptor"):
        solver.solve_table(exits, checkpoint=full)
    expected, found = whole.worth.view(np.uint16), full.worth.view(np.uint16)
    assert 1000 < np.count_nonzero(found) < np.count_nonzero(expected)
    assert (found[found != 0] == expected[found != 0]).all()


def test_what_had_no_room_stays_so() -> None:
    room = make_room(100, 10)
    assert reserved(room, 10)
    check_room(room)
    for _ in range(2):
        assert not reserved(room, 11)
        with pytest.raises(OSError, match="Bad file descriptor"):
            check_room(room)
    assert reserved(room, 10)
