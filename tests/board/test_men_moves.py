"""Men beyond chess on a board with others: every form of their moves against squares walked one by one."""

import random

import numpy as np
import pytest

from tbgen.board.attacks import SKIP, hits, move_tables, reach
from tbgen.board.geometry import FAIRY, geometry_of, lines_of
from tbgen.board.men import BUILT_IN, Man
from tbgen.board.move_sets import BIT, attacks, screen
from tests.support.slow_twin.fairy import FairyBoard

MEN = (BUILT_IN["C"], BUILT_IN["H"], BUILT_IN["J"])
EVERY = [(MEN, place) for place in range(3)] + [((man,), 0) for man in BUILT_IN.values()]


class Walker:
    """What the twin's board says."""

    def __init__(self, man: Man, square: int, others: list[int]) -> None:
        board = FairyBoard({square: man.letter} | dict.fromkeys(others, "p"), True)
        self.attacks = {move.to_square for move in board._of_piece(square, board.men[square])}


@pytest.mark.parametrize(("men", "place"), EVERY)
def test_all_forms_of_moves_agree(men: tuple[Man, ...], place: int) -> None:
    draw, kind, geometry, board = random.Random(7), FAIRY + place, geometry_of(men), move_tables(men)
    for _ in range(300):
        square, *others = draw.sample(range(64), draw.randint(1, 24))
        expected = Walker(men[place], square, others).attacks
        occupied = int(sum(1 << other for other in others)) | 1 << square
        ray, listed = kind * 64 + square, []
        at, end = board.men_moves[ray], board.men_moves[ray + 1]
        while at < end:
            target = int(board.men_moves[at])
            listed.append(target)
            at = board.men_moves[at + SKIP] if occupied >> target & 1 else at + 1
        assert sorted(listed) == sorted(expected)
        assert set_of(reach(board, kind, square, np.uint64(occupied))) == expected
        assert set_of(attacks(kind, np.array([square]), [np.array([one]) for one in others], geometry)[0]) == expected
        for target in range(64):
            attacked = hits(board, kind, square, target, np.uint64(occupied))
            free = screen(kind, men)[square * 64 + target] & np.uint64(occupied) == 0
            assert attacked == free == (target in expected)
            behind = set_of(geometry.behind[lines_of(kind) + square * 64 + target])
            alone = Walker(men[place], square, []).attacks
            assert behind == alone - Walker(men[place], square, [target]).attacks if target != square else not behind


def set_of(squares: np.uint64) -> set[int]:
    return set(np.flatnonzero(BIT & squares).tolist())
