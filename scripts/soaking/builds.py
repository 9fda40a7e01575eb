"""Builds in processes of their own, to which something happens."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from soaking.case import Failed, shown

_HOOKED: Final = str(Path(__file__).with_name("hooked.py"))
SECONDS: Final = 120


def build(words: Sequence[str], place: Path, **plan: Any) -> tuple[int, bytes]:
    """Run `tbgen build` quietly, with a plan for hooked.py. Returns the exit code, negative for a signal, and standard
    error."""
    command = [sys.executable, _HOOKED, json.dumps({"directory": str(place), **plan}), *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            _, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"no end after {SECONDS} s: {' '.join(words)} {plan}") from None
    return process.returncode, err


def finish(words: Sequence[str], place: Path, where: str, **plan: Any) -> None:
    """Run a build that has to succeed."""
    code, err = build(words, place, **plan)
    if code or err:
        raise Failed(f"{where}: {' '.join(words[:-2])} {told(code)}: {shown(err[-600:], 600)}")


def told(code: int) -> str:
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"


def measure(words: Sequence[str], place: Path, **plan: Any) -> tuple[int, float]:
    """The steps and the seconds that a build takes."""
    note = place.with_name(f"{place.name}.told")
    finish(words, place, "to begin with", told=str(note), **plan)
    steps, seconds = json.loads(note.read_text())
    os.unlink(note)  # noqa: PTH108
    return int(steps), float(seconds)
