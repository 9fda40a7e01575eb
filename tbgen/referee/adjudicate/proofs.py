"""What solving single positions has shown of drawn games that no table covers: game by game, and by material."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tbgen import columns, outcome
from tbgen.probe import sure_as_dict
from tbgen.probe.words import bounds
from tbgen.referee.adjudicate.decide import Basis
from tbgen.referee.adjudicate.game import GameVerdict

_KINDS: Final = {Basis.PROVED: "proved", Basis.BOUNDED: "bounded", Basis.PLAYED: "as played"}


class Proofs:
    """Takes verdicts, keeps those of games that were tried."""

    def __init__(self) -> None:
        self._tried: list[GameVerdict] = []

    def __bool__(self) -> bool:
        return bool(self._tried)

    def add(self, verdict: GameVerdict) -> None:
        if verdict.solved is not None:
            self._tried.append(verdict)

    def as_dict(self) -> dict[str, Any]:
        """The proofs as programs read them; nothing if nothing was tried."""
        if not self._tried:
            return {}
        kinds = Counter(verdict.basis for verdict in self._tried)
        return {
            "solved": {
                "tried": len(self._tried),
                "proved": kinds[Basis.PROVED],
                "bounded": kinds[Basis.BOUNDED],
                "as_played": kinds[Basis.PLAYED],
                "record_refuted": sum(map(_refuted, self._tried)),
                "games": [_game(verdict) for verdict in self._tried],
            }
        }

    def lines(self, width: int | None) -> Iterator[str]:
        """The proofs as people read them, game by game and by material."""
        if not self._tried:
            return
        yield ""
        for verdict in self._tried:
            assert verdict.solved is not None
            told = f"{outcome.text(verdict.outcome)}, {verdict.basis}; {bounds(verdict.solved.sure)}"
            yield f"{verdict.solved.material}  {verdict.white} - {verdict.black}: {told}"
        yield ""
        by_material = Counter(verdict.solved.material for verdict in self._tried if verdict.solved is not None)
        kinds = Counter((verdict.solved.material, verdict.basis) for verdict in self._tried if verdict.solved)
        rows = [
            (material, games, *(kinds[material, basis] for basis in _KINDS))
            for material, games in by_material.most_common()
        ]
        yield from columns.plain(("solved", "games", *_KINDS.values()), rows, width)
        yield self.share()

    def share(self) -> str:
        """One line with the shares of what was tried."""
        all_of_them = len(self._tried)
        kinds = Counter(verdict.basis for verdict in self._tried)
        parts = (f"{kinds[basis]} {words} ({kinds[basis] / all_of_them:.0%})" for basis, words in _KINDS.items())
        refuted = sum(map(_refuted, self._tried))
        return f"beyond tables {all_of_them}: {', '.join(parts)}; {refuted} not what was played".replace("%", " %")


def _refuted(verdict: GameVerdict) -> bool:
    """Whether the result is not the record as played."""
    return verdict.solved is not None and verdict.outcome != verdict.solved.record


def _game(verdict: GameVerdict) -> dict[str, Any]:
    assert verdict.solved is not None
    return {
        "players": [verdict.white, verdict.black],
        "material": verdict.solved.material,
        "record": outcome.text(verdict.solved.record),
        "result": outcome.text(verdict.outcome),
        "basis": str(verdict.basis),
        **sure_as_dict(verdict.solved.sure),
        "late": verdict.late,
    }
