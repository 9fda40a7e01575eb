"""Large arrays that live on disk while a table is built: the system keeps in memory what is in use."""

import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

LARGE: Final = 1 << 26
"""Numbers; smaller arrays are kept in memory."""


def make_array(numbers: int, directory: Path) -> NDArray[np.int32]:
    """Zeros. Large arrays are backed by a file of no name, which is gone when the process is, however that ends."""
    if numbers < LARGE:
        return np.zeros(numbers, np.int32)
    with tempfile.TemporaryFile(dir=directory) as file:
        return np.memmap(file, np.int32, "w+", shape=(numbers,))
