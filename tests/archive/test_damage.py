"""Packed files that are damaged or forged."""

import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.archive.block import SECTIONS, SHAPE_COLUMNS, Shapes, pack_shapes
from tbgen.archive.format import MAGIC, Packed, Writer
from tbgen.archive.unpack import PackedSource, unpack
from tbgen.errors import CorruptTable, OutOfRoom
from tbgen.sizes import PROGRAM
from tbgen.store.format.shapes import MOST_STEPS, Forms
from tests.support.packing import DIGEST, forged, make_again, refusal


def test_damage_is_seen_before_anything_is_believed(
    kbvk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = kbvk.read_bytes(), tmp_path / "bad.tbp"
    places = [0, len(MAGIC), len(good) // 2, len(good) - DIGEST - 1, len(good) - 1, *range(50, len(good), 997)]
    for place in places:
        bad.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert "bad.tbp is " in refusal(capsys, 5, "unpack", bad, "--tables", tmp_path)
    for length in (0, 5, len(MAGIC), len(MAGIC) + 40, len(good) - 1, len(good) // 2):
        bad.write_bytes(good[:length])
        assert "bad.tbp is " in refusal(capsys, 5, "unpack", bad, "--tables", tmp_path)
    bad.write_bytes(good + b"\0")
    refusal(capsys, 5, "unpack", bad, "--tables", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tbp"]


@pytest.mark.parametrize(
    "changes",
    [
        {"material": "KXvK"}, {"material": "KvKB"}, {"material": "KRBNvKRBN"}, {"material": 5}, {"material": "KNvK"},
        {"rules": "x"}, {"keeps": 2}, {"keeps": True}, {"keeps": 1}, {"planes": 3}, {"planes": 2}, {"shapes": -1},
        {"shapes": 1 << 39}, {"shapes": 3}, {"order": [1, 1]}, {"order": [0] * 40}, {"order": "x"}, {"order": [1, 2]},
        {"streams": []}, {"streams": [-1]}, {"streams": 7}, {"facts": []}, {"bytes": "x"}, {"program": "a\nb"},
        {"facts": {"a": None}}, {"facts": {"a": 1 << 70}}, {"facts": {"": 1}}, {"streams": [float("inf")]},
        {"order": [float("inf")]}, {"order": [1 << 70]}, {"shapes": 1 << 20}, {"legal": 2}, {"more": 1},
        {"contents": "0" * 64, "sha256": "0" * 64},
    ],
    ids=str,
)  # fmt: skip
def test_a_forged_file_gives_no_table(
    kbvk: Path, tmp_path: Path, changes: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.tbp"
    bad.write_bytes(forged(kbvk, **changes))
    assert "bad.tbp " in refusal(capsys, 5, "unpack", bad, "--tables", tmp_path, "-q")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tbp"]


def with_shapes(packed: Path, shapes: int) -> bytes:
    """The same blocks, with so many shapes that all have the most steps, none with a distance of its own."""
    with closing(Packed(packed)) as opened:
        blocks = [opened.stream(n) for n in range(SHAPE_COLUMNS, len(opened.notes.streams))]
        notes = opened.notes
    blocks[SECTIONS - 1 :: SECTIONS] = [b""] * (len(blocks) // SECTIONS)
    count, some = np.full(shapes, MOST_STEPS), np.ones(shapes, np.int16)
    count[0] = some[0] = 0
    steps = np.ones(count.sum(), np.uint8)
    file = BytesIO()
    writer = Writer(file)
    for stream in [*pack_shapes(Shapes(some, some, Forms(count, steps, steps, steps, 0 * steps))), *blocks]:
        writer.add(stream)
    writer.finish(replace(notes, shapes=shapes, streams=writer.streams))
    return file.getvalue()


@contextmanager
def taking_less_than(most: int) -> Iterator[None]:
    """Bytes of memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_shapes_without_end_are_refused_before_they_take_memory(
    kbvk: Path, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, room = tmp_path / "bad.tbp", 10 << 20
    bad.write_bytes(with_shapes(kbvk, 20_000))
    assert bad.stat().st_size < kbvk.stat().st_size + (50 << 10)
    with taking_less_than(room), closing(Packed(bad)) as opened, pytest.raises(OutOfRoom):
        unpack(PackedSource(opened), tmp_path / "KBvK.r.h5", {}, room=room)
    memory = f"{PROGRAM + 2 * room}"
    said = refusal(capsys, 6, "unpack", bad, "--memory", memory, "--tables", small_tables, "--check", "-q")
    assert said.endswith("bad.tbp: its shapes take more memory than the 10 MiB that --memory leaves them\n")


def test_long_staircases_are_spelled_out_a_part_at_a_time(kbvk: Path, small_tables: Path, tmp_path: Path) -> None:
    """They would take 300 MB together; and no table can be written that has such long ones."""
    with closing(Packed(kbvk)) as opened:
        shapes = opened.notes.shapes
    bad = tmp_path / "bad.tbp"
    bad.write_bytes(with_shapes(kbvk, shapes))
    with taking_less_than(150 << 20), pytest.raises(CorruptTable, match=str(bad)):
        make_again(bad, small_tables, tmp_path)
