"""Run the fast part of the tests under the lowest and highest versions that pyproject.toml allows.

    scripts/test-versions              both at once, as CI does after scripts/test
    scripts/test-versions lowest       one of them

Pythons are looked for on PATH and among those of pyenv; packages are what pip can install. The environments are
.venv-lowest and .venv-highest. A version that cannot be installed is named with the reason, and that is no failure;
a test that fails is.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINORS: Final = range(*(int(minor) for minor in re.findall(r"3\.(\d+)", PROJECT["requires-python"])))
FAST: Final = ("tests/board", "tests/index", "tests/rules", "tests/probe")
TEST_TOOLS: Final = ("pytest", "hypothesis")
ENDS: Final = ("lowest", "highest")
FEN: Final = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
ANSWER: Final = "G1.5"


class Report(NamedTuple):
    title: str
    text: str = ""
    failed: bool = False


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """What a command prints, its errors among it."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def minor_of(python: Path | str) -> int | None:
    """The minor version of an interpreter; None if it does not work, as pyenv's shims may not."""
    try:
        printed = run(python, "-c", "import sys; print(*sys.version_info[:2])").stdout
    except OSError:
        return None
    found = re.fullmatch(r"3 (\d+)\n", printed)
    return int(found[1]) if found else None


def interpreters() -> dict[int, Path]:
    """One interpreter for each minor version that there is, the lowest first."""
    named = [shutil.which(name) for name in ("python3", *(f"python3.{minor}" for minor in MINORS))]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [Path(name) for name in named if name] + sorted(pyenv.glob("versions/3.*/bin/python3"))
    found: dict[int, Path] = {}
    for candidate in candidates:
        minor = minor_of(candidate)
        if minor is not None and minor in MINORS:
            found.setdefault(minor, candidate)
    return dict(sorted(found.items()))


def requirements(end: str) -> list[str]:
    """tbgen's dependencies at one end of their ranges, and what the tests need besides."""
    needed: list[str] = PROJECT["dependencies"]
    if end == "lowest":
        needed = [re.sub(r">=([\d.]+).*", r"==\1", line) for line in needed]
    tools: list[str] = PROJECT["optional-dependencies"]["dev"]
    return needed + [line for line in tools if re.split(r"[^\w-]", line)[0] in TEST_TOOLS]


def install(end: str, interpreter: Path) -> tuple[Path, str]:
    """The environment's interpreter, and why it cannot be had, if so."""
    place = ROOT / f".venv-{end}"
    python = place / "bin" / "python"
    steps: list[tuple[str | Path, ...]] = [
        (python, "-m", "pip", "install", "--quiet", "--upgrade", "--upgrade-strategy=eager", *requirements(end)),
        (python, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT),
    ]
    if minor_of(python) != minor_of(interpreter):
        steps.insert(0, (interpreter, "-m", "venv", "--clear", place))
    for step in steps:
        done = run(*step)
        if done.returncode:
            errors = re.findall("ERROR: (.*)", done.stdout) or done.stdout.splitlines() or ["no reason given"]
            return python, errors[-1]
    return python, ""


def try_out(python: Path) -> tuple[bool, str]:
    """The tests and a table, from the compiler to the answer: whether all went well, and what was printed."""
    names = run(python, "scripts/private_names.py")
    if names.returncode:  # the reason for whatever fails behind it
        return False, names.stdout
    tests = run(python, "-m", "pytest", "--quiet", *FAST)
    with tempfile.TemporaryDirectory() as tables:
        tbgen = python.with_name("tbgen")
        build = run(tbgen, "build", "KBvK", "--tables", tables)
        probe = run(tbgen, "probe", FEN, "--tables", tables)
    well = tests.returncode == build.returncode == probe.returncode == 0 and ANSWER in probe.stdout
    return well, tests.stdout + build.stdout + probe.stdout


def describe(python: Path) -> str:
    """The versions in play."""
    names = [re.split(r"[^\w-]", line)[0] for line in requirements("highest")]
    code = (
        "import platform, sys; from importlib.metadata import version; "
        "print('Python', platform.python_version() + ''.join(f', {name} {version(name)}' for name in sys.argv[1:]))"
    )
    return run(python, "-c", code, *names).stdout.strip()


def check(end: str, interpreter: Path) -> Report:
    start = time.monotonic()
    python, reason = install(end, interpreter)
    if reason:
        return Report(f"{end} versions, with {interpreter}: not tried, as they cannot be installed: {reason}")
    well, text = try_out(python)
    title = f"{end} versions, {'passed' if well else 'FAILED'} in {time.monotonic() - start:.0f} s: {describe(python)}"
    return Report(title, text, not well)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ends", nargs="*", metavar="end", help="lowest, highest; both if none is named")
    ends: list[str] = parser.parse_args().ends or list(ENDS)
    if set(ends) - set(ENDS):
        parser.error(f"one of {', '.join(ENDS)}")
    found = interpreters()
    missing = [f"3.{minor}" for minor in (MINORS[0], MINORS[-1]) if minor not in found]
    if missing:
        print(f"== no Python {' and no '.join(missing)} here: the lowest and highest of those found are tried instead")
    if not found:
        return 0
    pythons = dict(zip(ENDS, (found[min(found)], found[max(found)]), strict=True))
    with ThreadPoolExecutor() as threads:
        reports = list(threads.map(lambda end: check(end, pythons[end]), ends))
    for report in reports:
        print(f"== {report.title}\n{report.text}", end="" if report.text else "\n", flush=True)
    return any(report.failed for report in reports)


if __name__ == "__main__":
    sys.exit(main())
