"""`tbgen report`: what the tables know, as statistics, records and comparisons."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli.common import (
    RULES,
    add_record_in_fen,
    add_tables,
    add_threads,
    named,
    present_tables_directory,
    whole_number,
)
from tbgen.core.table_rules import TableRules, no_such_rules
from tbgen.errors import BadInput
from tbgen.system import output_files
from tbgen.system.text import say, standard_output, width

if TYPE_CHECKING:
    from tbgen.report.document import Document
    from tbgen.report.make import Request

REPORTS: Final = ("stats", "records", "compare", "potential", "all")
FORMATS: Final = ("text", "md", "csv", "json", "pgn", "html")
_ENDINGS: Final = {"txt": "text", "htm": "html"}

EPILOG: Final = """\
reports:
  stats        how often each outcome is forced; positions once up to symmetry, and all placements
  records      the longest way to each G-score: positions, and a line of best play with its record
  compare      where two sets of rules differ, and by how much
  potential    what each material can force, beside the engines' rule of thumb, which also speaks of named
               materials without a table
  all          stats, records and potential; with two sets of rules, compared as well

examples:
  tbgen report stats                               all tables that are there, and their total
  tbgen report stats KRvKN KBvKN                   only these, with every G-score by holder and side to move
  tbgen report records --limit 5 KBvK              five record positions of each kind, and lines
  tbgen report records KBvK --format pgn           the lines as games; {G3.5} is the record after a move
  tbgen report compare --rules r wg                with and without resets; needs tables of both rules
  tbgen report stats --format csv --table outcomes
  tbgen report all --rules r wg -o report.html     one page with boards and pictures, no network needed

The ending of the file that -o names chooses its format. CSV is one table: the first, or the one that --table names (a
wrong name lists them). Text and Markdown leave out long tables unless materials are named or --details is given; the
other formats have everything. A page has pictures besides, and boards to play lines through.
"""


def add_arguments(parser: argparse.ArgumentParser, reports: Sequence[str] = REPORTS) -> None:
    parser.add_argument("report", metavar="REPORT", choices=reports, help="one of the reports below")
    parser.add_argument(
        "material", nargs="*", default=[], help="only these, such as KRvKN (default: all tables that are there)"
    )
    parser.add_argument(
        "--rules",
        nargs="+",
        default=[TableRules.RESET],
        metavar="RULES",
        help="r (default), wg, or both to compare them: r wg",
    )
    parser.add_argument("--limit", type=whole_number(1), default=1, metavar="N", help="record positions of each kind")
    parser.add_argument("--format", choices=FORMATS, help="default: by the ending of the file, else text")
    parser.add_argument("--table", metavar="NAME", help="the one table to write as CSV")
    parser.add_argument("--details", action="store_true", help="print long tables as well")
    add_record_in_fen(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")
    add_tables(parser)
    add_threads(parser)


def run(args: argparse.Namespace, make: "Callable[[str, Request], Document] | None" = None) -> int:
    """Write the report that is asked for; a study brings a `make` with reports of its own."""
    from tbgen.cli.display import Counter
    from tbgen.report import make as report
    from tbgen.report.make import Request
    from tbgen.report.write import write

    form = args.format or _form_of(args.output)
    if args.output is not None and not args.output.parent.is_dir():
        raise BadInput(f"there is no directory {args.output.parent}")
    if args.table is not None and form != "csv":
        raise BadInput("--table goes with --format csv")
    rules, words = _rules_and_materials(args.rules, args.material)
    if len(rules) == 2 and args.report not in ("compare", "all"):
        raise BadInput(f"{args.report} takes one set of rules")
    materials = tuple(named(words))
    directory = present_tables_directory(args)
    with Counter(quiet=False) as counter:
        request = Request(directory, rules, materials, args.limit, args.threads, counter.more)
        document = (make or report.make)(args.report, request)
    room = width() if args.output is None else None
    text = write(
        document,
        form,
        table=args.table,
        details=args.details or bool(materials),
        record_in_fen=args.record_in_fen,
        width=room,
    )
    if args.output is not None:
        output_files.replace(args.output, text.encode())
    elif form == "text":
        say(*text.splitlines())
    else:  # a file by another way: the same bytes
        standard_output().write(text.encode())
    return 0


def _form_of(output: Path | None) -> str:
    if output is None:
        return FORMATS[0]
    ending = output.suffix.removeprefix(".")
    form = _ENDINGS.get(ending, ending)
    if form not in FORMATS:
        raise BadInput(f"no form of output ends in {output.suffix or output.name!r}: name one with --format")
    return form


def _rules_and_materials(rules: list[str], materials: list[str]) -> tuple[tuple[TableRules, ...], list[str]]:
    """`--rules r wg KBvK` leaves the material with the rules."""
    named = tuple(dict.fromkeys(TableRules(word) for word in rules if word in RULES))
    if not named:
        raise no_such_rules(rules[0])
    return named, [word for word in rules if word not in RULES] + materials
