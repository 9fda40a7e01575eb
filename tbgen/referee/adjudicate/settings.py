"""How to judge games: the scoring, the rules, and what tables have a say in."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tbgen.errors import BadInput
from tbgen.referee.adjudicate.finish import BY_DEFAULT
from tbgen.referee.syzygy import MOST_MEN
from tbgen.rules.rulesets import OTB, FiftyMoves, RuleSet, W, bare_name, rule_set
from tbgen.rules.scoring import Exponential, FullPoints, OverTheBoard, Scoring, scoring

SHORT_RULE_SETS: Final = ("W", "C", "C-legacy", OTB.name)
"""The names of rule sets that a tournament may have been played under."""


def rule_set_name(words: str) -> str:
    """One of these in any spelling; what is none as it is."""
    return next((name for name in SHORT_RULE_SETS if bare_name(name) == bare_name(words)), words)


_EXPONENTIAL: Final = Exponential()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to judge."""

    scheme: Scoring = _EXPONENTIAL
    own_komi: bool = True
    """Where a komi decides, a game's own goes before the one in the scheme."""
    rules: RuleSet = W
    own_rules: bool = True
    """Games whose tags say by which rule set they were played are judged by it."""
    cutoff: int | None = None
    """The cutoff of rules and scoring, whatever a game's own is; None: the game's."""
    fifty: FiftyMoves | None = None
    """The form of the 50-move rule, whatever rule set they are judged by; None: the rule set's."""
    own_tables: bool = True
    """The same of `r` and `wg`."""
    own_scoring: bool = True
    """The same of the scoring."""
    tables: Path | None = None
    """Where the tables are; None: nobody is to look."""
    syzygy: tuple[Path, ...] = ()
    """Directories of Syzygy tables: what they call won, and r-mobility tables do not know, is G0.0."""
    syzygy_men: int = MOST_MEN
    decide: frozenset[str] = BY_DEFAULT
    """The draws that tables decide; with `CURSED` those that may be cursed, too, but only by mate."""
    strict: bool = False
    """Whether a missing table is an error."""
    record_in_fen: bool = False
    """Whether the tag `FEN` gets the record as its seventh field."""


def make_settings(
    *,
    scoring_name: str | None = None,
    cutoff: str | None = None,
    komi: str | None = None,
    rules_name: str | None = None,
    fifty: str | None = None,
    whole_game: bool | None = None,
    tables: Path | None = None,
    decide: frozenset[str] = BY_DEFAULT,
    strict: bool = False,
) -> Settings:
    """Settings from what a user wrote, None being nothing; BadInput for a cutoff or komi that would have no effect."""
    rules = rule_set(rules_name or "W", fifty=fifty, cutoff=cutoff)
    scheme = scoring(scoring_name or (OTB.name if rules.name == OTB.name else "exponential"), komi=komi)
    if komi is not None and not isinstance(scheme, FullPoints):
        raise BadInput(f"{scheme.title} scoring knows no komi (komi and full do)")
    if cutoff is not None:
        scheme = scheme.under(rules.cutoff)
        if scheme.cutoff is None and not rules.fifty.has_cutoff:
            raise BadInput(f"{scheme.title} scoring knows no cutoff (winner, komi and otb do)")
    elif isinstance(scheme, OverTheBoard):
        rules = replace(rules, cutoff=scheme.cutoff)  # one tag says both
    return Settings(
        scheme=scheme,
        own_komi=komi is None,
        rules=replace(rules, whole_game=bool(whole_game)),
        own_rules=rules_name is None,
        cutoff=None if cutoff is None else rules.cutoff,
        fifty=None if fifty is None else rules.fifty,
        own_tables=whole_game is None,
        own_scoring=scoring_name is None,
        tables=tables,
        decide=decide,
        strict=strict,
    )
