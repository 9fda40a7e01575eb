"""Packed tables: what is unpacked is what was packed."""

from contextlib import closing
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.archive.block import SECTIONS, SHAPE_COLUMNS, Packer, unpack_shapes
from tbgen.archive.format import Packed
from tbgen.archive.pack import pack
from tbgen.cli.main import main
from tbgen.index import layout_of
from tbgen.material import parse, with_dependencies
from tbgen.store import BUNDLED, open_table, table_path
from tbgen.store.format.split import Split
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.packing import make_again, packed_from
from tests.support.solved import contents as solved
from tests.support.staircases import staircases_of


def test_every_small_table_comes_back_byte_for_byte(small_tables: Path, tmp_path: Path) -> None:
    """Both rules; with pawns, without, even; KNNvK has like men and more than a chunk."""
    tables = sorted(small_tables.glob("*.h5"))
    assert {"KPvK.r.h5", "KPvK.wg.h5", "KNNvK.r.h5", "KvK.r.h5"} <= {path.name for path in tables}
    for table in tables:
        packed = packed_from(table, tmp_path)
        assert packed.stat().st_size < table.stat().st_size / 2
        assert make_again(packed, small_tables, tmp_path).read_bytes() == table.read_bytes()


@pytest.mark.parametrize(("name", "keeps_a_side"), [("KBvKN", True), ("KNvKN", False)])
def test_tables_with_staircases(name: str, keeps_a_side: bool, tmp_path: Path) -> None:
    """One side to move is told from the other; where both sides have the same men, one is all there is."""
    for material in with_dependencies([parse(name)]):
        write_table(table_path(tmp_path, material, "r"), solved(material.name), {"looks": 5, "attractions": 7})
    table, again = tmp_path / f"{name}.r.h5", tmp_path / "again"
    again.mkdir()
    packed = packed_from(table, tmp_path)
    assert make_again(packed, tmp_path, again).read_bytes() == table.read_bytes()
    layout = layout_of(parse(name))
    assert Split(layout, 0).kept == (layout.size // 2 if keeps_a_side else layout.size)
    assert packed.stat().st_size < table.stat().st_size * (0.4 if keeps_a_side else 0.75)


def test_tables_that_were_packed_from_another_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file beside this one is from before the first release."""
    packed = Path(__file__).with_name("KBvK.r.tbp")
    assert main(["unpack", str(packed), "--tables", str(tmp_path), "-q"]) == 0
    assert "the same contents in other bytes" in capsys.readouterr().out
    with open_table(tmp_path / "KBvK.r.h5") as table, open_table(BUNDLED / "KBvK.r.h5") as own:
        table.check()
        assert table.digest() == own.digest()
        assert table.facts == own.facts


def test_packing_tells_how_far_it_is(small_tables: Path) -> None:
    told: list[list[int]] = []

    def report(count: int) -> None:
        told[-1][1] += count

    pack(small_tables / "KPvK.r.h5", BytesIO(), begin=lambda what, total: told.append([total, 0]), report=report)
    assert len(told) == 3
    assert all(total == done > 0 for total, done in told)


@pytest.mark.full
def test_pawns_that_capture_en_passant(four_men: Path, tmp_path: Path) -> None:
    """Slices with one side to move, and with both; double steps, after which the positions that are left out count."""
    for name in ("KPvKP", "KPvKN", "KNNvK"):
        table = four_men / f"{name}.r.h5"
        if table.exists():
            assert make_again(packed_from(table, tmp_path), four_men, tmp_path).read_bytes() == table.read_bytes()
    assert (tmp_path / "KPvKP.r.h5").exists()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", ["KvK", "KQvK", "KPvK", "KPvKP", "KPPvK"])
def test_a_number_is_kept_or_left_out(name: str, side: int) -> None:
    layout = layout_of(parse(name))
    split = Split(layout, side)
    for part in (0, layout.slices // 3, layout.slices - 1):
        numbers = np.arange(layout.start[part], layout.start[part + 1])
        places = split.places(numbers)
        kept = numbers[places >= 0]
        assert sorted([*kept.tolist(), *split.left_out(part)]) == numbers.tolist()
        assert (np.diff(places[places >= 0]) == 1).all()
        first = int(places.max()) - len(kept) + 1
        assert (split.numbers(slice(first, first + len(kept))) == kept).all()
        assert len(kept) == layout.half_size[part]


@settings(max_examples=4)
@given(
    seed=st.integers(0, 2**32), staircases=st.sampled_from([0, 5, 3000]), longest=st.sampled_from([0, 90, 511, 4000])
)
def test_blocks_hold_whatever_a_table_says(tmp_path_factory, seed, staircases, longest) -> None:  # type: ignore[no-untyped-def]
    """Also what no solver makes: long distances, thousands of shapes."""
    place = tmp_path_factory.mktemp("tables")
    contents = random_contents(parse("KQvK"), seed=seed, staircases=staircases, longest=longest)
    path = table_path(place, contents.material, "r")
    write_table(path, contents, {})
    with closing(Packed(packed_from(path, place))) as packed, open_table(path) as table:
        split = Split(table.layout, packed.notes.keeps)
        numbers = split.numbers(slice(0, split.kept))
        shapes = unpack_shapes([packed.stream(n) for n in range(SHAPE_COLUMNS)], packed.notes.shapes, 1 << 30)
        packer = Packer(shapes.table(), packed.order, packed.notes.planes)
        sections = [packed.stream(SHAPE_COLUMNS + n) for n in range(SECTIONS)]
        block = packer.unpack(sections, contents.entries[numbers] != 0)
        assert (block.entries == contents.entries[numbers]).all()
        (_, bulk), *_ = table.in_order(int(numbers[0]), int(numbers[0]) + 500)
        found, due = (staircases_of(some, np.arange(500)) for some in (block, bulk))
        assert (found.lengths == due.lengths).all()
        assert (found.steps == due.steps).all()
