"""`tbgen export`: the positions of a table as columns for other programs."""

import argparse
import re
from pathlib import Path
from typing import Final

from tbgen.cli import common
from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.errors import BadInput, quoted
from tbgen.report.export import COLUMNS
from tbgen.system.output_files import replacing
from tbgen.system.text import counted, say, size_of, standard_output, to_json

_HDF5: Final = (".h5", ".hdf5")
_CSV: Final = ".csv"
_TURNS: Final = {"white": True, "black": False}

EPILOG = "columns:\n{}\n{}".format(
    "\n".join(f"  {name:<12}{meaning}" for name, meaning in COLUMNS.items()),
    """
examples:
  tbgen export KRvKN -o KRvKN.h5               all positions, as HDF5
  tbgen export KRvKN -o mates.csv --outcome G0.0 --turn black --dtg 40-
                                               White's mates that take 40 plies and more
  tbgen export KBvK --columns fen,dtg > FILE   without -o: CSV, on standard output

Each number with a legal position is a row. White has the men that are named first; with the same men on both sides
White is to move. Positions with both kings on the long diagonal have two numbers, unless they are their own mirror
images: "placements" counts each placement once.
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", metavar="MATERIAL", help="such as KRvKN")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="ends in .h5 or .csv (default: CSV on standard output)"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    parser.add_argument(
        "--columns", type=_columns, default=tuple(COLUMNS), metavar="NAMES", help="only these, as in fen,dtg"
    )
    wanted = parser.add_argument_group("only positions with")
    wanted.add_argument("--turn", choices=_TURNS, help="this side to move")
    wanted.add_argument(
        "--outcome",
        action="append",
        default=[],
        metavar="G",
        help="this outcome, as in G0.5 or -G8.5; or one of several",
    )
    wanted.add_argument("--dtg", type=_distances, default=(), metavar="PLIES", help="10, 10-20, or 10-")
    common.add_tables(parser)
    common.add_rules(parser)
    common.add_threads(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    if args.output is not None:
        _check(args.output, force=args.force)
    from tbgen.cli.display import Counter
    from tbgen.probe import Tablebase
    from tbgen.report.export.rows import Wanted, rows
    from tbgen.report.export.write import as_csv, as_hdf5

    (material,) = common.named([args.material])
    wanted = Wanted(_turn(args.turn, material), tuple(map(outcome.parse, args.outcome)), *args.dtg)
    with (
        Tablebase(common.present_tables_directory(args), args.rules, threads=args.threads) as tablebase,
        Counter(quiet=common.is_quiet(args)) as counter,
    ):
        table = tablebase.table(material)
        notes = {"material": material.name, "rules": table.rules.value, "table_sha256": table.sha256}
        counter.begin(f"exporting {material}", table.size)
        pieces = rows(table, wanted, args.columns, counter.advance)
        if args.output is None:
            as_csv(standard_output(), pieces, notes)
            return 0
        write = as_csv if args.output.suffix == _CSV else as_hdf5
        with replacing(args.output) as stream:
            count = write(stream, pieces, notes)
    size = args.output.stat().st_size
    if args.json:
        say(to_json({**notes, "file": str(args.output), "positions": count, "bytes": size}))
    elif not args.quiet:
        say(f"{args.output}: {counted(count, 'position')}, {size_of(size)}")
    return 0


def _check(output: Path, *, force: bool) -> None:
    """BadInput if nothing is to be written there."""
    if output.suffix not in (*_HDF5, _CSV):
        raise BadInput(f"{output} ends neither in {_HDF5[0]} nor in {_CSV}")
    if not output.parent.is_dir():
        raise BadInput(f"there is no directory {output.parent}")
    if output.is_file() and not force:
        raise BadInput(f"{output} is there already (--force replaces it)")


def _turn(word: str | None, material: Material) -> bool | None:
    if material.even and word == "black":
        raise BadInput(f"{material} has the same men on both sides: White is always to move")
    return None if word is None else _TURNS[word]


def _columns(words: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(words.split(",")))
    if not set(names) <= COLUMNS.keys():
        raise argparse.ArgumentTypeError(f"takes some of {','.join(COLUMNS)}, not {quoted(words)}")
    return names


def _distances(words: str) -> tuple[int, ...]:
    """The least, and the most if there is one."""
    both = words if "-" in words else f"{words}-{words}"
    limits = tuple(int(part) for part in both.split("-") if part) if re.fullmatch("[0-9]{1,5}-[0-9]{0,5}", both) else ()
    if not limits or limits[0] > limits[-1]:
        raise argparse.ArgumentTypeError(f"takes plies such as 10, 10-20 or 10-, not {quoted(words)}")
    return limits
