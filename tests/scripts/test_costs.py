"""What tests/support/costs.py tells at the end of a run, in one process and in several."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT

SLEEPS = "import time\n\n\ndef test_one():\n    time.sleep({})\n\n\ndef test_two():\n    time.sleep({})\n"
GROWS = "def test_memory():\n    assert bytearray(b'x') * (64 << 20)\n"


@pytest.mark.parametrize("processes", [0, 2])
def test_files_and_folders_are_listed_with_what_they_take(tmp_path: Path, processes: int) -> None:
    for name, text in (
        ("inner/test_slow.py", SLEEPS.format(0.6, 0.7)),
        ("inner/test_large.py", GROWS),
        ("test_quick.py", SLEEPS.format(0, 0)),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "tests.support.costs", "--import-mode=importlib",
            f"--rootdir={tmp_path}", f"--numprocesses={processes}", ".",
        ],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    files, folders, memory = re.findall(r"^=+ (?:seconds|megabytes) [^=]* =+\n((?: +[\d.]+ .*\n)+)", run.stdout, re.M)
    took, name = files.split()[:2]
    assert (name, float(took) >= 1.3) == ("inner/test_slow.py", True)
    assert [line.split()[1] for line in folders.splitlines()] == ["inner", "."]
    grew, name = memory.split()[:2]
    assert (name, float(grew) >= 60) == ("inner/test_large.py", True)
    kept = json.loads((tmp_path / ".pytest_cache/v/tbgen/seconds").read_text())
    assert kept.keys() == {"inner/test_slow.py", "inner/test_large.py", "test_quick.py"}
