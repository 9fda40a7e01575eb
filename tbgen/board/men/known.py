"""Which letters stand for which men: those that are built in, and those that a user defines.

A definition is a word such as `X=WDN`, with a mark (marks.py) and a name behind it if it is to have them, as in
`X=WA 0,3 Jumper`, or a file of such lines. The command line has them in `--men`; a program gives them to `defined`, and
the mapping that this makes to whoever reads a material or a FEN. Who is given none asks the environment, which
processes that work for this one share.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from tbgen.board.men.betza import canonical
from tbgen.board.men.man import Man
from tbgen.board.men.marks import MATES_ALONE, NO_PAIR, TOUGH, mark_of
from tbgen.errors import BadInput, quoted

Men = Mapping[str, Man]
"""By letter."""

VARIABLE: Final = "TBGEN_MEN"
"""Definitions and files with colons between."""
RESERVED: Final = "KQRBNPV"
"""Those of chess, and what stands between the sides of a material."""
OF_CHESS: Final = (Man("Q", "RB"), Man("R", "R"), Man("B", "B"), Man("N", "N", mark=NO_PAIR))
"""The pieces of chess."""
BUILT_IN: Final[Men] = {
    man.letter: man
    for man in (
        Man("A", "A", "Alfil"),
        Man("C", "WF", "Commoner", TOUGH),
        Man("D", "D", "Dabbaba"),
        Man("E", "BD", "Bishop-Dabbaba"),
        Man("F", "F", "Ferz"),
        Man("H", "NN", "Knightrider"),
        Man("J", "BDD", "Adjutant"),
        Man("O", "WD", "Woody Rook", MATES_ALONE),
        Man("W", "W", "Wazir"),
    )
}
"""The men of Pair-o-Max, H. G. Muller's rule of mating potential."""
_DEFINITION: Final = re.compile(
    r"(?P<letter>[^=\s]*)=(?P<moves>\S*)(?:\s+(?P<mark>[-+,0-9]\S*))?(?:\s+(?P<name>[^-+,0-9\s].*))?"
)
"""A name begins with no digit: what does is to be a mark."""
_LARGEST: Final = 1 << 16
"""Bytes of a file of definitions."""


def defined(words: Iterable[str], men: Men = BUILT_IN) -> Men:
    """These men, and those that definitions and files define."""
    found = dict(men)
    for word in words:
        for text in [word] if "=" in word else _lines(Path(word)):
            man = _man(text)
            there = found.setdefault(man.letter, man)
            if there != man or man.mark not in (0, there.mark):
                raise BadInput(f"the letter {man.letter} is in use: {_definition(there)}")
    return found


def told(men: Mapping[str, str]) -> Men:
    """The men that a file defines, by the letters of those beyond chess; BadInput if there are none such."""
    return defined((f"{letter}={moves}" for letter, moves in men.items()), {})


def known() -> Men:
    """The men that are built in, and those of the environment."""
    return _from(os.environ.get(VARIABLE, ""))


def named(letters: Iterable[str], men: Men) -> list[Man]:
    """The men of these letters, in order."""
    letters = sorted(letters)
    for letter in letters:
        if letter not in men:
            raise BadInput(f"no man has the letter {letter}: --men {letter}=WF defines one")
    return [men[letter] for letter in letters]


def use(words: Iterable[str]) -> None:
    """Define men for this process and those that it starts."""
    words = [word if "=" in word else str(Path(word).absolute()) for word in words]
    defined(words, known())
    os.environ[VARIABLE] = os.pathsep.join(filter(None, [os.environ.get(VARIABLE, ""), *words]))


@lru_cache(1)
def _from(words: str) -> Men:
    return defined(filter(None, words.split(os.pathsep)))


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST + 1).decode()
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"no men: {path} is neither a definition such as C=WF nor a file of such lines") from None
    if len(text) > _LARGEST:
        raise BadInput(f"{path} is too long for definitions of men")
    return filter(None, (line.partition("#")[0].strip() for line in text.splitlines()))


def _man(text: str) -> Man:
    match = _DEFINITION.fullmatch(text.strip())
    if match is None:
        raise BadInput(
            f"not a man: {quoted(text)} (write its letter and its moves, as in C=WF; a mark and a name come behind, as "
            "in X=WA 0,3 Jumper)"
        )
    letter = match["letter"]
    if not re.fullmatch("[A-Z]", letter):
        raise BadInput(f"a man's letter is one of A to Z, not {quoted(letter)}")
    if letter in RESERVED:
        what = "stands between the sides of a material" if letter == "V" else "is a man of chess"
        raise BadInput(f"the letter {letter} is in use: it {what}")
    man = Man(letter, canonical(match["moves"]), match["name"] or "")
    return replace(man, mark=mark_of(match["mark"], colour_bound=man.is_colour_bound)) if match["mark"] else man


def _definition(man: Man) -> str:
    return " ".join(filter(None, (str(man), f"0,{man.mark}" if man.mark else "", man.name)))
