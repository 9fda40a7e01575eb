"""What is written is what is read, by every way of reading."""

import itertools
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray
from soaking.forge import deflated, inflated

from tbgen.core.material import Material, parse
from tbgen.core.table_contents import Contents, Steps
from tbgen.errors import CorruptTable
from tbgen.memory.arrays import in_memory
from tbgen.store import TableFile, list_tables, open_table, table_path
from tbgen.store.format import shapes as format_shapes
from tbgen.store.format.planes import bytes_for, planes_of
from tbgen.store.format.schema import ESCAPE
from tbgen.store.format.shapes import MOST_STEPS, ODD, Forms, ShapeTable
from tbgen.store.read import forms as form_reader
from tbgen.store.read import open_file, table
from tbgen.store.read.cache import Cache
from tbgen.store.read.chunk import Chunk, ChunkFormat
from tbgen.store.read.decode import decode, spell_out
from tbgen.store.write import aside, find_forms, form_numbers, write_table
from tbgen.store.write import staircases as rows_of_steps
from tbgen.store.write.kernels import SAME_AT
from tests.support.contents import random_contents, steps_at
from tests.support.staircases import staircases_of


def written(directory: Path, contents: Contents) -> TableFile:
    path = table_path(directory, contents.material, contents.rules)
    write_table(path, contents, {})
    return open_table(path)


def assert_same(found: Contents, expected: Contents, start: int = 0) -> None:
    """Equal but for how the staircases are numbered."""
    end = start + len(found.entries)
    assert np.array_equal(found.entries, expected.entries[start:end])
    assert found.entries.dtype == found.staircases.dtype == np.int32
    staircases = {}
    for mine, number in {*zip(found.staircases.tolist(), range(start, end), strict=True)}:
        staircases.setdefault(mine, number)
    rows = [staircases[mine] for mine in found.staircases.tolist()]
    theirs = expected.staircases[start:end]
    for mine, number in staircases.items():
        assert steps_at(found, number - start) == steps_at(expected, number), (mine, number)
    contents_of = {
        staircase: steps_at(expected, n) for n, staircase in zip(range(start, end), theirs.tolist(), strict=True)
    }
    assert all(
        contents_of[a] == contents_of[b]
        for a, b in {*zip(theirs.tolist(), expected.staircases[rows].tolist(), strict=True)}
    )


@pytest.mark.parametrize("name", ["KvK", "KNvK"])
def test_the_writer_tells_how_far_it_is(tmp_path: Path, name: str) -> None:
    contents, told = random_contents(parse(name), seed=1, staircases=3), list[int]()
    write_table(tmp_path / "table", contents, {}, report=told.append)
    assert sum(told) == 2 * len(contents.entries)
    assert min(told) > 0


@pytest.mark.parametrize("staircases", [0, 3, 3000])
@pytest.mark.parametrize("longest", [90, 4000])
def test_a_first_look_sees_what_all_others_see(tmp_path: Path, staircases: int, longest: int) -> None:
    """Whoever looks at a chunk first has one position decoded; the next one has all."""
    contents = random_contents(parse("KNvK"), seed=longest, staircases=staircases, longest=longest)
    with written(tmp_path, contents) as table:
        file = table._file
        whole = file.chunk(0)
        assert whole.shapes.dtype.itemsize == (2 if staircases == 3000 else 1)
        for place in range(0, table._chunk_format.width, 23):
            first = file.chunk(0)
            steps = first.steps(place)
            assert (int(whole.entry[place]), bool(whole.has_steps[place])) == first.glance(place)
            assert whole.steps(place) == first.steps(place) == steps
            assert bool(steps) == bool(whole.has_steps[place])


