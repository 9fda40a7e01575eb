"""`tbgen match`: engines play each other under r-mobility rules."""

import argparse
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tbgen.cli.common import present_tables_directory
from tbgen.cli.match_options import CHESS960, EPILOG, add_arguments, variant_called
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.settings import make_settings
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.tags import applied_cutoff
from tbgen.rules.variants import CHESS
from tbgen.system import output_files
from tbgen.system.parallel import cores

if TYPE_CHECKING:
    from tbgen.referee.match.openings import Openings
    from tbgen.referee.match.run import Plan
    from tbgen.referee.match.systems import Format

__all__ = ["EPILOG", "add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    from tbgen.cli.match_show import Show
    from tbgen.referee.match.events import Note
    from tbgen.referee.match.ledger import Ledger
    from tbgen.referee.match.run import Match
    from tbgen.referee.match.standings import ERROR_BARS, Standings, parse_sprt
    from tbgen.web.pages.match import Page

    _keep_apart(
        {"--openings": args.openings, "--engines": args.engines},
        {"--pgn": args.pgn, "--log": args.log, "--page": args.page},
    )
    if args.log is not None:
        os.close(output_files.append(args.log))  # what is wrong with it is said at once
    with contextlib.ExitStack() as stack:
        plan = _plan(args)
        sprt = None if args.sprt is None else parse_sprt(args.sprt)
        if sprt is not None and sprt.on_pairs and not plan.form.has_pairs:
            raise BadInput("a test on pairs takes openings that are played twice: two games or more, and no --no-swap")
        standings = Standings(
            [engine.name for engine in plan.setting.engines],
            plan.setting.conditions.scoring,
            args.tiebreak,
            sprt,
            applied_cutoff(plan.setting.conditions.scoring, plan.setting.conditions.rules),
            by_pairs=args.error_bars == ERROR_BARS[0],
        )
        page = None if args.page is None else Page(args.page, args.event)
        ledger = None
        if args.pgn is not None:
            ledger = stack.enter_context(Ledger(args.pgn, *([] if page is None else [page.add])))
        match = Match(plan, standings, ledger)
        show = Show(match, page, json=args.json, quiet=args.quiet, every=args.every)
        show.resumed(ledger)
        if args.concurrency > (there := cores()):
            show.watch(Note(f"{args.concurrency} games at a time on {there} processors: engines will lose time by it"))
        if args.draw and not plan.setting.conditions.rules.adjudicates_draws:
            show.watch(Note(f"--draw is ignored: rule set {plan.setting.conditions.rules} adjudicates no draws"))
        show.begin()
        try:
            match.run(show.watch)
        finally:
            show.end()
    return 0


def _plan(args: argparse.Namespace) -> "Plan":
    from tbgen.referee.match.adjudication import parse_draw, parse_resign
    from tbgen.referee.match.conditions import Conditions, Setting
    from tbgen.referee.match.contestants import contestants
    from tbgen.referee.match.desks import Processors
    from tbgen.referee.match.engine_file import read_engines
    from tbgen.referee.match.run import Plan
    from tbgen.referee.syzygy import Syzygy

    if args.syzygy:
        Syzygy(args.syzygy).close()  # what is wrong with it is said at once
    engines = contestants(args.engine or [], args.each, {} if args.engines is None else read_engines(args.engines))
    settings = make_settings(
        scoring_name=args.scoring,
        cutoff=args.cutoff,
        komi=args.komi or args.default_komi,
        rules_name=args.rules_set,
        fifty=args.fifty,
        whole_game=args.rules == TableRules.WHOLE_GAME,
    )
    if variant_called(args.variant) is not CHESS and (args.tables is not None or args.syzygy):
        raise BadInput(f"tables are of chess: leave out --tables and --syzygy with --variant {args.variant}")
    form = _form(args, len(engines))
    openings = _openings(args, settings.rules, wanted=form.openings)
    return Plan(
        setting=Setting(
            engines=engines,
            conditions=Conditions(
                rules=settings.rules,
                scoring=settings.scheme,
                own_komi=args.komi is None,
                tables=None if args.tables is None else present_tables_directory(args),
                syzygy=tuple(args.syzygy),
                syzygy_men=args.syzygy_men,
                resign=None if args.resign is None else parse_resign(args.resign),
                draw=parse_draw(args.draw) if args.draw and settings.rules.adjudicates_draws else None,
                margin=args.margin,
                patience=args.patience,
                longest=args.max_moves,
                openings=openings.identity,
            ),
            event=args.event,
            site=args.site,
            comments=tuple(args.pgn_more),
            record_in_fen=args.record_in_fen,
            wait=args.wait,
            live=args.page is not None,
            log=args.log,
        ),
        form=form,
        openings=openings,
        last_opening=len(openings) - 1 if args.openings is not None and args.reuse is False else None,
        concurrency=args.concurrency,
        processors=Processors(args.affinity or ()),
    )


def _form(args: argparse.Namespace, engines: int) -> "Format":
    from tbgen.referee.match.systems import Format

    system = "gauntlet" if args.gauntlet else args.format
    if args.games is not None and args.rounds is not None and system != "swiss":
        raise BadInput("--games or --rounds says how long the match is, not both (a swiss takes both)")
    rounds = args.rounds if system != "swiss" else None
    return Format(
        system=system,
        engines=engines,
        games=args.games or (1 if args.no_swap else 2) * (rounds or 1),
        rounds=args.rounds,
        seeds=args.seeds,
        swap=not args.no_swap,
        reverse=args.reverse,
        each=args.opening_per == "pair",
    )


def _openings(args: argparse.Namespace, rules: RuleSet, wanted: int) -> "Openings":
    from tbgen.referee.match.openings import Openings

    chess960 = args.variant == CHESS960
    variant = variant_called(args.variant)
    if args.openings is None:
        return Openings.none(rules, chess960=chess960, variant=variant)
    found = Openings.read(
        args.openings,
        rules,
        order=args.order,
        seed=args.seed,
        plies=args.plies,
        start=args.start,
        wanted=wanted,
        chess960=chess960,
        variant=variant,
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
