"""The C client in clients/c, compiled for tests, and what it says."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.support.places import ROOT

CLIENT = ROOT / "clients" / "c"
PROGRAMS = ROOT / "tests" / "clients"
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{CLIENT}")
SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
ERRORS = (
    "ok", "bad fen", "bad record", "illegal", "castling", "too many", "missing", "damaged", "unsupported", "no file",
    "read", "memory",
)  # fmt: skip
"""What `rmtb_error` counts."""


WITH_THE_CLIENT = ("driver.c", "pace.c")
"""They include it, to see what it does not tell."""


class Move(NamedTuple):
    uci: str
    error: str
    outcome: int
    distance: int
    reset: bool
    record: int


class Said(NamedTuple):
    error: str
    outcome: int
    distance: int
    record: int
    moves: list[Move]
    entry: list[str]
    """The words of `tell_entry` in driver.c; empty where the table does not have the position."""
    goal: int


def compiled(place: Path, source: str, *options: str, compiler: str = "gcc", standard: str = "-std=c99") -> Path:
    """One of the programs for tests, with the client."""
    made = place / f"{Path(source).stem}-{abs(hash((options, compiler, standard)))}"
    if not made.exists():
        sources = [str(PROGRAMS / source), *([] if source in WITH_THE_CLIENT else [str(CLIENT / "rmtb.c")])]
        run([compiler, standard, "-O2", *STRICT, *options, *sources, "-o", str(made)])
    return made


def run(command: Iterable[object], text: str | None = None, code: int = 0) -> str:
    """What a program prints. It ends with this code, and says nothing of an error."""
    found = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (code, ""), found.stderr[-4000:] + found.stdout[-1000:]
    return found.stdout


def there_is(*programs: str) -> bool:
    return all(shutil.which(program) for program in programs)


def ask(
    driver: Iterable[object], tables: Path, rules: str, asked: Iterable[tuple[str, str | None]], wants: str = "me"
) -> list[Said]:
    """FENs and records, asked by a driver: the command that starts it. `wants`: moves, the table's entry, the goal."""
    lines = [f"{fen}\t{record or '-'}\t{wants}\n" for fen, record in asked]
    found = [_read(line, wants) for line in run([*driver, tables, rules], "".join(lines)).splitlines()]
    assert len(found) == len(lines)
    return found


def _read(line: str, wants: str) -> Said:
    words = iter(line.split())
    error, outcome, distance, record = (int(next(words)) for _ in range(4))
    moves, entry, goal = [], [], 0
    if "m" in wants:
        next(words)
        for _ in range(int(next(words))):
            uci, *numbers = (next(words) for _ in range(6))
            wrong, worth, far, reset, after = map(int, numbers)
            moves.append(Move(uci, ERRORS[wrong], worth, far, bool(reset), after))
    if "e" in wants and next(words) == "0":
        entry = list(words)
    if "g" in wants:
        goal = int(line.rsplit(maxsplit=1)[-1])
    return Said(ERRORS[error], outcome, distance, record, moves, entry, goal)
