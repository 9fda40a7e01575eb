"""Single positions of altered tables: the verifier finds those wrong that are by the definition, and no others."""

from typing import Final

import chess
import numpy as np
import pytest

from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS, Contents
from tbgen.index.exits import exits_of
from tbgen.index.layout import layout_of
from tbgen.index.positions import fen
from tbgen.probe.numbering import make_numbering, material_of, number_of, signature
from tbgen.verify.arrivals import NO_SURVEY
from tbgen.verify.table import Table
from tests.support.contents import steps_at
from tests.support.solved import contents as table
from tests.support.solved import entries_of

Worth = tuple[int, int]
"""A relative outcome and the plies to it."""

MATES: Final = BASE - 1
"""Outcomes from here on are mate and stalemate."""


def is_found(contents: Contents, number: int) -> bool:
    """What the verifier says of this position alone."""
    answers = entries_of(contents.material.successors(), "r")
    one = Table(contents, exits_of(contents.material, answers), lambda found: None)
    one.units.fetch(set(range(len(one.units.spans))))
    numbers = np.array([number])
    checked = one.check_all(int(one.slices_at(numbers)[0]), numbers, NO_SURVEY, 1)
    assert checked is not None
    return bool(checked[1])


# --- by the definition ----------------------------------------------------------------------------------------


def level_of(outcome: int) -> int:
    return BASE - abs(outcome)


def own_level(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (not board.is_check())


def fresh(contents: Contents, number: int) -> Worth:
    entry = int(contents.entries[number])
    return entry >> 16, entry & 0xFFFF


def worth(contents: Contents, number: int, own: int, holder: int, level: int) -> Worth:
    """What the table says of a position under a record, as the side to move sees both."""
    outcome, distance = fresh(contents, number)
    if level > own or level > level_of(outcome):
        return outcome, distance
    record = (BASE - level) * (1 if holder == MOVER_HOLDS else -1)
    counting = [found for by, at, *found in steps_at(contents, number) if by == holder and at <= level]
    if counting and (counting[-1][0] < record if holder == MOVER_HOLDS else counting[-1][0] > record):
        outcome, distance = counting[-1]
        return outcome, distance
    return record, 0


def numbered(board: chess.Board) -> int:
    return number_of(make_numbering(signature(board)), board)


def by_moves(contents: Contents, board: chess.Board, holder: int, level: int) -> Worth:
    """The worth of the best move under a record."""
    record = (BASE - level) * (1 if holder == MOVER_HOLDS else -1)
    found = []
    for move in [*board.legal_moves]:
        resets = board.is_zeroing(move)
        board.push(move)
        material, number = material_of(board), numbered(board)
        there = contents if material == contents.material else table(material.name)
        theirs = MOVER_HOLDS if holder == OPPONENT_HOLDS else OPPONENT_HOLDS
        outcome, plies = fresh(there, number) if resets else worth(there, number, own_level(board), theirs, level)
        board.pop()
        found.append((-outcome, 0 if -outcome == record else plies + 1))
    return max(found, key=lambda one: (one[0], -one[1] if one[0] > record else one[1]))


def is_wrong(contents: Contents, number: int) -> bool:
    board = chess.Board(fen(layout_of(contents.material), number))
    own, held = own_level(board), steps_at(contents, number)
    if held and max(level for _, level, *_ in held) > min(own, level_of(fresh(contents, number)[0])):
        return True
    if worth(contents, number, own, OPPONENT_HOLDS, own) != fresh(contents, number):
        return True
    return any(
        worth(contents, number, own, holder, level) != by_moves(contents, board, holder, level)
        for level in range(FIRST_RECORD, own + 1)
        for holder in (OPPONENT_HOLDS, MOVER_HOLDS)
    )


# --- alterations ----------------------------------------------------------------------------------------------


def changed(contents: Contents, random: np.random.Generator, number: int) -> Contents:
    """With a number changed in a position, in one that a move leads to, or in all staircases."""
    entries, staircases, all_steps = contents.entries.copy(), contents.staircases.copy(), contents.steps
    board = chess.Board(fen(layout_of(contents.material), number))
    near = [number]
    for move in [*board.legal_moves]:
        board.push(move)
        if material_of(board) == contents.material:
            near.append(numbered(board))
        board.pop()
    place = near[0] if random.integers(2) else int(random.choice(near))
    match random.integers(4):
        case 0:
            entries[place] += random.choice([-2, -1, 1, 2])
        case 1:
            entries[place] += random.choice([-1, 1]) << 16
        case 2:
            staircases[place] = random.integers(len(all_steps.start) - 1)
        case _:
            outcome = np.where(random.integers(2, size=len(all_steps.outcome)), all_steps.outcome, -MATES - 1)
            all_steps = all_steps._replace(outcome=outcome.astype(np.int16))
    return Contents(contents.material, contents.rules, entries, staircases, all_steps)


@pytest.mark.parametrize("name", ["KRvK", "KPvK", "KBvK"])
def test_what_is_wrong_by_the_definition_is_found(name: str) -> None:
    contents, random = table(name), np.random.default_rng(7)
    outcomes = contents.entries >> 16
    is_over = (abs(outcomes) >= MATES) & (contents.entries & 0xFFFF == 0)
    mates, others = ((outcomes != 0) & ~is_over & is_of for is_of in (abs(outcomes) >= MATES, abs(outcomes) < MATES))
    seen = set()
    for numbers in filter(len, map(np.flatnonzero, (mates, others))):
        for number in map(int, random.choice(numbers, 40)):
            assert not is_wrong(contents, number)
            assert not is_found(contents, number)
            other = changed(contents, random, number)
            wrong = is_wrong(other, number)
            assert is_found(other, number) == wrong, fen(layout_of(other.material), number)
            seen.add(wrong)
    assert seen == {False, True}
