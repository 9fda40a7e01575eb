"""Builds that are killed at any moment, and started again."""

import random
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from soaking.builds import build, finish, measure, told
from soaking.case import Failed, Limits, names_in, shown
from soaking.damage import damage_directory
from soaking.ground import RULES, check_place, check_tables, file_of, lay, needed_by
from soaking.hooks import ALL_IN_FILES, COMPRESSED, KEPT, SNAPSHOTS
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.slim.unpack import SlimSource
from tbgen.store import slim_path
from tbgen.store.local import LOCAL_DIRECTORY


class _Kind(NamedTuple):
    """A build that is killed, or solving a position, or packing a table."""

    materials: tuple[str, ...]
    there: tuple[str, ...]
    """Tables that are there at the start."""
    words: tuple[str, ...] = ()
    change: dict[str, float] = {}  # noqa: RUF012  nobody writes to it
    fen: str = ""
    """The position, whose local tables are kept."""
    command: str = "build"


_SELDOM: Final = {**KEPT, "wait": 0.02}
_CHAIN = ("KvK", "KBvK")
_RACE: Final = "8/8/2K4p/8/Pk6/8/8/8 b - - 4 60"
"""Its own part, of 20 slices, knows no promotion and is solved for each side; it suffices."""
_KINDS: Final = {
    "from nothing": _Kind(_CHAIN, ()),
    "one table": _Kind(("KPvK",), needed_by("KPvK")),
    "a workspace": _Kind(("KPvK",), needed_by("KPvK"), change=KEPT),
    "arrays in files": _Kind(("KPvK",), needed_by("KPvK"), change={**KEPT, **ALL_IN_FILES}),
    "snapshots": _Kind(("KPvK",), needed_by("KPvK"), change=SNAPSHOTS),
    "snapshots now and then": _Kind(("KPvK",), needed_by("KPvK"), change={**SNAPSHOTS, **ALL_IN_FILES, "every": 0.05}),
    "snapshots without pawns": _Kind(("KBvK",), ("KvK",), change={**SNAPSHOTS, **ALL_IN_FILES}),
    "compressed": _Kind(("KPvK",), needed_by("KPvK"), change=COMPRESSED),
    "compressed, with snapshots": _Kind(("KPvK",), needed_by("KPvK"), change={**SNAPSHOTS, **COMPRESSED}),
    "a workspace now and then": _Kind(("KPvK",), needed_by("KPvK"), change=_SELDOM),
    "forced": _Kind(("KBvK",), _CHAIN, ("--force",)),
    "forced, a workspace": _Kind(("KPvK",), (*needed_by("KPvK"), "KPvK"), ("--force",), KEPT),
    "local tables": _Kind((), needed_by("KPvK"), change=KEPT, fen=_RACE),
    "local tables now and then": _Kind((), needed_by("KPvK"), change=_SELDOM, fen=_RACE),
    "local tables in files": _Kind((), needed_by("KPvK"), change={**KEPT, **ALL_IN_FILES}, fen=_RACE),
    "packing": _Kind(("KPvK",), (*needed_by("KPvK"), "KPvK"), command="pack"),
    "workers": _Kind(_CHAIN, (), ("--workers", "2")),
}
_WEIGHTS: Final = (2, 2, 6, 6, 6, 3, 3, 6, 3, 3, 2, 3, 4, 2, 2, 2, 0.7)
_DAMAGED: Final = 0.5
_WORKERS: Final = 6.0
"""Seconds that a cluster usually takes to build its tables."""


