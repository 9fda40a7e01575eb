"""The engines of a match, as a command line names them: `cmd=stockfish name=SF option.Hash=16 tc=60+0.6`."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tbgen.errors import BadInput, quoted
from tbgen.referee.match.control import KEYS, Control
from tbgen.referee.match.words import answer, number, pairs

_GAMES: Final = "/usr/games"
"""Debian has engines there; it is not on every PATH."""

_EXAMPLE: Final = "cmd=stockfish tc=60+0.6"
_CONF: Final = "conf"
_OPTION: Final = "option."
_YES_OR_NO: Final = {"record": "record", "restart": "restart", "ponder": "ponder", "whitepov": "white_view"}
"""What is answered so, and the field for it."""
_PROTOCOLS: Final = ("uci", "xboard")
START: Final = 60.0
"""Seconds that an engine may take to start, to set its options and to get ready for a game."""
_BOUNDS: Final = {"margin": (0.0, 1e6), "start": (1e-3, 1e6), "elo": (0.0, 1e4)}


@dataclass(frozen=True)
class Contestant:
    """An engine, and under which conditions it plays."""

    name: str
    command: tuple[str, ...]
    control: Control
    directory: Path | None = None
    """The directory where it runs; None: ours."""
    options: Mapping[str, str] = field(default_factory=dict)
    record: bool = True
    """Whether it is told the record of the start position, where there is one, as the FEN's seventh field."""
    margin: float | None = None
    """Seconds over the time that it is forgiven; None: as all are."""
    start: float = START
    """Seconds that it may take to start."""
    restart: bool = False
    """Whether every game finds another process."""
    ponder: bool = False
    white_view: bool = False
    """Whether its scores are White's, also when it is Black."""
    protocol: str = "uci"
    setup: tuple[str, ...] = ()
    """Lines that it is told before all else."""
    elo: int | None = None
    """The rating for the PGN tags."""

    @classmethod
    def parse(cls, words: Sequence[str], every: Sequence[str] = ()) -> "Contestant":
        """An engine from `key=value` words; `every` holds what applies to every engine unless it says otherwise."""
        return cls.of({**pairs(every, _EXAMPLE), **pairs(words, _EXAMPLE)})

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Contestant":
        """An engine from what is said of it, by key."""
        given = dict(given)
        for word in map("=".join, given.items()):
            if not word.isprintable():  # it would be a line of its own for the engine, and in tags
                raise BadInput(f"not printable: {quoted(word)}")
        try:
            command = shlex.split(given.pop("cmd", ""))
        except ValueError as error:
            raise BadInput(f"no command line: {error}") from None
        if not command:
            raise BadInput("an engine needs a program: cmd=stockfish")
        options = {key.removeprefix(_OPTION): given.pop(key) for key in list(given) if key.startswith(_OPTION)}
        control = Control.parse({key: given.pop(key) for key in KEYS if key in given})
        directory = given.pop("dir", None)
        name = given.pop("name", "") or Path(command[0]).name
        more: dict[str, Any] = {}
        more |= {key: number(key, given.pop(key), float, *_BOUNDS[key]) for key in _BOUNDS if key in given}
        more |= {field: answer(key, given.pop(key)) for key, field in _YES_OR_NO.items() if key in given}
        if "elo" in more:
            more["elo"] = round(more["elo"])
        protocol = given.pop("proto", _PROTOCOLS[0])
        if protocol not in _PROTOCOLS:
            raise BadInput(f"proto is {' or '.join(_PROTOCOLS)}, not {quoted(protocol)}")
        setup = tuple(given.pop("initstr", "").split("\\n")) if "initstr" in given else ()
        if given:
            raise BadInput(f"nothing about an engine: {', '.join(given)} (there are: {', '.join(KNOWN)})")
        if directory is None:
            command[0] = _program(command[0])
        return cls(
            name,
            tuple(command),
            control,
            None if directory is None else Path(directory),
            options,
            protocol=protocol,
            setup=setup,
            **more,
        )


KNOWN: Final = (
    "cmd", "name", "dir", *KEYS, "margin", "start", "restart", "ponder", "whitepov", "proto", "initstr", "elo",
    "record", _CONF, f"{_OPTION}NAME",
)  # fmt: skip
"""What can be said of an engine."""


def contestants(
    engines: Sequence[Sequence[str]],
    every: Sequence[str] = (),
    known: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> list[Contestant]:
    """All engines of a match. Of those with the same name the later ones get a number.

    `known` are engines of a file, of which `conf=NAME` takes one; all of them play if no engine is named.
    """
    found: list[Contestant] = []
    named = engines or [[f"{_CONF}={name}"] for name in known]
    if len(named) < 2:
        raise BadInput("a match takes two engines: --engine cmd=... --engine cmd=...")
    for words in named:
        given = pairs(words, _EXAMPLE)
        conf = given.pop(_CONF, None)
        if conf is not None and conf not in known:
            raise BadInput(
                f"no engine of this name in the file of engines: {quoted(conf)} (there are: {', '.join(known)})"
            )
        one = Contestant.of({**pairs(every, _EXAMPLE), **({} if conf is None else known[conf]), **given})
        taken = {other.name for other in found}
        name = next(name for name in _names(one.name, len(named)) if name not in taken)
        found.append(replace(one, name=name))
    return found


def _names(name: str, count: int) -> list[str]:
    return [name, *(f"{name} {number}" for number in range(2, count + 1))]


def _program(name: str) -> str:
    """Find where a program is, unless its name says so itself."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{_GAMES}")
    if found is None:
        raise BadInput(f"no such program: {name}")
    return found
