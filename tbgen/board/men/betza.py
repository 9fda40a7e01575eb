"""Betza's notation for symmetric leapers and riders: `WF`, `BDD`, `N3`."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tbgen.errors import BadInput, quoted

FARTHEST: Final = 7
"""Squares from one edge of the board to the other."""

_ATOMS: Final = {
    "W": (1, 0), "F": (1, 1),
    "D": (2, 0), "N": (2, 1), "A": (2, 2),
    "H": (3, 0), "C": (3, 1), "Z": (3, 2), "G": (3, 3),
}  # fmt: skip
_RIDERS: Final = {"R": "W", "B": "F"}
"""Letters of their own for what would be doubled: a rook is WW."""
_SHORT: Final = {"Q": "RB", "K": "WF"}
_TOKEN: Final = re.compile(r"(?P<atom>[A-Z])(?P<far>(?P=atom)|[0-9]{1,3})?")


class Step(NamedTuple):
    """A leap, which may be repeated in the same direction while squares are empty."""

    file: int
    rank: int
    far: int
    """How often at most."""


def canonical(notation: str) -> str:
    """The one way to write these moves; BadInput if a table cannot have such a man."""
    far = _ranges(notation)
    _check_apart(notation, far)
    return "".join(_written(atom, far[atom]) for atom in _ATOMS if atom in far)


def steps(notation: str) -> list[Step]:
    """The steps of a man, each direction once."""
    return [
        Step(file, rank, far)
        for atom, far in _ranges(notation).items()
        for file, rank in dict.fromkeys(_directions(*_ATOMS[atom]))
    ]


def _ranges(notation: str) -> dict[str, int]:
    """How far each atom goes, in the order in which moves are written."""
    words, found = "".join(_SHORT.get(letter, letter) for letter in notation), dict[str, int]()
    if not words:
        raise BadInput("a man without moves: write them in Betza's notation, as in C=WF")
    if not re.fullmatch("[A-Z0-9]+", words):
        raise BadInput(f"men move alike in all directions, and capture as they move: no {quoted(notation)}")
    end = 0
    for match in _TOKEN.finditer(words):
        atom, far = match["atom"], match["far"]
        if match.start() != end or atom not in _ATOMS | _RIDERS:
            break
        end = match.end()
        leap = _RIDERS.get(atom, atom)
        most = FARTHEST // max(_ATOMS[leap])
        if far is None or not far.isdecimal():
            count = 1 if far is None and atom == leap else most
        else:
            count = int(far)
            if not 0 < count <= most:
                raise BadInput(
                    f"{match[0]} in {quoted(notation)} leads off the board: {atom} goes {most} times at most"
                )
        found[leap] = max(found.get(leap, 0), count)
    if end < len(words):
        raise BadInput(f"no moves of a man: {quoted(notation)} ({' '.join(_ATOMS)} leap; R B Q K; DD or N3 rides)")
    return {atom: found[atom] for atom in _ATOMS if atom in found}


def _written(atom: str, far: int) -> str:
    most = FARTHEST // max(_ATOMS[atom])
    if far == 1:
        return atom
    if far < most:
        return f"{atom}{far}"
    return next((rider for rider, leap in _RIDERS.items() if leap == atom), 2 * atom)


def _check_apart(notation: str, far: dict[str, int]) -> None:
    """Tables take one way to a square: which men are in the way is a set of squares."""
    seen: dict[tuple[int, int], str] = {}
    for atom, count in far.items():
        file, rank = _ATOMS[atom]
        for times in range(1, count + 1):
            other = seen.setdefault((times * file, times * rank), atom)
            if other != atom:
                raise BadInput(
                    f"{_written(other, far[other])} and {_written(atom, count)} in {quoted(notation)} reach the same "
                    "square in two ways, and tables know one"
                )


def _directions(far: int, near: int) -> Iterator[tuple[int, int]]:
    for one, other in ((far, near), (near, far)):
        for file in (one, -one):
            yield from ((file, rank) for rank in (other, -other))