def test_the_same_bytes_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables are written so, as not all that is known of them fits into memory."""
    contents = random_contents(parse("KQvK"), seed=4, staircases=3000)
    with written(tmp_path, contents) as table_:
        whole = table_.path.read_bytes()
    for module, name, small in (
        (format_shapes, "_PIECE", 100),
        (aside, "_PIECE", 100),
        (find_forms, "_FEW", 10),
        (find_forms, "_MANY", 100),
        (form_numbers, "_MERGED", 1),
        (aside, "_FIRST", 16),
    ):
        monkeypatch.setattr(module, name, small)
    with written(tmp_path, contents) as table_:
        assert table_.path.read_bytes() == whole


@pytest.mark.parametrize("marks", [0, 1, 2])
def test_kinds_that_have_no_room_for_all_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marks: int) -> None:
    """Other bytes say the same."""
    contents = random_contents(parse("KNvK"), seed=5, staircases=300)
    size = len(contents.entries)
    with written(tmp_path, contents) as table:
        plain = table.path.stat().st_size
    with ThreadPoolExecutor(1) as pool:
        rows = rows_of_steps.make_rows(contents.steps, in_memory, pool)
    assert rows.marks == np.diff(contents.steps.start).max() > marks
    monkeypatch.setattr(rows_of_steps, "BITS", SAME_AT + len(rows.form_length).bit_length() + marks)
    with written(tmp_path, contents) as table:
        assert_same(table.part(0, size), contents)
        assert table.path.stat().st_size != plain


def test_a_chunk_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """Inflated a bit at a time, or as a whole by those who come back later."""
    with written(tmp_path, random_contents(parse("KNvK"), seed=3, staircases=3000, longest=4000)) as table:
        whole = table._file.chunk(0)
        entries, halves = whole.entries, whole.halves()
        for place in range(0, table._chunk_format.width, 97):
            left = table._file.chunk(0)
            left.glance(place)
            left.let_go()
            assert left.steps(place) == whole.steps(place)
            assert np.array_equal(left.entries, entries)
            assert np.array_equal(left.halves(), halves)


def test_chunks_are_kept_that_are_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = random_contents(parse("KNvK"), seed=4, staircases=200)
    caches: list[Cache[Chunk]] = [Cache(1 << 30), Cache(1 << 30)]
    monkeypatch.setattr(table, "_GLANCED", caches[0])
    monkeypatch.setattr(table, "_CHUNKS", caches[1])
    read: list[int] = []
    with written(tmp_path, contents) as table_:
        chunk, count = table_._file.chunk, table_._file.chunks
        monkeypatch.setattr(table_._file, "chunk", lambda number: read.append(number) or chunk(number))
        for turn, held in enumerate(([count, 0], [0, count], [0, count])):
            for number in range(turn, table_.size, table_._chunk_format.width):
                outcome, distance, staircase = table_.look(number)
                assert outcome * 65536 + distance == contents.entries[number]
                assert table_.steps_of(staircase) == steps_at(contents, number)
            assert [cache.used // table_._chunk_format.size for cache in caches] == held
        assert read == list(range(count))
    assert [cache.used for cache in caches] == [0, 0]


@pytest.mark.parametrize("fits", [True, False])
def test_pages_of_forms_stay_for_a_whole_table(fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks all over a table have the same forms. Room for single looks is not enough for all pages of a large one."""
    monkeypatch.setattr(form_reader, "_PAGES", Cache(0))
    monkeypatch.setattr(form_reader, "_MANY", 0)
    if not fits:
        monkeypatch.setattr(form_reader, "_MOST", 0)
    unpacked: list[bytes] = []
    unpack = form_reader.unpack_page
    monkeypatch.setattr(form_reader, "unpack_page", lambda page: unpacked.append(page) or unpack(page))
    contents = random_contents(parse("KNvK"), seed=3, staircases=3000)
    with written(tmp_path, contents) as table_:
        for _ in range(2):
            assert_same(table_.part(0, table_.size), contents)
            open_file._GROUPS.drop(table_._file._key, table_._file._key)
        gathered = table_._file._forms._gathered
        assert len(set(unpacked)) > 10
        assert (len(unpacked) == len(set(unpacked)) == np.count_nonzero(gathered._counts)) == fits
        assert gathered._count
    assert not gathered._count


