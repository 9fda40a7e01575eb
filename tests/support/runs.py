"""Commands run in a process of their own: the encodings that they meet, and texts that test what they show."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
EVIL = "a\x1b[2J\x1b]0;owned\x07\u202egnp\x9b31m[red]"
"""Clears the screen, sets the title, turns the direction of writing."""

GAME = '[Event "?"]\n[White "%s"]\n[Black "Ünal"]\n[Result "1/2-1/2"]\n\n1. e4 e5 1/2-1/2\n\n'

ENCODINGS: dict[str, dict[str, str]] = {
    "utf-8": {"LC_ALL": "C.UTF-8"},
    "C": {"LC_ALL": "C"},
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin-1": {"PYTHONIOENCODING": "latin-1", "LANG": "de_DE.ISO-8859-1"},
}


_PROGRESS = re.compile(rb"^tbgen: .*: (\d+ %.*|about (half|a quarter of) a minute)\n", re.MULTILINE)


def complaints(errors: bytes) -> bytes:
    """Return what a command wrote on standard error without the lines that say how far it is: on a slow machine they
    come, one a minute."""
    return _PROGRESS.sub(b"", errors)


def tbgen(
    *words: str | bytes | Path, encoding: str = "utf-8", shell: str = "", **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """A run; `shell` is what a shell does with its streams, such as `>&-`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    command: list[Any] = [sys.executable, "-m", "tbgen", *words]
    if shell:
        command = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "bash", *command]
    done = subprocess.run(
        command, capture_output=True, check=False, timeout=600, cwd=ROOT, env={**kept, **ENCODINGS[encoding]}, **more
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert b"Exception ignored" not in done.stderr, done.stderr
    done.stderr = complaints(done.stderr)
    return done


def is_harmless(output: bytes, encoding: str = "utf-8") -> bool:
    """Whether there is nothing in it but text and ends of lines."""
    return all(line.isprintable() for line in output.decode(encoding).split("\n"))
