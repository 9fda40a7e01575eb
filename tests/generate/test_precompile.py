"""Compiling for the first time, in processes of its own: these end with the command."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tbgen.generate import precompile
from tests.support.groups import wait_until_more_than, wait_until_nobody
from tests.support.patience import PATIENCE


def wait_until_compiled(cache: Path) -> None:
    """Until the first kernel is there."""
    end = time.monotonic() + PATIENCE
    while not any(cache.rglob("*.kernel")):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def build(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A first build that has just begun to compile."""
    with subprocess.Popen(
        [sys.executable, "-m", "tbgen", "build", "KvK", "--tables", str(tmp_path / "tables")],
        env={**os.environ, "TBGEN_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            wait_until_more_than(2, process.pid)  # itself, and what keeps count of semaphores
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_compilers_end_with_the_command(build: subprocess.Popen[str], how: int, tmp_path: Path) -> None:
    """Ctrl-C goes to all of them, the others to the command alone."""
    if how == signal.SIGKILL:  # a compiler that still waits to be told its work would say that nobody does
        wait_until_compiled(tmp_path / "cache")
    begun = time.monotonic()
    os.killpg(build.pid, how) if how == signal.SIGINT else build.send_signal(how)
    _, err = build.communicate(timeout=PATIENCE)
    wait_until_nobody(
        build.pid, begun + PATIENCE / 10
    )  # the compilers would take longer, the more the slower the machine
    assert "Traceback" not in err
    if how == signal.SIGINT:
        assert build.returncode == 130
        assert err.count("\n") <= 2


@pytest.mark.full
def test_verifying_compiles_no_solver(tmp_path: Path) -> None:
    tables, cache = tmp_path / "tables", tmp_path / "cache"
    tbgen = [sys.executable, "-m", "tbgen"]
    subprocess.run([*tbgen, "build", "KvK", "--quiet", "--tables", tables], check=True)
    verify = [*tbgen, "verify", "KvK", "--quiet", "--tables", tables]
    subprocess.run(verify, env=os.environ | {"TBGEN_CACHE": str(cache)}, check=True)
    found = {path.parent.name.split("-")[1] for path in cache.rglob("*.kernel")}
    assert "verifier" in found
    assert "solver" not in found


@pytest.mark.parametrize("error", [FileNotFoundError(errno.ENOENT, "/dev/shm"), RuntimeError("can't start new thread")])
def test_who_cannot_start_compilers_compiles_later(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(Value=Mock(side_effect=error))
    monkeypatch.setattr(precompile, "cold_parts", lambda wanted: ["read"])
    monkeypatch.setattr(multiprocessing, "get_context", lambda kind: context)
    precompile.warm_up(2)
    context.Value.assert_called_once()
