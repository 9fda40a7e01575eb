"""The engines of a match, as a command line names them: `cmd=stockfish name=SF option.Hash=16 tc=60+0.6`."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tbgen.errors import BadInput
from tbgen.referee.match.control import KEYS, Control

_GAMES: Final = "/usr/games"
"""Where Debian has engines; not on every PATH."""

_OPTION: Final = "option."
_ANSWERS: Final = {"yes": True, "no": False}


@dataclass(frozen=True)
class Contestant:
    """An engine, and under which conditions it plays."""

    name: str
    command: tuple[str, ...]
    control: Control
    directory: Path | None = None
    """Where it runs; None: where we do."""
    options: Mapping[str, str] = field(default_factory=dict)
    record: bool = True
    """Whether it is told the record of the start position, where there is one, as the FEN's seventh field."""

    @classmethod
    def parse(cls, words: Sequence[str], every: Sequence[str] = ()) -> "Contestant":
        """An engine from `key=value` words; `every` holds what applies to every engine unless it says otherwise."""
        given = {**_pairs(every), **_pairs(words)}
        command = shlex.split(given.pop("cmd", ""))
        if not command:
            raise BadInput("an engine needs a program: cmd=stockfish")
        options = {key.removeprefix(_OPTION): given.pop(key) for key in list(given) if key.startswith(_OPTION)}
        control = Control.parse({key: given.pop(key) for key in KEYS if key in given})
        directory = given.pop("dir", None)
        name = given.pop("name", "") or Path(command[0]).name
        record = given.pop("record", "yes")
        if record not in _ANSWERS:
            raise BadInput(f"record=yes or record=no, not {record!r}")
        if given:
            raise BadInput(f"nothing about an engine: {', '.join(given)} (there are: {', '.join(_KNOWN)})")
        if directory is None:
            command[0] = _program(command[0])
        return cls(
            name,
            tuple(command),
            control,
            None if directory is None else Path(directory),
            options,
            _ANSWERS[record],
        )


_KNOWN: Final = ("cmd", "name", "dir", *KEYS, "record", f"{_OPTION}NAME")


def contestants(engines: Sequence[Sequence[str]], every: Sequence[str] = ()) -> list[Contestant]:
    """All engines of a match. Of those with the same name the later ones get a number."""
    found: list[Contestant] = []
    if len(engines) < 2:
        raise BadInput("a match takes two engines: --engine cmd=... --engine cmd=...")
    for words in engines:
        one = Contestant.parse(words, every)
        taken = {other.name for other in found}
        name = next(name for name in _names(one.name, len(engines)) if name not in taken)
        found.append(replace(one, name=name))
    return found


def _names(name: str, count: int) -> list[str]:
    return [name, *(f"{name} {number}" for number in range(2, count + 1))]


def _pairs(words: Sequence[str]) -> dict[str, str]:
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise BadInput(f"about an engine, one writes key=value, not {word!r} (keys: {', '.join(_KNOWN)})")
        if any(not character.isprintable() for character in word):
            raise BadInput(f"not printable: {word!r}")
        found[key] = value
    return found


def _program(name: str) -> str:
    """Where a program is, unless its name says so itself."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{_GAMES}")
    if found is None:
        raise BadInput(f"no such program: {name}")
    return found
