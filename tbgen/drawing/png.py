"""Positions as PNG, for who shows links and takes no SVG. scripts/preview.py has drawn the men."""

import struct
import zlib
from functools import cache
from pathlib import Path
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.drawing import palette

MEN: Final = Path(__file__).parent / "men.npz"
"""Squares of RGBA, by what `name` says."""
SIDE: Final = 76
"""Pixels of a square."""
WIDTH, HEIGHT = 1200, 630
"""What pictures of links measure as a rule."""
_LEFT, _TOP = (WIDTH - 8 * SIDE) // 2, (HEIGHT - 8 * SIDE) // 2
Pixels = NDArray[np.uint8]


def name(man: chess.Piece) -> str:
    return f"{'bw'[man.color]}{man.symbol().upper()}"


def can_draw(board: chess.BaseBoard) -> bool:
    """Of men beyond chess there are no pictures."""
    return all(name(man) in _men() for man in board.piece_map().values())


def png(board: chess.BaseBoard) -> bytes:
    """A board without a man beyond chess."""
    men = board.piece_map()
    found = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    found[:] = _colour("paper")
    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        y, x = _TOP + SIDE * (7 - rank), _LEFT + SIDE * file
        here = found[y : y + SIDE, x : x + SIDE]
        here[:] = _colour("light-square" if (file + rank) % 2 else "dark-square")
        if square in men:
            man = _men()[name(men[square])].astype(np.uint16)
            share = man[:, :, 3:]
            here[:] = (man[:, :, :3] * share + here * (255 - share)) // 255
    return _encoded(found)


@cache
def _men() -> dict[str, Pixels]:
    with np.load(MEN) as file:
        return {name: file[name] for name in file.files}


def _colour(called: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(palette()[called].removeprefix("#")))


def _encoded(pixels: Pixels) -> bytes:
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
