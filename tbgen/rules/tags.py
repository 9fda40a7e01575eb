"""The PGN tags of r-mobility games: what they are called, and what they say.

Tags come as a mapping from names to values; pgn/tags.py reads and writes the text of a tag section.
"""

from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

import chess

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.rules.fen import Fen, read_fen, with_record
from tbgen.rules.record import standing
from tbgen.rules.rulesets import C_LEGACY, FIFTY_MOVES, C, RuleSet, W, bare_name, named, parse_cutoff, rule_set
from tbgen.rules.scoring import Komi, Scoring, points_text, scoring
from tbgen.rules.variants import CHESS, Variant, of
from tbgen.rules.variants import named as variant_named

RESULT: Final = "RMobilityResult"
OVERRULED: Final = "RMobilityOverruled"
"""A tag of tbgen: the result that stood there before another replaced it."""
POINTS: Final = "Points"
SCORING: Final = "RMobilityScoring"
CUTOFF: Final = "RMobilityCutoff"
KOMI: Final = "Komi"
LEGACY: Final = "Legacy"
TERMINATION: Final = "RMobilityTermination"
"""A tag of tbgen: what the result rests on."""
RECORD: Final = "RMobilityRecord"
"""A tag of tbgen: the record of the start position, for other readers refuse it as a FEN's seventh field."""
RULES: Final = "RMobilityRules"
"""A tag of tbgen: `r` or `wg`."""
RULE_SET: Final = "RMobilityRuleSet"
VARIANT: Final = "Variant"
FIFTY: Final = "RMobilityFifty"
"""A tag of tbgen: the form of the 50-move rule."""

_RULES: Final = frozenset({CUTOFF, LEGACY, RULES, RULE_SET, FIFTY})
"""Tags that say by which rules a game was played."""
_OF_CUTERMOB: Final = frozenset({C.name, C_LEGACY.name})
"""Rule sets whose games always bear the tag `RMobilityCutoff`."""

NO_RESULT: Final = "*"

_TABLE_RULES: Final = {rules.value: rules for rules in TableRules}
_DENIALS: Final = frozenset({"0", "-", "no", "false"})
_UNKNOWN: Final = frozenset({"", "?", "-", NO_RESULT})
_CHESS960: Final = frozenset({"chess960", "960", "fischerandom", "fischerrandom", "frc", "doublefischerrandom", "dfrc"})


def write_tags(headers: MutableMapping[str, str], result: int | None, scheme: Scoring, rules: RuleSet = W) -> None:
    """Put the r-mobility tags of a game into its headers; `Result` is never touched.

    `RMobilityCutoff`, `Komi` and `Legacy` say how a game was to be played: they are written where they apply and do
    not say so already, and left alone otherwise.
    """
    headers[RESULT] = NO_RESULT if result is None else outcome.text(result)
    headers[POINTS] = NO_RESULT if result is None else points_text(scheme.points(result), whole=scheme.whole)
    headers[SCORING] = scheme.title
    cutoff = applied_cutoff(scheme, rules)
    if cutoff is not None:
        headers[CUTOFF] = outcome.gscore(cutoff)
    if scheme.komi is not None and not _is_komi(headers.get(KOMI), scheme.komi):
        headers[KOMI] = str(scheme.komi)
    if rules.legacy and not is_legacy(headers.get(LEGACY)):
        headers[LEGACY] = ""


def applied_cutoff(scheme: Scoring, rules: RuleSet) -> int | None:
    """Return the cutoff under which games are played, if there is one. In cuteRMob there always is."""
    if scheme.cutoff is None and (rules.fifty.has_cutoff or rules.name in _OF_CUTERMOB):
        return rules.cutoff
    return scheme.cutoff


def write_rules(headers: MutableMapping[str, str], rules: RuleSet) -> None:
    """Say which rules a game was played by."""
    headers[RULES] = rules.of_tables
    headers[RULE_SET] = rules.name
    headers[FIFTY] = rules.fifty.name


def rules_of(headers: Mapping[str, str], otherwise: RuleSet = W) -> RuleSet:
    """The rules that a game was played by, as far as its tags say.

    A cutoff without the name of a rule set is cuteRMob's, whose games always bear it.
    """
    told = {name: value for name, value in headers.items() if value.strip() not in _UNKNOWN}
    rules = otherwise
    if RULE_SET in told:
        named_one = rule_set(told[RULE_SET])
        rules = replace(named_one, whole_game=named_one.whole_game or otherwise.whole_game)
    elif is_legacy(headers.get(LEGACY)):  # which needs no value
        rules = replace(C_LEGACY, whole_game=otherwise.whole_game)
    elif CUTOFF in told:
        rules = replace(C, whole_game=otherwise.whole_game)
    if FIFTY in told:
        rules = replace(rules, fifty=named(told[FIFTY], FIFTY_MOVES, "form of the 50-move rule"))
    if CUTOFF in told:
        rules = replace(rules, cutoff=parse_cutoff(told[CUTOFF]))
    if RULES in told:
        rules = replace(rules, whole_game=named(told[RULES], _TABLE_RULES, "rules") is TableRules.WHOLE_GAME)
    return rules


