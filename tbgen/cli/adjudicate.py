"""`tbgen adjudicate`: r-mobility results for games in PGN files."""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tbgen.cli import common
from tbgen.cli.display import Counter
from tbgen.cli.parser import Group
from tbgen.cli.remarks import Remarks
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.probe import Tablebase
from tbgen.referee.adjudicate.decide import Solve
from tbgen.referee.adjudicate.files import Done, adjudicate
from tbgen.referee.adjudicate.finish import BY_DEFAULT, DRAWS, parse_kinds
from tbgen.referee.adjudicate.report import TOP, Report
from tbgen.referee.adjudicate.settings import SHORT_RULE_SETS, make_settings, rule_set_name
from tbgen.referee.game_files import STANDARD
from tbgen.referee.syzygy import Syzygy
from tbgen.rules.rulesets import FIFTY_MOVES
from tbgen.rules.scoring import SCORINGS, scoring_name
from tbgen.system.parallel import cores
from tbgen.system.text import OUTPUT, say, to_json, width

_DEFAULT: Final = ",".join(str(finish) for finish in DRAWS if finish in BY_DEFAULT)

EPILOG: Final = f"""\
Every game gets the tags RMobilityResult, Points, RMobilityScoring and
RMobilityTermination, and RMobilityCutoff and Komi where they apply. All else is
kept, byte by byte; Result is never changed. Where RMobilityResult was another, a
line says so, and RMobilityOverruled keeps it. RMobilityTermination says what the
result rests on:

  played             the record when the game ended
  tablebase, DTG 14  what best play would have reached, that many plies on
  stands, DTG 0      the record, which by the tables nobody could have bettered
  proved, DTG 14     what best play would have reached, by --solve
  bounded: White is sure of ...
                     what was played, or the nearest that the proof allows
  syzygy, win        G0.0, which chess tables call won
  syzygy, cursed win the same, only by ignoring 50 moves
  awarded            G0.0, for a game that was won without mate on the board
  agreed             what RMobilityResult says of such a game, if Termination,
                     TerminationDetails or the comment say that it was agreed on

With ", 50-move rule may come first" behind it halfmove clock and DTG add up to more
than 100: the rule may have ended the game before the goal.

A draw is of one of these kinds, by its tags Termination and TerminationDetails,
the comment behind its last move, and what the board shows:

  {", ".join(map(str, DRAWS))}

--decide names those that tables decide, or all, or none. With cursed among them, or
alone, tables also decide draws by adjudication, agreement and the 50-move rule, but
only where they know a mate: as played, apart from cursed wins. A draw of which
nothing is known counts as agreed. A game that no table covers is scored as
played, unless --solve proves more: for each such draw what tbgen solve does is
tried, at most so long. Its local tables are kept in local/ within the directory of
tables, so that games with the same pawns share them. Games are then judged one
after the other, --jobs being the threads that solve. The report has the shares,
and a line for each game.

examples:
  tbgen adjudicate games.pgn -o tagged.pgn
  tbgen adjudicate games.pgn -o t.pgn --report       also a report
  tbgen adjudicate *.pgn --report                    the summary alone
  tbgen adjudicate - -o - --scoring winner           from pipe to pipe
  tbgen adjudicate games.pgn -o t.pgn --scoring komi --komi -G3.25
  tbgen adjudicate games.pgn -o t.pgn --scoring otb --cutoff G5.0
                                                     over the board, up to four moves
  tbgen adjudicate games.pgn -o t.pgn --decide all   repetitions and others too
  tbgen adjudicate games.pgn -o t.pgn --decide cursed
                                                     as played, apart from cursed wins
  tbgen adjudicate games.pgn -o t.pgn --decide none  without tables
  tbgen adjudicate games.pgn -o t.pgn --solve 5m --report

Files whose names end in .gz, .bz2, .xz or .zst are packed, when read and when written.
The file that -o names may be one of those read: it is replaced when all games
are written. Games that cannot be read are passed on as they are; the first few
are named on standard error, the others counted, and the exit code is 3.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_games(parser)
    _add_rules(parser.add_argument_group("rules and scoring"))
    _add_proofs(parser.add_argument_group("what tables and solving decide"))
    _add_output(parser.add_argument_group("output"))


def _add_rules(group: Group) -> None:
    group.add_argument(
        "--scoring", type=scoring_name, choices=tuple(SCORINGS), help="default: the game's own, else exponential"
    )
    group.add_argument(
        "--cutoff", metavar="G", help="from this score on all is a draw (default: the game's own, else G6.0; otb: G4.0)"
    )
    group.add_argument("--komi", metavar="G", help="as in G5.75 or -G3.25 (default: the game's own, else G5.75)")
    group.add_argument(
        "--rules-set", type=rule_set_name, choices=SHORT_RULE_SETS, help="default: the game's own, by its tags, else W"
    )
    group.add_argument(
        "--fifty",
        choices=tuple(FIFTY_MOVES),
        help="form of the 50-move rule (default: the game's own, else the rule set's)",
    )
    common.add_rules(group, None, "the game's own, else r")


def _add_proofs(group: Group) -> None:
    common.add_tables(group, men=False)
    group.add_argument("--decide", metavar="KINDS", default=_DEFAULT, help="draws for tables to decide")
    group.add_argument("--strict", action="store_true", help="a missing table of up to five men is an error")
    common.add_syzygy(group, "draws that these Syzygy tables call won, with or without the 50-move rule, are G0.0")
    group.add_argument(
        "--solve",
        type=common.duration,
        metavar="T",
        help="try for so long, as 90s or 5m, to prove the result of each draw that no table covers",
    )
    common.add_memory(group)
    group.add_argument(
        "-j", "--jobs", "--threads", type=common.at_once, default=cores(), metavar="N", help="default: all cores"
    )


def _add_output(group: Group) -> None:
    group.add_argument("-o", "--output", type=Path, metavar="PGN", help="where the games go; - is standard output")
    common.add_record_in_fen(group)
    group.add_argument("--report", action="store_true", help="print a summary and a crosstable")
    group.add_argument("--top", type=common.whole_number(0), default=TOP, metavar="N", help="players in the crosstable")
    group.add_argument("--json", action="store_true", help="the report as one JSON object")
    common.add_quiet(group)


def run(args: argparse.Namespace) -> int:
    common.check_input_once(args.games)
    wants_report = args.report or args.json
    if args.output is None and not wants_report:
        raise BadInput("say where the games go (-o tagged.pgn, or -o -), or ask for a --report")
    settings = make_settings(
        scoring_name=args.scoring,
        cutoff=args.cutoff,
        komi=args.komi,
        rules_name=args.rules_set,
        fifty=args.fifty,
        whole_game=None if args.rules is None else args.rules == TableRules.WHOLE_GAME,
        tables=common.present_tables_directory(args),
        decide=parse_kinds(args.decide),
        strict=args.strict,
    )
    settings = replace(settings, record_in_fen=args.record_in_fen)
    if args.syzygy:
        Syzygy(args.syzygy).close()  # what is wrong with it is said at once
        settings = replace(settings, syzygy=tuple(args.syzygy), syzygy_men=args.syzygy_men)
    report = Report(settings.scheme, with_players=wants_report)
    with (
        _Bar(args.games, quiet=args.quiet) as bar,
        _solver(args, bar) as solve,
        Remarks(bar.say) as skipped,
        Remarks(bar.say) as changed,
    ):

        def watch(done: Done) -> None:
            for verdict in done.verdicts:
                report.add(verdict)
            for fault in done.faults:
                report.faults.append((done.name, fault))
                skipped.add(fault.words(done.name))
            for note in () if args.quiet else done.notes:
                changed.add(note.words(done.name))
            bar.judged(done.read)

        faults = adjudicate(args.games, args.output, settings, args.jobs, watch=watch, solve=solve)
    if wants_report:
        stream = sys.stderr if args.output == STANDARD else sys.stdout
        lines = [to_json(report.as_dict())] if args.json else report.lines(args.top, width(stream))
        say(*lines, file=stream)
    elif not args.quiet:
        common.remark(report.summary(OUTPUT if args.output == STANDARD else str(args.output)))
        if solve is not None and report.proofs:
            common.remark(report.proofs.share())
        if report.missing:
            common.remark(report.want())
    return common.SKIPPED if faults else 0


@contextlib.contextmanager
def _solver(args: argparse.Namespace, bar: "_Bar") -> Iterator[Solve | None]:
    """Who solves positions, if that was asked for."""
    if not args.solve:
        yield None
        return
    from tbgen.beyond.local.attempt import Means
    from tbgen.beyond.prove.games import Solver
    from tbgen.cli.progress import warm_up_visibly

    directory = common.tables_directory(args)
    keeps = os.access(directory, os.W_OK)

    @contextlib.contextmanager
    def means() -> Iterator[Means]:
        with bar.paused():
            warm_up_visibly(args.jobs, quiet=args.quiet)
        yield Means(directory, args.memory, args.solve, args.jobs, keeps, hopeful=False)

    with Tablebase(directory) as tables:
        yield Solver(tables, means, bar)


class _Bar(Counter):
    """How far the games are, and the position that is solved."""

    _every = 0.0

    def __init__(self, paths: list[Path], *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        known = all(path.is_file() for path in paths)
        size = sum(path.stat().st_size for path in paths) if known else None
        self._games = self.task("judging games", size, every=0)

    def judged(self, read: int) -> None:
        """So many more bytes of the games are done."""
        self.end()
        self._games.advance(read)
