"""`tbgen pack` and `tbgen unpack` at the command line, also without room and stopped in the middle."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tbgen.archive import pack, slim
from tbgen.cli.main import main
from tbgen.sizes import PROGRAM
from tbgen.store.format.schema import CHUNKS
from tbgen.store.leftovers import tidy
from tbgen.store.write import write_table
from tests.support.damaged import damaged
from tests.support.packing import packed_from, refusal


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
    table.write_bytes(damaged((small_tables / table.name).read_bytes(), CHUNKS))
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


@pytest.mark.parametrize("where", ["while they are found", "with their steps"])
def test_packing_keeps_to_memory(
    where: str, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["pack", "KNNvK", "--tables", str(small_tables), "-o", str(tmp_path), "-q", "--memory"]
    assert "220 MiB of memory are needed" in refusal(capsys, 6, *words, "200M")
    if where == "with their steps":
        monkeypatch.setattr(pack, "_KNOWN", 0)
    said = refusal(capsys, 6, *words, str(PROGRAM + (1 << 8)))
    assert said == "tbgen: its shapes take more memory than the 0 MiB that --memory leaves them\n"
    assert not list(tmp_path.iterdir())


def test_a_slim_table_that_is_being_made_is_no_leftover(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside(*given: Any, report: object, **how: Any) -> None:
        write_table(*given, report=lambda numbers: tidy(tmp_path), **how)

    monkeypatch.setattr(slim, "write_table", beside)
    assert main(["pack", "--slim", "KNNvK", "--tables", str(small_tables), "-o", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["KNNvK.r.slim.h5"]


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
