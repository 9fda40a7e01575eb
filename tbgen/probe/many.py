"""Many positions at once, from arrays."""

from typing import Final

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tbgen.board.men.board import FairyBoard, piece
from tbgen.board.move_sets import Ints
from tbgen.core import outcome as outcomes
from tbgen.core.material import Material, parse
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, check_kind, quoted
from tbgen.index import layout_of
from tbgen.probe.levels import levels
from tbgen.probe.numbering import check_men
from tbgen.probe.result import Answers, Positions
from tbgen.probe.tables import OpenTables
from tbgen.probe.vector import PositionColumns, numbers, sound
from tbgen.store import TableFile

_BLOCK: Final = 1 << 14
"""Rows per pass: their columns fit the processor's cache."""
_LARGE_BLOCK: Final = 1 << 20
"""The same where parts of a table are decoded again for each pass. Such a pass takes 100 MB, with records 190."""


def _columns(men: str) -> tuple[Material, bool, list[int]]:
    """The table's material, whether Black has the side named first, and each slot's column."""
    check_kind(men, str, "the men of two sides", "write White's, then Black's, as in KRvKN")
    material = parse(men)  # BadInput if it is none
    white, _, black = men.strip().upper().partition("V")
    colours = [(0, letter) for letter in white] + [(1, letter) for letter in black]
    if not black or len(colours) != material.men:
        raise BadInput(f"not the men of two sides: {quoted(men)} (write White's, then Black's, as in KRvKN)")
    check_men(material.men)
    is_reversed = sorted(white[1:]) != sorted(material.first)
    free: dict[tuple[int, str], list[int]] = {}
    for column, (colour, letter) in enumerate(colours):
        free.setdefault((colour ^ is_reversed, letter), []).append(column)
    return material, is_reversed, [free[man].pop(0) for man in layout_of(material).letters]


def _integers(what: str, values: ArrayLike, kinds: str = "iu") -> NDArray[np.integer | np.bool_]:
    """An array of integers as given; anything else, which numpy would round silently, is refused."""
    try:
        found = np.asarray(values)
    except ValueError:
        raise BadInput(f"{what} have rows of different lengths") from None
    if found.dtype.kind not in kinds and found.size:
        raise BadInput(f"{what} are integers, not {found.dtype}")
    return found


def _records(values: ArrayLike, count: int) -> NDArray[np.int64]:
    """Outcomes, 0 for the position's own goal."""
    given = _integers("records", values).astype(np.int64)
    if given.shape != (count,):
        raise BadInput(f"one record is needed for each of {count} positions")
    least = outcomes.BASE - outcomes.MAX_LEVEL
    wrong = (given != 0) & ((given < -outcomes.BASE) | (given > outcomes.BASE) | ((given < least) & (given > -least)))
    if wrong.any():
        raise BadInput(f"the record of a position is not an outcome: {given[wrong.argmax()]}")
    return given


def answer(tables: OpenTables, positions: Positions, records: ArrayLike | None) -> Answers:
    """All answers; `records`, if given, holds one per position, 0 for its own goal."""
    material, is_reversed, columns = _columns(positions.men)
    squares = _integers("squares", positions.squares)
    turns = _integers("sides to move", positions.white_to_move, "biu")
    if (turns > 1).any() or (turns < 0).any():
        raise BadInput("a side to move is True or 1, White, or False or 0, Black")
    white_moves = turns.astype(np.bool_)
    if white_moves.ndim != 1:
        raise BadInput("one side to move is needed for each position: white_to_move has one dimension")
    count = len(white_moves)
    if not count and squares.shape == (0,):  # an empty list has no columns
        squares = squares.reshape(0, material.men)
    if squares.shape != (count, material.men):
        raise BadInput(f"{material.men} squares are needed for each of {count} positions of {positions.men}")
    if count and not (squares.min() >= 0 and squares.max() < 64):
        raise BadInput("squares go from 0 to 63")
    given = None if records is None else _records(records, count)
    table = tables.table(material)
    found = Answers(
        np.zeros(count, np.int16), np.zeros(count, np.uint16), None if given is None else np.zeros(count, np.int16)
    )
    at_once = _BLOCK if table.expect(count) else _LARGE_BLOCK
    for start in range(0, count, at_once):
        block = slice(start, start + at_once)
        rows = squares[block].T.astype(np.int64)
        if is_reversed:
            rows ^= 56
        men = PositionColumns(table.layout, [rows[column] for column in columns], white_moves[block] == is_reversed)
        sign = np.where(white_moves[block], 1, -1)
        good = sound(men)
        number = numbers(men)
        if not good.all():
            number[~good] = sign[~good] = 0
        left_out = np.flatnonzero(~table.has(number))
        number[left_out] = table.kept_number
        relative, distance, staircases = table.look_many(number)
        if given is not None and found.records is not None:
            own = levels(men) - outcomes.BASE
            over = good & (abs(given[block]) >= outcomes.BASE - 1) & (given[block] * sign != own)
            if over.any():
                ended = outcomes.text(int(given[block][over.argmax()]))
                raise BadInput(f"no game goes on after {ended}: it cannot be the record of another position")
            standing = np.where(abs(own) > abs(given[block]), own, given[block] * sign)
            inside = np.flatnonzero((standing != own) & (abs(relative) <= abs(standing)))
            relative[inside], distance[inside] = _under(table, staircases[inside], standing[inside])
            found.records[block] = standing * sign
        found.outcomes[block] = relative * sign
        found.dtg[block] = distance * good
        for row in (start + left_out[good[left_out]]).tolist():
            board = _board(material, positions.men, squares[row].tolist(), white_moves=bool(white_moves[row]))
            one = tables.result(board, int(given[row]) or None if given is not None else None)
            found.outcomes[row], found.dtg[row] = one.outcome, one.dtg
            if found.records is not None:
                found.records[row] = one.record
    return found


def _board(material: Material, men: str, squares: list[int], *, white_moves: bool) -> chess.Board:
    """One position, for what a slim table leaves out: a ply of search is made with a board."""
    board = FairyBoard(men=material.fairy) if material.fairy else chess.Board(None)
    colour = chess.BLACK
    for letter, square in zip(men.upper().replace("V", ""), squares, strict=True):
        colour = not colour if letter == "K" else colour
        board.set_piece_at(square, piece(letter, colour))
    board.turn = white_moves
    return board


def _under(table: TableFile, staircases: NDArray[np.integer], records: Ints) -> tuple[Ints, Ints]:
    """Outcomes and distances of undecided positions under records that stand, all in the mover's view."""
    if table.rules == TableRules.WHOLE_GAME:
        return records, np.zeros(len(records), np.int64)
    mover_holds = records > 0
    holders = np.where(mover_holds, MOVER_HOLDS, OPPONENT_HOLDS)
    outcome, distance = table.steps_many(staircases, holders, outcomes.BASE - abs(records))
    gained = np.where(mover_holds, outcome < records, outcome > records) & (outcome != 0)
    return np.where(gained, outcome, records), np.where(gained, distance, 0)
