"""Values of a slice that have outgrown their room."""

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import plain
from tbgen.core.table_contents import DISTANCE_MASK
from tbgen.retro.values.codes import STANDS, capacity, is_full
from tbgen.retro.values.payoff import LARGEST_SHORTEST


def overflow(keys: NDArray[np.int32], payoffs: NDArray[np.int32]) -> str:
    """Say what a slice has no room for: a value that got no code, or a distance longer than a payoff can say."""
    for values, table in (("positions", keys), ("resets", payoffs)):
        if plain(is_full)(table):
            return f"{values} have more than {capacity(table):,} different values"
    longest = int((keys[STANDS + 1 :] & DISTANCE_MASK).max())
    return f"a distance is longer than {LARGEST_SHORTEST:,} plies" if longest > LARGEST_SHORTEST else ""
