"""Rule sets by name: what ends a game, as data.

`W` is the tournament's wiki and the default; `C` and `C legacy` are the two modes of cuteRMob, the
cutechess fork; `wg` is whole-game mobility, in which nothing resets; `otb` is the game over the board, in which
50 moves are counted from the last entry on the score sheet. Variations are made with
`rule_set("W", fifty="ignored", cutoff="G4.5")` or `dataclasses.replace`.

A mate or stalemate counts whenever it is on the board, also on the ply that completes 50 moves, and
under every rule set: the programme itself loses sight of both there in its legacy mode.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeVar

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, check_kind, quoted

DEFAULT_CUTOFF: Final = 12
"""The level of G6.0: from here on, some scorings and rules see no difference."""

SHEET_LEVEL: Final = 7
"""The level of G3.5: over the board nothing weaker is written down, unless another cutoff is agreed on."""

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True)
class FiftyMoves:
    """A form of the 50-move rule."""

    name: str

    plies: int | None
    """The count of plies without capture or pawn move that ends the game; None: it never does."""

    closing_counts: bool
    """Whether the position that completes the count improves the record. Mate and stalemate do."""

    improvement_restarts: bool
    """Whether the count also restarts when a record below the cutoff is set."""

    any_improvement: bool = False
    """Whether a record from the cutoff on restarts it as well."""

    least_men: int = 0
    """With fewer men on the board the count ends nothing."""

    def limit(self, men: int) -> int | None:
        """The count that ends the game with so many men on the board; None: none does."""
        return self.plies if men >= self.least_men else None

    @property
    def has_cutoff(self) -> bool:
        """Whether a cutoff says which records restart the count."""
        return self.improvement_restarts and not self.any_improvement

    def restarts(self, level: int, cutoff: int) -> bool:
        """Whether a record of this level, just set, restarts the count."""
        return self.improvement_restarts and (self.any_improvement or level < cutoff)

    def __str__(self) -> str:
        return self.name


IGNORED: Final = FiftyMoves("ignored", None, closing_counts=True, improvement_restarts=False)
CLASSIC: Final = FiftyMoves("classic", 100, closing_counts=False, improvement_restarts=False)
CUTERMOB: Final = FiftyMoves("cutermob", 100, closing_counts=True, improvement_restarts=True)
SHEET: Final = FiftyMoves("sheet", 100, closing_counts=False, improvement_restarts=True)
ICCF: Final = FiftyMoves("iccf", 100, closing_counts=False, improvement_restarts=False, least_men=8)
"""Of correspondence chess, where tables of seven men decide, which do not count moves."""
GENERAL: Final = FiftyMoves("general", 100, closing_counts=False, improvement_restarts=True, any_improvement=True)

FIFTY_MOVES: Final[Mapping[str, FiftyMoves]] = MappingProxyType(
    {form.name: form for form in (IGNORED, CLASSIC, CUTERMOB, SHEET, ICCF, GENERAL)} | {"fide": CLASSIC}
)
"""Forms by their names. FIDE's is the classic one."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What ends a game, besides mate and stalemate, which always do."""

    name: str

    fifty: FiftyMoves = CLASSIC

    repetitions: int | None = 3
    """How often a position has to occur to end the game; None: it may for ever."""

    bare_kings: int | None = None
    """How many positions of G8.5 in a row, the kings alone, end the game; None: none do."""

    whole_game: bool = False
    """Whether the record survives captures and pawn moves."""

    cutoff: int = DEFAULT_CUTOFF
    """The level from which on an improvement does not restart the count of 50 moves."""

    adjudicates_draws: bool = True
    """Whether a game may be ended because tables know, or both engines say, that it is not won."""

    legacy: bool = False
    """Whether the games bear the tag `Legacy`."""

    @property
    def of_tables(self) -> TableRules:
        """The rules of the tables that know these games."""
        return TableRules.WHOLE_GAME if self.whole_game else TableRules.RESET

    def __str__(self) -> str:
        return self.name


W: Final = RuleSet("W")
C: Final = RuleSet("C", fifty=CUTERMOB, bare_kings=2, adjudicates_draws=False)
C_LEGACY: Final = RuleSet("C legacy", bare_kings=2, adjudicates_draws=False, legacy=True)
WG: Final = RuleSet("wg", whole_game=True)
OTB: Final = RuleSet("otb", fifty=SHEET, cutoff=SHEET_LEVEL + 1)

RULE_SETS: Final[Mapping[str, RuleSet]] = MappingProxyType({rules.name: rules for rules in (W, C, C_LEGACY, WG, OTB)})


def rule_set(name: str = "W", *, fifty: str | None = None, cutoff: str | int | None = None) -> RuleSet:
    """A rule set by its name, with another form of the 50-move rule or another cutoff if given."""
    rules = named(name, RULE_SETS, "rule set")
    if fifty is not None:
        rules = replace(rules, fifty=named(fifty, FIFTY_MOVES, "form of the 50-move rule"))
    if cutoff is not None:
        rules = replace(rules, cutoff=parse_cutoff(cutoff))
    return rules


def check_rules(rules: object) -> None:
    """BadInput for what is no rule set."""
    check_kind(rules, RuleSet, "a rule set", "rule_set in tbgen.rules.rulesets makes one from its name")


def parse_cutoff(words: str | int) -> int:
    """The level that a cutoff stands for: `G6.0`, or the level 12 itself. It may be above that of any position."""
    if isinstance(words, str):
        level, is_blacks = outcome.parse_gscore(words)
        if is_blacks:
            raise BadInput(f"a score for both sides bears no sign: {quoted(words)}")
        return level
    if words < 0:
        raise BadInput(f"no cutoff: level {words}")
    return words


def named(name: str, known: Mapping[str, _Thing], what: str) -> _Thing:
    """What is known by a name, in any spelling."""
    wanted = bare_name(name)
    for key, value in known.items():
        if bare_name(key) == wanted:
            return value
    raise BadInput(f"no such {what}: {quoted(name)} (there are: {', '.join(known)})")


def bare_name(name: str) -> str:
    """A name without what spellings differ in: "Chess 960", "chess-960"; "RMobility Winner", "rMobilityWinner"."""
    return "".join(filter(str.isalnum, name.casefold()))
