"""Numbers of several bytes as planes: all lowest bytes, then all of the next, and so on. They compress better so."""

import numpy as np
from numpy.typing import NDArray


def bytes_for(largest: int) -> int:
    """How many planes numbers up to this one take."""
    return (max(0, largest).bit_length() + 7) // 8


def planes_of(values: NDArray[np.integer], planes: int) -> list[NDArray[np.uint8]]:
    return [(values >> 8 * nth & 255).astype(np.uint8) for nth in range(planes)]


def joined(raw: bytes, at: int, count: int, planes: int) -> NDArray[np.unsignedinteger]:
    """The way back, for planes that lie one after the other from `at` on."""
    stored = np.frombuffer(raw, np.uint8, count * planes, at)
    if planes == 1:
        return stored
    wide = np.zeros((count, 2 if planes == 2 else 4), np.uint8)
    wide[:, :planes] = stored.reshape(planes, count).T
    return wide.reshape(-1).view("<u2" if planes == 2 else "<u4")
