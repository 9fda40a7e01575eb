"""`tbgen completion`: what a shell needs to complete command lines. shtab makes it from the commands' parsers."""

import argparse
from pathlib import Path
from typing import Final

from tbgen._version import __version__
from tbgen.cli.common import directory
from tbgen.system.command_name import NAME
from tbgen.system.text import say

SHELLS: Final = ("bash", "zsh", "fish")

EPILOG: Final = """\
examples:
  tbgen completion bash > ~/.local/share/bash-completion/completions/tbgen
  tbgen completion zsh > ~/.zfunc/_tbgen       with fpath+=~/.zfunc before compinit in ~/.zshrc
  tbgen completion fish > ~/.config/fish/completions/tbgen.fish

New shells complete commands, options, choices and the names of files. Make it anew with a new version of tbgen.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    import shtab

    say(*shtab.complete(_parser(), args.shell).splitlines())
    return 0


def _parser() -> argparse.ArgumentParser:
    """One parser for all commands, which says where a file is wanted and where a directory."""
    import shtab

    from tbgen.cli.main import COMMANDS, parser_of

    whole = argparse.ArgumentParser(NAME)
    whole.add_argument("--version", action="version", version=__version__, help="show the version and exit")
    commands = whole.add_subparsers(metavar="COMMAND")
    for name, (_, summary) in COMMANDS.items():
        parser = parser_of(name)
        for action in parser.actions:
            if action.type in (Path, directory):
                wanted = shtab.FILE if action.type is Path else shtab.DIRECTORY
                action.complete = wanted  # type: ignore[attr-defined]
        commands.add_parser(name, parents=[parser], add_help=False, help=summary, description=summary)
    return whole
