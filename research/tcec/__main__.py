"""Score real games again, as the page on TCEC's games shows it.

    research/run tcec GAMES.pgn --tables DIR

GAMES.pgn has the games that ended with five men or fewer: TCEC's own archive has them. Draws that were agreed or
adjudicated are decided by tables; then all draws are.
"""

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="research/run tcec", description=__doc__, formatter_class=form)
    parser.add_argument("games", type=Path, metavar="GAMES.pgn")
    parser.add_argument("--tables", type=Path, metavar="DIR", required=True, help="tables of two to five men")
    args = parser.parse_args()
    for options in (["--top", "5"], ["--decide", "all"]):
        words = ["adjudicate", str(args.games), "--tables", str(args.tables), "--report", *options]
        code = subprocess.run([sys.executable, "-m", "tbgen", *words], check=False).returncode
        if code:
            sys.exit(code)


main()
