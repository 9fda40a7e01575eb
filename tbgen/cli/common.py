"""Options that several commands share, and the values that they give."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from tbgen.board.men import VARIABLE as MEN
from tbgen.cli.parser import Group
from tbgen.core.material import MEN_IN_TABLES, Material, every, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import LONGEST_MESSAGE, BadInput, MissingTable, brief, quoted
from tbgen.system.locations import VARIABLE, existing
from tbgen.system.parallel import cores
from tbgen.system.text import say, shown, width
from tbgen.system.text_tables import Column, table

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT: Final = "data"
RULES: Final = tuple(rules.value for rules in TableRules)
"""As plain text, which is how argparse shows choices."""
_MEMORY: Final = "4G"
_UNITS: Final = ("", "K", "M", "G", "T")
SKIPPED: Final = 3
INTERRUPTED: Final = 130
"""Exit codes that no error has (tbgen/errors.py)."""

# --- what options take: types for argparse, which name the option and show what was written --------------------

_LARGEST: Final = (1 << 63) - 1
"""What an array can count."""
MOST_AT_ONCE: Final = 1024
"""Threads, processes or games side by side: more are a typing error, and would take too long to start."""
_LONGEST_WAIT: Final = 10**9
"""Seconds."""
_LONGEST_SIZE: Final = 80
"""Characters of a size in bytes."""
_ADDRESS: Final = re.compile(r"([a-z]+://)?(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):(?P<port>[0-9]{1,5})\Z")


def _refused(due: str, words: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"takes {due}, not {quoted(words)}")


def whole_number(least: int, most: int = _LARGEST) -> Callable[[str], int]:
    """Takes whole numbers between these, in plain digits."""
    due = f"a whole number from {least} {'on' if most == _LARGEST else f'to {most}'}"

    def take(words: str) -> int:
        if not re.fullmatch("[0-9]{1,20}", words) or not least <= int(words) <= most:
            raise _refused(due, words)
        return int(words)

    return take


at_once: Final = whole_number(1, MOST_AT_ONCE)
"""Takes a count of threads, processes or games that run side by side."""


def seconds(words: str, *, due: str = f"seconds, up to {_LONGEST_WAIT}") -> float:
    """Takes a time, which may be none."""
    found = float(words) if re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", words) else math.nan
    if not 0 <= found <= _LONGEST_WAIT:  # what is not a number does not fit either
        raise _refused(due, words)
    return found


def some_seconds(words: str) -> float:
    due = f"more than 0 seconds, up to {_LONGEST_WAIT}"
    found = seconds(words, due=due)
    if not found:
        raise _refused(due, words)
    return found


def duration(words: str) -> float:
    """Takes a time with or without a unit, in seconds."""
    due = "a time such as 90s, 10m or 2h"
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", words.strip(), re.ASCII)
    if found is None:
        raise _refused(due, words)
    return seconds(str(float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2] or "s"]), due=due)


def size(words: str) -> int:
    """Takes bytes, in units or without."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)(i?)B?", words.strip(), re.IGNORECASE | re.ASCII)
    # not a float, which enough digits make infinite; and no more digits than Python turns into an integer
    unit = (1024 if found[3] else 1000) ** _UNITS.index(found[2].upper()) if found else 0
    count = int(Fraction(found[1]) * unit) if found and len(words) < _LONGEST_SIZE else 0
    if not 0 < count <= _LARGEST:
        raise _refused("a size such as 800M, 4G or 3.5GiB", words)
    return count


def address(words: str) -> str:
    """Takes where a scheduler listens."""
    found = _ADDRESS.match(words)
    if found is None or not 0 < int(found["port"]) < 1 << 16:
        raise _refused("an address such as tcp://host:8786", words)
    return words


def processors(words: str) -> tuple[int, ...]:
    """Takes a list of processors such as 0,2,4-7; nothing stands for all."""
    there = os.sched_getaffinity(0)
    if not words:
        return tuple(sorted(there))
    found: list[int] = []
    for part in words.split(","):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            raise _refused("processors such as 0,2,4-7", words)
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    if len({*found}) < len(found):
        raise _refused("each processor once", words)
    if not found or not there.issuperset(found):
        raise _refused(f"some of the processors {','.join(map(str, sorted(there)))}", words)
    return tuple(found)


def directory(words: str) -> Path:
    if not words:  # it would mean the current directory; most often a variable of the shell is not set
        raise _refused("the name of a directory", words)
    return Path(words)


# --- options that several commands have ------------------------------------------------------------------------


def add_tables(group: Group, *, bundled: bool = True, men: bool = True) -> None:
    """`bundled`: whether the command also reads the package's own tables. `men`: whether these may have men beyond
    chess."""
    also = "; those of two and three men that it lacks are in the package" if bundled else ""
    group.add_argument(
        "--tables",
        metavar="DIR",
        type=directory,
        help=f"where the tables are (default: ${VARIABLE}, else {DEFAULT}/){also}",
    )
    group.set_defaults(bundled=bundled)
    if men:
        add_men(group)


def add_men(group: Group) -> None:
    group.add_argument(
        "--men",
        metavar="MAN",
        action="append",
        default=[],
        help=f"a man beyond chess, its letter and its moves as in X=WDN, or a file of such lines (also: ${MEN})",
    )


def looked_in(args: argparse.Namespace) -> str:
    """Where tables were looked for, and why there."""
    directory = tables_directory(args).absolute()
    if args.tables is not None:
        why = "which --tables names"
    elif os.environ.get(VARIABLE):
        why = f"which ${VARIABLE} names"
    else:
        why = f"the default, because neither --tables nor ${VARIABLE} names a directory"
    there = "" if directory.is_dir() else " (not there)"
    also = "; the package itself has those of two and three men only" if args.bundled else ""
    return f"looked in {directory}{there}, {why}{also}"