def test_forms_of_a_whole_table_lie_where_the_caller_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a large one may not fit into memory."""
    monkeypatch.setattr(form_reader, "_MANY", 0)
    contents, made = random_contents(parse("KNvK"), seed=3, staircases=3000), list[NDArray[Any]]()

    def make(count: int, kind: DTypeLike) -> NDArray[Any]:
        made.append(np.zeros(count, kind))
        return made[-1]

    with written(tmp_path, contents) as table_, open_table(table_.path, make=make) as table_:
        table_.part(0, table_.size)
        gathered = table_._file._forms._gathered
        for column in (*gathered._forms, gathered._start):
            assert any(column is one for one in made)


def first_chunk(table: TableFile) -> tuple[ShapeTable, bytes]:
    """The shapes of its group, and its bytes before compression."""
    group = table._file._group_of(0)
    return group.shape_table, inflated(table._file._stored(group, 0))


def test_a_chunk_of_another_table_is_refused(tmp_path: Path) -> None:
    """When it is read, not when somebody looks at one of the positions that make no sense."""
    with written(tmp_path, random_contents(parse("KNvK"), seed=1, staircases=3, longest=90)) as table:
        chunk_format, (shapes, raw) = table._chunk_format, first_chunk(table)
        width = chunk_format.width
        assert len(raw) <= chunk_format.length
        for low in (bytes(width - 1) + bytes([shapes.count]), bytes([1]) * width):
            with pytest.raises(CorruptTable, match="not those of its group"):
                Chunk(ChunkFormat(table.path, 2 * width - 1, chunk_format.numbers, 0, 1), shapes, deflated(low))
        for stored in (deflated(raw[: width - 1]), b"no chunk", b""):
            with pytest.raises(CorruptTable, match=r"KNvK\.r\.h5 is damaged"):
                Chunk(chunk_format, shapes, stored)
        with pytest.raises(CorruptTable, match="too soon"):
            Chunk(chunk_format, shapes, deflated(raw[: width + 9])).halves()


@settings(max_examples=12)
@given(
    material=st.sampled_from(["KvK", "KQvK", "KBvK"]),
    seed=st.integers(0, 2**32),
    staircases=st.sampled_from([0, 1, 5, 400]),
    legal=st.sampled_from([0.0, 0.01, 0.8, 1.0]),
    longest=st.sampled_from([0, 1, 90, 511, 512, 4000]),
)
def test_round_trip(tmp_path_factory, material, seed, staircases, legal, longest) -> None:  # type: ignore[no-untyped-def]
    contents = random_contents(parse(material), seed=seed, staircases=staircases, legal=legal, longest=longest)
    with written(tmp_path_factory.mktemp("tables"), contents) as table:
        assert_same(table.part(0, table.size), contents)
        rng = np.random.default_rng(seed)
        numbers = rng.integers(0, table.size, 300)
        for number in [0, table.size - 1, *numbers.tolist()]:
            outcome, distance, staircase = table.look(number)
            assert outcome * 65536 + distance == contents.entries[number]
            assert table.steps_of(staircase) == steps_at(contents, number)
        start, end = sorted(rng.integers(0, table.size + 1, 2).tolist())
        if start < end:
            assert_same(table.part(start, end), contents, start)
            assert np.array_equal(table.entries(start, end), contents.entries[start:end])


@pytest.mark.parametrize("whole", [True, False])
def test_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    if not whole:
        monkeypatch.setattr(table, "_DECODED", Cache(0))
    contents = random_contents(parse("KNvK"), seed=5, staircases=200)
    with written(tmp_path, contents) as table_:
        rng = np.random.default_rng(5)
        numbers = rng.integers(0, table_.size, 5000)
        assert table_.expect(len(numbers)) == whole
        outcomes, distances, staircases = table_.look_many(numbers)
        assert (outcomes.dtype, distances.dtype) == (np.int16, np.uint16)
        assert np.array_equal(outcomes.astype(np.int32) * 65536 + distances, contents.entries[numbers])
        assert [table_.look(number)[2] for number in numbers.tolist()] == staircases.tolist()

        holders, levels = rng.integers(0, 2, 5000), rng.integers(0, 256, 5000)
        found = zip(*(column.tolist() for column in table_.steps_many(staircases, holders, levels)), strict=True)
        for number, holder, level, step in zip(numbers.tolist(), holders, levels, found, strict=True):
            fits = [step[2:] for step in steps_at(contents, number) if step[0] == holder and step[1] <= level]
            assert step == (fits[-1] if fits else (0, 0))
        empty = table_.look_many(np.zeros(0, np.int64))
        assert [len(column) for column in empty] == [0, 0, 0]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    with written(tmp_path, random_contents(parse("KvK"), seed=1, staircases=3)) as table:
        for number in (-1, table.size + 100, 1 << 60):
            with pytest.raises(IndexError):
                table.look(number)
            with pytest.raises(IndexError):
                table.look_many(np.array([0, number]))
        with pytest.raises(IndexError):
            table.entries(0, table.size + 1)
        with pytest.raises(IndexError):
            table.steps_of(-1)


def test_a_range_has_no_staircases_but_its_own(tmp_path: Path) -> None:
    with written(tmp_path, random_contents(parse("KQvK"), seed=2, staircases=100)) as table:
        for start, end in ((0, table.size), (0, 500), (10_000, 10_200)):
            part = table.part(start, end)
            assert set(part.staircases.tolist()) | {0} == set(range(len(part.steps.start) - 1))
            steps = list(zip(*part.steps[1:], strict=True))
            rows = {tuple(steps[slice(*ends)]) for ends in itertools.pairwise(part.steps.start)}
            assert len(rows) == len(part.steps.start) - 1


def test_head_and_facts(tmp_path: Path) -> None:
    contents = random_contents(parse("KvK"), seed=1, staircases=3)
    path = table_path(tmp_path, contents.material, "r")
    write_table(path, contents, {"attractions": 5, "seconds": 0.5, "longest": "8/8 w"})
    with open_table(path) as table:
        head = table.head
        assert (table.material, table.rules, table.size) == (parse("KvK"), "r", len(contents.entries))
        assert head.legal == np.count_nonzero(contents.entries)
        assert head.size == path.stat().st_size
        assert (head.staircases, head.steps) == (len(contents.steps.start) - 1, len(contents.steps.level))
        assert table.facts == {"attractions": 5, "seconds": 0.5, "longest": "8/8 w"}
        assert head.program.startswith("tbgen ")


def with_one_staircase(contents: Contents, length: int) -> Contents:
    steps = Steps(np.array([0, 0, length]), *(column[:1].repeat(length) for column in contents.steps[1:]))
    return Contents(contents.material, "r", contents.entries, np.minimum(contents.staircases, 1), steps)


@pytest.mark.parametrize("length", [45, 60, MOST_STEPS])
def test_a_long_staircase(tmp_path: Path, length: int) -> None:
    contents = with_one_staircase(random_contents(parse("KvK"), seed=1, staircases=3), length)
    with written(tmp_path, contents) as table:
        number = int(np.flatnonzero(contents.staircases & (contents.entries != 0))[0])
        assert len(table.steps_of(table.look(number)[2])) == length
        assert_same(table.part(0, table.size), contents)


def test_contents_that_do_not_fit(tmp_path: Path) -> None:
    contents = with_one_staircase(random_contents(parse("KvK"), seed=1, staircases=3), MOST_STEPS + 1)
    with pytest.raises(ValueError, match="255"):
        write_table(tmp_path / "KvK.r.h5", contents, {})
    assert not list(tmp_path.iterdir())


def test_names(tmp_path: Path) -> None:
    assert table_path(tmp_path, Material("N", "R"), "wg") == tmp_path / "KRvKN.wg.h5"
    for name in ("KRvKN.wg.h5", "KvK.r.h5", "KvKR.r.h5", "KvK.x.h5", "KvK.h5", ".KvK.r.h5.1.half", "notes.txt"):
        (tmp_path / name).touch()
    assert [(path.name, material.name, rules) for path, material, rules in list_tables(tmp_path)] == [
        ("KRvKN.wg.h5", "KRvKN", "wg"),
        ("KvK.r.h5", "KvK", "r"),
    ]
    assert not list(list_tables(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="rules"):
        table_path(tmp_path, parse("KvK"), "x")


def test_threads_may_read_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_CHUNKS", "_GLANCED"):
        monkeypatch.setattr(table, name, Cache(1 << 19))  # a chunk or two, so that they push each other out
    contents = random_contents(parse("KQvK"), seed=9, staircases=200)
    with written(tmp_path, contents) as table_:

        def look(seed: int) -> int:
            for number in np.random.default_rng(seed).integers(0, table_.size, 400).tolist():
                outcome, distance, staircase = table_.look(number)
                assert outcome * 65536 + distance == contents.entries[number]
                assert table_.steps_of(staircase) == steps_at(contents, number)
            return seed

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(look, range(8))) == list(range(8))


@pytest.mark.parametrize("heavy", ["numba", "h5py", "tbgen.store.write"])
def test_reading_needs_no_compiler_no_encoder_and_no_hdf5(heavy: str) -> None:
    code = f"import sys, tbgen.store; assert {heavy!r} not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("staircases", "longest"), [(0, 90), (3, 90), (3000, 90), (3000, 4000)])
def test_machine_code_reads_what_a_single_look_does(tmp_path: Path, staircases: int, longest: int) -> None:
    with written(tmp_path, random_contents(parse("KNvK"), seed=5, staircases=staircases, longest=longest)) as table:
        numbers = table._chunk_format.places
        for chunk in range(2):
            alone = table._file.chunk(chunk)
            whole, fresh = (table._file.bulk(range(chunk, chunk + 1), fresh=fresh) for fresh in (False, True))
            for bulk in (whole, fresh):
                assert np.array_equal(bulk.shapes, alone.shapes[numbers])
                assert np.array_equal(bulk.entries, alone.entries[numbers])
            assert np.array_equal(whole.halves(), alone.halves()[:, numbers])
            assert np.array_equal(fresh.halves(), alone.halves()[:1, numbers])


@pytest.mark.parametrize(("staircases", "longest"), [(0, 90), (3, 90), (3000, 4000)])
def test_machine_code_spells_out_the_staircases(tmp_path: Path, staircases: int, longest: int) -> None:
    with written(tmp_path, random_contents(parse("KNvK"), seed=5, staircases=staircases, longest=longest)) as table:
        for here, bulk in table.in_order(7, table.size - 7):
            found, expected = spell_out(bulk), staircases_of(bulk, np.arange(here.stop - here.start))
            assert np.array_equal(found.lengths, expected.lengths)
            assert np.array_equal(found.steps, expected.steps)


def test_any_number_of_threads_reads_the_same_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with written(tmp_path, random_contents(parse("KNvK"), seed=6, staircases=3000)) as alone:
        monkeypatch.setattr(table, "PIECE", alone._chunk_format.width)
        expected = list(alone.in_order(7, alone.size - 7))
        assert len(expected) == 4
        for threads in (2, 3, 100):
            with open_table(alone.path, threads=threads) as many:
                found = list(many.in_order(7, many.size - 7))
                assert [here for here, _ in found] == [here for here, _ in expected]
                for (_, bulk), (_, other) in zip(found, expected, strict=True):
                    assert np.array_equal(bulk.shapes, other.shapes)
                    assert np.array_equal(bulk.halves(), other.halves())
                before, reading = threading.active_count(), many.in_order(0, many.size)
                next(reading)
                assert threading.active_count() > before
                reading.close()  # whoever stops early leaves no thread
                assert threading.active_count() == before


def test_machine_code_refuses_a_damaged_chunk(tmp_path: Path) -> None:
    """Also when the damage has the right CRC-32, and whatever was decoded before."""
    with written(tmp_path, random_contents(parse("KNvK"), seed=1, staircases=3000, longest=4000)) as table:
        chunk_format, (shapes, raw) = table._chunk_format, first_chunk(table)
        width, whole = chunk_format.width, decode(chunk_format, shapes, [deflated(raw)], 1)
        for bad in (raw[: width - 1], raw[: width + 9], raw[:-40], b"\xff" * len(raw), b""):
            with pytest.raises(ValueError, match=r"too soon|not those of its group"):
                decode(chunk_format, shapes, [deflated(raw), deflated(bad)], 2)
        with pytest.raises(ValueError, match="Error"):
            decode(chunk_format, shapes, [b"no chunk"], 1)
        again = decode(chunk_format, shapes, [deflated(raw)], 1)
        assert np.array_equal(again.halves(), whole.halves())


def test_machine_code_reads_any_number_of_shapes() -> None:
    """Shapes of three bytes and more, distances of two; then a small table in the same thread."""
    for count, width, planes in ((70_000, 1 << 12, 2), (3, 64, 1), (300, 1 << 12, 1)):
        chance = np.random.default_rng(count)
        shape_table = some_shapes(count)
        numbers = chance.permutation(width)
        used = np.append(chance.integers(0, count, width - 5), np.full(5, count - 1))
        escaped, escape_planes = used[used >= ESCAPE] - ESCAPE, bytes_for(count - 1 - ESCAPE)
        distances = int(shape_table.held[used].sum())
        raw = b"".join(
            (
                np.minimum(used, ESCAPE).astype(np.uint8).tobytes(),
                *(plane.tobytes() for plane in planes_of(escaped, escape_planes)),
                chance.bytes(distances * planes),
            )
        )
        chunk_format, stored = ChunkFormat(Path(), len(raw), numbers, escape_planes, planes), deflated(raw)
        chunk, bulk = Chunk(chunk_format, shape_table, stored), decode(chunk_format, shape_table, [stored], 1)
        assert np.array_equal(bulk.shapes[numbers], used)
        assert np.array_equal(bulk.shapes, chunk.shapes[chunk_format.places])
        assert np.array_equal(bulk.halves(), chunk.halves()[:, chunk_format.places])
        with pytest.raises(ValueError, match="without these distances"):
            spell_out(decode(chunk_format, shape_table, [stored], 1, fresh=True))


def some_shapes(count: int) -> ShapeTable:
    """Shapes of up to two steps, with a distance each."""
    steps = np.arange(count) % 3
    steps[[0, -1]] = 0, 2
    ones = np.ones(int(steps.sum()), np.uint8)
    forms = Forms(steps.astype(np.uint8), ones, ones, ones.astype(np.int16), ODD * ones)
    base = np.full(count, 1 << 16, np.int32)
    base[0] = 0
    return ShapeTable(
        base,
        (steps + (base != 0)).astype(np.uint8),
        np.arange(count) * (steps > 0),
        lambda numbers, stored: forms.taken(numbers),
    )


def test_a_forged_chunk_is_damaged_whoever_looks_when(tmp_path: Path) -> None:
    """Its rows are shorter than its shapes need: before and after the reader has let go of it."""
    with written(tmp_path, random_contents(parse("KNvK"), seed=3, staircases=3000, longest=4000)) as table:
        chunk_format, (shapes, raw) = table._chunk_format, first_chunk(table)
        whole = Chunk(chunk_format, shapes, deflated(raw))
        short = ChunkFormat(
            table.path, whole._stored_at + 3, chunk_format.numbers, chunk_format.escape_planes,
            chunk_format.distance_planes,
        )  # fmt: skip
        last = max(range(chunk_format.width), key=lambda place: shapes.stored[whole.shapes[place]])
        for read in (lambda chunk: chunk.steps(last), lambda chunk: chunk.halves()):
            for lets_go in (False, True):
                chunk = Chunk(short, shapes, deflated(raw))
                if lets_go:
                    chunk.let_go()
                with pytest.raises(CorruptTable, match="too soon"):
                    read(chunk)
