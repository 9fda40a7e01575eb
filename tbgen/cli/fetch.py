"""`tbgen fetch`: tables from a server, with all that they depend on."""

import argparse
from typing import Final

from tbgen.cli import common
from tbgen.cli.display import Counter
from tbgen.errors import BadInput
from tbgen.generate.forecast import require_room
from tbgen.material import MEN_IN_TABLES
from tbgen.text import counted, say, size_of

EPILOG: Final = """\
A server is whatever `tbgen serve` answers at: one machine builds, all others fetch. Every byte is compared with its
digest before a table gets its name. A fetch that breaks off, or is stopped, goes on where it was with the same command.
A server of which next to nothing comes for a minute is asked again, five times.

examples:
  tbgen fetch KRPvKR --from http://tables.example.org:8000
      the table and all that it depends on, into data/
  tbgen fetch --all 4 --from http://192.168.0.7:8000 --tables DIR
      all materials of up to four men
  tbgen fetch KRvKP --from http://localhost:8000 --dry-run
      what would come
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRPvKR")
    common.add_all(parser, MEN_IN_TABLES)
    parser.add_argument("--from", dest="source", required=True, metavar="URL", help="where tbgen serve answers")
    parser.add_argument("--elsewhere", action="store_true", help="go along when the server sends on to another host")
    parser.add_argument("--dry-run", action="store_true", help="say what would come, and stop")
    common.add_rules(parser)
    common.add_quiet(parser)
    common.add_tables(parser, bundled=False)


def run(args: argparse.Namespace) -> int:
    from tbgen.serve.fetch import TableServer, fetch, wanted
    from tbgen.store.leftovers import tidy

    materials = common.materials_of(args.material, args.all)
    if not materials:
        raise BadInput("name a material, as in KRPvKR, or --all MEN")
    directory = common.tables_directory(args)
    server = TableServer(args.source, elsewhere=args.elsewhere)
    plan = wanted(server, materials, args.rules, directory)
    if not args.quiet or args.dry_run:
        here = f"; {counted(len(plan.there), 'table')} here already" if plan.there else ""
        say(f"{counted(len(plan.coming), 'table')}, {size_of(plan.left)} to come{here}")
    if args.dry_run:
        for table in plan.coming:
            say(f"{table.material} ({table.rules}): {size_of(table.size)}")
        return 0
    require_room(directory, plan.left, "have yet to come")
    tidy(directory)
    with Counter(quiet=args.quiet, sizes=True) as counter:
        counter.begin("fetching", plan.left)
        for table in plan.coming:
            fetch(server, table, directory, counter.advance)
    return 0
