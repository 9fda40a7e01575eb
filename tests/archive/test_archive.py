"""Packed tables: what is unpacked is what was packed, whatever happens."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.archive.block import SECTIONS, SHAPE_COLUMNS, Packer, pack_shapes, unpack_shapes
from tbgen.archive.format import MAGIC, Packed, Writer
from tbgen.archive.pack import pack
from tbgen.archive.split import Split
from tbgen.archive.unpack import unpack
from tbgen.cli.main import main
from tbgen.contents import Contents, in_memory
from tbgen.errors import CorruptTable, OutOfRoom
from tbgen.generate.estimate import PROGRAM
from tbgen.index import layout_of
from tbgen.material import parse, with_dependencies
from tbgen.store import file_digest, open_table, table_path
from tbgen.store.format.shapes import MOST_STEPS, Shapes, ShapeTable
from tbgen.store.write import write_table
from tbgen.table_rules import TableRules
from tbgen.verify.staircases import Staircases
from tests.support.contents import random_contents
from tests.support.solved import contents as solved
from tests.support.staircases import staircases_of

LENGTH, DIGEST = 8, 32
"""Bytes at the end of a packed file."""


def packed_from(table: Path, place: Path) -> Path:
    path = place / f"{table.stem}.tbp"
    with path.open("wb") as file:
        result = pack(table, file, threads=2)
    assert path.stat().st_size == result.size
    return path


def make_again(packed: Path, tables: Path, place: Path) -> Path:
    """Unpack, given the tables of a directory."""
    with closing(Packed(packed)) as opened:
        successors = {}
        for material in opened.material.successors():
            with open_table(table_path(tables, material, opened.rules)) as table:
                successors[material] = table.entries()
        path = table_path(place, opened.material, opened.rules)
        assert unpack(opened, path, successors, threads=2)
    return path


def forged(packed: Path, **changes: Any) -> bytes:
    """The same file with other notes, and a digest that is right."""
    data = packed.read_bytes()
    end = len(data) - DIGEST - LENGTH
    start = end - int.from_bytes(data[end : end + LENGTH], "little")
    notes = json.dumps({**json.loads(data[start:end]), **changes}).encode()
    data = data[:start] + notes + len(notes).to_bytes(LENGTH, "little")
    return data + hashlib.sha256(data).digest()


# --- there and back ----------------------------------------------------------------------------------------------


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
        packer = Packer(ShapeTable(shapes), packed.order, packed.notes.planes)
        sections = [packed.stream(SHAPE_COLUMNS + n) for n in range(SECTIONS)]
        block = packer.unpack(sections, contents.entries[numbers] != 0)
        assert (block.entries == contents.entries[numbers]).all()
        (_, bulk), *_ = table.in_order(int(numbers[0]), int(numbers[0]) + 500)
        found, due = (staircases_of(some, np.arange(500)) for some in (block, bulk))
        assert (found.length == due.length).all()
        assert (found.steps == due.steps).all()


def test_staircases_are_numbered_once() -> None:
    staircases, random = Staircases(in_memory), np.random.default_rng(3)
    rows = [tuple(random.integers(0, 50, random.integers(0, 4)).tolist()) for _ in range(60_000)]
    found: list[int] = []
    for start in range(0, len(rows), 7000):
        some = rows[start : start + 7000]
        steps = np.array([step for row in some for step in row], np.int64)
        found += staircases.number(np.array([len(row) for row in some], np.uint16), steps).tolist()
    numbers = dict(zip(rows, found, strict=True))
    assert [numbers[row] for row in rows] == found
    assert sorted({*numbers.values(), 0}) == [*range(len({*rows, ()}))]
    assert numbers.get((), 0) == 0
    dictionary = staircases.dictionary(TableRules.RESET)
    for row, number in numbers.items():
        assert tuple(dictionary.step[slice(*dictionary.first[number : number + 2])].tolist()) == row


# --- faults ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kbvk(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed_from(small_tables / "KBvK.r.h5", tmp_path_factory.mktemp("packed"))


def refusal(capsys: pytest.CaptureFixture[str], code: int, *words: str | Path) -> str:
    """The one line that a command gets."""
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("tbgen: ")
    return err


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
    for stream in [*pack_shapes(Shapes(some, some, count, steps, steps, steps, 0 * steps)), *blocks]:
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
        unpack(opened, tmp_path / "KBvK.r.h5", {}, room=room)
    memory = f"{PROGRAM + room}"
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


@pytest.mark.usefixtures("no_bundle")
def test_a_missing_table_is_named(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = packed_from(small_tables / "KNNvK.r.h5", tmp_path)
    place = tmp_path / "place"
    said = refusal(capsys, 4, "unpack", packed, "--tables", place, "-q")
    assert "KNvK.r.h5 is missing (to build it: tbgen build KNvK --tables " in said
    assert not list(place.iterdir())
    assert "KRvKN.r.h5 is missing" in refusal(capsys, 4, "pack", "KRvKN", "--tables", tmp_path)
    assert "nothing.tbp is missing" in refusal(capsys, 4, "unpack", tmp_path / "nothing.tbp", "--tables", place)
    new = tmp_path / "new"
    refusal(capsys, 4, "unpack", tmp_path / "nothing.tbp", "--tables", new)
    assert not new.exists()


def test_another_table_than_at_packing_is_noticed(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The knight's table says something else by now, so what is told from it is wrong."""
    packed = packed_from(small_tables / "KNNvK.r.h5", tmp_path)
    write_table(tmp_path / "KNvK.r.h5", random_contents(parse("KNvK"), seed=1, staircases=0), {})
    said = refusal(capsys, 5, "unpack", packed, "--tables", tmp_path, "-q")
    assert "does not give the table that was packed" in said
    assert not (tmp_path / "KNNvK.r.h5").exists()