def tables_directory(args: argparse.Namespace) -> Path:
    """The directory that `--tables`, the environment or the default names."""
    found: Path = args.tables or Path(os.environ.get(VARIABLE) or DEFAULT)
    there = next((place for place in (found, *found.parents) if os.path.lexists(place)), found)
    if os.path.lexists(there) and not there.is_dir():
        raise BadInput(f"{there} is no directory, and tables are in one")
    return found


def no_such_tables(directory: Path, wanted: Iterable[Material] = ()) -> MissingTable:
    """None of the tables that are wanted are there."""
    from tbgen.store import way_to_some

    return MissingTable(f"no such tables in {directory} ({way_to_some('some', directory, wanted)})")


def present_tables_directory(args: argparse.Namespace) -> Path:
    """The same for commands that can do without tables: a directory that `--tables` names must exist."""
    directory = tables_directory(args)
    return directory if args.tables is None else existing(directory)


def add_rules(group: Group, default: TableRules | None = TableRules.RESET, otherwise: str = TableRules.RESET) -> None:
    """`otherwise` is the default as the help text tells it."""
    group.add_argument(
        "--rules",
        type=lambda words: TableRules(words) if words in RULES else words,
        choices=RULES,
        default=default,
        help="r: captures and pawn moves reset the record; wg: nothing does, whole-game mobility "
        f"(default: {otherwise})",
    )


def named(words: Sequence[str], all_of_them: str = "to name none, which takes all") -> list[Material]:
    """The materials that these words name. `all_of_them`: what to write for `all`."""
    return [parse(word, {"all": all_of_them}) for word in words]


def materials_of(words: Sequence[str], all_men: int | None = None) -> list[Material]:
    """The materials that a command line names, each once."""
    wanted = named(words, "--all 4")
    for material in wanted:
        if material.men > MEN_IN_TABLES:
            raise BadInput(
                f"{material} has more than {MEN_IN_TABLES} men (tbgen solve takes positions with any number)"
            )
    return list(dict.fromkeys([*wanted, *(one for men in range(2, (all_men or 1) + 1) for one in every(men))]))


def add_all(group: Group, what: str = "material") -> None:
    group.add_argument(
        "--all", type=whole_number(2, MEN_IN_TABLES), metavar="MEN", help=f"every {what} of at most MEN men"
    )


def add_threads(group: Group) -> None:
    group.add_argument(
        "--threads", type=at_once, default=cores(), metavar="N", help="threads to use (default: all cores)"
    )


def add_memory(group: Group) -> None:
    group.add_argument(
        "--memory",
        metavar="SIZE",
        type=size,
        default=_MEMORY,
        help="the most memory to use, such as 800M, 4G or 3.5GiB; a G is 10^9 bytes",
    )


def add_syzygy(group: Group, purpose: str) -> None:
    group.add_argument(
        "--syzygy",
        type=lambda words: [directory(word) for word in words.split(os.pathsep)],
        default=[],
        metavar="DIR[:DIR]",
        help=purpose,
    )
    group.add_argument(
        "--syzygy-men", type=whole_number(2, 7), default=7, metavar="N", help="ask them for at most N men"
    )


def add_json(group: Group) -> None:
    group.add_argument("--json", action="store_true", help="one JSON object per line, for programs")


def add_work(parser: argparse.ArgumentParser) -> None:
    """What a command may take of the machine."""
    group = parser.add_argument_group("work")
    add_threads(group)
    add_memory(group)


def add_output(parser: argparse.ArgumentParser) -> Group:
    """The group of the options on what is printed, for those of one command alone."""
    group = parser.add_argument_group("output")
    add_quiet(group)
    add_json(group)
    return group


def add_games(parser: Group) -> None:
    parser.add_argument(
        "games", nargs="+", type=Path, metavar="PGN", help="files of games, also packed; - is standard input"
    )


def add_record_in_fen(group: Group) -> None:
    group.add_argument(
        "--record-in-fen",
        action="store_true",
        help="the tag FEN of each game has the record as its seventh field, as cuteRMob writes it",
    )


def add_record(group: Group) -> None:
    group.add_argument("--record", metavar="G", help="the record of the game so far, as in G3.5 or -G8.5")


def check_input_once(names: Iterable[str | Path]) -> None:
    """BadInput if `-`, standard input, is named twice: whoever came second would find it empty."""
    if [str(name) for name in names].count("-") > 1:
        raise BadInput("standard input can be read only once: name - once")


def add_quiet(group: Group) -> None:
    group.add_argument("-q", "--quiet", action="store_true", help="print only results and errors")


def is_quiet(args: argparse.Namespace) -> bool:
    """Whether to leave out how far it is: as asked for, and where programs read JSON from a terminal."""
    return getattr(args, "quiet", False) or (args.json and sys.stdout.isatty())


def console(stream: TextIO) -> "Console":
    """A console on a stream. Made late: its package takes time to import."""
    from rich.console import Console

    return Console(file=stream, highlight=False, emoji=False)


def remark(*lines: str, most: int = LONGEST_MESSAGE) -> None:
    """Say on standard error what is no result, each line in at most so many characters."""
    say(*(brief(shown(f"tbgen: {line}"), most) for line in lines), file=sys.stderr)


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], footer: Sequence[str] = ()) -> None:
    """On a terminal it fits; in files and pipes nothing is left out."""
    say(*table(columns, rows, footer=footer, width=width()))
