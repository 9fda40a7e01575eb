"""Decoding whole chunks: compiled, because most of the time of a long reading was spent on sorting places by shape.

A single look needs none of it, and must not wait for a compiler to be loaded: see Chunk.spread."""

from threading import local
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import kernel
from tbgen.store.format.shapes import ShapeTable
from tbgen.store.read.positions import STEP, Positions, Staircases

_SCRATCH: Final = local()
"""`number`: an array of zeros by shape. A table may have a million shapes, and a chunk a hundred of them."""


def spread(
    shapes: NDArray[np.unsignedinteger],
    held: NDArray[np.uint8],
    raw: bytes,
    at: int,
    table: NDArray[np.unsignedinteger],
) -> None:
    """As `by_sorting` (chunk.py), all sections in one pass."""
    number = getattr(_SCRATCH, "number", None)
    if number is None or len(number) < len(held):
        number = _SCRATCH.number = np.zeros(len(held), np.int32)
    some = np.empty(len(shapes), np.int32)
    some = some[: _count(shapes, number, some)]
    some.sort()
    next_ = np.zeros((1 + len(some), len(table)), np.int64)
    fits = _lay_out(some, held, number, next_, at, table.itemsize) <= len(raw)
    if fits:
        _spread(shapes, held, number, next_, np.frombuffer(raw, np.uint8), table)
    number[some] = 0
    if not fits:
        raise ValueError("a chunk ends too soon")


@kernel
def _count(shapes, number, some):
    """Put the shapes that occur into `some`, and how many places have each into `number`. Return how many occur."""
    kinds = 0
    for shape in shapes:
        if number[shape] == 0:
            some[kinds] = shape
            kinds += 1
        number[shape] += 1
    return kinds


@kernel
def _lay_out(some, held, number, next_, at, planes):
    """`next_[kind, section]` becomes where the first number of each shape lies, and `number[shape]` its kind, from 1.
    `next_[0, section]` becomes how many numbers a section has. Return where the last section ends."""
    sections = next_.shape[1]
    for kind in range(len(some)):
        places = number[some[kind]]
        number[some[kind]] = 1 + kind
        for section in range(min(sections, held[some[kind]])):
            next_[1 + kind, section] = next_[0, section]
            next_[0, section] += places
    for section in range(sections):
        for kind in range(len(some)):
            next_[1 + kind, section] += at
        at += planes * next_[0, section]
    return at


@kernel
def _spread(shapes, held, number, next_, raw, table):
    for place in range(len(shapes)):
        shape = shapes[place]
        kind = number[shape]
        for section in range(min(len(table), held[shape])):
            there = next_[kind, section]
            next_[kind, section] = there + 1
            value = np.int64(raw[there])
            if table.itemsize > 1:
                value |= np.int64(raw[there + next_[0, section]]) << 8
            table[section, place] = value


def staircases(positions: Positions, places: NDArray[np.int64]) -> Staircases:
    """As `Positions.staircases`."""
    shape_table, shapes = positions.shape_table, positions.shapes
    length = shape_table.shapes.steps[shapes[places]]
    steps = np.empty(int(length.sum()), STEP)
    known, (column, odd) = shape_table.shapes, shape_table.distances
    if len(steps):
        _write_steps(
            shapes, positions.halves(), places, length, shape_table.start,
            known.holder, known.level, known.step_outcome, column, odd,
            steps["holder"], steps["level"], steps["outcome"], steps["distance"],
        )  # fmt: skip
    return Staircases(length, steps)


@kernel
def _write_steps(
    shapes,
    halves,
    places,
    length,
    start,
    known_holder,
    known_level,
    known_outcome,
    column,
    odd,
    holder,
    level,
    outcome,
    distance,
):
    to = 0
    for row in range(len(places)):
        place = places[row]
        at = start[shapes[place]]
        for step in range(at, at + length[row]):
            holder[to] = known_holder[step]
            level[to] = known_level[step]
            outcome[to] = known_outcome[step]
            distance[to] = 2 * np.int64(halves[column[step], place]) + odd[step]
            to += 1


def gather(
    shapes: NDArray[np.unsignedinteger],
    fresh: NDArray[np.unsignedinteger],
    places: NDArray[np.int64],
    shape_table: ShapeTable,
    entries: NDArray[np.int32],
    inside: NDArray[np.bool_],
) -> None:
    """Fill in the entries of these places, and whether each has a staircase. `fresh` are halves of distances."""
    _gather(shapes, fresh, places, shape_table.base, shape_table.inside, entries, inside)


@kernel
def _gather(shapes, fresh, places, base, has_steps, entries, inside):
    for row in range(len(places)):
        shape = shapes[places[row]]
        entries[row] = base[shape] + (np.int32(fresh[places[row]]) << 1)
        inside[row] = has_steps[shape]
