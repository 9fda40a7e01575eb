"""What a thread has lately found: a small array of keys in which each slot holds the last key that came to it."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from tbgen.compiler.jit import inlined


@inlined
def slot_of(keys, key):
    """The slot of a key, which is not 0, in an array of keys."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) * np.uint64(len(keys)) >> np.uint64(32))
