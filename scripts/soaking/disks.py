"""Disks that are full, or become full during a command."""

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Final

from soaking import command, small_disk
from soaking.builds import build, finish, measure, told
from soaking.case import Failed, Limits, names_in, shown
from soaking.ground import RULES, check_place, check_tables, file_of, lay, needed_by, right, tables_of
from soaking.hooks import ALL_IN_FILES, KEPT, TABLE_IN_FILES

_NAME: Final = "KPvK"
_ARRAYS: Final[dict[str, dict[str, float]]] = {
    "arrays in memory": {},
    "the table's arrays in files": TABLE_IN_FILES,
    "arrays in files": ALL_IN_FILES,
}
_ROOMY: Final = 256 << 20
_ENOUGH: Final = 64 << 20
"""The most bytes that the build takes."""
_GAME: Final = '[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n\n'
_FULL: Final = 6


class Disks:
    limits = Limits(seconds=400, memory=1 << 30, lives=1000)

    def __init__(self, ground: Path) -> None:
        self._ground = ground
        self._mounts = small_disk.can_mount()
        self._steps: dict[tuple[str, bool, str], int] = {}

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        if not self._mounts:
            return self._build(draw, place, "limit")
        disk = place / "disk"
        disk.mkdir()
        if not small_disk.mount(disk, _ROOMY):
            raise Failed("a small file system cannot be mounted here")
        try:
            way = draw.choice(("small", "small", "filled", "filled", "limit", "output"))
            return self._output(draw, disk) if way == "output" else self._build(draw, disk, way)
        finally:
            small_disk.unmount(disk)

    def _build(self, draw: random.Random, place: Path, way: str) -> Counter[str]:
        """A build that runs out of room, then one with enough."""
        rules, kept, arrays = draw.choice(RULES), draw.random() < 0.7, draw.choice(tuple(_ARRAYS))
        names = lay(self._ground, place, needed_by(_NAME), rules)
        words = ["build", _NAME, "--rules", rules, "-q", "--threads", draw.choice("12"), "--tables", str(place)]
        plan: dict[str, Any] = {"change": _changes(kept, arrays), "unchecked": draw.random() < 0.9}
        filler = place / "filler"
        used = sum(len(right(self._ground, name)) for name in names)
        match way:
            case "small":
                size = used + draw.randrange(draw.choice((1 << 19, 1 << 22, _ENOUGH)))
                small_disk.enlarge(place, max(size, 1 << 16))
                what = f"{size} bytes"
            case "limit":
                plan["file_size"] = draw.choice((draw.randrange(1 << 17), draw.randrange(1 << 22)))
                what = f"files of {plan['file_size']} bytes"
            case _:
                plan |= {
                    "fill": str(filler),
                    "leave": draw.choice((0, 4096, draw.randrange(1 << 20))),
                    "step": self._step(draw, rules, kept, arrays),
                }
                what = f"full at step {plan['step']} but for {plan['leave']} bytes"
        where = f"{rules}, {'with' if kept else 'without'} a workspace, {arrays}, {what}"
        code, err = build(words, place, **plan)
        filler.unlink(missing_ok=True)
        check_tables(self._ground, place, where)
        if code not in (0, _FULL):
            raise Failed(f"{where}: {told(code)}: {shown(err[-600:], 600)}")
        if code and (err.count(b"\n") != 1 or not err.startswith(b"tbgen: ")):
            raise Failed(f"{where}: not one line: {shown(err)}")
        if way == "small":
            small_disk.enlarge(place, _ROOMY)
        finish(words, place, f"{where}, with room again", change=plan["change"])
        check_place(self._ground, place, {*names, file_of(_NAME, rules)}, where)
        return Counter({way: 1, "full": code == _FULL, "room enough": code == 0})

    def _step(self, draw: random.Random, rules: str, kept: bool, arrays: str) -> int:
        """One of those that the build takes."""
        if (rules, kept, arrays) not in self._steps:
            with tempfile.TemporaryDirectory(dir=self._ground) as base:
                place = Path(base) / "tables"
                place.mkdir()
                lay(self._ground, place, needed_by(_NAME), rules)
                words = ["build", _NAME, "--rules", rules, "-q", "--tables", str(place)]
                self._steps[rules, kept, arrays], _ = measure(words, place, change=_changes(kept, arrays))
        return draw.randrange(1, self._steps[rules, kept, arrays] + 1)

    def _output(self, draw: random.Random, place: Path) -> Counter[str]:
        """Output files of other commands, on a full disk."""
        games, former = place / "games.pgn", place / draw.choice(("out.pgn", "out.html"))
        games.write_text(_GAME * 300)
        former.write_text("what was here before")
        small_disk.enlarge(place, games.stat().st_size + draw.choice((1 << 13, draw.randrange(1 << 14, 1 << 16))))
        if former.suffix == ".pgn":
            words = ["adjudicate", str(games), "-o", str(former), "-j", "1"]
        else:
            words = ["report", "all", "KvK", "KBvK", "-o", str(former)]
        ran = command.run_apart([*words, "--tables", str(tables_of(self._ground))])
        command.judge(ran, (0, _FULL))
        command.check_one_line(ran)
        if names_in(place) != {games.name, former.name}:
            raise ran.fail(f"left behind: {names_in(place)}")
        if ran.code and former.read_text() != "what was here before":
            raise ran.fail(f"{former.name} is lost")
        return Counter({"output": 1, "full": ran.code == _FULL, "room enough": ran.code == 0})


def _changes(kept: bool, arrays: str) -> dict[str, float]:
    """Whether there is a workspace, and whether arrays are on disk."""
    return {**(KEPT if kept else {}), **_ARRAYS[arrays]}
