"""Outcomes in a byte: a slice has few that differ, and rows of bytes are half as long and twice as fast."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.clock.graph import NO_RESET

MOST: Final = 126
"""Outcomes of either side that a byte tells apart."""
BELOW_ALL: Final = -127
"""The code of NO_RESET."""


class Codes(NamedTuple):
    """They are in the order of the outcomes, and the opponent's code is the negative. 0 is no outcome."""

    worth: NDArray[np.int16]
    """`[code]`: what it stands for; rising, 0 first."""

    def of(self, outcomes: NDArray[np.integer]) -> NDArray[np.int8]:
        """Those of other outcomes are no codes of anything."""
        size = abs(outcomes.astype(np.int16))
        code = np.sign(outcomes) * np.minimum(np.searchsorted(self.worth, size), MOST)
        return np.where(outcomes == NO_RESET, BELOW_ALL, code).astype(np.int8)

    def outcomes(self, codes: NDArray[np.int8]) -> NDArray[np.int16]:
        return (np.sign(codes) * self.worth[abs(codes)]).astype(np.int16)


def codes_of(*outcomes: NDArray[np.integer]) -> Codes:
    """Codes for these, whoever has them."""
    sizes = [abs(one[one != NO_RESET].astype(np.int16)) for one in outcomes]
    worth = np.unique(np.concatenate([np.zeros(1, np.int16), *sizes]))
    if len(worth) > MOST + 1:
        raise ValueError(f"{len(worth) - 1} outcomes differ: a byte tells apart {MOST}")
    return Codes(worth)