def begin(
    headers: Mapping[str, str], rules: RuleSet = W, *, own_rules: bool = True, own_tables: bool = True
) -> tuple[RuleSet, Fen]:
    """By which rules a game was played, and how it began; BadInput if no such game is played here.

    The rules are these, except for what its tags say of them: `own_rules` is whether they are asked for the rule set,
    `own_tables` for `r` and `wg`.
    """
    if says_rules(headers):
        own = rules_of(headers, rules)
        rules = replace(own if own_rules else rules, whole_game=own.whole_game if own_tables else rules.whole_game)
    return rules, read_start(headers, whole_game=rules.whole_game)


def says_rules(headers: Mapping[str, str]) -> bool:
    """Whether tags say by which rules a game was played."""
    return not _RULES.isdisjoint(headers)


def variant_of(headers: Mapping[str, str]) -> Variant:
    """What is played. A name that is no variant's may be one for a way of scoring: other moves will be noticed."""
    return variant_named(headers.get(VARIANT, "")) or CHESS


def is_legacy(value: str | None) -> bool:
    """Whether a game with this tag `Legacy`, or none, was played by the older rules. The tag needs no value."""
    return value is not None and value.strip().casefold() not in _DENIALS


def _is_komi(value: str | None, komi: Komi) -> bool:
    """Whether a tag says this komi, in any spelling."""
    try:
        return value is not None and Komi.parse(value.strip()) == komi
    except BadInput:
        return False


def result_of(headers: Mapping[str, str]) -> int | None:
    """The result that the tags of a game tell; None where they tell none."""
    told = _known(headers, RESULT)
    return None if told is None else outcome.parse(told)


def overruled_by(headers: Mapping[str, str], result: int) -> str | None:
    """Return the result that the tags tell, in their words, where it is another one than this."""
    stated = _known(headers, RESULT)
    with suppress(BadInput):
        if stated is None or outcome.parse(stated) == result:
            return None
    return stated


def komi_of(headers: Mapping[str, str]) -> Komi | None:
    """The komi that they tell."""
    told = _known(headers, KOMI)
    return None if told is None else Komi.parse(told)


def cutoff_of(headers: Mapping[str, str]) -> int | None:
    """The cutoff that they tell."""
    cutoff = _known(headers, CUTOFF)
    return None if cutoff is None else parse_cutoff(cutoff)


def scoring_of(headers: Mapping[str, str]) -> Scoring | None:
    """The scoring that they name, with the cutoff and komi that they tell."""
    title = _known(headers, SCORING)
    return None if title is None else as_played(scoring(title), headers)


def as_played(scheme: Scoring, headers: Mapping[str, str]) -> Scoring:
    """Return this scoring with the cutoff and komi that they tell, where it has any use for them."""
    return scheme.under(cutoff_of(headers), komi_of(headers) if scheme.takes_komi else None)


def _known(headers: Mapping[str, str], name: str) -> str | None:
    """What a tag says; None where it is missing or says nothing."""
    value = headers.get(name, "").strip()
    return None if value in _UNKNOWN else value


def read_start(headers: Mapping[str, str], *, whole_game: bool = False) -> Fen:
    """The start of a game, whose record is in a tag of its own or in the seventh field of the tag `FEN`."""
    chess960 = bare_name(headers.get(VARIANT, "")) in _CHESS960
    variant = variant_of(headers)
    written = headers.get("FEN", "").strip()
    if written in _UNKNOWN:
        return Fen(variant.board(chess960=chess960), None)
    record = headers.get(RECORD, "").strip()
    if record not in _UNKNOWN:
        written = with_record(written, record)
    return read_fen(written, whole_game=whole_game, chess960=chess960, variant=variant)


def fen_with_record(headers: Mapping[str, str], start: Fen, *, whole_game: bool = False) -> str | None:
    """Return the tag `FEN` of a game that starts so, with the record in its seventh field; None where it has none."""
    fen = _known(headers, "FEN")
    stands = standing(start.board, start.record, whole_game=whole_game)
    return None if fen is None else with_record(fen, outcome.text(stands.outcome))


def write_start(
    headers: MutableMapping[str, str],
    board: chess.Board,
    record: int | None,
    *,
    record_in_fen: bool = False,
    whole_game: bool = False,
) -> None:
    """Say how a game starts, unless as usual; with the record that its start brings along, if any.

    `record_in_fen`: the tag `FEN` ends with the record as its seventh field, as in cuteRMob's files.
    """
    variant = of(board)
    if variant is not CHESS or board.chess960:
        headers[VARIANT] = "Chess960" if variant is CHESS else variant.name
    fen = fen_of_start(board, record)
    if fen is not None:
        headers["SetUp"] = "1"
        headers["FEN"] = fen
    if record is not None:
        headers[RECORD] = outcome.text(record)
    if record_in_fen and (fen := fen_with_record(headers, Fen(board, record), whole_game=whole_game)):
        headers["FEN"] = fen


def fen_of_start(board: chess.Board, record: int | None) -> str | None:
    """The FEN of a game's start; None for the usual one."""
    fen = board.fen()
    return None if fen == type(board).starting_fen and not board.chess960 and record is None else fen
