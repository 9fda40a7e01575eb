"""`tbgen solve`: what each side is sure of in a position that no table covers."""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import chess

from tbgen.beyond.prove import plans
from tbgen.beyond.prove.certify import new_certificate
from tbgen.beyond.prove.position import find, no_local, standing
from tbgen.board.men import known
from tbgen.cli import common
from tbgen.cli.clusters import add_work, check_cluster, client_of, memory_each, threads_each
from tbgen.cli.display import Counter
from tbgen.cli.fens import fens, say_what_is_dropped
from tbgen.cli.progress import warm_up_visibly
from tbgen.core import outcome, position
from tbgen.errors import BadInput
from tbgen.probe import Tablebase
from tbgen.rules.fen import Fen, read_fen
from tbgen.store.leftovers import tidy_local
from tbgen.store.local import LOCAL_DIRECTORY, prepare
from tbgen.system.parallel import cores
from tbgen.system.text import say, to_json

if TYPE_CHECKING:
    from distributed import Client

    from tbgen.beyond.local.attempt import Means

EPILOG: Final = """\
Three things are tried, one after the other, until both sides are sure of the same: that is the result.

1. Tables, where there is one for the position.
2. Holding: a side that moves only one man, or a few, can often be sure of the record, or of a goal that it forces
   first: a king that keeps the other king out, a queen that checks for ever. This takes a few seconds at most. With
   rights to castle nothing else is tried: the side that holds does not use its own, and the other side breaks
   through where it can still castle.
3. The position's local table: the placements of pawns that can come up from it, and no others, solved like any
   table. Where captures and promotions lead to tables, these are asked; where to material that no table covers,
   that is solved as well if --memory, --time and the disk allow, and else taken for a mate, by White and by
   Black: both answers bound the true one.

With --keep local tables stay, in local/ within the directory of tables. tbgen solve reads them instead of solving
again, for all positions with pawns on the same squares or farther ahead, also mirrored or with colours swapped;
tbgen probe, uci and serve answer from them, tbgen info lists them, tbgen verify checks them. Where solving was
stopped, or its time was over, the same command goes on.

What is said is proved: White gets no less than what White is sure of, and neither does Black. A certificate of
2. and 3. shows it to those who do not believe: see tbgen check. It has a reply to whatever can come up, so it may
have a million lines, and writing it may take longer than --time; a name that ends with .gz packs it. With --moves it
also has what local tables prove of the position after each move that leads to no complete table; a move whose proof
takes too many replies is left out, and named.

examples:
  tbgen solve "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
      a position of Fine's: Black's king keeps White's out, so the record stands
  tbgen solve --record=-G0.5 "8/8/8/1p6/1P6/8/1k6/4K3 w - - 10 60"
      no game goes on after stalemate, so this asks: can Black ever mate? (G0.5: can White?)
  tbgen solve --dry-run "8/8/3k1p2/8/2P5/1r6/5K2/2R5 w - - 10 60 G5.5"
      what its local tables take
  tbgen solve --time 2h --memory 8G --moves "8/8/3k1p2/8/2P5/1r6/5K2/2R5 w - - 10 60 G5.5"
      the answer, for each move too
  tbgen solve --keep "8/5p2/3k1p2/8/2P5/5P2/5K2/8 w - - 10 60 G5.5"
      the same kind of answer, and the tables stay for the next time
  tbgen solve --keep --workers 4 --memory 16G "8/5p2/3k1p2/8/2P5/5P2/5K2/8 w - - 10 60 G5.5"
      four parts at once, which share the cores and the memory
  tbgen solve --certificate proof.txt "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
      also write the proof

fields of a JSON object:
  fen, record
  dropped, the FEN's record, if it does not count: with a halfmove clock of 0 it is the position's own G-score
  white, black: the G-scores that each side is sure of; where these are equal, gscore and winner as well
  dtg, if it is known (0: the record stands); then also late, if halfmove clock and dtg add up to more than 100
  proofs: for each side defender, bound, plies and men
  plies: before this ply the record is not worse than the bound; null: the game ends with that or better
  men: those that hold, with the squares that they need
  local: the material, slices and numbers that were solved, read: whether they were kept from before; or why none were;
  null where none was needed, or a kept one had the whole answer
  moves and line, if asked for
  mates, with the record G0.5 or -G0.5: whether that side can force mate, under any record; null: not known
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "fen",
        nargs="+",
        metavar="FEN",
        help="a position, with the record as its seventh field; of several one after the other, --time for each",
    )
    common.add_record(parser)
    parser.add_argument("--moves", action="store_true", help="also say what both sides are sure of after each move")
    parser.add_argument("--line", action="store_true", help="also print best play, where the answer is exact")
    parser.add_argument("--dry-run", action="store_true", help="show what the position's local tables take, and end")
    parser.add_argument(
        "--certificate", metavar="FILE", type=Path, help="write the proof of what each side is sure of to a file"
    )
    common.add_tables(parser)
    work = add_work(parser, "solve", "part")
    work.add_argument(
        "--time",
        type=common.duration,
        default="10m",
        metavar="T",
        help="when to end with what is proved by then, such as 90s or 2h; 0: without a local table",
    )
    work.add_argument(
        "--keep",
        action="store_true",
        help=f"keep the local tables that are solved, in {LOCAL_DIRECTORY}/ within the directory of tables",
    )
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    check_cluster(args)
    if (args.workers or args.scheduler) and not args.keep:
        raise BadInput("several processes hand local tables to each other as files, which stay: add --keep")
    questions = [_question(fen, args.record) for fen in fens(args.fen)]  # all are read before hours go into one
    if args.certificate is not None and len(questions) != 1:
        raise BadInput(f"a certificate is of one position, not of {len(questions)}: solve each by itself")
    for question in questions:
        if len(questions) > 1 and not args.json:
            say(question.fen)
        _answer(args, question)
    return 0


class _Question(NamedTuple):
    """A position whose worth is wanted."""

    fen: str
    read: Fen
    mater: bool | None
    """Whether White or Black is to mate, where that is the question."""


def _question(fen: str, given: str | None) -> _Question:
    """Return what a FEN asks, under the record of the command line if there is one."""
    read = read_fen(fen, men=known())
    if given is None:
        return _Question(fen, read, None)
    record = outcome.parse(given)
    if outcome.level(record) == position.STALEMATE and record != position.goal(read.board):
        return _Question(fen, read, record > 0)  # only a mate is better than that: whether there is one is the question
    return _Question(fen, read._replace(record=record, dropped=None), None)


def _answer(args: argparse.Namespace, question: _Question) -> None:
    """Find what both sides are sure of, and print it."""
    fen, read, mater = question
    board, record = read.board, standing(read.board, read.record)
    if not (args.json or args.dry_run):
        say_what_is_dropped(read)
    with Tablebase(common.present_tables_directory(args)) as tables, ExitStack() as stack:
        if args.dry_run:
            _dry_run(args, board, record, tables)
            return
        if args.keep:
            prepare(common.tables_directory(args))
            tidy_local(common.tables_directory(args))
        certificate = None
        if args.certificate is not None:
            certificate = stack.enter_context(new_certificate(args.certificate, tables))
        counter = stack.enter_context(Counter(quiet=common.is_quiet(args)))

        @contextmanager
        def means() -> "Iterator[Means]":
            with counter.paused():
                warm_up_visibly(cores(), quiet=common.is_quiet(args))
            with client_of(args) as client:
                yield _means(args, client)

        solution = find(
            board, record, tables, means if args.time else None,
            moves=args.moves, line=args.line, certificate=certificate, watch=counter,
        )  # fmt: skip
        counter.close()
        if args.json:
            found = solution.as_dict(fen, read.dropped, moves=args.moves, line=args.line, mater=mater)
            say(to_json(found))
        else:
            say(*solution.lines(moves=args.moves, line=args.line, mater=mater))
        if certificate is not None:
            certificate.finish(solution)
            common.remark(*certificate.left_out)


def _means(args: argparse.Namespace, client: "Client | None" = None) -> "Means":
    from tbgen.beyond.local.attempt import Means
    from tbgen.beyond.local.cluster import Cluster

    memory, threads, at_once = memory_each(args), threads_each(args), args.workers or 1
    means = Means(
        common.tables_directory(args), memory, args.time, threads, keeps=args.keep, resumes=args.keep, at_once=at_once
    )
    if client is None:
        return means
    cluster = Cluster(client, threads if args.workers else args.threads, memory)
    return means._replace(cluster=cluster, at_once=max(1, sum(client.nthreads().values())))


def _dry_run(args: argparse.Namespace, board: chess.Board, record: int, tables: Tablebase) -> None:
    from tbgen.beyond.local import attempt
    from tbgen.beyond.local.stages import Cost

    why = "the game is over" if not any(board.legal_moves) else no_local(board)
    if why is None and tables.get(board, record=record) is not None:
        why = "tables have this position"
    if why is not None:
        say(to_json(plans.as_dict([], Cost(0, 0, 0.0))) if args.json else f"Nothing is to be solved: {why}.")
        return
    means = _means(args)
    for number, (plan, cost) in enumerate(attempt.plans(board, means), 1):
        if args.json:
            say(to_json(plans.as_dict(plan, cost)))
        else:
            say(*plans.lines(number, plan, cost, means.threads * means.at_once))
