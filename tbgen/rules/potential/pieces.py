"""What a rule of thumb knows of a man: its worth in hundredths of a pawn, and what sets it apart.

Men of chess have their usual worth. For men that leap a square or two H. G. Muller found (33 + 0.7 n) n, where n is the
number of squares that they reach from the middle of a board. A rider's further squares count by how often they are on
the board and the way to them is free. So a Bishop-Dabbaba is worth about a rook and an Adjutant about seven pawns, as
Pair-o-Max has them.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from tbgen.board.men import BUILT_IN, LEAST_BONUS, MATES_ALONE, NO_PAIR, OF_CHESS, TOUGH, Man
from tbgen.core.material import Material

VALUES: Final = {"Q": 950, "R": 500, "B": 325, "N": 325, "P": 100}
"""The worth of men of chess."""
_FREE: Final = 0.8
"""How often a square on a rider's way is empty."""
_EDGE: Final = 8
_BONUS: Final = 8
"""A pair on both colours is worth more by this part of one of them."""
_MARKS: Final = {man.moves: man.mark for man in (*OF_CHESS, *BUILT_IN.values())}
"""A man that is not marked has the mark of one that moves alike."""


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
    bonus: int = 0
    """What a pair on both colours is worth beyond both."""


def pieces(material: Material) -> Mapping[str, Piece]:
    """All men that the material may have, by letter."""
    return {**_OF_CHESS, **{man.letter: _beyond_chess(man.letter, man.moves, man.mark) for man in material.fairy}}


@lru_cache(256)
def _beyond_chess(letter: str, moves: str, mark: int) -> Piece:
    man = Man(letter, moves, mark=mark)
    return _piece(man, worth(man))


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
    mark, bonus = man.mark or _MARKS.get(man.moves, 0), 0
    if man.is_colour_bound:
        bonus = mark if mark >= LEAST_BONUS else value // _BONUS
    alone = mark in (MATES_ALONE, TOUGH)
    return Piece(man.letter, value, man.is_colour_bound, alone, mark == TOUGH, mark == NO_PAIR, bonus)


_OF_CHESS: Final = {
    "P": Piece("P", VALUES["P"]),
    **{man.letter: _piece(man, VALUES[man.letter]) for man in OF_CHESS},
}
