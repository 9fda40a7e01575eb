"""What a rule of thumb knows of a man: its worth in hundredths of a pawn, and what sets it apart.

Men of chess have their usual worth. For men that leap a square or two H. G. Muller found (33 + 0.7 n) n, where n is the
number of squares that they reach from the middle of a board. A rider's further squares count by how often they are on
the board and the way to them is free. So a Bishop-Dabbaba is worth about a rook and an Adjutant about seven pawns, as
Pair-o-Max has them.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from tbgen.material import Material
from tbgen.men import Man

VALUES: Final = {"Q": 950, "R": 500, "B": 325, "N": 325, "P": 100}
"""The worth of men of chess."""
_FREE: Final = 0.8
"""How often a square on a rider's way is empty."""
_EDGE: Final = 8
_MATES_ALONE: Final = {"WF", "WD"}
"""Light men that do."""
_TOUGH: Final = {"WF"}
_NO_PAIR: Final = {"N"}


class Piece(NamedTuple):
    letter: str
    value: int
    colour_bound: bool = False
    mates_alone: bool = False
    """Though light."""
    tough: bool = False
    """It draws against a far heavier man, as no king can approach it."""
    no_pair: bool = False
    """Two of them cannot mate."""


@lru_cache(256)
def pieces(material: Material) -> Mapping[str, Piece]:
    """All men that the material may have, by letter."""
    return {**_OF_CHESS, **{man.letter: _piece(man, worth(man)) for man in material.fairy}}


def worth(man: Man) -> int:
    squares = sum(
        _on_board(step.file, step.rank, times) * _FREE ** (times - 1)
        for step in man.steps
        for times in range(1, step.far + 1)
    )
    return round((33 + 0.7 * squares) * squares)


def _on_board(file: int, rank: int, times: int) -> float:
    """How often so many leaps stay on the board, of the places where one does."""

    def places(count: int) -> int:
        return max(_EDGE - count * abs(file), 0) * max(_EDGE - count * abs(rank), 0)

    return places(times) / places(1)


def _piece(man: Man, value: int) -> Piece:
    bound = all((step.file + step.rank) % 2 == 0 for step in man.steps)
    return Piece(man.letter, value, bound, man.moves in _MATES_ALONE, man.moves in _TOUGH, man.moves in _NO_PAIR)


_OF_CHESS: Final = {
    "P": Piece("P", VALUES["P"]),
    **{
        letter: _piece(Man(letter, moves), VALUES[letter])
        for letter, moves in zip("QRBN", ("RB", "R", "B", "N"), strict=True)
    },
}
