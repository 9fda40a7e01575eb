"""`tbgen verify`: recheck tables, position by position."""

import argparse
import os
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbgen.cli.common import add_json, add_memory, add_quiet, add_rules, add_tables, memory_of, tables_directory
from tbgen.errors import BadInput, CorruptTable, MissingTable
from tbgen.material import Material, parse
from tbgen.text import say, to_json

if TYPE_CHECKING:
    from tbgen.retro.verify import Verdict

EPILOG = """\
examples:
  tbgen verify KRvKN               the file byte for byte, then all positions, from forward moves only
  tbgen verify                     every table in the directory
  tbgen verify --sample 100000 KRBvKR
                                   so many positions, drawn at random; the seed is printed

A table is read a part at a time: without pawns all of it, else as many placements of pawns as lead to each other.
Tables that a table's captures and promotions lead to are taken as right: verify them as well.
Exit code 5 if anything is wrong.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="default: all tables in the directory")
    add_tables(parser)
    add_rules(parser)
    parser.add_argument("--sample", type=int, metavar="N", help="check N positions drawn at random instead of all")
    parser.add_argument("--seed", type=int, metavar="S", help="draw them again")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="N", help="default: all cores")
    add_memory(parser)
    add_quiet(parser)
    add_json(parser)
    parser.epilog = EPILOG


def run(args: argparse.Namespace) -> int:
    from tbgen.build.check import check_table
    from tbgen.build.plan import Plan
    from tbgen.build.progress import Progress, warm_up_visibly
    from tbgen.build.scratch import Scratch
    from tbgen.build.shelf import Shelf

    if args.threads < 1 or (args.sample is not None and args.sample < 1):
        raise BadInput("--threads and --sample take numbers from 1 on")
    directory = tables_directory(args)
    wanted = _materials(args)
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4))
    warm_up_visibly(args.threads, quiet=args.quiet or args.json)
    room = directory if os.access(directory, os.W_OK) else Path(tempfile.gettempdir())
    plan = Plan(directory, args.rules, tuple(wanted), ())
    code = 0
    with (
        closing(Scratch(room, memory_of(args))) as scratch,
        Progress(plan, quiet=args.quiet or args.json) as progress,
    ):
        shelf = Shelf(directory, args.rules, scratch)
        for material in wanted:
            progress.began(material)
            begun = time.perf_counter()
            try:
                verdict = check_table(
                    material,
                    directory,
                    args.rules,
                    shelf,
                    scratch,
                    threads=args.threads,
                    sample=args.sample,
                    seed=seed,
                    read=progress.read,
                    report=lambda numbers, material=material: progress.solved(material, numbers),  # type: ignore[misc]
                )
            except CorruptTable as error:
                result: dict[str, Any] = {"material": material.name, "rules": args.rules, "error": str(error)}
                lines = [str(error)]
                code = CorruptTable.exit_code
            else:
                result = _result(material, args, verdict, seed, time.perf_counter() - begun)
                lines = _lines(result)
                code = CorruptTable.exit_code if verdict.wrong else code
            progress.finished(material)
            if args.json:
                say(to_json(result), flush=True)
            else:
                progress.show(lines)
    return code


def _materials(args: argparse.Namespace) -> list[Material]:
    from tbgen.store import build_some, list_tables

    if args.material:
        return [parse(word) for word in args.material]
    directory = tables_directory(args)
    found = [one.material for one in list_tables(directory) if one.rules == args.rules]
    if not found:
        raise MissingTable(f"no tables in {directory} (to build some: {build_some(directory)})")
    return found


def _result(
    material: Material, args: argparse.Namespace, verdict: "Verdict", seed: int, seconds: float
) -> dict[str, Any]:
    from tbgen.index import layout_of
    from tbgen.index.positions import fen

    layout = layout_of(material)
    return {
        "material": material.name,
        "rules": args.rules,
        "checked": verdict.checked,
        "wrong": verdict.wrong,
        "seed": seed if args.sample is not None else None,
        "seconds": round(seconds, 3),
        "examples": [
            {"fen": fen(layout, finding.number) if finding.number >= 0 else None, "problem": str(finding)}
            for finding in verdict.examples
        ],
    }


def _lines(result: dict[str, Any]) -> list[str]:
    drawn = "" if result["seed"] is None else f" drawn with --seed {result['seed']}"
    what = "all right" if not result["wrong"] else f"{result['wrong']:,} WRONG"
    head = f"{result['material']}: {result['checked']:,} positions{drawn} checked in {result['seconds']:.1f} s, {what}"
    return [head, *(f"  {one['fen'] or ''}  {one['problem']}" for one in result["examples"])]
