"""Contents <-> what a file holds: dictionaries in its head and byte planes in its chunks."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Contents, Steps
from tbgen.store.blocks import Packed, chunk_count, deflate

POSITIONS: Final = "positions"
STEPS: Final = "steps"
STAIRCASES: Final = "staircases"
WIDTH: Final = 1 << 14
"""Positions a chunk."""


class Encoded(NamedTuple):
    columns: list[Packed]
    arrays: dict[str, NDArray[np.generic]]
    attributes: dict[str, int]


def byte_planes(values: NDArray[np.generic], count: int) -> NDArray[np.uint8]:
    """The lowest `count` bytes of non-negative integers, lowest first, one row each."""
    wide: NDArray[np.uint8] = values.astype("<u8").view(np.uint8)
    return np.ascontiguousarray(wide.reshape(-1, 8)[:, :count].T)


def from_planes(planes: NDArray[np.uint8]) -> NDArray[np.int64]:
    values: NDArray[np.int64] = planes[0].astype(np.int64)
    for nth in range(1, len(planes)):
        values |= planes[nth].astype(np.int64) << 8 * nth
    return values


def bytes_for(largest: int) -> int:
    return max(1, (int(largest).bit_length() + 7) // 8)


def _pack(
    name: str, planes: int, length: int, width: int, parts: Iterator[NDArray[np.uint8]], pool: Executor
) -> Packed:
    width = min(width, length)
    chunks = list(pool.map(lambda part: deflate(part, width), parts))
    return Packed(name, planes, length, width, chunks)


def encode(contents: Contents, pool: Executor) -> Encoded:
    entries, staircases, steps = contents.entries, contents.staircases, contents.steps
    pairs = np.flatnonzero(np.bincount((entries >> 16) + 512, minlength=1025)) - 512
    place = np.zeros(1025, np.int64)
    place[pairs + 512] = np.arange(len(pairs))
    of_distance = bytes_for(int((entries & 0xFFFF).max(initial=0)))
    of_staircase = bytes_for(int(staircases.max(initial=0)))

    def parts() -> Iterator[NDArray[np.uint8]]:
        for at in range(0, len(entries), WIDTH):
            here = entries[at : at + WIDTH]
            yield np.concatenate(
                [
                    byte_planes(place[(here >> 16) + 512], 1),
                    byte_planes(here & 0xFFFF, of_distance),
                    byte_planes(staircases[at : at + WIDTH], of_staircase),
                ]
            )

    positions = _pack(POSITIONS, 1 + of_distance + of_staircase, len(entries), WIDTH, parts(), pool)
    packed = steps.holder.astype(np.int64) << 31 | steps.level.astype(np.int64) << 23
    packed |= (steps.outcome.astype(np.int64) + 512) << 12 | steps.distance.astype(np.int64)
    columns = [positions, _plain(STEPS, packed, 4, pool), _plain(STAIRCASES, steps.start, 5, pool)]
    attributes = {"distance_planes": of_distance, "staircase_planes": of_staircase}
    return Encoded(columns, {"outcomes": pairs.astype("<i2")}, attributes)


def _plain(name: str, values: NDArray[np.generic], planes: int, pool: Executor) -> Packed:
    if not len(values):
        values = np.zeros(1, np.int64)  # HDF5 has no empty chunks
    parts = (byte_planes(values[at : at + WIDTH], planes) for at in range(0, len(values), WIDTH))
    return _pack(name, planes, len(values), WIDTH, parts, pool)


class Decoder:
    def __init__(self, attributes: Mapping[str, int], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self._split = 1 + int(attributes["distance_planes"])
        self._outcomes = np.zeros(256, np.int32)
        self._outcomes[: len(arrays["outcomes"])] = arrays["outcomes"]
        self._outcomes <<= 16

    def positions(self, raw: bytes, width: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        planes = np.frombuffer(raw, np.uint8).reshape(-1, width)
        entries = self._outcomes[planes[0]]
        entries |= planes[1]
        for nth in range(2, self._split):
            entries |= planes[nth].astype(np.int32) << 8 * (nth - 1)
        staircases = planes[self._split].astype(np.int32)
        for nth in range(self._split + 1, len(planes)):
            staircases |= planes[nth].astype(np.int32) << 8 * (nth - self._split)
        return entries, staircases

    def steps(self, packed: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
        return list(
            zip(
                (packed >> 31).tolist(),
                (packed >> 23 & 255).tolist(),
                ((packed >> 12 & 2047) - 512).tolist(),
                (packed & 4095).tolist(),
                strict=True,
            )
        )


def all_steps(start: NDArray[np.int64], packed: NDArray[np.int64]) -> Steps:
    return Steps(
        start,
        (packed >> 31).astype(np.uint8),
        (packed >> 23 & 255).astype(np.uint8),
        ((packed >> 12 & 2047) - 512).astype(np.int16),
        (packed & 4095).astype(np.uint16),
    )


__all__ = ["POSITIONS", "STAIRCASES", "STEPS", "Decoder", "Encoded", "all_steps", "chunk_count", "encode"]
