"""`tbgen match`: engines play each other under r-mobility rules."""

import argparse
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli.common import (
    add_json,
    add_quiet,
    add_rules,
    add_syzygy,
    at_once,
    directory,
    present_tables_directory,
    seconds,
    some_seconds,
    whole_number,
)
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.settings import SHORT_RULE_SETS, SHORT_SCORINGS, make_settings
from tbgen.rules.rulesets import FIFTY_MOVES, RuleSet
from tbgen.table_rules import TableRules

if TYPE_CHECKING:
    from tbgen.referee.match.openings import Openings
    from tbgen.referee.match.run import Plan

_MOST_GAMES: Final = 1_000_000
"""Of two engines: their pairings are written down beforehand."""

EPILOG = """\
about an engine, as key=value (with --each: about all of them):
  cmd=stockfish           the program with its arguments
  name=SF                 what to call it
  dir=DIR                 where it runs
  option.Hash=16          a UCI option; "option.Move Overhead=5" with a space
  tc=60+0.6               its clock: [MOVES/][[H:]MINUTES:]SECONDS[+INCREMENT]
  movetime=1  nodes=10000  depth=12
                          other limits; what is given holds together
  record=no               do not tell it the record of the start position:
                          the FEN bears it in a seventh field

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
is given again. An engine that crashes, is silent, plays an illegal move or
loses on time loses the game (G0.0) and is started again.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from tbgen.referee.match.conditions import MARGIN, PATIENCE
    from tbgen.referee.match.ranking import DEFAULT as TIEBREAK

    parser.add_argument("--engine", nargs="+", action="append", metavar="KEY=VALUE", help="an engine, see below")
    parser.add_argument("--each", nargs="+", default=[], metavar="KEY=VALUE", help="what holds for all engines")
    parser.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help="PGN, also of whole games; polyglot book (.bin); else one EPD or FEN, with or without record, a line; "
        "each also packed (.gz, .bz2, .zst)",
    )
    parser.add_argument("--order", choices=("sequential", "random"), default="sequential", help="of the openings")
    parser.add_argument("--seed", type=whole_number(0), default=0, metavar="N", help="of the random order (default: 0)")
    parser.add_argument(
        "--plies", type=whole_number(0), metavar="N", help="how many plies of an opening to play at most"
    )
    parser.add_argument("--start", type=whole_number(1), default=1, metavar="N", help="the first opening of the order")
    parser.add_argument(
        "--opening-per",
        choices=("round", "pair"),
        default="round",
        help="whether all pairs of engines play the same opening in a round, or each its own (default: round)",
    )
    parser.add_argument(
        "--reuse",
        action=argparse.BooleanOptionalAction,
        help="what to do when all openings have been played: play them again, or end the match",
    )
    parser.add_argument("--no-swap", action="store_true", help="play each opening once, without changing colours")
    parser.add_argument("--reverse", action="store_true", help="begin with the other colours")
    parser.add_argument(
        "--variant",
        choices=("standard", "chess960"),
        default="standard",
        help="chess960: all openings are of Chess960; else those are whose castling rights say so",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--games", type=whole_number(1, _MOST_GAMES), metavar="N", help="for each pair of engines (default: 2)"
    )
    length.add_argument(
        "--rounds",
        type=whole_number(1, _MOST_GAMES // 2),
        metavar="N",
        help="the same in pairs of games, colours swapped",
    )
    parser.add_argument("--gauntlet", action="store_true", help="only the first engine plays all others")
    parser.add_argument("--concurrency", type=at_once, default=1, metavar="N", help="games at a time (default: 1)")
    parser.add_argument("--rules-set", choices=SHORT_RULE_SETS, default="W", help="what ends a game (default: W)")
    add_rules(parser)
    parser.add_argument("--fifty", choices=tuple(FIFTY_MOVES), help="form of the 50-move rule, if not the rule set's")
    parser.add_argument("--cutoff", metavar="G", help="of rules and scorings that have one (default: G6.0)")
    parser.add_argument("--scoring", choices=SHORT_SCORINGS, default="exponential", help="default: exponential")
    parser.add_argument("--komi", metavar="G", help="as in G5.75 or -G3.25, also against an opening's own")
    parser.add_argument(
        "--default-komi",
        metavar="G",
        default=None,
        help="komi of openings that have none of their own (default: G5.75)",
    )
    parser.add_argument("--tables", type=directory, metavar="DIR", help="end games as soon as these tables cover them")
    add_syzygy(parser, "win the game as soon as these Syzygy tables say so")
    parser.add_argument(
        "--resign",
        nargs="+",
        metavar="KEY=VALUE",
        help="movecount=3 score=600 [twosided=true]: a loss by scores",
    )
    parser.add_argument(
        "--draw",
        nargs="+",
        metavar="KEY=VALUE",
        help="movenumber=34 movecount=8 score=20: the record stands",
    )
    parser.add_argument(
        "--max-moves", type=whole_number(1), metavar="N", help="moves of each side after which the record stands"
    )
    parser.add_argument(
        "--margin",
        type=seconds,
        default=MARGIN,
        metavar="S",
        help=f"seconds over the time forgiven (default: {MARGIN:g})",
    )
    parser.add_argument(
        "--patience",
        type=some_seconds,
        default=PATIENCE,
        metavar="S",
        help=f"seconds of silence allowed without a clock (default: {PATIENCE:g})",
    )
    parser.add_argument("--pgn", type=Path, metavar="FILE", help="where the games go, one by one; also to resume from")
    parser.add_argument("--event", default="tbgen match", metavar="NAME", help="the PGN tag")
    parser.add_argument("--sprt", nargs="+", metavar="KEY=VALUE", help="elo0=0 elo1=5 alpha=0.05 beta=0.05")
    parser.add_argument(
        "--tiebreak",
        metavar="NAMES",
        default=TIEBREAK,
        help=f"in their order (default: {TIEBREAK}); also balance, wins, forfeits",
    )
    parser.add_argument(
        "--every",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="print the table every N games (default: at the end)",
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="an HTML page of the match, written again after each game, to watch"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="write down all that engines say and are told")
    add_json(parser)
    add_quiet(parser)
    parser.epilog = EPILOG


def run(args: argparse.Namespace) -> int:
    from tbgen.cli.match_show import Show
    from tbgen.referee.match.ledger import Ledger
    from tbgen.referee.match.page import Page
    from tbgen.referee.match.run import Match
    from tbgen.referee.match.standings import Standings, parse_sprt

    _keep_apart({"--openings": args.openings}, {"--pgn": args.pgn, "--log": args.log, "--page": args.page})
    if args.log is not None:
        args.log.open("a").close()  # what is wrong with it is said at once
    with contextlib.ExitStack() as stack:
        plan = _plan(args)
        standings = Standings(
            [engine.name for engine in plan.setting.engines],
            plan.setting.conditions.scoring,
            args.tiebreak,
            None if args.sprt is None else parse_sprt(args.sprt),
        )
        page = None if args.page is None else Page(args.page, args.event)
        ledger = None
        if args.pgn is not None:
            ledger = stack.enter_context(Ledger(args.pgn, *([] if page is None else [page.add])))
        match = Match(plan, standings, ledger)
        show = Show(match, page, json=args.json, quiet=args.quiet, every=args.every)
        show.resumed(ledger)
        try:
            match.run(show.watch)
        finally:
            show.end()
    return 0


def _plan(args: argparse.Namespace) -> "Plan":
    from tbgen.referee.match.adjudication import parse_draw, parse_resign
    from tbgen.referee.match.conditions import Conditions
    from tbgen.referee.match.contestants import contestants
    from tbgen.referee.match.desk import Setting
    from tbgen.referee.match.run import Plan
    from tbgen.referee.match.schedule import schedule
    from tbgen.referee.syzygy import Syzygy

    if args.syzygy:
        Syzygy(args.syzygy).close()  # what is wrong with it is said at once
    engines = contestants(args.engine or [], args.each)
    settings = make_settings(
        scoring_name=args.scoring,
        cutoff=args.cutoff,
        komi=args.komi or args.default_komi,
        rules_name=args.rules_set,
        whole_game=args.rules == TableRules.WHOLE_GAME,
    )
    rules = settings.rules if args.fifty is None else replace(settings.rules, fifty=FIFTY_MOVES[args.fifty])
    games = args.games or (1 if args.no_swap else 2) * (args.rounds or 1)
    pairings = list(
        schedule(
            len(engines),
            games,
            gauntlet=args.gauntlet,
            swap=not args.no_swap,
            reverse=args.reverse,
            each=args.opening_per == "pair",
        )
    )
    openings = _openings(args, rules, wanted=1 + max(pairing.opening for pairing in pairings))
    if args.openings is not None and args.reuse is False:
        pairings = [pairing for pairing in pairings if pairing.opening < len(openings)]
    return Plan(
        setting=Setting(
            engines=engines,
            conditions=Conditions(
                rules=rules,
                scoring=settings.scheme,
                own_komi=args.komi is None,
                tables=None if args.tables is None else present_tables_directory(args),
                syzygy=tuple(args.syzygy),
                syzygy_men=args.syzygy_men,
                resign=None if args.resign is None else parse_resign(args.resign),
                draw=None if args.draw is None else parse_draw(args.draw),
                margin=args.margin,
                patience=args.patience,
                longest=args.max_moves,
                openings=openings.identity,
            ),
            event=args.event,
            log=args.log,
        ),
        pairings=pairings,
        openings=openings,
        concurrency=args.concurrency,
    )


def _openings(args: argparse.Namespace, rules: RuleSet, wanted: int) -> "Openings":
    from tbgen.referee.match.openings import Openings

    chess960 = args.variant == "chess960"
    if args.openings is None:
        return Openings.none(rules, chess960=chess960)
    found = Openings.read(
        args.openings,
        rules,
        order=args.order,
        seed=args.seed,
        plies=args.plies,
        start=args.start,
        wanted=wanted,
        chess960=chess960,
    )
    if len(found) < wanted and args.reuse is None:
        raise BadInput(
            f"the match takes {wanted} openings, and {args.openings} has {len(found)}: "
            "--reuse plays them again, --no-reuse ends the match there"
        )
    return found


def _keep_apart(inputs: Mapping[str, Path | None], outputs: Mapping[str, Path | None]) -> None:
    """BadInput if what is written would go into a file that is read, or two of them into one."""
    known = {name: path.resolve() for name, path in {**inputs, **outputs}.items() if path is not None}
    for name in outputs:
        other = next((one for one in known if one != name and known[one] == known.get(name)), None)
        if other is not None:
            raise BadInput(f"{other} and {name} name the same file: {known[name]}")
