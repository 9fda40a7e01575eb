"""Under which conditions the games of a match are played, and the tags that say so in each of them."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tbgen.errors import BadInput
from tbgen.referee.match.adjudication import DrawRule, ResignRule
from tbgen.referee.match.contestants import Contestant
from tbgen.referee.syzygy import MOST_MEN
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.scoring import Komi, Scoring
from tbgen.rules.tags import CUTOFF, FIFTY, KOMI, RULE_SET, RULES, SCORING, write_rules, write_tags

MARGIN: Final = 0.1
"""Seconds over the limit that are forgiven: a machine that is busy makes everybody late."""

PATIENCE: Final = 60.0
"""Seconds of silence from an engine without a clock."""

OPENINGS: Final = "RMobilityOpenings"
"""Our own: which openings, in which order."""
ADJUDICATION: Final = "RMobilityAdjudication"
"""Our own: what ends a game before its end."""
_TIME: Final = "TimeControl"
_OPTIONS: Final = "Options"
_COLOURS: Final = ("White", "Black")
COMPARED: Final = (
    RULES, RULE_SET, FIFTY, SCORING, CUTOFF, KOMI, ADJUDICATION, OPENINGS, _TIME,
    *(f"{colour}{name}" for name in (_TIME, _OPTIONS) for colour in _COLOURS),
)  # fmt: skip
"""The tags in which all games of a match have to agree."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What holds for all games of a match."""

    rules: RuleSet
    scoring: Scoring
    own_komi: bool = True
    """An opening's own komi goes before the one in the scoring."""
    tables: Path | None = None
    """Own tables, which end a game as soon as they cover it."""
    syzygy: tuple[Path, ...] = ()
    """Directories of Syzygy tables, which end a game as soon as they call it won."""
    syzygy_men: int = MOST_MEN
    resign: ResignRule | None = None
    draw: DrawRule | None = None
    margin: float = MARGIN
    patience: float = PATIENCE
    longest: int | None = None
    """Moves of each side after which the record stands."""
    openings: str = ""
    """The openings and their order."""

    def tags(self, white: Contestant, black: Contestant) -> dict[str, str]:
        """What a game of these two says of its conditions."""
        tags: dict[str, str] = {}
        if white.control == black.control:
            tags[_TIME] = str(white.control)
        for colour, one in zip(_COLOURS, (white, black), strict=True):
            if white.control != black.control:
                tags[f"{colour}{_TIME}"] = str(one.control)
            if one.options:
                tags[f"{colour}{_OPTIONS}"] = "; ".join(f"{name}={value}" for name, value in one.options.items())
        if self.openings:
            tags[OPENINGS] = self.openings
        adjudication = "; ".join(self._adjudication())
        if adjudication:
            tags[ADJUDICATION] = adjudication
        write_rules(tags, self.rules)
        return tags

    def _adjudication(self) -> Iterator[str]:
        if self.tables is not None:
            yield "tables"
        if self.syzygy:
            yield f"Syzygy, {self.syzygy_men} men"
        for rule in (self.resign, self.draw):
            if rule is not None:
                yield str(rule)
        if self.longest is not None:
            yield f"{self.longest} moves"

    def komi_with(self, komi: Komi | None) -> Komi | None:
        """The komi of a game whose opening brings this one along, also where only other scorings look at it."""
        return self.scoring.komi if komi is None or not self.own_komi else komi

    def scoring_with(self, komi: Komi | None) -> Scoring:
        """The scoring of a game whose opening brings this komi along."""
        return self.scoring.under(komi=self.komi_with(komi))

    def write_result(self, tags: MutableMapping[str, str], result: int | None, komi: Komi | None) -> None:
        """Write what a game has come to whose opening brings this komi along."""
        write_tags(tags, result, self.scoring_with(komi), self.rules)
        own_komi = self.komi_with(komi)
        if own_komi is not None:
            tags[KOMI] = str(own_komi)

    def check(self, found: Mapping[str, str], white: Contestant, black: Contestant, komi: Komi | None) -> None:
        """BadInput if a game that bears these tags was played under other conditions; the komi is its opening's."""
        wanted = self.tags(white, black)
        self.write_result(wanted, None, komi)
        for name in COMPARED:
            if found.get(name) != wanted.get(name):
                there, here = (f"is {tags[name]}" if name in tags else "is missing" for tags in (found, wanted))
                raise BadInput(f"the PGN file was played under other conditions: {name} {there} there, and {here} here")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What holds for all games of a match."""

    engines: Sequence[Contestant]
    conditions: Conditions
    event: str = "tbgen match"
    site: str = "?"
    comments: tuple[str, ...] = ()
    """What else of an engine's thinking stands behind its moves: keys of `export.MORE`."""
    record_in_fen: bool = False
    """Whether the tag `FEN` of games has the record as its seventh field."""
    wait: float = 0.0
    """Seconds between two games."""
    live: bool = False
    """Whether running games are watched."""
    log: Path | None = None
    """The file for all that engines say and are told."""
