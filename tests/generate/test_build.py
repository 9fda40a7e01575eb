"""Building from the command line: what is built, what is left alone, what a killed build leaves."""

import fcntl
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest

from tbgen.cli import build
from tbgen.cli.main import main
from tbgen.cli.progress import TableProgress
from tbgen.core import outcome
from tbgen.core.material import Material, every, parse
from tbgen.core.table_contents import distances
from tbgen.core.table_rules import TableRules
from tbgen.generate import calibration
from tbgen.generate.forecast import make_forecast
from tbgen.generate.plan import make_plan
from tbgen.generate.table import build_table
from tbgen.generate.usage import Clocks, begin_peak, peak_memory
from tbgen.generate.watcher import Watcher
from tbgen.index import layout_of
from tbgen.index.positions import fen
from tbgen.memory import disk_arrays as disk_arrays_module
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.report.census import take
from tbgen.store import building, open_table, stamp_of, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.system.thresholds import PROGRAM
from tests.support.patience import PATIENCE

TBGEN = [sys.executable, "-m", "tbgen"]


def test_builds_what_is_needed_first(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "kvkb", "--tables", str(tmp_path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["material"] for row in rows] == ["KvK", "KBvK"]
    assert (rows[1]["positions"], rows[1]["stored_entries"], sum(rows[1]["mover"].values())) == (52234, 53380, 52234)
    assert rows[1]["longest"] == 46
    assert rows[1]["attractions"] >= 1
    # the same table as the one made another way, byte for byte but for its facts
    ours, other = (open_table(table_path(place, parse("KBvK"), "r")) for place in (tmp_path, small_tables))
    entries = ours.entries()
    assert (entries == other.entries()).all()
    assert rows[1]["longest_fen"] == fen(ours.layout, int(distances(entries).argmax()))


@pytest.mark.parametrize("name", ["KBvK", "KvK"])
def test_a_minus_sign_is_blacks_in_what_a_build_prints(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """The wiki: a minus sign is Black's."""
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    path = table_path(tmp_path, parse(name), "r")
    path.unlink(missing_ok=True)
    assert main(["build", name, "--tables", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    to_move = ", White to move" if name == "KvK" else ""
    begin = lines.index(f"  G-scores: White's, and Black's with a minus{to_move}") + 1
    rows = [line.split() for line in itertools.takewhile(lambda line: "longest" not in line, lines[begin:])]
    counted = Counter[str]()
    for (_, value), spread in take(open_table(path)).cases.items():
        counted[outcome.text(value)] += spread.count
    assert {score: int(count.replace(",", "")) for score, count, *_ in rows} == counted
    values = [outcome.parse(score) for score, *_ in rows]
    assert values == sorted(values, reverse=True)


def test_leaves_alone_what_is_there(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in small_tables.iterdir()}
    assert main(["build", "--all", "3", "--tables", str(small_tables)]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert main(["build", "KvK", "--tables", str(small_tables)]) == 0
    assert capsys.readouterr().out == f"nothing to do: {small_tables} has 1 table that this takes already\n"
    assert {path: path.stat().st_mtime_ns for path in small_tables.iterdir()} == before


def test_force_replaces_a_link_and_not_what_it_leads_to(small_tables: Path, tmp_path: Path) -> None:
    """What it leads to may be of another directory, whose lock this build does not hold."""
    shared, place = tmp_path / "shared", tmp_path / "place"
    for directory in (shared, place):
        directory.mkdir()
    theirs, ours = shared / "KvK.r.h5", place / "KvK.r.h5"
    shutil.copy(small_tables / "KvK.r.h5", theirs)
    before = theirs.stat()
    ours.symlink_to("../shared/KvK.r.h5")
    words = ["build", "KvK", "--tables", str(place), "-q"]
    assert main(words) == 0
    assert ours.is_symlink(), "a link to a table is a table"
    assert main([*words, "--force"]) == 0
    assert not ours.is_symlink()
    assert open_table(ours).size == open_table(theirs).size
    assert [(path.name, path.stat().st_ino, path.stat().st_mtime_ns) for path in shared.iterdir()] == [
        ("KvK.r.h5", before.st_ino, before.st_mtime_ns)
    ]
    assert [path.name for path in place.iterdir()] == ["KvK.r.h5"]


def test_force_builds_after_a_process_that_held_the_lock_and_built_nothing(small_tables: Path, tmp_path: Path) -> None:
    kvk = parse("KvK")
    path = Path(shutil.copy(small_tables / "KvK.r.h5", tmp_path))
    stamp = stamp_of(path.stat())
    disk_arrays = DiskArrays(tmp_path, 1 << 30)

    class Closing(Watcher):
        def waits(self, material: Material) -> None:
            other.close()

    with ExitStack() as other:
        other.enter_context(building(path))
        summary = build_table(
            kvk, tmp_path, "r", EntryCache(tmp_path, "r", disk_arrays), disk_arrays,
            threads=1, watcher=Closing(), replaced=stamp,
        )  # fmt: skip
    assert summary is not None
    assert stamp_of(path.stat()) != stamp


def test_the_peak_of_memory_is_that_of_the_table(tmp_path: Path) -> None:
    kvk, disk_arrays = parse("KvK"), DiskArrays(tmp_path, 1 << 40)
    cache = EntryCache(tmp_path, "r", disk_arrays)
    build_table(kvk, tmp_path, "r", cache, disk_arrays, threads=1)  # to compile takes memory, too
    stamp = stamp_of(table_path(tmp_path, kvk, "r").stat())
    size = np.ones(256 << 20, np.uint8).nbytes
    before = peak_memory()
    begin_peak()
    if peak_memory() > before - size // 2:
        pytest.skip("the system does not let a process measure its peak anew")
    np.ones(size, np.uint8)
    before = peak_memory()
    summary = build_table(kvk, tmp_path, "r", cache, disk_arrays, threads=1, replaced=stamp)
    assert summary is not None
    assert 0 < summary.peak_memory < before - size // 2


def test_clocks_count_what_goes_to_disk(tmp_path: Path) -> None:
    before = Clocks.read()
    with (tmp_path / "file").open("wb") as file:
        file.write(bytes(1 << 20))
        os.fsync(file.fileno())
    went = Clocks.read().since(before).went
    if went == 0:
        pytest.skip("the system does not tell, or nothing goes to disk there")
    assert 1 << 20 <= went < 2 << 20


def test_any_number_of_threads_writes_the_same_bytes(small_tables: Path, tmp_path: Path) -> None:
    written = []
    for threads in "123":
        place = tmp_path / threads
        assert main(["build", "KNvK", "KPvK", "--tables", str(place), "--threads", threads, "--quiet"]) == 0
        written.append([path.read_bytes() for path in sorted(place.glob("*.h5"))])
    assert written[0] == written[1] == written[2]


def test_any_memory_writes_the_same_bytes(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though reviews are given up sooner where arrays are in files."""
    knvk, written, looks = parse("KNvK"), list[bytes](), list[float]()
    for memory in (1 << 40, PROGRAM):
        place = tmp_path / str(memory)
        place.mkdir()
        shutil.copy(small_tables / "KvK.r.h5", place)
        with closing(DiskArrays(place, memory)) as disk_arrays:
            summary = build_table(knvk, place, "r", EntryCache(place, "r", disk_arrays), disk_arrays, threads=1)
        assert summary is not None
        written.append(table_path(place, knvk, "r").read_bytes())
        looks.append(summary.looks)
        monkeypatch.setattr(disk_arrays_module, "SMALL", 0)
    assert looks[0] > looks[1]
    assert written[0] == written[1]


def test_plan_of_all_four_men(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--all", "4", "--dry-run", "--json", "--tables", str(tmp_path)]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert len(plan["build"]) == 36
    assert not plan["present"]
    done: set[str] = set()
    for name in plan["build"]:
        assert {other.name for other in parse(name).successors()} <= done
        done.add(name)


def test_dry_run_counts_what_is_mapped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where no array is so large that it would be on disk but for going on after a stop."""
    assert main(["build", "KRPvK", "--dry-run", "--json", "--tables", str(tmp_path)]) == 0
    row = next(row for row in json.loads(capsys.readouterr().out)["tables"] if row["material"] == "KRPvK")
    assert row["scratch"] >= 2 * 4 * row["numbers"]


def test_dry_run_is_a_table_of_what_it_takes(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "KRvKN", "--dry-run", "--tables", str(small_tables)]) == 0
    words = capsys.readouterr().out
    assert re.search(r"^KRvKN +3,784,704 ", words, re.MULTILINE)
    assert re.search(r"^about [\d.]+ (s|min) on \d+ cores?$", words, re.MULTILINE)
    assert "there already: KvK KRvK KNvK" in words


def test_the_pace_of_this_machine_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    plan = make_plan([parse("KRvKN")], tmp_path, "r")
    monkeypatch.setattr(calibration, "tested", lambda: 0.5)
    before = make_forecast(plan, 1)
    calibration.record_build(0.5, 100.0)  # too small to tell
    assert calibration.known_pace().factor == before.pace == 0.5
    for _ in range(4):
        calibration.record_build(5.0, 13.75)
    after = make_forecast(plan, 1)
    assert after.pace == 2.0
    assert after.seconds == pytest.approx(4 * before.seconds, rel=0.05)
    for words in (
        "{", "[1]", "[" * 100_000, '{"estimated": 1}', '{"estimated": "a", "measured": 1}',
        '{"estimated": 20, "measured": 0}', '{"estimated": 0, "measured": 20}', '{"estimated": 20, "measured": -1}',
        '{"estimated": 20, "measured": NaN}', '{"estimated": 20, "measured": 1e300}',
        '{"estimated": Infinity, "measured": 5}', f'{{"estimated": 20, "measured": 1{"0" * 400}}}',
    ):  # fmt: skip
        for file in tmp_path.iterdir():
            file.write_text(words)
        assert calibration.known_pace().factor == 0.5


def leave(place: Path, *names: str) -> None:
    """What killed builds leave: a directory for a name that ends with `.work`, else a file."""
    for name in names:
        path = place / name
        if name.endswith(".work"):
            path.mkdir()
            path /= "entries"
        path.write_bytes(bytes(1 << 16))


def test_what_killed_builds_leave_is_removed(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where there is nothing to build. What is of use, or in use, or not of tbgen stays."""
    for name in ("KvK.r.h5", "KBvK.r.h5"):
        shutil.copy(small_tables / name, tmp_path)
    gone = [
        ".KBvK.r.h5.work",
        ".KBvK.r.h5.lock",
        ".KBvK.r.h5.4711.half",
        ".KNvK.r.h5.4711.half",
        ".tbgen-0123456789abcdef",
    ]
    stays = [
        ".KNvK.r.h5.work",
        ".KRvK.wg.h5.work",
        ".KRvK.wg.h5.lock",
        ".mine.work",
        "KBvK.work",
        ".tbgen-fedcba9876543210",
    ]
    leave(tmp_path, *gone, *stays)
    with (tmp_path / ".KRvK.wg.h5.lock").open() as lock, (tmp_path / ".tbgen-fedcba9876543210").open() as token:
        for file in (lock, token):
            fcntl.flock(file, fcntl.LOCK_EX)
        assert main(["info", "--tables", str(tmp_path), "--json"]) == 0
        rows = {
            row["material"]: row for row in map(json.loads, capsys.readouterr().out.splitlines()) if "unfinished" in row
        }
        assert {name: (row["building"], row["resumable"]) for name, row in rows.items()} == {
            "KBvK": (False, False), "KNvK": (False, True), "KRvK": (True, True),
        }  # fmt: skip
        assert rows["KBvK"]["unfinished"] == 3 << 16
        assert main(["info", "KNvK", "--tables", str(tmp_path)]) == 0
        assert "131,072 bytes of a half-built table, a build was stopped; this goes on with it: tbgen build KNvK" in (
            capsys.readouterr().out
        )
        assert main(["build", "KBvK", "--tables", str(tmp_path)]) == 0
        assert "nothing to do" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"KvK.r.h5", "KBvK.r.h5", *stays}


def test_a_long_build_says_first_what_it_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_LONG", 0.0)
    assert main(["build", "KNvK", "--quiet", "--tables", str(tmp_path / "quiet")]) == 0
    assert "tables, about" not in capsys.readouterr().err
    assert main(["build", "KNvK", "--threads", "1", "--tables", str(tmp_path)]) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"tbgen: 2 tables, about \S+ m?s on 1 core; \S+ KiB of tables and .* are free", first)


def test_plan_knows_what_is_present(small_tables: Path) -> None:
    plan = make_plan([parse("KRvKN")], small_tables, "r")
    assert [material.name for material in plan.todo] == ["KRvKN"]
    assert {material.name for material in plan.present} == {"KvK", "KRvK", "KNvK"}


@pytest.mark.parametrize(
    "words",
    [["build"], ["build", "KQ"], ["build", "KQQQvKQQ"], ["build", "--all", "7"], ["build", "KvK", "--threads", "0"]],
)
def test_bad_input(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--tables", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("tbgen: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_build_leaves_no_half_table(small_tables: Path, tmp_path: Path, how: signal.Signals) -> None:
    running = subprocess.Popen(
        [*TBGEN, "build", "--all", "3", "--tables", str(tmp_path), "--threads", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while not list(tmp_path.glob("KQvK.r.h5")):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.002)
    running.send_signal(how)
    _, complaint = running.communicate()
    if how == signal.SIGINT:
        assert running.returncode in (0, 130)
        assert complaint in ("", "tbgen: interrupted; the same command goes on where this one stopped\n")
    for path in tmp_path.glob("[!.]*"):
        with open_table(path) as table:
            table.check()
    assert main(["build", "--all", "3", "--tables", str(tmp_path), "--quiet"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.h5")) == sorted(f"{m}.r.h5" for n in (2, 3) for m in every(n))
    assert not list(tmp_path.glob(".*half"))


def test_a_second_build_waits_and_finds_the_table(small_tables: Path, tmp_path: Path) -> None:
    path = table_path(tmp_path, parse("KvK"), "r")
    with building(path):
        second = subprocess.Popen(
            [*TBGEN, "build", "KvK", "--tables", str(tmp_path)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert second.stderr is not None
        assert any("waiting" in line for line in second.stderr)
        path.write_bytes(table_path(small_tables, parse("KvK"), "r").read_bytes())
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert not out


def test_verify_finds_a_changed_byte(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("KvK", "KNvK"):
        source = table_path(small_tables, parse(name), "r")
        (tmp_path / source.name).write_bytes(source.read_bytes())
    assert main(["verify", "--tables", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("all right") == 2
    damaged = bytearray((tmp_path / "KNvK.r.h5").read_bytes())
    damaged[len(damaged) // 2] ^= 4
    (tmp_path / "KNvK.r.h5").write_bytes(damaged)
    assert main(["verify", "--tables", str(tmp_path), "KNvK"]) == 5
    assert "KNvK.r.h5" in capsys.readouterr().out


def test_verify_draws_again_what_it_drew(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", "KPvK", "--sample", "1000", "--tables", str(small_tables), "--json"]
    assert main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*words, "--seed", str(first["seed"])]) == 0
    second = json.loads(capsys.readouterr().out)
    assert first["checked"] == second["checked"] > 0


def test_info(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "KPvK", "--tables", str(small_tables), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["rules"] for row in rows} == {"r", "wg"}
    assert {row["positions"] for row in rows} == {165676}
    assert main(["info", "--tables", str(small_tables)]) == 0
    assert "KQvK" in capsys.readouterr().out


def test_missing_dependency_of_verify(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = table_path(small_tables, parse("KNvK"), "r")
    (tmp_path / source.name).write_bytes(source.read_bytes())
    assert main(["verify", "KNvK", "--tables", str(tmp_path)]) == 4
    assert "tbgen build KvK" in capsys.readouterr().out


def test_bars_move_by_cost_and_go_back_when_a_table_begins_anew(tmp_path: Path) -> None:
    plan = make_plan([parse("KNvK")], tmp_path, "r")
    progress = TableProgress(plan.todo, quiet=True, costs={"KvK": 1.0, "KNvK": 3.0})
    whole = progress._all
    knights = parse("KNvK")
    progress.began(knights)
    progress.solved(knights, layout_of(knights).size // 2)
    assert (whole.done, whole.total) == pytest.approx((0.72 * 1.5, 4))  # solving is not all of it
    progress.began(knights)
    assert whole.done == pytest.approx(0)
    progress.finished(knights)
    assert whole.done == pytest.approx(3)


def test_the_cache_reads_again_what_it_dropped(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbgen.store.entry_cache.ROOM", 0)
    entry_cache = EntryCache(small_tables, "r", DiskArrays(small_tables, 1 << 30))
    first = entry_cache.take([parse("KvK")])[parse("KvK")]
    assert np.count_nonzero(first) == 462
    assert parse("KNvK") in entry_cache.take([parse("KNvK")])


def test_colour_only_where_wanted(small_tables: Path) -> None:
    run = subprocess.run(
        [*TBGEN, "info", "--tables", str(small_tables)], capture_output=True, text=True, check=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
    )  # fmt: skip
    assert "\x1b" not in run.stdout


@pytest.mark.parametrize("name", ["KvK", "KRvKR", "KRvKN", "KNNvK", "KPvKP", "KPPvK", "KRPvKB", "KNNvKP", "KPPvKP"])
def test_plan_counts_what_the_layout_counts(name: str) -> None:
    from tbgen.generate.estimate import estimate

    layout = layout_of(parse(name))
    planned = estimate(parse(name), TableRules.RESET, 2)
    assert planned.numbers == layout.size
    assert planned.largest_slice == max(b - a for a, b in zip(layout.start[:-1], layout.start[1:], strict=True))


def test_plan_of_six_men(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--only", "KRPvKRP", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["numbers"] == 48 * 47 * 3612 * 64 * 64 // 2
    assert len(str(row["positions"]).rstrip("0")) <= 2, "it is an estimate"
    assert main(["plan", "--all", "5"]) == 0
    assert "146 tables" in capsys.readouterr().out
    assert main(["plan", "KRRPvKRP"]) == 2


def test_kinds_of_tables_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--all", "6"]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    total = first.splitlines()[-1].split()
    rows = [re.split(r"  +", line) for line in second.splitlines()[2:]]
    assert [row[0] for row in rows[-5:]] == [f"6 men, {pawns} pawn{'' if pawns == 1 else 's'}" for pawns in range(5)]
    assert [f"{sum(int(row[1]) for row in rows)}", f"{sum(int(row[2].replace(',', '')) for row in rows):,}"] == [
        total[0], total[2],
    ]  # fmt: skip
    assert rows[-5][1:3] == ["170", f"{sum(layout_of(one).size for one in every(6) if not one.pawns):,}"]
    assert main(["plan", "KRvK"]) == 0
    assert "pawns" not in capsys.readouterr().out
