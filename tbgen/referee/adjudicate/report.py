"""What there is to say of many judged games: how they ended, what they came to, and who is ahead."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from tbgen.core import outcome
from tbgen.referee.adjudicate.decide import Basis, Decision, Reach
from tbgen.referee.adjudicate.finish import DRAWS, Finish
from tbgen.referee.adjudicate.game import Fault, GameVerdict
from tbgen.referee.adjudicate.proofs import Proofs
from tbgen.rules.scoring import Classical, Exponential, Scoring, decimal
from tbgen.rules.tiebreaks import Crosstable, by_gscore
from tbgen.system import text_tables
from tbgen.system.text import counted

TOP: Final = 30
"""Players in the table, if not told otherwise."""

_MOST_OPPONENTS: Final = 10
"""Up to so many players get a column each."""

_NAMED: Final = 8
"""Missing tables that are named in a line."""

_BALANCES: Final = 6
"""G-scores from G0.5 on whose balance is printed."""


_SUMMARY: Final = {
    Basis.PLAYED: "as played",
    Basis.TABLEBASE: "bettered by tables",
    Basis.STANDS: "confirmed by tables",
    Basis.PROVED: "proved",
    Basis.BOUNDED: "bounded",
    Basis.SYZYGY: "won by Syzygy tables",
    Basis.AWARDED: "awarded",
    Basis.AGREED: "agreed",
}


_ASKED: Final = ("improved", "stands", "out of reach", "missing", "not asked")
"""What tables said of a draw."""


class Report:
    """Takes verdicts, gives lines or an object."""

    def __init__(self, scheme: Scoring, *, with_players: bool = True) -> None:
        self._wanted = scheme
        self._with_players = with_players
        """Whether there is to be a crosstable."""
        self.left_out = 0
        """Games of which a record has been left out."""
        self.overruled = 0
        """Games whose tags told another result."""
        self.faults: list[tuple[str, Fault]] = []
        """What was passed on as it was, with its file."""
        self._games = 0
        self._bases: Counter[Basis] = Counter()
        self._finishes: dict[Finish, Counter[str]] = {finish: Counter() for finish in Finish}
        """How games ended, and what tables said of them."""
        self._results: Counter[int] = Counter()
        self._tables: Counter[tuple[str, Basis]] = Counter()
        self._longest: dict[str, int] = {}
        self._late: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()
        self._crosstable = Crosstable()
        self.proofs = Proofs()
        """What solving has shown, where it was tried."""
        self._schemes: set[Scoring] = set()
        """The scorings of the games: each may have its own."""

    def add(self, verdict: GameVerdict) -> None:
        self._games += 1
        self.left_out += verdict.leaves_record_out
        self.overruled += verdict.overrules
        found = verdict.decision
        self._bases[found.basis] += 1
        self._finishes[verdict.finish][_asked(found)] += 1
        self._results[found.outcome] += 1
        if found.reach is Reach.ANSWERED:
            self._tables[found.table, found.basis] += 1
            self._longest[found.table] = max(self._longest.get(found.table, 0), found.dtg)
            self._late[found.table] += verdict.late
        elif found.reach is Reach.MISSING:
            self._missing[found.table] += 1
        self.proofs.add(verdict)
        if self._with_players:
            self._crosstable.add(verdict.white, verdict.black, found.outcome)
        self._schemes.add(verdict.scheme)

    def summary(self, target: str) -> str:
        """What has been done, in a line."""
        parts = [f"{counted(self._games, 'game')} judged"]
        parts += [f"{games} {words}" for basis, words in _SUMMARY.items() if (games := self._bases[basis])]
        if self.left_out:
            parts.append(f"{self.left_out} with a record left out")
        if self.overruled:
            parts.append(f"{self.overruled} with another result than their tags told")
        if self.faults:
            parts.append(f"{len(self.faults)} passed on as they were")
        return f"{', '.join(parts)}; written to {target}"

    @property
    def scheme(self) -> Scoring:
        """The scoring of all games, or the one that was asked for if they differ."""
        return next(iter(self._schemes)) if len(self._schemes) == 1 else self._wanted

    @property
    def missing(self) -> list[tuple[str, int]]:
        """Tables that are missing, and how many games asked for them."""
        return self._missing.most_common()

    def want(self) -> str:
        """What tables are missing, in a line."""
        named = ", ".join(f"{name} ({games})" for name, games in self.missing[:_NAMED])
        left = len(self.missing) - _NAMED
        more = f" and {counted(left, 'other table')}" if left > 0 else ""
        return f"draws scored as played for want of a table: {self._missing.total()}: {named}{more}"

    @property
    def results(self) -> list[tuple[int, int, int]]:
        """Level, how often White held it, how often Black did."""
        levels = sorted({outcome.level(result) for result in self._results})
        return [
            (level, self._results[outcome.held_by_white(level)], self._results[outcome.held_by_black(level)])
            for level in levels
        ]

    @property
    def tables(self) -> list[tuple[str, int, int, int, int]]:
        """Table, draws in which it found better than the record, in which the record stands, longest distance, draws in
        which the 50-move rule may come before the goal."""
        names = Counter({name: 0 for name, _ in self._tables})
        for (name, _), count in self._tables.items():
            names[name] += count
        found = []
        for name, games in names.most_common():
            stands = self._tables[name, Basis.STANDS]
            found.append((name, games - stands, stands, self._longest[name], self._late[name]))
        return found

    @property
    def _score(self) -> Scoring:
        """What players are ordered by before any tiebreak."""
        return self.scheme if self.scheme.whole and len(self._schemes) < 2 else Classical()

    @property
    def _mobility(self) -> Scoring:
        return Exponential() if self.scheme.whole else self.scheme

    def as_dict(self) -> dict[str, Any]:
        return {
            "games": self._games,
            "left_out": self.left_out,
            "overruled": self.overruled,
            "faults": [{"file": file, **fault._asdict()} for file, fault in self.faults],
            "finishes": {
                finish: {
                    "games": asked.total(),
                    **({name.replace(" ", "_"): asked[name] for name in _ASKED} if finish in DRAWS else {}),
                }
                for finish, asked in self._finishes.items()
                if asked
            },
            "results": {
                outcome.gscore(level): {"white": white, "black": black} for level, white, black in self.results
            },
            "tables": {
                name: {"improved": improved, "stands": stands, "longest": longest, "late": late}
                for name, improved, stands, longest, late in self.tables
            },
            "missing": dict(self.missing),
            **self.proofs.as_dict(),
            "scoring": {"points": self._score.title, "mobility": self._mobility.title},
            "crosstable": [
                {
                    "place": row.place,
                    "place_by_balance": row.place_by_balance,
                    "player": row.player,
                    "games": row.games,
                    "points": float(row.score),
                    "mobility": float(row.mobility),
                    "balance": by_gscore(row.balance),
                    "against": {
                        opponent: {"games": games, "points": float(points)}
                        for opponent, (games, points) in self._crosstable.against(row.player, self._score).items()
                    },
                }
                for row in self._crosstable.rows(self._score, self._mobility)
            ],
        }

    def lines(self, top: int = TOP, width: int | None = None) -> Iterator[str]:
        """All of it, for people; of the table only the first so many players. `width`: of the terminal
        that it goes to, if it does."""
        faults = len(self.faults)
        were = "they were" if faults > 1 else "it was"
        yield f"{counted(self._games, 'game')} with tags; {faults or 'nothing'} passed on as {were}"
        if not self._games:
            return
        yield ""
        yield from text_tables.plain(
            ("ended by", "games", f"tables: {_ASKED[0]}", *_ASKED[1:]),
            [
                (finish, asked.total(), *(asked[name] if finish in DRAWS else "" for name in _ASKED))
                for finish, asked in self._finishes.items()
                if asked
            ],
            width,
        )
        yield ""
        yield from text_tables.plain(*self._results_table(), width)
        if self._tables:
            yield ""
            yield from text_tables.plain(
                ("decided by", "improved", "stands", "longest DTG", "50 moves may come first"), self.tables, width
            )
        if self._missing:
            yield ""
            yield from text_tables.plain(("missing", "games"), self.missing, width)
        yield from self.proofs.lines(width)
        yield ""
        yield from self._crosstable_lines(top, width)

    def _results_table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """How often each side held a result, and its points for that: under a komi they are not the same for both."""
        heads, rows = ["result", "White", "Black", "points"], []
        for level, white, black in self.results:
            held_by_white, held_by_black = outcome.held_by_white(level), outcome.held_by_black(level)
            as_white, as_black = self.scheme.points(held_by_white), 1 - self.scheme.points(held_by_black)
            rows.append([outcome.text(held_by_white), white, black, decimal(as_black, 6)])
            if self.scheme.komi is not None:
                rows[-1].insert(2, decimal(as_white, 6))
        if self.scheme.komi is not None:
            heads.insert(2, "points")
        return heads, rows

    def _crosstable_lines(self, top: int, width: int | None) -> Iterator[str]:
        rows = self._crosstable.rows(self._score, self._mobility)
        levels = [outcome.gscore(level) for level in range(1, 1 + _BALANCES)]
        opponents = [row.player for row in rows] if len(rows) <= min(top, _MOST_OPPONENTS) else []
        score = self._score
        yield (
            f"#   by points ({score.title}), direct encounter, then the sum of r-mobility points "
            f"({self._mobility.title})"
        )
        yield "##  by points, direct encounter, then the number of G0.5 given minus suffered, then of G1.0 ..."
        yield from text_tables.plain(
            ("#", "##", "player", "games", "points", "sum", *levels, *map(str, range(1, 1 + len(opponents)))),
            [
                (
                    row.place,
                    row.place_by_balance,
                    row.player,
                    row.games,
                    _short(row.score),
                    decimal(row.mobility),
                    *(f"{count:+d}" if count else "0" for count in (*row.balance, *[0] * _BALANCES)[:_BALANCES]),
                    *self._against(row.player, opponents),
                )
                for row in rows[:top]
            ],
            width,
            words=2,
        )
        if len(rows) > top:
            yield f"... and {len(rows) - top} more"

    def _against(self, player: str, opponents: Sequence[str]) -> Iterator[str]:
        found = self._crosstable.against(player, self._score)
        for opponent in opponents:
            games, points = found.get(opponent, (0, Fraction(0)))
            yield f"{_short(points)}/{games}" if games else ""


def _asked(found: Decision) -> str:
    """What tables said of a game, in a word of `_ASKED`."""
    if found.reach is Reach.ANSWERED:
        return "stands" if found.basis is Basis.STANDS else "improved"
    return str(found.reach)


def _short(points: Fraction) -> str:
    return f"{float(points):g}"
