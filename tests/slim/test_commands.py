"""`tbgen pack` and `tbgen unpack` at the command line, also without room and stopped in the middle."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tbgen.cli.main import main
from tbgen.slim import make
from tbgen.store.format.schema import CHUNKS
from tbgen.store.leftovers import tidy
from tbgen.store.write import write_table
from tests.support.damaged import damaged
from tests.support.slimming import refusal, slim_from


def test_from_the_command_line(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, back = tmp_path / "out", tmp_path / "back"
    out.mkdir()
    words = ["pack", "--all", "4", "KNNvK", "--tables", str(small_tables), "-o", str(out), "--json"]
    assert main(words) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    tables = sorted(small_tables.glob("*.r.h5"))
    assert [row["material"] for row in rows if row["file"] is None] == ["KvK"], "which has one side to move"
    slim = [row for row in rows if row["file"]]
    assert sorted(row["file"] for row in slim) == sorted(
        str(out / f"{path.name.removesuffix('.h5')}.slim.h5") for path in tables if path.name != "KvK.r.h5"
    )
    assert all(row["bytes"] == Path(row["file"]).stat().st_size < row["table_bytes"] for row in slim)
    files = sorted(map(str, out.iterdir()), reverse=True)
    assert main(["unpack", "--check", *files, "--tables", str(small_tables)]) == 0
    assert capsys.readouterr().out.count(": gives the table again\n") == len(files)
    assert main(["unpack", *files, "--tables", str(back), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all((row["made"], row["same_bytes"], row["kept"]) == (True, True, True) for row in rows)
    assert all(path.read_bytes() == (small_tables / path.name).read_bytes() for path in back.iterdir())
    assert len(list(back.iterdir())) == len(files)
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
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables that are there take none, and of those that are only checked one is there at a time."""
    names, new = ("KBvK", "KNvK"), tmp_path / "new"
    slim = [slim_from(small_tables / f"{name}.r.h5", tmp_path) for name in names]
    sizes = [(small_tables / f"{name}.r.h5").stat().st_size for name in names]
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=sum(sizes) - 1))
    line = refusal(capsys, 6, "unpack", *slim, "--tables", new, "-q")
    assert re.fullmatch(r"tbgen: make room in .*new: \S+ KiB are to be written, \S+ KiB are free\n", line)
    assert not new.exists()
    words = ["unpack", *map(str, slim), "-q", "--tables"]
    assert main([*words, str(small_tables)]) == 0
    assert main([*words, str(small_tables), "--check"]) == 0
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=max(sizes) - 1))
    refusal(capsys, 6, *words, small_tables, "--check")


def test_too_little_memory_is_refused(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["pack", "KNNvK", "--tables", str(small_tables), "-o", str(tmp_path), "-q", "--memory"]
    assert "220 MiB of memory are needed" in refusal(capsys, 6, *words, "200M")
    assert not list(tmp_path.iterdir())


def test_a_slim_table_that_is_being_made_is_no_leftover(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside(*given: Any, report: object, **how: Any) -> None:
        write_table(*given, report=lambda numbers: tidy(tmp_path), **how)

    monkeypatch.setattr(make, "write_table", beside)
    assert main(["pack", "KNNvK", "--tables", str(small_tables), "-o", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["KNNvK.r.slim.h5"]


@pytest.mark.parametrize("command", ["pack", "unpack"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_in_the_middle(command: str, how: int, small_tables: Path, tmp_path: Path) -> None:
    """Nothing has a name that is not complete, and the next run succeeds."""
    table = small_tables / "KNNvK.r.h5"
    words: list[str | Path] = [sys.executable, "-m", "tbgen", command]
    made = tmp_path / ("KNNvK.r.slim.h5" if command == "pack" else table.name)
    if command == "pack":
        words += ["KNNvK", "--tables", small_tables, "-o", tmp_path]
    else:
        words += [slim_from(table, tmp_path), "--tables", tmp_path]
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
    again = subprocess.run([*words, "-q"], capture_output=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")
    assert {path.name for path in tmp_path.iterdir()} == before | {made.name}
    if command == "unpack":
        assert made.read_bytes() == table.read_bytes()
        shutil.rmtree(tmp_path)
