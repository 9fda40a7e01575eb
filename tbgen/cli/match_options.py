"""The options of `tbgen match`."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Final

from tbgen.cli.common import (
    add_output,
    add_record_in_fen,
    add_rules,
    add_syzygy,
    at_once,
    directory,
    processors,
    seconds,
    some_seconds,
    whole_number,
)
from tbgen.cli.parser import Group
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.settings import SHORT_RULE_SETS, rule_set_name
from tbgen.referee.match.conditions import MARGIN, PATIENCE
from tbgen.referee.match.export import MORE
from tbgen.referee.match.standings import ERROR_BARS, TIEBREAK
from tbgen.referee.match.systems import SYSTEMS
from tbgen.rules.rulesets import FIFTY_MOVES
from tbgen.rules.scoring import SCORINGS, scoring_name
from tbgen.rules.variants import CHESS, VARIANTS, Variant, named

_STANDARD: Final = "standard"
CHESS960: Final = "chess960"
_VARIANTS: Final = (_STANDARD, CHESS960, *(variant.uci for variant in VARIANTS if variant is not CHESS))

_MOST_GAMES: Final = 1_000_000
"""Two engines may play no more: their pairings are written down beforehand."""

EPILOG = """\
about an engine, as key=value (with --each: about all of them):
  cmd=stockfish           the program with its arguments
  name=SF                 what to call it
  conf=SF                 the engine of this name in the file of --engines
  dir=DIR                 where it runs
  option.Hash=16          a UCI option; "option.Move Overhead=5" with a space
  tc=60+0.6               its clock: [MOVES/][[H:]MINUTES:]SECONDS[+INCREMENT]
  movetime=1  nodes=10000  depth=12
                          other limits; what is given holds together
  margin=0.5              seconds over the time forgiven, if not --margin
  start=300               seconds it may take to start (default: 60)
  restart=yes             another process for every game
  ponder=yes              let it think on the other side's time
  whitepov=yes            its scores are White's, also when it is Black
  proto=xboard            an engine of Winboard's protocol
  initstr="LINE\\nLINE"   what it is told before all else
  elo=3400                for the PGN tags
  record=no               do not tell it the record of the start position:
                          the FEN bears it in a seventh field

rules, as --rules-set:
  W         the tournament's wiki: tables win also beyond the 50-move rule
  C         cuteRMob: a better record restarts the 50-move count; bare kings end
  C-legacy  cuteRMob's older form: as C, with W's 50-move rule
  otb       the game over the board: scores up to G3.5 count, and 50 moves are
            counted from the last entry on the score sheet (see: tbgen sheet);
            with --cutoff G5.0 scores up to G4.5 count
the 50-move rule, as --fifty:
  classic   after 100 plies without capture or pawn move the record stands;
            also called fide
  iccf      the same, but only with eight men or more
  general   as sheet, but any better record restarts the count
  cutermob  the same, but a better record below the cutoff restarts the count,
            also with the last of these plies
  sheet     as cutermob, but what the last of these plies scores comes too late
  ignored   the game goes on

formats:
  round-robin  everybody plays everybody
  gauntlet     the first --seeds engines play all others
  swiss        --rounds rounds among those who are level
  knockout     who loses an encounter is out; a level one is prolonged
  pyramid      each engine plays all that stand before it

examples:
  tbgen match --engine cmd=stockfish name=A --each tc=10+0.1 \\
              --engine cmd=stockfish name=B option.Hash=64 \\
              --openings book.pgn --order random --rounds 50 --pgn match.pgn
  tbgen match --engine cmd=new --engine cmd=old --each tc=10+0.1 \\
              --openings book.epd --rounds 5000 --sprt elo0=0 elo1=5 \\
              --tables data --concurrency 8 --pgn test.pgn
  tbgen match --engine "cmd=tbgen uci --tables data" --engine cmd=stockfish \\
              --each nodes=10000 ...

With --pgn a match that was stopped goes on where it was when the same command
is given again; a file that no such match has written is refused. An engine that
crashes, is silent, plays an illegal move, loses on time or does not start loses
the game (G0.0) and is started again. docs/match.md has cutechess-cli's and
fastchess's options beside these.
"""


def variant_called(name: str) -> Variant:
    """The variant that --variant names."""
    return named(name) or CHESS


def _variant_name(words: str) -> str:
    """A variant's name as UCI has it; what is none as it is."""
    with suppress(BadInput):
        variant = named(words)
        if variant is not None and variant is not CHESS:
            return variant.uci
    return words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _add_players(parser.add_argument_group("players"))
    _add_openings(parser.add_argument_group("openings"))
    _add_schedule(parser.add_argument_group("schedule"))
    _add_rules(parser.add_argument_group("rules and scoring"))
    _add_ends(parser.add_argument_group("ends of games"))
    _add_pgn(parser.add_argument_group("games as PGN"))
    _add_results(parser.add_argument_group("results"))
    output = add_output(parser)
    output.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="an HTML page of the match, to watch while it goes on, and a folder beside it",
    )
    output.add_argument("--log", type=Path, metavar="FILE", help="write down all that engines say and are told")


def _add_players(group: Group) -> None:
    group.add_argument("--engine", nargs="+", action="append", metavar="KEY=VALUE", help="an engine, see below")
    group.add_argument(
        "--engines", type=Path, metavar="JSON", help="engines from a file, also Cute Chess's engines.json: conf=NAME"
    )
    group.add_argument("--each", nargs="+", default=[], metavar="KEY=VALUE", help="what holds for all engines")