class Kills:
    limits = Limits(seconds=600, memory=1 << 30, lives=1000)

    def __init__(self, ground: Path) -> None:
        self._ground = ground
        self._measured: dict[tuple[str, str], tuple[int, float]] = {}
        self._local: dict[str, bytes] = {}
        """The right local tables, once they have been solved."""

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        (name,) = draw.choices(tuple(_KINDS), _WEIGHTS)
        kind, rules = _KINDS[name], draw.choice(RULES)
        if kind.fen:
            rules = "r"
        place = place / "tables"
        place.mkdir()
        former = place.with_name("former")
        lay(self._ground, place, kind.there, rules)
        words = _words(kind, rules, draw.choice("12"), place)
        did: Counter[str] = Counter()
        story = [name]
        for _ in range(draw.choice((1, 1, 2, 4))):
            plan = self._moment(draw, name, kind, rules)
            story.append(f"{plan}")
            code, err = build(words, place, change=kind.change, **plan)
            where = f"{rules}, {', '.join(story)}"
            if code not in (0, -9) or (err and not code):
                raise Failed(f"{where}: {told(code)}: {shown(err)}")
            did["kills" if code else "not killed in time"] += 1
            check_tables(self._ground, place, where)
            self._check_local(place, where)
            gone = {file_of(one, rules) for one in kind.there} - names_in(place)
            if gone:
                raise Failed(f"{where}: gone: {gone}")
            for work in place.rglob(".*.work"):
                did["left half done"] += 1
                if draw.random() < _DAMAGED:
                    kept = former / work.name
                    if not kept.exists():
                        shutil.copytree(work, kept)
                    story += damage_directory(draw, work, kept)
                    did["damaged workspaces"] += 1
        if draw.random() < 0.5 or "--workers" in kind.words:
            kind = kind._replace(words=())
        words = _words(kind, rules, draw.choice("12"), place)
        where = f"{rules}, {', '.join(story)}, then {' '.join(words[:-2])}"
        finish(words, place, where, change=kind.change)
        did["finished"] += 1
        names = {file_of(one, rules) for one in (*kind.there, *kind.materials)}
        others = {LOCAL_DIRECTORY} if kind.fen else set()
        if kind.command == "pack":
            slim = slim_path(place, parse(kind.materials[-1]), TableRules.of(rules))
            with closing(SlimSource(slim)) as source:
                source.check()
            others = {slim.name}
        check_place(self._ground, place, names | others, where)
        if kind.fen and names_in(place / LOCAL_DIRECTORY) != {*self._local}:
            raise Failed(f"{where}: {sorted(names_in(place / LOCAL_DIRECTORY))}, not {sorted(self._local)}")
        self._check_local(place, where)
        return did

    def _check_local(self, place: Path, where: str) -> None:
        """Check that every local table that is there is right."""
        for name in names_in(place / LOCAL_DIRECTORY):
            if not name.startswith(".") and (place / LOCAL_DIRECTORY / name).read_bytes() != self._local.get(name):
                raise Failed(f"{where}: {name} is WRONG")

    def _moment(self, draw: random.Random, name: str, kind: _Kind, rules: str) -> dict[str, Any]:
        """When it is killed."""
        if "--workers" in kind.words:
            return {"delay": round(draw.uniform(0, _WORKERS), 3)}
        if (name, rules) not in self._measured:
            with tempfile.TemporaryDirectory(dir=self._ground) as base:
                place = Path(base) / "tables"
                place.mkdir()
                lay(self._ground, place, kind.there, rules)
                words = _words(kind, rules, "2", place)
                self._measured[name, rules] = measure(words, place, change=kind.change)
                if kind.fen:
                    self._local = {one.name: one.read_bytes() for one in (place / LOCAL_DIRECTORY).iterdir()}
        steps, seconds = self._measured[name, rules]
        if draw.random() < 0.5:
            return {"step": draw.randrange(1, steps + 1)}
        return {"delay": round(draw.uniform(0, seconds), 4)}


def _words(kind: _Kind, rules: str, threads: str, place: Path) -> list[str]:
    """The command line."""
    if kind.fen:
        return ["solve", "--keep", "-q", "--threads", threads, kind.fen, "--tables", str(place)]
    options = ["--rules", rules, "-q", *kind.words, "--threads", threads]
    return [kind.command, kind.materials[-1], *options, "--tables", str(place)]
