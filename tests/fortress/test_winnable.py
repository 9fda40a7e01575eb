"""Nobody is sure of mate where no series of legal moves can lead to it.

`TBGEN_WINNABLE=FILE` names positions that another program has labelled: tests/positions.txt of
https://github.com/miguel-ambrona/chasolver. A line is `WB`, `W-`, `-B` or `--`, for who can mate at all, and a FEN.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.beyond.holding import prove
from tbgen.core import outcome
from tbgen.core.position import fault, goal, level

LABELLED = os.environ.get("TBGEN_WINNABLE", "")

pytestmark = pytest.mark.skipif(not LABELLED, reason="no labelled positions: TBGEN_WINNABLE=FILE names some")


def binding() -> Iterator[tuple[chess.Board, list[chess.Color]]]:
    """Positions, and who cannot mate in them."""
    for line in Path(LABELLED).read_text().splitlines():
        label, _, fen = line.partition(" ")
        unable = [color for color, letter in ((chess.WHITE, "W"), (chess.BLACK, "B")) if letter not in label]
        if line.startswith("#") or not unable:
            continue
        board = chess.Board(fen)
        if fault(board) is None and level(board) > 1:
            yield board, unable


def test_nobody_is_sure_of_a_mate_that_cannot_be() -> None:
    seen, chance = 0, random.Random(1)
    for board, unable in binding():
        record = outcome.improved(
            chance.choice((outcome.held_by_white, outcome.held_by_black))(level(board)), goal(board)
        )
        sure = dict(zip((chess.WHITE, chess.BLACK), prove(board, record, None, 4096), strict=True))
        for color in unable:
            mate = outcome.held_by_white(0) if color else outcome.held_by_black(0)
            assert sure[color].bound != mate, board.fen()
            seen += 1
    assert seen > 1000
