"""How many legal moves positions have, and which are captures or pawn moves: for a whole run of positions at once.

The positions of a *run* differ in the square of one man, who is said to vary. A set of them is 64 bits, one for each of
his squares: his *places*. Every move of another man has such a set, where it is legal: the man who varies is not in its
way, does not attack the king after it, and no other enemy does so past him. `list_moves` (board/moves.py) finds the
same moves in one position.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import BEHIND, BETWEEN, SKIP, bit, pair_of, reach
from tbgen.board.geometry import MOST_PROMOTIONS
from tbgen.board.moves import NOBODY, add_pawn_move, forward, is_pawn, man_on, pack_move
from tbgen.compiler.intrinsics import bits_set, lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.retro.threads.lanes import LANE, add

ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_MOVE: Final = 2
_UNCHECKED: Final = 1
_HIGHEST: Final = 255


class Run(NamedTuple):
    """What is found for a run, and what helps to find it."""

    level: NDArray[np.uint8]
    """`[place]`: 255 stands for this level and for all above."""
    resets: NDArray[np.int64]
    """Captures and pawn moves."""
    where: NDArray[np.uint64]
    """Where each of them is legal."""
    between: NDArray[np.uint64]
    """Of each enemy that would attack the king on an empty board, but for who varies: the squares between them,"""
    answers: NDArray[np.uint64]
    """and with these its own."""


class _Scene(NamedTuple):
    """What the positions of a run have in common."""

    squares: NDArray[np.int64]
    side: int
    """The side to move."""
    varies: int
    """The slot of the man who varies, -1 if there is none."""
    ways: np.uint64
    """The squares where he can be in somebody's way: all, or none if there is none."""
    others: np.uint64
    """The squares of all others,"""
    enemies: np.uint64
    """and those of the other side."""
    hostile: bool
    """Whether the man who varies is of the other side, too."""
    threats: int
    """How many enemies are in `Run.between`."""


def make_run(men: int) -> Run:
    # a man may take the one who varies on each of his squares, and all others once
    resets = men * (64 + men * (MOST_PROMOTIONS + 1))
    return Run(
        np.zeros(LANE, np.uint8),
        np.zeros(resets, np.int64),
        np.zeros(resets, np.uint64),
        *np.zeros((2, men), np.uint64),
    )


@inlined
def _scene(board, run, squares, side, varies, others):
    atlas = board.atlas
    king = squares[side]
    enemies, ways = np.uint64(0), np.uint64(0)
    threats = 0
    if varies >= 0:
        squares[varies], ways = -1, ALL
    for slot in range(atlas.men[0]):
        if atlas.side[slot] == side or slot == varies:
            continue
        kind, square = atlas.kind[slot], squares[slot]
        enemies |= bit(square)
        if board.lines[kind * 64 + square] & bit(king):
            run.between[threats] = board.lines[BETWEEN + pair_of(kind, square, king)]
            run.answers[threats] = run.between[threats] | bit(square)
            threats += 1
    return _Scene(squares, side, varies, ways, others, enemies, varies >= 0 and atlas.side[varies] != side, threats)


@inlined
def _attacked(board, scene, by, target, occupied, gone):
    """Where any man of a side, except the one in slot `gone`, attacks a square, if the others occupy these."""
    atlas = board.atlas
    found = np.uint64(0)
    for slot in range(atlas.men[0]):
        if atlas.side[slot] != by or slot == gone:
            continue
        kind, square = atlas.kind[slot], scene.squares[slot]
        if slot == scene.varies:
            found |= reach(board, kind, target, occupied)  # he moves alike in all directions
        elif board.lines[kind * 64 + square] & bit(target):
            between = board.lines[BETWEEN + pair_of(kind, square, target)]
            if between & occupied == 0:
                found |= ~(between & scene.ways)
    return found


@inlined
def _add_reset(board, run, count, slot, target, taken, where):
    if not where:
        return count
    if is_pawn(board.atlas.kind[slot]):
        end = add_pawn_move(board, run.resets, count, slot, target, taken)
    else:
        run.resets[count] = pack_move(slot, target, taken, -1)
        end = count + 1
    for at in range(count, end):
        run.where[at] = where
    add(run.level, 0, where, _MOVE * (end - count))
    return end


@inlined
def _danger(board, scene, lifted):
    """What enemies that do not vary attack once the king has left its square, unless who varies is in their way."""
    found = np.uint64(0)
    for slot in range(board.atlas.men[0]):
        if board.atlas.side[slot] != scene.side and slot != scene.varies:
            found |= reach(board, board.atlas.kind[slot], scene.squares[slot], lifted)
    return found


@inlined
def _unsafe_king(board, scene, target, taken, lifted, danger):
    """Where the king is attacked on a square."""
    if danger & bit(target):
        return _attacked(board, scene, 1 - scene.side, target, lifted, taken)
    if scene.hostile:
        return reach(board, board.atlas.kind[scene.varies], target, lifted)
    return np.uint64(0)


