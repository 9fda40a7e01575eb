"""Damaged tables: what they answer is right, or that they are corrupt."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soaking import command
from soaking.case import Failed, Limits
from soaking.damage import damaged, foreign
from soaking.forge import forged
from soaking.ground import RULES, SLIM, file_of, lay, needed_by, right, slim_of, tables_of
from soaking.positions import LETTERS, a_board, a_record
from tbgen import open_tablebase
from tbgen.core import outcome as outcomes
from tbgen.core.material import Material, parse
from tbgen.errors import CorruptTable, MissingTable
from tbgen.probe import Positions, Tablebase
from tbgen.store import open_table

_MATERIALS: Final = ("KvK", "KBvK", "KPvK")
_SLIM: Final = 0.4
"""The share of slim tables, where there are some."""
_VERIFIED: Final = 0.15
"""The share that is also verified position by position, which takes longest."""
_MANY: Final = 1000
_BEST: Final = outcomes.BASE - 1
"""Outcomes from here on are mate and stalemate, which end a game and cannot be records."""


class Tables:
    limits = Limits(seconds=90, memory=300 << 20, lives=2000)

    def __init__(self, ground: Path) -> None:
        self._ground = ground
        self._ours = {rules: open_tablebase(tables_of(ground), rules) for rules in RULES}
        self._info = {name: row for place in (tables_of(ground), slim_of(ground)) for name, row in _rows(_told(place))}
        command.run_here(["verify", "KvK", "--tables", str(tables_of(ground)), "-q"])

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        material, rules = draw.choice(_MATERIALS), draw.choice(RULES)
        name = file_of(material, rules, slim=material in SLIM and draw.random() < _SLIM)
        lay(self._ground, place, needed_by(material), rules)
        path, whole = place / name, right(self._ground, name)
        kind = draw.random()
        if kind < 0.03:
            what = foreign(draw, path)
            forgery = False
        else:
            forgery = kind < 0.3
            other = right(self._ground, file_of(draw.choice(_MATERIALS), draw.choice(RULES)))
            what, changed = forged(draw, whole) if forgery else damaged(draw, whole, other)
            path.write_bytes(changed)
            if changed == whole:
                return Counter({"nothing changed": 1})
        did: Counter[str] = Counter({"forgeries": 1} if forgery else {"damaged": 1})
        did["slim"] = ".slim." in name
        try:
            return did + self._ask(draw, path, material, rules, forgery)
        except Failed as failure:
            raise Failed(f"{name}, {what}: {failure}") from None

    def _ask(self, draw: random.Random, path: Path, material: str, rules: str, forgery: bool) -> Counter[str]:
        with open_tablebase(path.parent, rules) as theirs:
            said = [self._probes(draw, theirs, material, rules) for _ in range(2)]
            said.append(self._many(draw, theirs, material, rules))
        shown = self._show(path.parent, material, path.name)
        said.append("right" if forgery and "WRONG" in shown else shown)  # whatever it says, nobody can know better
        wrong = [word for word in said if word not in ("right", "corrupt", "missing")]
        if wrong and not forgery:
            raise Failed(wrong[0])
        # whoever can make a new seal can make a table that says anything: but not one that verify takes
        thorough = draw.random() < _VERIFIED
        if not forgery or wrong or thorough:
            self._verify(path, material, rules, must_be_found=bool(wrong) or not forgery, thorough=thorough)
            said.append("verified")
        return Counter({"refused": said.count("corrupt") + said.count("missing"), "right": said.count("right"),
                        "forgeries that verify found": len(wrong) > 0, "verified": said.count("verified")})  # fmt: skip

    def _probes(self, draw: random.Random, theirs: Tablebase, material: str, rules: str) -> str:
        """Compare probes of single positions."""
        said = "right"
        for _ in range(6):
            board, record = a_board(draw, material), draw.choice((None, a_record(draw)))
            wanted = {"moves": True} if draw.random() < 0.1 else {"line": True} if draw.random() < 0.1 else {}
            try:
                answer = theirs.probe(board, record, **wanted)
            except CorruptTable:
                said = "corrupt"
            except MissingTable:
                said = "missing"
            else:
                expected = self._ours[rules].probe(board, record, **wanted)
                if answer != expected:
                    return f"WRONG: {board.fen()} {record}: {answer} instead of {expected}"
        return said

    def _many(self, draw: random.Random, theirs: Tablebase, material: str, rules: str) -> str:
        """Compare probes of arrays."""
        rng = np.random.default_rng(draw.randrange(1 << 30))
        count = draw.choice((1, 50, _MANY))
        squares: NDArray[Any] = rng.integers(0, 64, (count, len(LETTERS[material])))
        positions = Positions(_in_order(material), squares, rng.integers(0, 2, count) == 1)
        records = rng.integers(300, _BEST, count) * rng.choice([-1, 1], count) if draw.random() < 0.5 else None
        try:
            answers = theirs.probe_many(positions, records)
        except CorruptTable:
            return "corrupt"
        except MissingTable:
            return "missing"
        expected = self._ours[rules].probe_many(positions, records)
        for column, wanted in zip(answers, expected, strict=True):
            if wanted is not None and (column is None or not np.array_equal(column, wanted)):
                return f"WRONG: probe_many, {np.count_nonzero(column != wanted)} of {count} answers"
        return "right"

    def _show(self, place: Path, material: str, name: str) -> str:
        """Check the command `info`."""
        ran = _told(place, material)
        command.judge(ran, (0, 4, 5))
        if ran.code:
            return "corrupt" if ran.code == 5 else "missing"
        rows = [row for known, row in _rows(ran) if known == name]
        if not rows:
            return "missing"
        return "right" if rows == [self._info[name]] else f"WRONG: info says {rows}"

    def _verify(self, path: Path, material: str, rules: str, *, must_be_found: bool, thorough: bool) -> None:
        """Check that the command `verify`, or the part of it that reads all bytes, finds every change."""
        if must_be_found and not thorough:
            try:
                with open_table(path) as table:
                    table.check()
            except (CorruptTable, MissingTable):
                return
        ran = command.run_here(
            ["verify", material, "--rules", rules, "--tables", str(path.parent), "-q", "--threads", "1"]
        )
        command.judge(ran, (0, 4, 5))
        if must_be_found and not ran.code:
            raise ran.fail("verify finds nothing")


def _in_order(material: str) -> str:
    made: Material = parse(material)
    return made.name


def _told(place: Path, *materials: str) -> command.Ran:
    return command.run_here(["info", *materials, "--json", "--tables", str(place)])


def _rows(told: command.Ran) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables of a directory, by the names of their files."""
    for row in map(json.loads, told.out.splitlines()):
        if not row["bundled"]:
            yield file_of(row["material"], row["rules"], slim="slim" in row), row
