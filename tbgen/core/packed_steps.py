"""A step of a staircase as one integer, as kernels take it: outcome, distance, level and holder, from the highest bits
down."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, plain

LONGEST: Final = 512
"""Steps: no staircase has more, with two holders and fewer than 256 levels."""
_PARTS: Final = np.dtype([("holder", "u1"), ("level", "u1"), ("distance", "<u2"), ("outcome", "<i4")])
"""Where they lie in the integer."""


@inlined
def pack_step(holder, level, outcome, distance):
    return ((outcome << 16 | distance) << 8 | level) << 8 | holder


@inlined
def step_holder(step):
    return step & 0xFF


@inlined
def step_level(step):
    return step >> 8 & 0xFF


@inlined
def step_distance(step):
    return step >> 16 & 0xFFFF


@inlined
def step_outcome(step):
    return step >> 32


def pack_steps(
    holder: NDArray[Any], level: NDArray[Any], outcome: NDArray[Any], distance: NDArray[Any]
) -> NDArray[np.int64]:
    """Columns of steps as one."""
    packed: NDArray[np.int64] = plain(pack_step)(holder, level, outcome.astype(np.int64), distance)
    return packed


def unpack_steps(steps: NDArray[np.int64]) -> tuple[NDArray[np.integer], ...]:
    """Holder, level, outcome and distance of each, without a copy."""
    parts = steps.astype("<i8", copy=False).view(_PARTS)
    return tuple(parts[name] for name in ("holder", "level", "outcome", "distance"))
