"""All legal moves of a position given by its squares: slower than the quiet moves of retro/graph/slice.py, and
complete.

A move is one integer: the slot that moves, its target, the slot that is taken (if any), the promotion (if
any). En passant is not among them: it needs a right that only the move before can give (retro/survey/en_passant.py).
"""

from typing import Final

import numpy as np

from tbgen.board.attacks import SKIP, attacked, pinned
from tbgen.board.geometry import KING, PAWN_UP
from tbgen.compiler.jit import inlined, kernel

NOBODY: Final = -1


@inlined
def pack_move(slot, target, taken, promotion):
    return slot | target << 8 | (taken + 1) << 16 | (promotion + 1) << 24


@inlined
def move_slot(move):
    return move & 255


@inlined
def move_target(move):
    return move >> 8 & 255


@inlined
def move_taken(move):
    return (move >> 16 & 255) - 1


@inlined
def move_promotion(move):
    return (move >> 24 & 255) - 1


@inlined
def occupied_by(squares, men):
    occupied = np.uint64(0)
    for slot in range(men):
        occupied |= np.uint64(1) << np.uint64(squares[slot])
    return occupied


@inlined
def man_on(squares, men, square):
    for slot in range(men):
        if squares[slot] == square:
            return slot
    return -1


@inlined
def is_pawn(kind):
    return kind >= PAWN_UP


@inlined
def forward(kind):
    """A pawn's step up or down the board."""
    return 8 if kind == PAWN_UP else -8


@inlined
def leaves_king_safe(board, squares, slot, target, taken, occupied):
    """Whether the own king is not attacked once this man has moved."""
    side = board.atlas.side[slot]
    king = target if slot == side else squares[side]
    after = (occupied ^ (np.uint64(1) << np.uint64(squares[slot]))) | (np.uint64(1) << np.uint64(target))
    return not attacked(board, squares, 1 - side, king, after, taken)


@kernel
def is_checked(board, squares, side):
    occupied = occupied_by(squares, board.atlas.men[0])
    return attacked(board, squares, 1 - side, squares[side], occupied, NOBODY)


@inlined
def add_pawn_move(board, moves, count, slot, target, taken):
    if 8 <= target < 56:
        moves[count] = pack_move(slot, target, taken, -1)
        return count + 1
    for promotion in range(board.promotions):
        moves[count + promotion] = pack_move(slot, target, taken, promotion)
    return count + board.promotions


@kernel
def list_moves(board, squares, side, moves):
    """Put all legal moves into `moves`, quiet ones first. Returns the number of quiet ones and of all."""
    atlas = board.atlas
    men = atlas.men[0]
    occupied = occupied_by(squares, men)
    enemy = 1 - side
    unsure_all = attacked(board, squares, enemy, squares[side], occupied, NOBODY)
    pins = pinned(board, squares, side, occupied)
    enemies = np.uint64(0)
    for slot in range(men):
        if atlas.side[slot] == enemy:
            enemies |= np.uint64(1) << np.uint64(squares[slot])
    quiet = 0
    for taking in range(2):
        count = quiet
        for slot in range(men):
            if atlas.side[slot] != side:
                continue
            kind = atlas.kind[slot]
            square = squares[slot]
            unsure = unsure_all or kind == KING or (pins >> np.uint64(square)) & np.uint64(1) != 0
            if is_pawn(kind) and not taking:
                continue
            ray = kind * 64 + square
            at = board.men_moves[ray]
            end = board.men_moves[ray + 1]
            while at < end:
                target = np.int64(board.men_moves[at])
                bit = np.uint64(1) << np.uint64(target)
                at = board.men_moves[at + SKIP] if occupied & bit else at + 1
                if taking:
                    if not enemies & bit:
                        continue
                    taken = man_on(squares, men, target)
                else:
                    if occupied & bit:
                        continue
                    taken = NOBODY
                if unsure and not leaves_king_safe(board, squares, slot, target, taken, occupied):
                    continue
                if is_pawn(kind):
                    count = add_pawn_move(board, moves, count, slot, target, taken)
                else:
                    moves[count] = pack_move(slot, target, taken, -1)
                    count += 1
            if is_pawn(kind):
                step = forward(kind)
                steps = 2 if square // 8 == (1 if kind == PAWN_UP else 6) else 1
                target = square
                for _ in range(steps):
                    target += step
                    if occupied >> np.uint64(target) & np.uint64(1):
                        break
                    if not unsure or leaves_king_safe(board, squares, slot, target, NOBODY, occupied):
                        count = add_pawn_move(board, moves, count, slot, target, NOBODY)
        if not taking:
            quiet = count
    return quiet, count
