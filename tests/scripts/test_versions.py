"""scripts/versions.py: what it asks for, and when it fails. Nothing is installed here."""

import importlib.util
import sys
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

import pytest

from tests.support.places import ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("versions", ROOT / "scripts" / "versions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with a Python at each end and an environment that is there."""
    module = load()
    monkeypatch.setattr(sys, "argv", ["versions.py"])
    monkeypatch.setattr(module, "interpreters", lambda: dict.fromkeys(module.MINORS, Path(sys.executable)))
    monkeypatch.setattr(module, "install", lambda end, interpreter: (interpreter, ""))
    monkeypatch.setattr(module, "try_out", lambda python: (True, "tried\n"))
    return module


def test_pythons_are_those_that_the_package_takes(versions: ModuleType) -> None:
    assert list(versions.MINORS) == [11, 12, 13, 14]


def test_the_lowest_versions_are_exact(versions: ModuleType) -> None:
    lowest, highest = versions.requirements("lowest"), versions.requirements("highest")
    assert {"numba==0.61", "numpy==2.0"} <= set(lowest)
    assert all(line in highest for line in versions.PROJECT["dependencies"])
    assert [line.split(">")[0] for line in lowest if ">" in line] == ["hypothesis", "pytest"]


def test_what_passes_passes(versions: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert versions.main() == 0
    printed = capsys.readouterr().out
    assert "== lowest versions, passed" in printed
    assert "== highest versions, passed" in printed


def test_what_cannot_be_installed_is_no_failure(
    versions: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(versions, "install", lambda end, interpreter: (interpreter, "no network" * (end == "lowest")))
    assert versions.main() == 0
    printed = capsys.readouterr().out
    assert "lowest versions, with" in printed
    assert "cannot be installed: no network" in printed


def test_no_python_is_no_failure(
    versions: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(versions, "interpreters", dict)
    assert versions.main() == 0
    assert "no Python 3.11 and no 3.14 here" in capsys.readouterr().out


def test_a_test_that_fails_is_a_failure(
    versions: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(versions, "try_out", lambda python: (False, "1 failed\n"))
    assert versions.main() == 1
    assert "FAILED" in capsys.readouterr().out


def test_a_private_name_that_is_missing_is_all_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module, line = load(), "numba 0.99.0 has no numba.core.caching.NullCache, which tbgen/compiler/pipeline.py takes\n"
    commands: list[tuple[str, ...]] = []

    def run(*command: str | Path) -> CompletedProcess[str]:
        commands.append(tuple(map(str, command)))
        return CompletedProcess(command, 1, line)

    monkeypatch.setattr(module, "run", run)
    assert module.try_out(Path("python")) == (False, line)
    assert commands == [("python", "scripts/private_names.py")]


def test_an_interpreter_that_does_not_work_is_none(versions: ModuleType, tmp_path: Path) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\necho not here >&2\nexit 127\n")
    shim.chmod(0o755)
    assert versions.minor_of(shim) is None
    assert versions.minor_of(tmp_path / "python3.12") is None
    assert versions.minor_of(sys.executable) == sys.version_info.minor
