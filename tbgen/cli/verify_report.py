"""What `tbgen verify` has found in one table."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tbgen._version import __version__
from tbgen.cli.limits import failure_of
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable, OutOfRoom, TbgenError
from tbgen.store import open_table
from tbgen.store.local import LOCAL_DIRECTORY, LocalFile

if TYPE_CHECKING:
    from tbgen.verify.run import Verdict

BAD: Final = (0, MissingTable.exit_code, TbgenError.exit_code, OutOfRoom.exit_code, CorruptTable.exit_code)
"""Exit codes, the worst last."""


@dataclass
class Report:
    """What came of one table."""

    material: Material
    rules: TableRules
    verdict: "Verdict | None" = None
    seed: int | None = None
    """The seed of the sample, if there was one."""
    seconds: float = 0.0
    problem: str | None = None
    """Why there is no verdict."""
    ran_out: bool = False
    """Whether memory, disk or another thing of the system's was the reason."""
    lost: dict[Material, str] = field(default_factory=dict)
    """The tables that this one leads to and that could not be read, and why."""
    codes: set[int] = field(default_factory=set)
    local: LocalFile | None = None
    """The file of a local table."""
    slim: bool = False
    body_sha256: str | None = None
    """Of the file that was opened: its head names the digest of all behind it."""

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Keep what is wrong with this table from the others."""
        begun = time.perf_counter()
        try:
            yield
        except (TbgenError, MemoryError, OSError) as error:
            self.problem, code = failure_of(error)
            self.codes.add(code)
            self.ran_out = not isinstance(error, TbgenError)
        self.seconds = time.perf_counter() - begun

    def lose(self, material: Material, error: TbgenError) -> None:
        self.lost[material], code = failure_of(error)
        self.codes.add(code)

    def judge(self, verdict: "Verdict") -> None:
        self.verdict = verdict
        if verdict.wrong:
            self.codes.add(CorruptTable.exit_code)

    @property
    def code(self) -> int:
        return max(self.codes, key=BAD.index, default=0)

    @property
    def positions(self) -> int | None:
        """The positions of the table, each once up to symmetry, if all of them have been checked."""
        if self.verdict is None or self.verdict.unchecked or self.seed is not None:
            return None
        from tbgen.index.stored_twice import stored_twice

        return self.verdict.checked - stored_twice(self.material)

    def as_dict(self) -> dict[str, Any]:
        verdict = self.verdict
        return {
            "material": self.material.name,
            "rules": self.rules,
            **({} if self.local is None else {"local": self.local.path.name, "bound": self.local.name.bound}),
            **({"slim": True} if self.slim else {}),
            "body_sha256": self.body_sha256,
            "program": f"tbgen {__version__}",
            "code": self.code,
            "error": self.problem,
            "positions": self.positions,
            "checked": verdict.checked if verdict else 0,
            "unchecked": verdict.unchecked if verdict else None,
            "wrong": verdict.wrong if verdict else None,
            "lost": {material.name: problem for material, problem in self.lost.items()},
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "examples": [
                {"fen": self._fen(finding.number), "problem": str(finding)}
                for finding in (verdict.examples if verdict else ())
            ],
        }

    def _fen(self, number: int) -> str | None:
        from tbgen.index import layout_of
        from tbgen.index.positions import fen

        if number < 0:
            return None
        if self.local is None:
            return fen(layout_of(self.material), number)
        with open_table(self.local.path) as table:
            return fen(table.layout, number)

    def lines(self) -> Iterator[str]:
        found = self.as_dict()
        name = f"{self.material}{'' if self.rules == TableRules.RESET else f' ({self.rules})'}"
        if self.local is not None:
            name = f"{LOCAL_DIRECTORY}/{self.local.path.name}"
        if self.verdict is None:
            yield f"{name}: {self.problem}; no position has been checked"
            return
        drawn = "" if self.seed is None else f" drawn with --seed {self.seed}"
        parts = f"{found['checked']:,} stored entries{drawn}"
        count = parts if self.positions is None else f"{self.positions:,} positions"
        what = f"{found['wrong']:,} WRONG" if found["wrong"] else "all right"
        rest = f", {found['unchecked']:,} NOT CHECKED" if found["unchecked"] else ""
        yield f"{name}: {count} checked in {found['seconds']:.1f} s, {what}{rest}"
        for problem in self.lost.values():
            yield f"  what some captures and promotions lead to is not known: {problem}"
        for one in found["examples"]:
            yield f"  {one['fen'] or ''}  {one['problem']}"
