"""What solving single positions has shown of drawn games that no table covers: game by game, and by material."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tbgen.core import outcome
from tbgen.probe import sure_as_dict
from tbgen.probe.words import bounds
from tbgen.referee.adjudicate.decide import Basis
from tbgen.referee.adjudicate.game import GameVerdict, Solved
from tbgen.system import text_tables

_KINDS: Final = {Basis.PROVED: "proved", Basis.BOUNDED: "bounded", Basis.PLAYED: "as played"}


class Proofs:
    """Takes verdicts, keeps those of games that were tried."""

    def __init__(self) -> None:
        self._tried: list[tuple[GameVerdict, Solved]] = []

    def __bool__(self) -> bool:
        return bool(self._tried)

    def add(self, verdict: GameVerdict) -> None:
        if verdict.solved is not None:
            self._tried.append((verdict, verdict.solved))

    @property
    def _refuted(self) -> int:
        """How many results are not the record as played."""
        return sum(verdict.decision.outcome != solved.record for verdict, solved in self._tried)

    def as_dict(self) -> dict[str, Any]:
        """The proofs as programs read them; nothing if nothing was tried."""
        if not self._tried:
            return {}
        kinds = Counter(verdict.decision.basis for verdict, _ in self._tried)
        return {
            "solved": {
                "tried": len(self._tried),
                **{words.replace(" ", "_"): kinds[basis] for basis, words in _KINDS.items()},
                "record_refuted": self._refuted,
                "games": [_game(verdict, solved) for verdict, solved in self._tried],
            }
        }

    def lines(self, width: int | None) -> Iterator[str]:
        """The proofs as people read them, game by game and by material."""
        if not self._tried:
            return
        yield ""
        for verdict, solved in self._tried:
            told = f"{outcome.text(verdict.decision.outcome)}, {verdict.decision.basis}; {bounds(solved.sure)}"
            yield f"{solved.material}  {verdict.white} - {verdict.black}: {told}"
        yield ""
        by_material = Counter(solved.material for _, solved in self._tried)
        kinds = Counter((solved.material, verdict.decision.basis) for verdict, solved in self._tried)
        rows = [
            (material, games, *(kinds[material, basis] for basis in _KINDS))
            for material, games in by_material.most_common()
        ]
        yield from text_tables.plain(("solved", "games", *_KINDS.values()), rows, width)
        yield self.share()

    def share(self) -> str:
        """One line with the shares of what was tried."""
        tried = len(self._tried)
        kinds = Counter(verdict.decision.basis for verdict, _ in self._tried)
        parts = (f"{kinds[basis]} {words} ({kinds[basis] / tried:.0%})" for basis, words in _KINDS.items())
        return f"beyond tables {tried}: {', '.join(parts)}; {self._refuted} not what was played".replace("%", " %")


def _game(verdict: GameVerdict, solved: Solved) -> dict[str, Any]:
    return {
        "players": [verdict.white, verdict.black],
        "material": solved.material,
        "record": outcome.text(solved.record),
        "result": outcome.text(verdict.decision.outcome),
        "basis": verdict.decision.basis,
        **sure_as_dict(solved.sure),
        "late": verdict.late,
    }