def _add_openings(group: Group) -> None:
    group.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help="PGN, also of whole games; polyglot book (.bin); else one EPD or FEN, with or without record, a line; "
        "each also packed (.gz, .bz2, .xz, .zst)",
    )
    group.add_argument("--order", choices=("sequential", "random"), default="sequential", help="of the openings")
    group.add_argument("--seed", type=whole_number(0), default=0, metavar="N", help="of the random order")
    group.add_argument(
        "--plies", type=whole_number(0), metavar="N", help="how many plies of an opening to play at most"
    )
    group.add_argument("--start", type=whole_number(1), default=1, metavar="N", help="the first opening of the order")
    group.add_argument(
        "--opening-per",
        choices=("round", "pair"),
        default="round",
        help="whether all pairs of engines play the same opening in a round, or each its own",
    )
    group.add_argument(
        "--reuse",
        action=argparse.BooleanOptionalAction,
        help="when all openings have been played: play them again, or end the match (default: a match that needs more "
        "is refused)",
    )
    group.add_argument("--no-swap", action="store_true", help="play each opening once, without changing colours")
    group.add_argument("--reverse", action="store_true", help="begin with the other colours")
    group.add_argument(
        "--variant",
        type=_variant_name,
        choices=_VARIANTS,
        default=_STANDARD,
        metavar="NAME",
        help=f"what all openings are of: {', '.join(_VARIANTS)} (default: {_STANDARD}, or Chess960 where an opening's "
        "castling rights say so)",
    )


def _add_schedule(group: Group) -> None:
    group.add_argument("--format", choices=tuple(SYSTEMS), default="round-robin", help="default: round-robin")
    group.add_argument("--gauntlet", action="store_true", help="the same as --format gauntlet")
    group.add_argument(
        "--seeds", type=whole_number(1), default=1, metavar="N", help="engines that play all others in a gauntlet"
    )
    group.add_argument(
        "--games",
        type=whole_number(1, _MOST_GAMES),
        metavar="N",
        help="for each pair that meets (default: 2; 1 with --no-swap)",
    )
    group.add_argument(
        "--rounds",
        type=whole_number(1, _MOST_GAMES // 2),
        metavar="N",
        help="in place of --games: pairs of games, colours swapped; of a swiss, how many rounds (default: as many "
        "as find a winner)",
    )
    group.add_argument("--concurrency", type=at_once, default=1, metavar="N", help="games at a time")
    group.add_argument(
        "--affinity",
        nargs="?",
        const="",
        type=processors,
        metavar="CPUS",
        help="give each game processors of its own, of these (as in 0,2,4-7) or all",
    )
    group.add_argument("--wait", type=seconds, default="0", metavar="S", help="seconds between the games of each place")


def _add_rules(group: Group) -> None:
    group.add_argument("--rules-set", type=rule_set_name, choices=SHORT_RULE_SETS, default="W", help="what ends a game")
    add_rules(group)
    group.add_argument("--fifty", choices=tuple(FIFTY_MOVES), help="form of the 50-move rule, if not the rule set's")
    group.add_argument("--cutoff", metavar="G", help="of rules and scorings that have one (default: G6.0; otb: G4.0)")
    group.add_argument(
        "--scoring", type=scoring_name, choices=tuple(SCORINGS), help="default: exponential; otb under the rules otb"
    )
    group.add_argument("--komi", metavar="G", help="as in G5.75 or -G3.25, also against an opening's own")
    group.add_argument(
        "--default-komi", metavar="G", help="komi of openings that have none of their own (default: G5.75)"
    )


def _add_ends(group: Group) -> None:
    group.add_argument("--tables", type=directory, metavar="DIR", help="end games as soon as these tables cover them")
    add_syzygy(group, "win the game as soon as these Syzygy tables say so")
    group.add_argument(
        "--resign", nargs="+", metavar="KEY=VALUE", help="movecount=3 score=600 [twosided=true]: a loss by scores"
    )
    group.add_argument(
        "--draw", nargs="+", metavar="KEY=VALUE", help="movenumber=34 movecount=8 score=20: the record stands"
    )
    group.add_argument(
        "--max-moves", type=whole_number(1), metavar="N", help="moves of each side after which the record stands"
    )
    group.add_argument(
        "--margin", type=seconds, default=f"{MARGIN:g}", metavar="S", help="seconds over the time forgiven"
    )
    group.add_argument(
        "--patience",
        type=some_seconds,
        default=f"{PATIENCE:g}",
        metavar="S",
        help="seconds of silence allowed without a clock",
    )


def _add_pgn(group: Group) -> None:
    group.add_argument("--pgn", type=Path, metavar="FILE", help="where the games go, one by one; also to resume from")
    group.add_argument(
        "--pgn-more",
        nargs="+",
        choices=MORE,
        default=[],
        metavar="NAME",
        help=f"what else of its engine's thinking stands behind a move: {', '.join(MORE)} (seconds on the clock)",
    )
    add_record_in_fen(group)
    group.add_argument("--event", default="tbgen match", metavar="NAME", help="the PGN tag")
    group.add_argument("--site", default="?", metavar="NAME", help="the PGN tag")


def _add_results(group: Group) -> None:
    group.add_argument(
        "--sprt",
        nargs="+",
        metavar="KEY=VALUE",
        help="elo0=0 elo1=5 alpha=0.05 beta=0.05 model=bayesian, normalized or logistic",
    )
    group.add_argument(
        "--error-bars",
        choices=ERROR_BARS,
        default=ERROR_BARS[0],
        help="from the spread of pairs of games with one opening, where there are such (default), or of single games",
    )
    group.add_argument(
        "--tiebreak",
        metavar="NAMES",
        default=TIEBREAK,
        help=f"in their order (default: {TIEBREAK}); also balance, wins, forfeits",
    )
    group.add_argument(
        "--every",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="print the table every N games (default: at the end)",
    )
