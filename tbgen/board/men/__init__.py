"""Men beyond those of chess, as data: a letter, and moves in Betza's notation.

A man is symmetric: it moves alike in all directions, and captures as it moves. It leaps, or rides: repeats a leap until
a man is in its way. So its moves are a list of steps, and all that solver, verifier and probe need follows from that
(board/geometry.py). A material carries the definitions of its men with it (tbgen/core/material.py).
"""

from tbgen.board.men.known import BUILT_IN, OF_CHESS, RESERVED, VARIABLE, Men, defined, known, named, told, use
from tbgen.board.men.man import Man
from tbgen.board.men.marks import LEAST_BONUS, MATES_ALONE, NO_PAIR, TOUGH

__all__ = [
    "BUILT_IN",
    "LEAST_BONUS",
    "MATES_ALONE",
    "NO_PAIR",
    "OF_CHESS",
    "RESERVED",
    "TOUGH",
    "VARIABLE",
    "Man",
    "Men",
    "defined",
    "known",
    "named",
    "told",
    "use",
]
