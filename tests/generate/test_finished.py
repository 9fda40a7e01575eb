"""Finished slices of large tables are compressed, and come back as they were."""

import random
from collections.abc import Callable
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable
from tbgen.generate import finished_slices
from tbgen.generate.execute import execute
from tbgen.generate.finished_slices import Compressed
from tbgen.generate.plan import make_plan
from tbgen.generate.table import build_table
from tbgen.generate.watcher import NOBODY
from tbgen.index import layout_of
from tbgen.index.promotions import stepped_to
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.probe.numbering import make_numbering, number_of, signature
from tbgen.retro.checkpoint import Counts
from tbgen.store import compressed, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.system import thresholds
from tests.support.boards import random_boards
from tests.support.stopped import KPVK, build, go_on, journal_of, kept_in, stop

pytestmark = pytest.mark.usefixtures("in_pieces")


def test_the_same_bytes(place: Path, expected: bytes) -> None:
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected
    assert not journal_of(place).parent.exists()


@pytest.mark.full
@pytest.mark.parametrize("rules", [*TableRules])
def test_pawns_that_meet(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, rules: TableRules
) -> None:
    """What an en passant capture is worth takes staircases of other slices."""
    place, material, made = tmp_path_factory.mktemp("meet"), parse("KPvKP"), []
    for _ in execute(make_plan([material], place, rules), NOBODY, threads=2, memory=1 << 30):
        pass
    for least in (0, 1 << 40):
        monkeypatch.setattr(thresholds, "COMPRESSED_FROM", least)
        path = table_path(place, material, rules)
        path.unlink()
        arrays = DiskArrays(place, 1 << 40)
        build_table(material, place, rules, EntryCache(place, rules, arrays), arrays, threads=2)
        arrays.close()
        made.append(path.read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("which", [0, 1])
def test_a_slice_that_has_changed_is_solved_again(place: Path, expected: bytes, which: int) -> None:
    stop(place, 5)
    done = [one for batch in kept_in(place) for one in batch.slices]
    path = journal_of(place).parent / finished_slices.FINISHED
    data = bytearray(path.read_bytes())
    data[done[2].place[which] + 17] ^= 1
    path.write_bytes(data)
    assert go_on(place) == sorted(one.slice for one in done if one != done[2])
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


@pytest.mark.parametrize("name", [finished_slices.FINISHED, finished_slices.STAIRCASES])
@pytest.mark.parametrize("harm", ["gone", "empty", "half", "another"])
def test_files_that_are_not_what_they_were(place: Path, expected: bytes, name: str, harm: str) -> None:
    stop(place, 9)
    path = journal_of(place).parent / name
    data = path.read_bytes()
    path.unlink()
    if harm != "gone":
        path.write_bytes({"empty": b"", "half": data[: len(data) // 2], "another": data[::-1]}[harm])
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_what_changes_while_a_table_is_built_is_noticed(
    place: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is solved again by the next build."""
    numbered = Compressed.numbered

    def damaged(self: Compressed, number: Callable[[np.ndarray], None]) -> compressed.CompressedColumn:
        path = journal_of(place).parent / finished_slices.FINISHED
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        return numbered(self, number)

    with monkeypatch.context() as patch:
        patch.setattr(Compressed, "numbered", damaged)
        with pytest.raises(CorruptTable, match="finished is not what was written there"):
            build(place)
    assert len(go_on(place)) == layout_of(KPVK).slices - 1
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_slices_have_room_while_they_are_needed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn_to, there = Compressed.turn_to, list[tuple[set[int], set[int], set[int]]]()

    def noted(self: Compressed, slices: list[int]) -> None:
        turn_to(self, slices)
        there.append(({*slices}, {*self._entries.there}, {*self._staircases.there}))

    monkeypatch.setattr(Compressed, "turn_to", noted)
    build(place)
    layout = layout_of(KPVK)
    for at_work, entries, staircases in there:
        assert entries == at_work.union(*(stepped_to(layout, slice_) for slice_ in at_work))
        assert staircases == at_work
    assert there[-1] == (set(), set(), set())


@pytest.mark.parametrize("name", ["KPvK", "KPvKP", "KPPvK", "KRPvKP", "KPPvKP", "KPvKRP"])
def test_steps_lead_to_these_slices(name: str) -> None:
    layout = layout_of(parse(name).normal)
    found, draw = 0, random.Random(name)
    for board in random_boards(parse(name), 400, seed=3):
        numbering = make_numbering(signature(board))
        slice_ = int(np.searchsorted(layout.start, number_of(numbering, board), "right")) - 1
        led_to = stepped_to(layout, slice_)
        for move in board.legal_moves:
            if board.piece_type_at(move.from_square) != chess.PAWN or board.is_capture(move) or move.promotion:
                continue
            board.push(move)
            board.ep_square = None
            after = int(np.searchsorted(layout.start, number_of(numbering, board), "right")) - 1
            board.pop()
            assert after in led_to, (board.fen(), move)
            assert after < slice_
            found += 1
    assert found > 100
    assert all(max(stepped_to(layout, one), default=-1) < one for one in draw.sample(range(layout.slices), 24))


def test_what_a_stopped_build_was_at_work_at_stays_until_its_turn_comes(place: Path) -> None:
    """An earlier slice may have to be solved again first; the snapshot needs the staircases in full."""
    layout, numbers = layout_of(KPVK), 7
    here = [layout.numbers_in(slice_) for slice_ in range(3)]
    arrays = DiskArrays(place, 1 << 40)
    before = Compressed(place, layout, arrays, 1)
    before.turn_to([0])
    before.keep({0: Counts(1, 1, 1)})
    kept = (place / finished_slices.FINISHED).stat().st_size
    before.turn_to([1, 2])
    before.staircases[here[2].start : here[2].stop] = numbers
    before.keep({1: Counts(1, 1, 1)})  # which the journal does not say any more
    after = Compressed(place, layout, arrays, 1)
    assert after.is_whole(before._done(0, Counts(1, 1, 1)))
    after.wipe(one for one in range(layout.slices) if one not in (0, 2))
    assert (place / finished_slices.FINISHED).stat().st_size == kept, "it has no use"
    after.turn_to([1])
    assert (after.staircases[here[2].start : here[2].stop] == numbers).all()
    after.turn_to([2])
    assert (after.staircases[here[2].start : here[2].stop] == numbers).all()
    after.turn_to([])
    assert not after._staircases.there
    arrays.close()
