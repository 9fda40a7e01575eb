"""Make docs/paper/paper.pdf, and the figures in it, docs/paper/figures.json, from what docs say today."""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Final

import chess
import paper_figures

from tbgen import files
from tbgen._version import __version__
from tbgen.look import palette
from tbgen.look.board import picture

PLACE: Final = paper_figures.FIGURES.parent
SOURCES: Final = ("paper.typ", "look.typ", "references.bib", "figures.json")
PDF: Final = PLACE / "paper.pdf"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/paper", description=__doc__)
    parser.add_argument("--pages", type=Path, metavar="DIR", help="put a picture of each page there as well")
    args = parser.parse_args()
    files.replace(paper_figures.FIGURES, paper_figures.as_text(paper_figures.figures()).encode())
    files.replace(PDF, pdf())
    if args.pages:
        args.pages.mkdir(parents=True, exist_ok=True)
        compiled("png", args.pages / "{0p}.png")


def pdf() -> bytes:
    made = compiled("pdf")
    assert isinstance(made, bytes)
    return made


def compiled(form: str, output: Path | None = None) -> object:
    """By typst, which is in the wheel of that name: nothing else has to be installed, fonts included."""
    import typst

    return typst.compile(
        PLACE / "paper.typ", output, format=form, ppi=110, sys_inputs=inputs(), ignore_system_fonts=True
    )


def inputs() -> dict[str, str]:
    """What the article is made of beside its files."""
    boards = json.loads(paper_figures.FIGURES.read_bytes())["boards"]
    return {
        "palette": json.dumps(palette()),
        "boards": json.dumps({name: picture(chess.Board(fen)) for name, fen in boards.items()}),
        "release": f"tbgen {__version__}",
        "made-of": made_of(),
    }


def made_of() -> str:
    """A digest of the sources, which the PDF has among its keywords: it says whether they are today's."""
    found = hashlib.sha256()
    for name in SOURCES:
        found.update((PLACE / name).read_bytes())
    return f"sha256:{found.hexdigest()}"


if __name__ == "__main__":
    main()