def test_a_wrong_table_is_noticed(small_tables: Path, tmp_path: Path) -> None:
    """Packing believes the table; what is unpacked is compared."""
    with open_table(small_tables / "KNvK.r.h5") as table:
        right = table.part(0, table.size)
    entries = right.entries.copy()
    entries[np.flatnonzero(entries)[::50]] += 2
    path = tmp_path / "KNvK.r.h5"
    write_table(path, Contents(right.material, right.rules, entries, right.staircases, right.steps), {})
    packed = packed_from(path, tmp_path)
    path.unlink()
    with pytest.raises(CorruptTable, match="does not give the table"):
        make_again(packed, small_tables, tmp_path)
    assert not path.exists()


def test_a_table_that_is_replaced_while_it_is_packed(small_tables: Path, tmp_path: Path) -> None:
    """The digest is that of the table that was packed, not of what has its name by now."""
    path = Path(shutil.copy(small_tables / "KNvK.r.h5", tmp_path))
    digest = file_digest(path)

    def replace(what: str, numbers: int) -> None:
        write_table(path, random_contents(parse("KNvK"), seed=1, staircases=0), {})

    packed = tmp_path / "KNvK.r.tbp"
    with packed.open("wb") as file:
        assert pack(path, file, begin=replace).notes.sha256 == digest
    assert file_digest(path) != digest
    path.unlink()
    make_again(packed, small_tables, tmp_path)


