"""The `tbgen` command: finds the subcommand, runs it, turns errors into one line and an exit code.

A subcommand is a module with `EPILOG`, which its help ends with, `add_arguments(parser)`, and `run(args) -> int`, which
gives the exit code. It is imported only when it is used.
"""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from tbgen._version import __version__
from tbgen.board import men
from tbgen.cli.common import INTERRUPTED, looked_in, remark
from tbgen.cli.limits import LIBRARIES, NO_THREAD, check_address_space, failure_of
from tbgen.cli.parser import Parser
from tbgen.errors import LONGEST_MESSAGE, MissingTable, OutOfRoom, TbgenError
from tbgen.system import text
from tbgen.system.command_name import NAME, called_as
from tbgen.system.signals import terminable

COMMANDS: Final = {
    "build": ("tbgen.cli.build", "build tables, and those that they depend on"),
    "plan": ("tbgen.cli.plan", "what building tables would take"),
    "info": ("tbgen.cli.info", "which tables are there, and what they hold"),
    "verify": ("tbgen.cli.verify", "recheck tables: every byte, every position"),
    "probe": ("tbgen.cli.probe", "what a position is worth, and the best moves"),
    "solve": ("tbgen.cli.solve", "what each side is sure of, for any number of men"),
    "check": ("tbgen.cli.check", "verify the certificates that solve writes"),
    "report": ("tbgen.cli.report", "what the tables know: statistics, records, comparisons"),
    "export": ("tbgen.cli.export", "the positions of a table as columns, for other programs"),
    "adjudicate": ("tbgen.cli.adjudicate", "r-mobility results for the games in PGN files"),
    "sheet": ("tbgen.cli.sheet", "the score sheets of games over the board"),
    "annotate": ("tbgen.cli.annotate", "games with what the tables know of every move"),
    "match": ("tbgen.cli.match", "engines play each other under r-mobility rules"),
    "serve": ("tbgen.cli.serve", "the tables over HTTP, and a board in the browser"),
    "fetch": ("tbgen.cli.fetch", "tables from a web host, with all that they depend on"),
    "publish": ("tbgen.cli.publish", "a folder of tables that any web host serves"),
    "pack": ("tbgen.cli.pack", "slim tables, in a third to a half of the room, probed as any"),
    "unpack": ("tbgen.cli.unpack", "whole tables made again from slim ones"),
    "uci": ("tbgen.cli.uci", "a UCI engine that plays perfectly from the tables"),
    "completion": ("tbgen.cli.completion", "what a shell needs to complete this command line"),
}

_AT_WORK: Final = ("build", "verify", "match", "serve", "fetch", "publish", "pack", "unpack")
"""Commands that are run for what they do: they go on when their output is no longer read."""

_EPILOG: Final = """\
commands:
{commands}

examples:
  tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
  tbgen COMMAND --help

exit codes:
  0    done
  1    failed
  2    bad input: a command line, position, record or material that is wrong
  3    done, but something in the data was bad and was skipped
  4    a table is missing
  5    a table is corrupt
  6    not enough disk or memory
  130  interrupted
"""

_PASTED: Final = re.compile(r"\A[–—](?=[a-z]{2})")
"""What word processors make of the dashes of an option."""
_EXAMPLE: Final = re.compile(rf"(?<=^  ){NAME}\b", re.MULTILINE)
"""The command's name in an example."""


def main(argv: Sequence[str] | None = None) -> int:
    words = [_PASTED.sub("--", word) for word in (sys.argv[1:] if argv is None else argv)]
    return guard(lambda: _obey(words), heedless=bool(words) and words[0] in _AT_WORK)


def guard(command: Callable[[], int], *, heedless: bool = False) -> int:
    """Run a command and return its exit code: an error takes one line. A heedless one goes on when nobody reads."""
    text.prepare(heedless=heedless)
    try:
        with terminable():
            return _run(command)
    except KeyboardInterrupt as stop:
        remark(str(stop) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has seen enough
        return 0
    except RuntimeError as error:
        if str(error) != NO_THREAD:
            raise
        remark("the system starts no more threads; --threads takes fewer (see: ulimit -u)")
        return OutOfRoom.exit_code
    except (TbgenError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None and (failure := text.finish_output()) is not None:
            error.filename = failure.filename
        said, code = failure_of(error)
        remark(said, most=error.longest if isinstance(error, TbgenError) else LONGEST_MESSAGE)
        return code
    finally:
        text.finish_output()


def _run(command: Callable[[], int]) -> int:
    try:
        code = command()
    except SystemExit as stop:  # argparse has said what it had to say
        code = int(stop.code or 0)
    failure = text.finish_output()
    if code or failure is None or isinstance(failure, BrokenPipeError):
        return code
    raise failure


def _obey(words: list[str]) -> int:
    if not words or words[0] == "help":
        words = [*(word for word in words[1:] if word != "help"), "--help"]
    name = words[0]
    if name not in COMMANDS:
        parser = parser_of_all()
        parser.parse_args(words)
        parser.error("the command comes first")
    check_address_space(LIBRARIES)
    args = parser_of(name).parse_intermixed_args(words[1:])
    men.use(getattr(args, "men", ()))
    try:
        code: int = import_module(COMMANDS[name][0]).run(args)
    except MissingTable as error:
        raise MissingTable(f"{error}; {looked_in(args)}") from error
    return code


def parser_of_all() -> argparse.ArgumentParser:
    """What `tbgen --help` tells."""
    parser = Parser(called_as(), "R-mobility endgame tablebases: build them, check them, ask them.")
    epilog = _EPILOG.format(commands="\n".join(f"  {name:<12}{summary}" for name, (_, summary) in COMMANDS.items()))
    parser.epilog = _EXAMPLE.sub(called_as(), epilog)
    parser.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help="one of the commands below")
    parser.add_argument("arguments", metavar="...", nargs="?", help="its arguments: see tbgen COMMAND --help")
    return parser


def parser_of(name: str) -> Parser:
    """What `tbgen COMMAND` takes."""
    place, summary = COMMANDS[name]
    module = import_module(place)
    parser = Parser(f"{called_as()} {name}", f"{summary[0].upper()}{summary[1:]}.")
    parser.epilog = _EXAMPLE.sub(called_as(), module.EPILOG)
    module.add_arguments(parser)
    for action in parser.actions:
        is_told = type(action.default) in (str, int, float) and action.default != argparse.SUPPRESS
        if is_told and action.help and "default" not in action.help:
            action.help += " (default: %(default)s)"
    return parser
