"""`tbgen check`: certificates verified."""

import argparse
from pathlib import Path
from typing import Final

import chess

from tbgen.beyond.checker import Claim, check, read
from tbgen.cli import common
from tbgen.cli.display import Counter
from tbgen.core import outcome
from tbgen.probe import Tablebase
from tbgen.system import compressed_files
from tbgen.system.text import counted, lines, say, to_json

_LONGEST: Final = 4096
"""Bytes of a line."""

EPILOG: Final = """\
A certificate holds claims of what a side is sure of, and its reply to whatever the other side does. This plays
through all of it with the rules of chess alone; what captures and pawn moves lead to is asked of complete tables.
It knows nothing of how claims are found. The first thing that is not as claimed is named, and the exit code is 1.

examples:
  tbgen check proof.txt
  tbgen check proof.txt.gz --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what tbgen solve --certificate has written")
    common.add_tables(parser, men=False)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    with Tablebase(common.present_tables_directory(args)) as tables, compressed_files.reading(args.file) as source:
        for claim in read(line.text for line in lines(source, _LONGEST)):
            side = chess.COLOR_NAMES[claim.defender]
            with Counter(quiet=common.is_quiet(args)) as counter:
                counter.begin(f"what {side.capitalize()} is sure of", claim.length)
                count = check(claim, tables, counter.advance)
            say(to_json(_as_dict(claim, side, count)) if args.json else _sentence(claim, side, count), flush=True)
    return 0


def _as_dict(claim: Claim, side: str, count: int) -> dict[str, str | int | None]:
    record, bound = (outcome.text(value) for value in (claim.record, claim.bound))
    return {
        "fen": claim.board.fen(), "record": record, "defender": side, "bound": bound, "plies": claim.plies,
        "positions": count,
    }  # fmt: skip


def _sentence(claim: Claim, side: str, count: int) -> str:
    """The record stands in it: a claim is about no other."""
    what = f"{side.capitalize()} is sure of {outcome.text(claim.bound)}"
    if claim.plies is not None:
        what = f"{side.capitalize()} keeps {outcome.text(claim.bound)} until ply {claim.plies}"
    return f"{claim.board.fen()}, under {outcome.text(claim.record)}: {what}: right, in {counted(count, 'position')}"
