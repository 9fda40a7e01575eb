"""Steps: the index may be small, and positions are sorted into bundles; of links there may be too many."""

import numpy as np
import pytest

from tbgen.compiler.jit import plain
from tbgen.core.material import parse
from tbgen.errors import OutOfRoom
from tbgen.index import Layout
from tbgen.index.exits import exits_of
from tbgen.memory.arrays import with_room
from tbgen.retro import solver
from tbgen.retro.checkpoint import Counts, InMemory, TableArrays
from tbgen.retro.export import finish
from tbgen.retro.sweep import cases as cases_
from tbgen.retro.sweep import levels
from tbgen.retro.sweep.cases import Cases, make_cases
from tbgen.retro.sweep.seeds import Seeds, make_seeds
from tests.support.solved import contents, entries_of, every_byte

ROOM = 40
"""Positions."""


def made(shares: dict[int, int], most: int) -> Cases:
    """Those of so many positions of a share, all but one of which are in the first piece."""
    cases = make_cases(make_seeds(with_room(np.zeros(3 * ROOM, np.int32)), 1))
    for share, count in shares.items():
        cases.counts[0, share], cases.counts[5, share] = count - 1, 1
    plain(cases_._make_bundles)(cases, most)
    return cases


def batches(cases: Cases) -> list[int]:
    """Where each ends, as far as there is room."""
    found = [0]
    while found[-1] < cases.bundles[0]:
        found.append(int(plain(cases_.end_of_batch)(cases, found[-1])))
        if not found[-1]:
            break
    return found[1:]


def test_a_bundle_has_so_many_positions_or_one_share() -> None:
    cases = made({0: 25, 3: 4, 4: 6, 5: 1, 9: 10, 2000: 9}, 10)
    assert cases.bundles[0] == 5
    assert cases.first[:6].tolist() == [0, 25, 35, 36, 46, 55]
    assert [int(cases.bundle[share]) for share in (0, 3, 4, 5, 9, 2000)] == [0, 1, 1, 2, 3, 4]


def test_positions_of_a_bundle_lie_together_those_of_a_piece_behind_each_other() -> None:
    cases = made({0: 25, 3: 4, 4: 6}, 10)
    pieces = cases.counts.shape[0]
    begins = cases.to[1 : 1 + 2 * pieces].reshape(2, pieces)
    assert begins[0, :7].tolist() == [0, 24, 24, 24, 24, 24, 25]
    assert begins[1, :7].tolist() == [25, 33, 33, 33, 33, 33, 35]


@pytest.mark.parametrize(
    ("shares", "ends"),
    [
        ({0: 25, 3: 10, 5: 5, 9: 10}, [3, 4]),
        ({0: ROOM, 1: 1, 2: ROOM}, [1, 2, 3]),
        ({7: ROOM}, [1]),
        ({7: ROOM + 1}, [0]),
        ({0: 5, 7: ROOM + 1}, [0]),
    ],
)
def test_batches_have_as_many_bundles_as_there_is_room_for(shares: dict[int, int], ends: list[int]) -> None:
    assert batches(made(shares, 10)) == ends


class SmallIndex(InMemory):
    """Has the steps of few positions looked for at a time; `few` links are expected where there are none."""

    def __init__(self, slots: int, few: int) -> None:
        super().__init__()
        self._slots, self._few = slots, few

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        arrays, done = super().open(layout, links)
        small = arrays.links._replace(slots=arrays.links.slots[: self._slots], few=self._few)
        return arrays._replace(links=small), done


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", [100, 1 << 30])
@pytest.mark.parametrize(
    ("name", "slots", "few"),
    [
        ("KPvK", 1 << 22, 1 << 20),  # slices share links, so all have to have room
        *((name, *one) for name in ("KQvK", "KRvKN") for one in ((1000, 1 << 20), (50, 1 << 20), (50, 0))),
    ],
)
@pytest.mark.usefixtures("always_together")
def test_steps_that_are_looked_for_in_a_small_index_are_the_same(
    name: str, slots: int, few: int, room: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cases_in_little_room(seeds: Seeds) -> Cases:
        cases = make_cases(seeds)
        wider = np.arange(1 << 20) % 50  # whoever looks behind the last share finds some bundle
        return cases._replace(items=seeds.items[: 3 * room], bundle=wider[: len(cases.bundle)])

    monkeypatch.setattr(levels, "make_cases", cases_in_little_room)
    material = parse(name)
    small = SmallIndex(slots, few)
    done = solver.solve_table(
        exits_of(material, entries_of(material.successors(), "r")), threads=threads, checkpoint=small
    )
    assert every_byte(finish(done)) == every_byte(contents(name))


class Cramped(InMemory):
    """Gives less room for staircases than it is asked for."""

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        return super().open(layout, links >> 16)


def test_staircases_that_do_not_fit_are_noticed() -> None:
    material = parse("KNvK")
    with pytest.raises(OutOfRoom, match="KNvK has more staircases than there is room for"):
        solver.solve_table(exits_of(material, entries_of(material.successors(), "r")), checkpoint=Cramped())
