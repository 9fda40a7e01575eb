"""The files of local tables that are kept: verified, damaged, written by one process and read by another."""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread

import chess
import numpy as np
import pytest

from tbgen.beyond.local.choose import make_plan
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.solve import solve_plan
from tbgen.core import outcome, position
from tbgen.core.material import parse
from tbgen.core.table_contents import Contents, no_positions
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable, UnsupportedPosition
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.probe import open_tablebase
from tbgen.store import Bulk, TableFile, find_table, list_tables, open_table
from tbgen.store.entry_cache import EntryCache
from tbgen.store.format.local import Bound, LocalName, LocalNotes, SolvedWith
from tbgen.store.local import list_local, local_file, local_named
from tbgen.store.write import write_table
from tbgen.verify.file import check_local
from tbgen.verify.run import Verdict
from tests.support.local_tables import (
    ALL,
    BLOCKED,
    MEMORY,
    RACE,
    keep,
    keep_all,
    keep_alone,
    links,
    parts_of,
    spread,
    verdicts,
)

pytestmark = pytest.mark.usefixtures("no_bundle")

KEY = "0123456789abcdef"
KPVK = LocalName(parse("KPvK"), KEY, "01234567", Bound.EXACT)


@pytest.mark.parametrize("names", [ALL, "KvK KNvK", ""])
def test_the_verifier_passes_what_is_kept(names: str, small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, names)
    keep(tmp_path, RACE)
    keep(tmp_path, BLOCKED)
    assert set(verdicts(tmp_path)) == {(0, 0)}


@pytest.mark.parametrize(
    ("fen", "names", "white", "black"),
    [
        ("6R1/8/8/8/8/8/k5p1/2K5 b - - 4 60", ALL, "G0.0", "G0.0"),  # g1=Q+ Rxg1
        ("8/8/8/8/8/k7/4N1p1/2K5 b - - 4 60", ALL, "G3.5", "G0.0"),
        pytest.param(  # pawns and kings take back
            "8/8/3k4/2p1r3/3P4/2K5/8/8 w - - 4 60", f"{ALL} KPvK", "-G0.0", "-G4.0", marks=pytest.mark.full
        ),
    ],
)
def test_what_has_come_may_be_retaken(
    fen: str, names: str, white: str, black: str, small_tables: Path, tmp_path: Path
) -> None:
    """The verifier follows it too."""
    links(small_tables, tmp_path, names)
    keep_all(tmp_path, fen, 0)
    assert set(verdicts(tmp_path)) == {(0, 0)}
    board = chess.Board(fen)
    with open_tablebase(tmp_path) as tables:
        found = tables.sure(board, position.goal(board))
    assert found is not None
    assert (outcome.text(found.sure.white), outcome.text(found.sure.black)) == (white, black)


@pytest.mark.full
def test_rooks_may_retake(four_men: Path, tmp_path: Path) -> None:
    """Promotions by capture, and pieces that take each other."""
    links(four_men, tmp_path, f"{ALL} KRvKR KQvKR KRvKP")
    keep_all(tmp_path, "3r4/2P2k2/8/8/8/8/1K1R4/8 w - - 4 60", 0)
    assert set(verdicts(tmp_path)) == {(0, 0)}


def test_the_verifier_follows_a_double_step_that_answers_another(tmp_path: Path) -> None:
    keep_alone(tmp_path, "7k/6p1/8/7P/3p4/8/4P3/K7 w - - 0 1")
    assert set(verdicts(tmp_path)) == {(0, 0)}


def changed(directory: Path, **notes: object) -> Verdict:
    """What the verifier says of the first local table with other notes, or with one value that is another."""
    one = next(list_local(directory))
    with open_table(one.path) as table:
        assert table.local is not None
        contents, local = table.part(0, table.size), table.local._replace(**notes)  # type: ignore[arg-type]
    if not notes:
        entries = contents.entries.copy()
        entries[np.flatnonzero(entries)[7]] += 2
        contents = Contents(contents.material, contents.rules, entries, contents.staircases, contents.steps)
    one.path.unlink()
    path = local_file(directory, local.name(one.material)).path
    write_table(path, contents, {}, local=local)
    with closing(DiskArrays(directory, MEMORY)) as disk_arrays:
        cache = EntryCache(directory, TableRules.RESET, disk_arrays, find=find_table)
        again = local_named(path)
        assert again is not None
        return check_local(again, directory, cache, disk_arrays, threads=1, lost=lambda material, error: None)


def test_the_verifier_finds_what_is_wrong(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, "KvK KNvK")
    keep(tmp_path, RACE)
    assert changed(tmp_path).wrong > 0
    assert changed(tmp_path, complete=()).wrong > 1
    keep(tmp_path, RACE)
    assert next(list_local(tmp_path)).name.bound == Bound.BEST
    assert changed(tmp_path, bound=Bound.WORST).wrong > 1


