"""Write docs/man: a manual page for tbgen and one for each command, which argparse-manpage makes from the parsers."""

import argparse
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from argparse_manpage.manpage import Manpage

from tbgen._version import __version__
from tbgen.cli.main import COMMANDS, parser_of, parser_of_all

_NUMBERED: Final = re.compile(r"(\d+\.) ")
PLACE: Final = Path(__file__).resolve().parent.parent / "docs" / "man"


def pages() -> dict[str, str]:
    """Names of files, and what is in them."""
    found = {"tbgen.1": page("tbgen", parser_of_all(), "r-mobility endgame tablebases")}
    for name, (_, summary) in COMMANDS.items():
        found[f"tbgen-{name}.1"] = page(f"tbgen-{name}", parser_of(name), summary)
    return found


def page(name: str, parser: argparse.ArgumentParser, summary: str) -> str:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # a page is as wide as whoever reads it has it
    made = Manpage(parser)
    made.prog, made.description = name, summary
    made.date, made.source, made.manual = "", f"tbgen {__version__}", "tbgen"
    head, _, epilog = str(made).partition("\n.SH COMMENTS\n")
    title, _, rest = head.partition("\n")
    return "\n".join([title, ".ad l", rest, ".SH MORE", *_laid_out(epilog.splitlines())]) + "\n"


def _laid_out(epilog: Iterable[str]) -> Iterator[str]:
    """Numbered items hang; what else is indented stays line by line as it is; the rest are paragraphs."""
    for as_it_is, lines in groupby(_hung(epilog), key=lambda line: line.startswith(" ")):
        yield from [".nf"] if as_it_is else []
        yield from lines
        yield from [".fi"] if as_it_is else []


def _hung(epilog: Iterable[str]) -> Iterator[str]:
    """The lines, with requests where an item begins and where the items end."""
    in_item, before = False, ""
    for line in epilog:
        number = _NUMBERED.match(line) if in_item or not before else None
        if number:
            yield f".IP {number[1]} 3"
        in_item, was = bool(number) or (in_item and line.startswith(" ")), in_item
        ends = was and not in_item
        if ends:
            yield ".PP"
        before = line
        words = line[number.end() :] if number else line.strip() if in_item else line
        if words or not ends:  # the request leaves the room that an empty line would
            yield f"\\&{words}" if words.startswith((".", "'")) else words


def main() -> None:
    argparse.ArgumentParser(prog="scripts/man", description=__doc__).parse_args()
    PLACE.mkdir(exist_ok=True)
    for old in PLACE.glob("*.1"):
        old.unlink()
    for name, text in pages().items():
        (PLACE / name).write_text(text)


if __name__ == "__main__":
    main()
