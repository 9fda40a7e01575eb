"""What a finished table says, by number: handed from the solver to the store, from the store to probe and verifier."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.material import Material

OPPONENT_HOLDS = 0
MOVER_HOLDS = 1


class Steps(NamedTuple):
    """All staircases one after the other, column by column; each in rising order of level.

    A step says what the position is worth from its level of the record on, in the hands of its holder, until
    the next step for the same holder: relative outcome and distance in plies. Where that is no better for the
    side behind than the record itself, the record stands, as it does before the first step."""

    start: NDArray[np.int64]
    """`[staircase]`: where its steps begin; one more entry than staircases. Staircase 0 has none."""
    holder: NDArray[np.uint8]
    """OPPONENT_HOLDS or MOVER_HOLDS."""
    level: NDArray[np.uint8]
    outcome: NDArray[np.int16]
    distance: NDArray[np.uint16]


@dataclass(frozen=True)
class Contents:
    material: Material
    rules: str
    """`r` or `wg`."""
    entries: NDArray[np.int32]
    """`[number]`: fresh relative outcome * 65536 + distance; 0 where there is no legal position."""
    staircases: NDArray[np.int32]
    """`[number]`: which staircase holds while the record is better than or equal to the fresh outcome."""
    steps: Steps


def outcomes(entries: NDArray[np.int32]) -> NDArray[np.int16]:
    """The fresh relative outcomes in entries."""
    return (entries >> 16).astype(np.int16)


def distances(entries: NDArray[np.int32]) -> NDArray[np.uint16]:
    return (entries & 0xFFFF).astype(np.uint16)
