"""`tbgen fetch`: tables from a web host, with all that they depend on."""

import argparse
from pathlib import Path
from typing import Final

from tbgen.cli import common
from tbgen.cli.display import Counter
from tbgen.errors import BadInput
from tbgen.generate.forecast import require_room
from tbgen.system.locations import HOSTS, hosts_file, usual_hosts
from tbgen.system.text import counted, say, size_of

EPILOG: Final = """\
A host is any web server with a folder that tbgen publish has made, or whatever tbgen serve answers at: one machine
builds, all others fetch. Every byte is compared with its digest before a table gets its name.

A fetch that breaks off, or is stopped, goes on where it was with the same command, on a host that gives parts of files;
otherwise the table that was coming begins again. A host of which next to nothing comes for a minute is asked again,
five times. Of several hosts the next one is asked where one fails; all of them have the same tables.

Without --from, hosts are those that $TBGEN_FROM names, with spaces between, or the file ~/.config/tbgen/from, a line
each.

--manifest FILE is a manifest.json that tbgen publish made, from wherever you trust: an article, an archive. Then only
files that are in it come, and each is compared with the digest that it has there, whatever the host says.

examples:
  tbgen fetch KRPvKR --from https://example.org/tables/
      the table and all that it depends on, into data/
  tbgen fetch --all 4 --from http://192.168.0.7:8000 --tables DIR
      all materials of up to four men, from tbgen serve
  tbgen fetch --all 5 --slim --from https://a.org/tb/ --from https://b.org/tb/
      slim tables, in half the room, from either host
  tbgen fetch KRvKP --dry-run
      what would come
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRPvKR")
    common.add_all(parser)
    parser.add_argument(
        "--from", dest="source", action="append", metavar="URL",
        help=f"where tables are; give it again to name a mirror (default: ${HOSTS}, else ~/.config/tbgen/from)",
    )  # fmt: skip
    parser.add_argument("--elsewhere", action="store_true", help="go along when the host sends on to another one")
    parser.add_argument("--slim", action="store_true", help="slim tables where there are any (see tbgen pack --slim)")
    parser.add_argument("--manifest", type=Path, metavar="FILE", help="take only what this manifest.json has")
    parser.add_argument("--dry-run", action="store_true", help="say what would come, and stop")
    common.add_rules(parser)
    common.add_quiet(parser)
    common.add_tables(parser, bundled=False)


def run(args: argparse.Namespace) -> int:
    from tbgen.store.leftovers import tidy
    from tbgen.web.server.fetch import Mirrors, fetch, wanted
    from tbgen.web.server.host import TableHost
    from tbgen.web.server.known import known

    materials = common.materials_of(args.material, args.all)
    if not materials:
        raise BadInput("name a material, as in KRPvKR, or --all MEN")
    sources = args.source or usual_hosts()
    if not sources:
        raise BadInput(f"name a host: --from URL, ${HOSTS}, or a line in {hosts_file()}")
    directory = common.tables_directory(args)
    manifest = None if args.manifest is None else known(args.manifest)
    hosts = [TableHost(url, elsewhere=args.elsewhere, manifest=manifest) for url in sources]
    mirrors = Mirrors(hosts, common.remark)
    plan = wanted(mirrors, materials, args.rules, directory, slim=args.slim)
    if not args.quiet or args.dry_run:
        here = f"; {counted(len(plan.there), 'table')} here already" if plan.there else ""
        say(f"{counted(len(plan.coming), 'table')}, {size_of(plan.left)} to come{here}")
    if args.dry_run:
        for table in plan.coming:
            say(f"{table.material} ({table.rules}{', slim' * table.slim}): {size_of(table.size)}")
        return 0
    require_room(directory, plan.left, "have yet to come")
    tidy(directory)
    with Counter(quiet=args.quiet, sizes=True) as counter:
        mirrors.told = lambda line: counter.say(f"tbgen: {line}")
        counter.begin("fetching", plan.left)
        for table in plan.coming:
            fetch(mirrors, table, directory, counter.advance, counter.again)
    return 0