def test_other_bytes_are_told(kbvk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What another version of zlib or HDF5 makes of the same contents."""
    packed = tmp_path / "KBvK.r.tbp"
    packed.write_bytes(forged(kbvk, sha256="0" * 64))
    assert main(["unpack", str(packed), "--tables", str(tmp_path), "-q"]) == 0
    assert "KBvK.r.h5: the same contents in other bytes" in capsys.readouterr().out
    assert (tmp_path / "KBvK.r.h5").exists()


# --- the commands ------------------------------------------------------------------------------------------------


def test_from_the_command_line(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, back = tmp_path / "out", tmp_path / "back"
    out.mkdir()
    words = ["pack", "--all", "4", "KNNvK", "--tables", str(small_tables), "-o", str(out), "--json"]
    assert main(words) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    tables = sorted(small_tables.glob("*.r.h5"))
    assert sorted(row["file"] for row in rows) == sorted(str(out / f"{path.stem}.tbp") for path in tables)
    assert all(row["bytes"] == Path(row["file"]).stat().st_size < row["table_bytes"] for row in rows)
    files = sorted(map(str, out.iterdir()), reverse=True)
    assert main(["unpack", "--check", *files, "--tables", str(small_tables)]) == 0
    assert capsys.readouterr().out.count(": gives the table again\n") == len(tables)
    assert main(["unpack", *files, "--tables", str(back), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all((row["made"], row["same_bytes"], row["kept"]) == (True, True, True) for row in rows)
    assert [path.name for path in sorted(back.iterdir())] == [path.name for path in tables]
    assert all((back / path.name).read_bytes() == path.read_bytes() for path in tables)
    assert main(["unpack", files[0], "--tables", str(back)]) == 0
    assert "is there already" in capsys.readouterr().out


def test_what_cannot_be_packed(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name a material" in refusal(capsys, 2, "pack", "--tables", small_tables)
    assert "no such directory" in refusal(capsys, 2, "pack", "KvK", "--tables", small_tables, "-o", tmp_path / "x")
    assert "no such tables" in refusal(capsys, 4, "pack", "--all", "5", "--tables", tmp_path)
    assert "no such tables" in refusal(capsys, 4, "pack", "KvK", "--tables", tmp_path / "x")
    table = tmp_path / "KQvK.r.h5"
    data = bytearray((small_tables / table.name).read_bytes())
    data[-100] ^= 1
    table.write_bytes(data)
    assert "has changed since it was written" in refusal(capsys, 5, "pack", "KQvK", "--tables", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["KQvK.r.h5"]


def test_no_room_no_start(
    kbvk: Path, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables that are there take none, and of those that are only checked one is there at a time."""
    other, new = packed_from(small_tables / "KNvK.r.h5", tmp_path), tmp_path / "new"
    sizes = [(small_tables / f"{packed.stem}.h5").stat().st_size for packed in (kbvk, other)]
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=sum(sizes) - 1))
    said = refusal(capsys, 6, "unpack", kbvk, other, "--tables", new, "-q")
    assert re.fullmatch(r"tbgen: make room in .*new: \S+ KiB are to be written, \S+ KiB are free\n", said)
    assert not new.exists()
    words = ["unpack", str(kbvk), str(other), "-q", "--tables"]
    assert main([*words, str(small_tables)]) == 0
    assert main([*words, str(small_tables), "--check"]) == 0
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=max(sizes) - 1))
    refusal(capsys, 6, *words, small_tables, "--check")


@pytest.mark.parametrize("command", ["pack", "unpack"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_in_the_middle(command: str, how: int, small_tables: Path, tmp_path: Path) -> None:
    """Nothing has a name that is not complete, and the next run succeeds."""
    table = small_tables / "KNNvK.r.h5"
    words: list[str | Path] = [sys.executable, "-m", "tbgen", command]
    made = tmp_path / ("KNNvK.r.tbp" if command == "pack" else table.name)
    if command == "pack":
        words += ["KNNvK", "--tables", small_tables, "-o", tmp_path]
    else:
        words += [packed_from(table, tmp_path), "--tables", tmp_path]
    before = {path.name for path in tmp_path.iterdir()}
    run = subprocess.Popen([*words, "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while run.poll() is None and {path.name for path in tmp_path.iterdir()} == before:
        time.sleep(0.002)
    run.send_signal(how)
    run.communicate()
    if run.returncode == 0:  # it was faster
        pytest.skip("it was done before it could be stopped")
    assert run.returncode == (-9 if how == signal.SIGKILL else 130)
    assert not made.exists()
    if how == signal.SIGINT:
        assert {path.name for path in tmp_path.iterdir()} == before
    for left in tmp_path.glob(".*.part"):
        os.utime(left, (0, 0))  # young ones may belong to a run that is at work
    again = subprocess.run([*words, "-q"], capture_output=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")
    assert {path.name for path in tmp_path.iterdir()} == before | {made.name}
    if command == "unpack":
        assert made.read_bytes() == table.read_bytes()
        shutil.rmtree(tmp_path)
