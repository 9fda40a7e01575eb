"""Options that several commands share, and what they come to."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from tbgen.errors import BadInput
from tbgen.text import say, shown

if TYPE_CHECKING:
    from rich.console import Console

VARIABLE: Final = "TBGEN_TABLES"
DEFAULT: Final = "data"
_MEMORY: Final = "4G"
_UNITS: Final = ("", "K", "M", "G", "T")


def add_tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tables", metavar="DIR", type=Path, help=f"where the tables are (default: ${VARIABLE}, else {DEFAULT}/)"
    )


def tables_directory(args: argparse.Namespace) -> Path:
    """The directory that `--tables`, the environment or the default names."""
    return args.tables or Path(os.environ.get(VARIABLE) or DEFAULT)


def present_tables_directory(args: argparse.Namespace) -> Path:
    """The same for commands that go on without tables: a directory that was asked for has to be there."""
    directory = tables_directory(args)
    if args.tables is not None and not directory.is_dir():
        raise BadInput(f"no such directory of tables: {directory}")
    return directory


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules",
        choices=("r", "wg"),
        default="r",
        help="r: captures and pawn moves reset the record (default); wg: nothing does, whole-game mobility",
    )


def add_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        default=_MEMORY,
        help=f"how much to use, such as 800M, 4G or 3.5GiB (default: {_MEMORY})",
    )


def memory_of(args: argparse.Namespace) -> int:
    """The bytes that `--memory` allows."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(i?)B?", args.memory.strip(), re.IGNORECASE)
    size = int(float(found[1]) * (1024 if found[3] else 1000) ** _UNITS.index(found[2].upper())) if found else 0
    if not size:
        raise BadInput(f"--memory takes a size such as 800M, 4G or 3.5GiB, not {args.memory!r}")
    return size


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for programs")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but results and errors")


def console(stream: TextIO | None = None) -> "Console":
    """A console on a stream, standard output if not given. Made late: its package takes time to import."""
    from rich.console import Console

    return Console(file=stream or sys.stdout, highlight=False, emoji=False)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], footer: Sequence[str] = ()) -> None:
    """Columns of text: the first to the left, the others to the right. Nothing is cut off or wrapped."""
    lines = [[shown(cell) for cell in line] for line in (headers, *rows, *([footer] if footer else []))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    for number, line in enumerate(lines):
        if number == 1 or (footer and number == len(lines) - 1):
            say("  ".join("-" * width for width in widths))
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        say("  ".join(cells).rstrip())
