"""argparse, except that an error takes one line, which says what was perhaps meant.

All of its private names that we take are in this module.
"""

import argparse
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn, Protocol

from tbgen.cli.help import fill
from tbgen.errors import BadInput, brief
from tbgen.system.suggestions import hint
from tbgen.system.text import shown

_TAKES: Final = re.compile(r"^argument (?:-\w/)?(--[\w-]+)\S*: takes ")
"""An error of our own argument types, with the option under any of its names."""
_REQUIRED: Final = "the following arguments are required"
_EXAMPLE: Final = re.compile(r"^examples:\n  (.+?)(?: {2}| \\\n|$)", re.MULTILINE)
"""The first one of a command."""
_UNKNOWN: Final = re.compile(r"unrecognized arguments: (--?[\w-]+)")
_NO_CHOICE: Final = re.compile(r"argument (.+): invalid choice: '([^']+)'( \(choose from (.*)\))")
OTHERWISE: Final = {
    other: name
    for name, others in {
        "build": "create gen generate make",
        "plan": "estimate forecast",
        "info": "list ls show status",
        "verify": "test validate",
        "probe": "analyse analyze eval evaluate lookup query",
        "solve": "prove",
        "report stats": "statistics stats",
        "report records": "records",
        "report compare": "compare",
        "adjudicate": "referee score",
        "match": "cutechess fastchess play tournament",
        "serve": "board gui http web",
        "fetch": "download get pull",
        "pack": "compress zip",
        "unpack": "decompress extract unzip",
        "uci": "engine",
        "--version": "version",
    }.items()
    for other in others.split()
}
"""What other programs call our commands."""
_NO_OPTION: Final = re.compile(r"-(?:[gG]\d|\d+$|\d*\.\d+$)")
"""A G-score that Black holds, as in -G8.5, and what argparse itself takes for a number."""


class Group(Protocol):
    """Where options go: a parser, or a group of its options, which has a title in its help."""

    def add_argument(self, *names: str, **options: Any) -> argparse.Action: ...

    def set_defaults(self, **values: Any) -> None: ...


class Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's, except that what is too wide is broken between words."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return fill(text, width)


class Parser(argparse.ArgumentParser):
    """What `tbgen` takes, or one of its commands."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, description=description, formatter_class=Formatter, allow_abbrev=False)
        self._negative_number_matcher = _NO_OPTION

    @property
    def actions(self) -> Sequence[argparse.Action]:
        """All options and arguments."""
        return self._actions

    def error(self, message: str) -> NoReturn:
        words, meant = self._meant(_TAKES.sub(r"\1 takes ", message))
        self.exit(BadInput.exit_code, f"{brief(shown(f'tbgen: {words} ({meant}see {self.prog} --help)'))}\n")

    def _meant(self, message: str) -> tuple[str, str]:
        """The message, and what was perhaps meant by a word that is wrong or missing."""
        example = _EXAMPLE.search(self.epilog or "")
        if message.startswith(_REQUIRED) and example is not None:
            return message, f"as in: {example[1]}; "
        if (unknown := _UNKNOWN.search(message)) is not None:
            return message, hint(unknown[1], [name for action in self.actions for name in action.option_strings])
        if (no_choice := _NO_CHOICE.search(message)) is not None:
            what, word, choices, known = no_choice.groups()
            meant = hint(word, re.findall(r"[\w-]+", known), OTHERWISE if what == "COMMAND" else None)
            return message.replace(choices, "") if meant else message, meant
        return message, ""
