"""`tbgen publish`: a folder of tables that any web host serves."""

import argparse
from pathlib import Path
from typing import Final

from tbgen.cli import common
from tbgen.cli.display import Counter
from tbgen.system.command_name import called_as
from tbgen.system.locations import address, existing
from tbgen.system.text import counted, say, size_of, to_json

EPILOG: Final = """\
Put the folder on any web host: nothing has to run there. People find the explorer, with a board that reads the tables
in place, a few kilobytes at a time where the host gives parts of files, as nearly all do. tbgen fetch --from takes
tables from it.

The folder has the tables of DIR, whole and slim, and those of two and three men that come with tbgen; catalogue.json,
which says what each file is and needs; manifest.json, which says it to whoever cites the tables, with their licence
and what was verified; SHA256SUMS, for sha256sum -c; and, with --url, a torrent that the web host
seeds. Every table is compared with its digest before it is listed. What a table knows is counted for its page, once.

Tables take no room of their own where hard links can be made; elsewhere they are copied. Run it again when DIR has
more: the folder is brought up to date. What lies there stays. To take a table out, remove its file and run this again.

examples:
  tbgen publish data /srv/www/tables
      then: tbgen fetch KRvKN --from http://HOST/tables/
  tbgen publish data tables --url https://example.org/tables/
      with a torrent; the next run knows the address
  tbgen verify --tables data --json > checks
  tbgen publish data tables --verified checks
      the manifest says which tables were verified, and how
  (cd tables && python3 -m http.server)
      a host to try it with, at http://127.0.0.1:8000/, which gives no parts of files
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=common.directory, metavar="DIR", help="where the tables are")
    parser.add_argument(
        "site", type=common.directory, metavar="SITE", help="the folder to make, or to bring up to date"
    )
    parser.add_argument("--url", metavar="ADDRESS", help="where the folder will be (default: as told before, if ever)")
    parser.add_argument(
        "--verified", type=Path, action="append", default=[], metavar="FILE",
        help="what tbgen verify --json has printed of these tables, for the manifest; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--license",
        default="CC0-1.0",
        metavar="ID",
        help="of the tables, by SPDX, for the manifest (default: %(default)s)",
    )
    parser.add_argument("--no-pages", action="store_true", help="tables for programs only, without the explorer")
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    from tbgen.web.publish.manifest import license_of
    from tbgen.web.publish.site import publish

    directory, site = existing(args.directory), Path(args.site)
    url = None if args.url is None else address(args.url)
    license = license_of(args.license)
    with Counter(quiet=common.is_quiet(args)) as counter:
        made = publish(
            directory, site, url, counter.begin, counter.advance,
            pages=not args.no_pages, verified=args.verified, license=license,
        )  # fmt: skip
    total = sum(row["bytes"] for row in made.rows)
    if args.json:
        counts = {"tables": len(made.rows), "bytes": total, "new": made.new, "lacking": made.lacking}
        say(to_json({"site": str(site)} | counts | {"files": made.files}))
        return 0
    if not args.quiet:
        say(f"{site}: {counted(len(made.rows), 'table')}, {size_of(total)}; {len(made.new)} of them new")
    if made.lacking:
        common.remark(f"not there, and needed to fetch all: {', '.join(made.lacking)} (see {called_as()} build)")
    return 0
