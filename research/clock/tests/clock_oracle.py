"""What a solver with the clock says of positions at clock 0, as White sees it."""

from collections.abc import Mapping
from functools import cache

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.probe.numbering import Numbering, Signature, make_numbering, number_of, signature


@cache
def _numbering(men: Signature) -> Numbering:
    return make_numbering(men)


def place(board: chess.Board) -> tuple[Material, int]:
    """The table of a position, and its number there."""
    numbering = _numbering(signature(board))
    return numbering.material, number_of(numbering, board)


def at_clock_0(found: Mapping[Material, NDArray[np.int32]], board: chess.Board) -> int:
    """`found`: a solver's."""
    material, number = place(board)
    entry = int(found[material][number])
    with_right = entry & (1 << OUTCOME_SHIFT) - 1
    if board.has_legal_en_passant():
        worth = int(np.array([with_right], np.uint16).view(np.int16)[0])
    else:
        worth = entry >> OUTCOME_SHIFT
    return worth if board.turn else -worth
