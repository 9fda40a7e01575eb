"""What is made whole again from a slim table is the table that it was made from, byte for byte."""

from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import parse, with_dependencies
from tbgen.index import layout_of
from tbgen.slim.make import make_slim
from tbgen.store import table_path
from tbgen.store.format.split import Split
from tbgen.store.write import write_table
from tests.support.slimming import make_again, slim_from
from tests.support.solved import contents as solved


def test_a_table_with_staircases(tmp_path: Path) -> None:
    """The side to move that is left out follows from the other, under every record."""
    for material in with_dependencies([parse("KBvKN")]):
        write_table(table_path(tmp_path, material, "r"), solved(material.name), {"looks": 5, "attractions": 7})
    table, again = tmp_path / "KBvKN.r.h5", tmp_path / "again"
    again.mkdir()
    slim = slim_from(table, tmp_path)
    assert make_again(slim, tmp_path, again).read_bytes() == table.read_bytes()
    layout = layout_of(parse("KBvKN"))
    assert Split(layout, 0).kept == layout.size // 2
    assert slim.stat().st_size < table.stat().st_size * 0.6


def test_making_a_slim_table_tells_how_far_it_is(small_tables: Path, tmp_path: Path) -> None:
    steps: list[list[int]] = []

    def report(count: int) -> None:
        steps[-1][1] += count

    table = small_tables / "KPvK.r.h5"
    make_slim(table, tmp_path / "slim", begin=lambda step, total: steps.append([total, 0]), report=report)
    assert len(steps) == 3
    assert all(total == done > 0 for total, done in steps)


@pytest.mark.full
def test_pawns_that_capture_en_passant(four_men: Path, tmp_path: Path) -> None:
    """Slices with one side to move, and with both; double steps, after which the positions that are left out count."""
    for name in ("KPvKP", "KPvKN", "KNNvK"):
        table = four_men / f"{name}.r.h5"
        if table.exists():
            assert make_again(slim_from(table, tmp_path), four_men, tmp_path).read_bytes() == table.read_bytes()
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
        begin = int(places.max()) - len(kept) + 1
        assert (split.numbers(slice(begin, begin + len(kept))) == kept).all()
        assert len(kept) == layout.half_size[part]