def test_the_verifier_tells_how_far_it_is(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    done: Counter[str] = Counter()
    totals: dict[str, int] = {}

    def report(what: str, total: int, numbers: int) -> None:
        done[what] += numbers
        totals[what] = total

    one = next(list_local(tmp_path, parse("KPvKP")))
    with closing(DiskArrays(tmp_path, MEMORY)) as disk_arrays:
        cache = EntryCache(tmp_path, TableRules.RESET, disk_arrays, find=find_table)
        check_local(one, tmp_path, cache, disk_arrays, threads=1, report=report, lost=lambda material, error: None)
    assert all(done[what] % total == 0 for what, total in totals.items())  # KPvK is read for either side
    assert {"checking KPvKP", "reading KPvK"} <= done.keys()


def test_what_the_verifier_lacks_is_not_checked(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    next(list_local(tmp_path, parse("KPvK"))).path.unlink()
    ((wrong, unchecked),) = verdicts(tmp_path)
    assert wrong == 0
    assert unchecked > 0


def test_all_threads_read_what_is_kept(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verified or solved with: the tables themselves, and those that they lead to."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    count = len([*list_local(tmp_path)])
    assert count > 1
    read: list[tuple[Path, int]] = []
    in_order = TableFile.in_order

    def noted(table: TableFile, start: int, end: int, *, fresh: bool = False) -> Iterator[tuple[slice, Bulk]]:
        if table.local is not None:
            read.append((table.path, table._threads))
        return in_order(table, start, end, fresh=fresh)

    monkeypatch.setattr(TableFile, "in_order", noted)
    verdicts(tmp_path, 2)
    assert len({path for path, _ in read}) == count
    plan = make_plan(chess.Board(BLOCKED), [material for _, material, _ in list_tables(tmp_path)], 1 << 40)
    there = Shelf(tmp_path, writes=False).look_up(plan)
    before = len(read)
    solve_plan(plan, partial(parts_of, tmp_path), threads=2, there=there)
    assert len(read) > before
    assert {threads for _, threads in read} == {2}


@pytest.mark.parametrize(
    "notes",
    [
        LocalNotes(Bound.WORST, KEY, ((27, 35),), (), ()),
        LocalNotes(Bound.EXACT, KEY, ((8, 35), (16, 35)), (parse("KPvK"),), (SolvedWith(KPVK, True),)),
        LocalNotes(Bound.WORST, KEY, ((8, 35),), (), (SolvedWith(KPVK._replace(bound=Bound.BEST), False),)),
        LocalNotes(
            Bound.WORST,
            KEY,
            ((8, 35),),
            (),
            (SolvedWith(KPVK, False), SolvedWith(KPVK._replace(bound=Bound.WORST), False)),
        ),
    ],
)
def test_notes_come_back_as_they_were(notes: LocalNotes, tmp_path: Path) -> None:
    material = parse("KPvKP")
    layout = notes.layout(material)
    contents = no_positions(material, layout.size)
    path = local_file(tmp_path, notes.name(material)).path
    path.parent.mkdir()
    write_table(path, contents, {}, local=notes)
    with open_table(path) as table:
        assert table.local is not None
        assert {*table.local.slices} == {*notes.slices}
        assert table.local._replace(slices=()) == notes._replace(slices=())
    for name in ("KPvKP.r.h5", path.name.replace("KPvKP", "KPPvK"), path.name.replace(notes.bound, "best")):
        path = path.rename(path.with_name(name))
        with pytest.raises(CorruptTable, match="not what its name says"):
            open_table(path)


def test_a_changed_byte_never_gives_a_wrong_answer(solved: Path) -> None:
    one = next(list_local(solved))
    whole = one.path.read_bytes()
    boards = [*spread(BLOCKED, 4)]
    with open_tablebase(solved) as tables:
        right = [tables.probe(board) for board in boards]
    noticed = 0
    for at in range(0, len(whole), 23):
        one.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with open_tablebase(solved) as tables:
            try:
                found = [tables.probe(board) for board in boards]
            except CorruptTable:
                noticed += 1
            else:
                assert found == right
    assert noticed > 30
    one.path.write_bytes(whole[:-100])
    with open_tablebase(solved) as tables, pytest.raises(CorruptTable):
        tables.probe(boards[0])


KILLED = """
import os, signal, sys
from tbgen.cli.main import main
replace = os.replace
os.replace = lambda a, b: os.kill(os.getpid(), signal.SIGKILL) if str(b).endswith(".h5") else replace(a, b)
main(sys.argv[1:])
"""


def test_a_kill_while_writing_leaves_no_table(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, f"{ALL} KPvK")
    words = ["solve", "--keep", "--moves", "--tables", str(tmp_path), "--threads", "1", BLOCKED]
    run = subprocess.run([sys.executable, "-c", KILLED, *words], capture_output=True, check=False)
    assert run.returncode == -signal.SIGKILL
    assert not [*list_local(tmp_path)]
    assert [path for path in (tmp_path / "local").iterdir() if path.name.endswith(".half")]
    with open_tablebase(tmp_path) as tables, pytest.raises(MissingTable):
        tables.probe(chess.Board(BLOCKED))
    keep(tmp_path, BLOCKED)
    assert [path.name for path in (tmp_path / "local").iterdir()] == [one.path.name for one in list_local(tmp_path)]


def test_a_reader_beside_a_writer(solved: Path, small_tables: Path) -> None:
    """The table comes and goes: a reader has the right answer, or none."""
    one = next(list_local(solved))
    boards = [*spread(BLOCKED, 10)]
    with open_tablebase(solved) as tables:
        right = [tables.probe(board) for board in boards]
    one.path.unlink()
    done: list[str] = []
    answered = Event()

    def write() -> None:
        for _ in range(8):
            keep(solved, BLOCKED)
            answered.wait(60)  # the first time: on a busy machine the reader may be late
            one.path.unlink()
        done.append("all")

    writer = Thread(target=write)
    writer.start()
    answers = 0
    with open_tablebase(solved) as tables:
        while writer.is_alive():
            for board, result in zip(boards, right, strict=True):
                try:
                    assert tables.probe(board) == result
                    answers += 1
                    answered.set()
                except (MissingTable, UnsupportedPosition):
                    pass
    writer.join()
    assert done == ["all"]
    assert answers > 0
