"""`tbgen serve`: the tables over HTTP, and a board in the browser."""

import argparse
import signal
from typing import Final

from tbgen.cli import common
from tbgen.errors import TbgenError
from tbgen.system.locations import address
from tbgen.system.text import say

_PORTS: Final = (1 << 16) - 1

EPILOG: Final = """\
The page at / is a board with what the tables know of the position on it, of all materials, and of whole games.
Programs ask at /v1/; /v1/openapi.json describes everything. Nothing leaves this machine unless --host says so.

examples:
  tbgen serve                                  the tables in data/, at http://127.0.0.1:8000/
  tbgen serve --tables DIR --port 8080
  tbgen serve --host 0.0.0.0 --per-client 20   for everybody who can reach this machine
  tbgen serve --url https://example.org        where people find it: links to positions then show a picture
  tbgen serve --cors https://example.org       pages of that site may ask as well
  curl "http://127.0.0.1:8000/v1/moves?fen=8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"

Tables that appear or are replaced are noticed within two seconds. SIGTERM ends it when what was begun is done (20
seconds at most), with exit code 0; Ctrl-C the same with 130.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine alone)")
    parser.add_argument(
        "--port", type=common.whole_number(0, _PORTS), default=8000, help="default: 8000; 0 for any that is free"
    )
    parser.add_argument(
        "--url", metavar="ADDRESS", help="where people find it, if a proxy stands before it: for pictures of links"
    )
    parser.add_argument(
        "--cors", action="append", default=[], metavar="ORIGIN", help="let pages of a site ask; * for all"
    )
    parser.add_argument(
        "--per-client",
        type=common.whole_number(0, 10**6),
        default=100,
        metavar="N",
        help="requests a second from one client, lines counting twenty times (default: 100; 0: no limit)",
    )
    parser.add_argument(
        "--at-once", type=common.at_once, default=256, metavar="N", help="requests at work, of all clients"
    )
    parser.add_argument("--access-log", action="store_true", help="print a line for each request")
    common.add_rules(parser)
    common.add_quiet(parser)
    common.add_tables(parser)


def run(args: argparse.Namespace) -> int:
    directory = common.present_tables_directory(args)
    try:
        from tbgen.web.server.limits import Limits
        from tbgen.web.server.run import address_of, listen, serve
        from tbgen.web.server.service import Settings
    except ModuleNotFoundError as error:
        raise TbgenError(
            f'{error.name} is not installed, and tbgen serve needs it: pip install "tbgen[serve]"'
        ) from None
    limits = Limits(per_client=args.per_client, at_once=args.at_once)
    url = None if args.url is None else address(args.url)
    settings = Settings(directory, args.rules, limits, tuple(args.cors), url, args.access_log)
    with listen(args.host, args.port) as listening:
        where = address_of(listening)

        def ready() -> None:
            if not args.quiet:
                what = directory if directory.is_dir() else "the package's tables of two and three men"
                say(f"serving {what} at {where} (Ctrl-C to stop)", flush=True)

        stopped_by = serve(settings, listening, ready)
    return common.INTERRUPTED if stopped_by == signal.SIGINT else 0
