"""Command lines: every command, every option, with words that fit and words that do not."""

import os
import random
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final
from unittest import mock

from soaking import command
from soaking.case import Limits, names_in
from soaking.ground import tables_of
from soaking.mangle import mangled
from soaking.positions import a_fen
from tbgen.web.server.app import make_app
from tbgen.web.server.service import Service, Settings

CODES: Final = (0, 1, 2, 3, 4, 5, 6)
_APART: Final = 0.004
_LONGEST: Final = 30_000
"""Characters of a word: far fewer than the system allows."""
_MATERIALS: Final = (
    *("KvK", "KBvK", "KPvK", "KNvK", "kp-k", "KKB", "KBKN", "KQRBNvK", "K", "KvKv", "KPPvKPP", "KXvK"),
    *("KBBBBBBBBBBvK", ""),
)
_PATHS: Final = (
    *("in.pgn", "none", "directory", "empty", "", ".", "out.pgn", "out.html", "out.csv", "none/out.pgn"),
    *("\x1b[2J.pgn", "\udcff.pgn"),
)
_HOSTS: Final = ("127.0.0.1", "127.0.0.1", "::1", "", "256.0.0.1", "\x1b[2J", "\udcff", "a" * 300, "127.0.0.1:80")
_URLS: Final = (
    *("http://127.0.0.1:1/", "http://127.0.0.1:1", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://", ""),
    *("ftp://127.0.0.1/", "file:///etc/passwd", "http://[::1", "x", "http://127.0.0.1:1/?x", "http://127.0.0.1:1/\x1b"),
    *("http://127.0.0.1:1/\udcff", "http://127.0.0.1:0/", "http://a@127.0.0.1:1/"),
)
_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "NUMBER": (*"0123", "-1", "-0", "1.5", "nan", "inf", "1e3", "9" * 25, "9" * 400, "", " 2", "\u0663", "0x10", "1_0"),
    "FEW": ("1", "2", "0", "-1", "x"),
    "MEN": ("2", "3", "0", "-1", "7", "x"),
    "SAMPLE": ("1", "10", "100", "0", "-5", "9" * 25),
    "SIZE": (
        *("800M", "4G", "1", "0", "-1", "9" * 400, "9" * 400 + "T", "1e9", "4GiB", "nan", "3.5GiB", "G"),
        "0.0000001K",
    ),
    "SCORE": ("G1.5", "-G8.5", "mG8.5", "G5.75", "G999.5", "G", "g0", "G0.0", "-G3.25"),
    "PATH": _PATHS,
    "RULES": ("r", "wg", "R", ""),
    "SCHEDULER": ("xyz", "tcp://", "tcp://127.0.0.1:x", ""),
    "FORMAT": ("text", "md", "csv", "json", "pgn", "html", "x"),
    "TABLE": ("outcomes", "x", ""),
    "SCORING": ("komi", "winner", "exponential", "x"),
    "SET": ("W", "C-legacy", "x"),
    "DRAWS": ("all", "none", "agreement,x", ""),
    "ENGINE": ("cmd=/bin/false", "name=x", "cmd=", "option.x=1", "tc=0", "depth=-1"),
    "EACH": ("tc=1+x", "nodes=1"),
    "ORDER": ("random", "x"),
    "HOST": _HOSTS,
    "PORT": ("0", "0", "0", "-1", "65536", "x", "", "1.5", "9" * 400),
    "ORIGIN": ("*", "https://example.org", "", "x", "\x1b[2J", "\udcff"),
    "URL": _URLS,
    "SPRT": ("elo0=0", "elo1=nan", "alpha=2", "x"),
}
_OPTIONS: Final = {
    "build": "--all=NUMBER --rules=RULES --threads=NUMBER --workers=NUMBER --memory=SIZE --force -q --json"
    " --scheduler=SCHEDULER",
    "plan": "--all=MEN --only --threads=NUMBER --json",
    "info": "--json",
    "verify": "--rules=RULES --sample=SAMPLE --seed=NUMBER --threads=FEW --memory=SIZE -q --json",
    "probe": "--record=SCORE --moves --line --json -q --rules=RULES",
    "report": "--rules=RULES --limit=FEW --format=FORMAT --table=TABLE --details -o=PATH",
    "adjudicate": "-o=PATH --report --top=NUMBER --scoring=SCORING --cutoff=SCORE --komi=SCORE --rules-set=SET"
    " --rules=RULES --decide=DRAWS --strict -j=FEW --json -q",
    "annotate": "-o=PATH --rules=RULES -q",
    "match": "--engine=ENGINE --each=EACH --openings=PATH --order=ORDER --games=NUMBER --rounds=NUMBER --gauntlet"
    " --seed=NUMBER --sprt=SPRT --cutoff=SCORE --margin=NUMBER",
    "uci": "--rules=RULES",
    "serve": "--host=HOST --port=PORT --cors=ORIGIN --per-client=NUMBER --at-once=NUMBER --rules=RULES -q",
    "fetch": "--from=URL --all=MEN --dry-run --rules=RULES -q",
    "pack": "--all=MEN -o=PATH --threads=FEW --rules=RULES -q --json",
    "unpack": "--check --threads=FEW --memory=SIZE -q --json",
    "": "--version --help -h",
}
"""The options of each command, each with the kind of word that has to follow, if any."""
_ANYWHERE: Final = ("--", "--help", "-h", "-", "--x", "", "-G1.5", "--tables", "\x1b[2J", "\udcffx", "é")
_FIXED: Final = frozenset((*_PATHS, *_HOSTS, *_URLS, "cmd=/bin/false", "cmd="))
"""Words that are not damaged: they name files, programs and machines."""