@inlined
def _unsafe(board, run, scene, target, lifted, checks):
    """Where the king is attacked once another man has gone to a square, and has taken who stood there."""
    found = np.uint64(0)
    if checks:
        behind = BEHIND + pair_of(board.atlas.kind[scene.varies], scene.squares[scene.side], target)
        found = checks & ~board.lines[behind] & ~bit(target)
    for at in range(scene.threats):
        if run.between[at] & lifted == 0 and run.answers[at] & bit(target) == 0:
            found |= ~(run.between[at] & scene.ways)
    return found


@inlined
def _count_moves_of(board, run, scene, slot, legal, count):
    """Add the moves of a man who does not vary."""
    atlas = board.atlas
    kind, square, is_king = atlas.kind[slot], scene.squares[slot], slot == scene.side
    lifted = scene.others ^ bit(square)
    checks = danger = np.uint64(0)
    if is_king:
        danger = _danger(board, scene, lifted)
    elif scene.hostile:
        checks = reach(board, atlas.kind[scene.varies], scene.squares[scene.side], lifted)
    at = board.men_moves[kind * 64 + square]
    end = board.men_moves[kind * 64 + square + 1]
    while at < end:
        next_ray = board.men_moves[at + SKIP]
        free = legal
        while at < next_ray and free:
            target = np.int64(board.men_moves[at])
            at += 1
            here = bit(target)
            if scene.others & here & ~scene.enemies:
                break
            taken = man_on(scene.squares, atlas.men[0], target) if scene.others & here else NOBODY
            if is_king:
                safe = free & ~_unsafe_king(board, scene, target, taken, lifted, danger)
            else:
                safe = free & ~_unsafe(board, run, scene, target, lifted, checks)
            if scene.others & here:
                count = _add_reset(board, run, count, slot, target, taken, safe)
                break
            here &= scene.ways
            if scene.hostile:
                count = _add_reset(board, run, count, slot, target, scene.varies, safe & here)
            if not is_pawn(kind):
                add(run.level, 0, safe & ~here, _MOVE)
            free &= ~here
        at = next_ray
    if is_pawn(kind):
        count = _count_steps(board, run, scene, slot, legal, lifted, checks, count)
    return count


@inlined
def _count_steps(board, run, scene, slot, legal, lifted, checks, count):
    """Add a pawn's steps straight ahead."""
    step, target = forward(board.atlas.kind[slot]), scene.squares[slot]
    free = legal
    for _ in range(2 if target // 8 == (1 if step > 0 else 6) else 1):
        target += step
        if scene.others & bit(target):
            break
        free &= ~(bit(target) & scene.ways)
        safe = free & ~_unsafe(board, run, scene, target, lifted, checks)
        count = _add_reset(board, run, count, slot, target, NOBODY, safe)
    return count


@inlined
def _count_moves_from(board, run, scene, legal, count):
    """Add the moves of the man who varies, from each of his places."""
    slot = scene.varies
    kind = board.atlas.kind[slot]
    allowed = ALL
    for at in range(scene.threats):
        if run.between[at] & scene.others == 0:
            allowed &= run.answers[at]
    quiet = allowed & ~scene.others
    left = legal
    while left:
        place = lowest_bit(left)
        left &= left - np.uint64(1)
        level = np.int64(run.level[place]) + _MOVE * bits_set(reach(board, kind, place, scene.others) & quiet)
        run.level[place] = min(level, _HIGHEST)
    targets = scene.enemies & allowed
    while targets:
        target = lowest_bit(targets)
        targets &= targets - np.uint64(1)
        taken = man_on(scene.squares, board.atlas.men[0], target)
        count = _add_reset(board, run, count, slot, target, taken, legal & reach(board, kind, target, scene.others))
    return count


@inlined
def count_moves(board, run, squares, side, varies, others, places):
    """Fill in a run. `varies` is the slot of the man who varies and `places` are his; -1 and any one place if there is
    none. `others` are the squares of all others. Returns where the side to move cannot take the other king, and how
    many captures and pawn moves there are."""
    scene = _scene(board, run, squares, side, varies, others)
    run.level[:] = 0
    legal = places & ~_attacked(board, scene, side, squares[1 - side], others, NOBODY)
    if not legal:
        return legal, 0
    checked = _attacked(board, scene, 1 - side, squares[side], others, NOBODY)
    add(run.level, 0, legal & ~checked, _UNCHECKED)
    count = 0
    for slot in range(board.atlas.men[0]):
        if board.atlas.side[slot] == side:
            if slot == varies:
                count = _count_moves_from(board, run, scene, legal, count)
            else:
                count = _count_moves_of(board, run, scene, slot, legal, count)
    return legal, count
