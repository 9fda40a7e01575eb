"""Make the article, paper.pdf, and its figures, figures.json, from what docs and studies say today."""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import chess

from research.paper import figures
from tbgen._version import __version__
from tbgen.drawing import palette
from tbgen.drawing.board import picture
from tbgen.system import output_files

PLACE: Final = figures.FIGURES.parent
SOURCES: Final = ("paper.typ", "look.typ", "references.bib", "figures.json")
RELEASE: Final = f"tbgen {__version__}"
USED: Final = (
    "ink", "faint", "line", "link", "w0", "w1", "w2", "w3", "b0", "b1", "b2", "b3", "h0", "h1", "h2", "h3", "h4", "h5",
    "h6", "h7",
)  # fmt: skip
"""The colours that look.typ asks for."""
COLOURS: Final = json.dumps({name: palette()[name] for name in USED})
PPI: Final = 110
PDF: Final = PLACE / "paper.pdf"


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run paper", description=__doc__)
    parser.add_argument("--pages", type=Path, metavar="DIR", help="put a picture of each page there as well")
    args = parser.parse_args()
    output_files.replace(figures.FIGURES, figures.as_text(figures.figures()).encode())
    output_files.replace(PDF, pdf())
    if args.pages:
        args.pages.mkdir(parents=True, exist_ok=True)
        import typst

        typst.compile(PLACE / "paper.typ", args.pages / "{0p}.png", format="png", ppi=PPI, **how())


def pdf() -> bytes:
    """By typst, which is in the wheel of that name: nothing else has to be installed, fonts included."""
    import typst

    made: bytes = typst.compile(PLACE / "paper.typ", format="pdf", **how())
    return made


def how() -> Any:
    """The same wherever it is made: what the article is made of beside its files, and no fonts of the system's."""
    boards = json.loads(figures.FIGURES.read_bytes())["boards"]
    drawn = {name: picture(chess.Board(fen)) for name, fen in boards.items()}
    told = {"palette": COLOURS, "boards": json.dumps(drawn), "release": RELEASE, "made-of": made_of()}
    return {"sys_inputs": told, "ignore_system_fonts": True}


def made_of() -> str:
    """A digest of what it is made of, which the PDF has among its keywords: it says whether that has changed since."""
    found = hashlib.sha256()
    for part in (RELEASE.encode(), COLOURS.encode(), *((PLACE / name).read_bytes() for name in SOURCES)):
        found.update(hashlib.sha256(part).digest())
    return f"sha256:{found.hexdigest()}"