class Words:
    limits = Limits(seconds=90, memory=300 << 20, lives=2000)

    def __init__(self, ground: Path) -> None:
        self._tables = str(tables_of(ground))

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        _furnish(place)
        there = names_in(tables_of(Path(self._tables).parent))
        name = draw.choice(tuple(_OPTIONS))
        words = self._words(draw, name)
        is_apart = draw.random() <= _APART and name != "serve"
        with mock.patch("tbgen.web.server.run.serve", _served):
            ran = self._apart(draw, words) if is_apart else command.run_here(words, a_fen(draw).encode())
        command.judge(ran, CODES, raw="-" in words)
        if ran.err and ran.code in (1, 2, 6) and name not in ("probe", "match", "adjudicate", "annotate", "verify"):
            command.check_one_line(ran)
        if names_in(Path(self._tables)) != there:
            raise ran.fail("it changed the tables")
        for left in names_in(place):
            if left.startswith(".") or left.endswith(".part"):
                raise ran.fail(f"left behind: {left!r}")
        return Counter({f"exit {ran.code}": 1})

    def _apart(self, draw: random.Random, words: list[str]) -> command.Ran:
        words = [word.replace("\0", "")[:_LONGEST] for word in words]
        return command.run_apart(words, redirect=draw.choice(("<&-", "</dev/null", "2>/dev/full")))

    def _words(self, draw: random.Random, name: str) -> list[str]:
        words: list[str] = []
        options = _OPTIONS[name].split()
        for option in draw.sample(options, draw.randrange(min(5, len(options)) + 1)):
            word, _, kind = option.partition("=")
            words.append(word)
            if kind:
                words += draw.choices(_VALUES[kind], k=draw.choice((1, 1, 1, 1, 2, 0)))
        words += self._subjects(draw, name)
        if draw.random() < 0.3:
            at = draw.randrange(len(words) + 1)
            words[at:at] = [draw.choice(_ANYWHERE)]
        if draw.random() < 0.5:
            words = [_changed(draw, word) if draw.random() < 0.2 else word for word in words]
        if draw.random() < 0.8:
            words += ["--tables", draw.choice((*[self._tables] * 4, "none", "directory", "in.pgn", ""))]
        if name == "pack":
            words = ["-o", "directory", *words]  # not beside the tables
        if name == "build":
            words = ["--dry-run", *(word for word in words if word != "--")]
        return [name, *words] if name else words

    def _subjects(self, draw: random.Random, name: str) -> list[str]:
        match name:
            case "probe":
                return [a_fen(draw) for _ in range(draw.choice((0, 1, 2)))] + draw.choice(([], ["-"]))
            case "adjudicate" | "annotate" | "unpack":
                return draw.choices(_PATHS, k=draw.choice((0, 1, 2)))
            case "report":
                return [draw.choice(("stats", "records", "compare", "potential", "x")), draw.choice(_MATERIALS[:4])]
            case "verify" | "build" | "plan" | "info" | "fetch" | "pack":
                return draw.choices(_MATERIALS, k=draw.choice((0, 1, 2)))
        return []


def _served(settings: Settings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """In place of a server that would run until it is stopped: all that it does before it listens."""
    make_app(Service(settings))
    ready()


def _changed(draw: random.Random, word: str) -> str:
    """A damaged word, but none that leads out of the directory or names a program."""
    if word in _FIXED or word.startswith("-o"):
        return word
    changed = os.fsdecode(mangled(draw, os.fsencode(word))).replace("\0", "")
    return changed if "/" in word and " " in word else changed.replace("/", "_").replace("cmd=", "")


def _furnish(place: Path) -> None:
    """Make what command lines name: a file of games, a directory, an empty file."""
    (place / "in.pgn").write_text('[White "A"]\n[Result "1/2-1/2"]\n\n1. e4 e5 1/2-1/2\n')
    (place / "directory").mkdir()
    (place / "empty").touch()
