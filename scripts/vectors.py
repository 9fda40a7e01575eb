"""Write docs/vectors.jsonl: positions of every kind, and what a reader of tables has to say of each.

docs/format.md says what the fields mean, docs/vectors.schema.json what they look like. All tables of two to four men
are needed, under both rules. The same tables give the same bytes. With materials, of any number of men, it has these.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import FILES_MIRRORED, GEOMETRY
from tbgen.core import outcome
from tbgen.core.material import Material, every, parse
from tbgen.core.position import goal, level
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.core.table_rules import TableRules
from tbgen.errors import TbgenError
from tbgen.index.positions import fen
from tbgen.index.symmetry import KINDS, MIRROR, TWICE, SymmetryClasses
from tbgen.probe import Tablebase
from tbgen.probe.numbering import make_numbering, material_of, number_of, signature
from tbgen.system import output_files

PLACE: Final = Path(__file__).resolve().parent.parent / "docs" / "vectors.jsonl"
MOST_MEN: Final = 4
WHOLE: Final = 1 << 26
"""The most numbers of a table that is looked at as a whole. Of a larger one only some stretches are."""
STRETCHES: Final = 32
STRETCH: Final = 1 << 16
"""How many numbers each has."""
PASSANT: Final = "KPvKP"
"""The one material of four men with rights to capture en passant."""

Row = dict[str, Any]
Numbers = NDArray[np.int64]
_IMAGES: Final = GEOMETRY.image.tolist()
_CLOCK: Final = 9
"""Plies since a reset, where the record is an older one."""
_PASSANT_KINDS: Final = {
    "the best move is en passant": 5,
    "en passant is possible, another move is better": 3,
    "a double step, but no pawn beside it": 2,
}
"""How many of each are shown for each side to move."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/vectors", description=__doc__)
    parser.add_argument("material", nargs="*", help="these, of any number of men; otherwise all of two to four")
    parser.add_argument("--tables", type=Path, required=True, metavar="DIR")
    parser.add_argument("--rules", nargs="+", choices=[*TableRules], default=[*TableRules], help="default: both")
    parser.add_argument("-o", "--output", type=Path, default=PLACE, metavar="FILE", help="default: docs/vectors.jsonl")
    args = parser.parse_args()
    try:
        materials = [parse(name) for name in args.material]
        materials = materials or [one for men in range(2, MOST_MEN + 1) for one in every(men)]
        output_files.replace(args.output, "".join(lines(args.tables, args.rules, materials)).encode("ascii"))
    except TbgenError as error:
        sys.exit(f"tbgen: {error}")


def lines(directory: Path, each: Sequence[str], materials: Sequence[Material]) -> Iterator[str]:
    for rules in map(TableRules, each):
        for material in materials:
            yield from lines_of(directory, material, rules)


def lines_of(directory: Path, material: Material, rules: TableRules) -> Iterator[str]:
    """What the file has of one table."""
    with Tablebase(directory, rules) as tablebase:
        for row in _Vectors(tablebase, material).rows():
            yield json.dumps(row, separators=(",", ":")) + "\n"


class _Vectors:
    """The rows of one table."""

    def __init__(self, tablebase: Tablebase, material: Material) -> None:
        self._tablebase = tablebase
        self._material = material
        self._table = tablebase.table(material)
        self._layout = self._table.layout
        self._chance = random.Random(f"{material} {tablebase.rules}")
        self._is_whole = self._table.size <= WHOLE
        stretches = [range(self._table.size)] if self._is_whole else self._stretches()
        symmetries = SymmetryClasses(self._layout)
        key = np.concatenate([symmetries.keys(one.start, one.stop) for one in stretches])
        self._mover, self._kind = np.divmod(key, KINDS)
        self._number = np.concatenate([np.arange(one.start, one.stop) for one in stretches])
        entries, self._steps = np.zeros(len(key), np.int32), np.zeros(len(key), np.uint8)
        filled = 0
        for one in stretches:
            for here, bulk in self._table.in_order(one.start, one.stop, fresh=True):
                rows = slice(filled + here.start, filled + here.stop)
                entries[rows] = bulk.entries
                self._steps[rows] = bulk.shape_table.steps.forms.steps.take(bulk.shapes)
            filled += len(one)
        self._legal = entries != 0
        self._level = outcome.BASE - abs(entries >> OUTCOME_SHIFT)
        self._distance = entries & DISTANCE_MASK

    def _stretches(self) -> list[range]:
        starts = sorted(self._below(self._table.size // STRETCH) * STRETCH for _ in range(STRETCHES))
        return [range(start, start + STRETCH) for start in starts]

    def rows(self) -> Iterator[Row]:
        if self._is_whole:
            numbers = np.flatnonzero(self._legal)
            yield self._row(self._shown(int(numbers[0])), "the first number with a legal position")
            yield self._row(self._shown(int(numbers[-1])), "the last number with a legal position")
        for number in self._some(self._legal, 4):
            yield self._row(self._shown(number), "any position")
        for mover in (0,) if self._material.even else (0, 1):
            yield from self._of_side(self._legal & (self._mover == mover))
        yield from self._symmetries()
        if not self._material.pawns:
            for number in self._some(self._legal & (self._kind == TWICE), 2):
                for image in (0, 4):
                    board = _image(chess.Board(fen(self._layout, number)), image)
                    yield self._row(board, "both kings on the long diagonal: two numbers")
            for number in self._some(self._legal & (self._kind == MIRROR), 1):
                yield self._row(self._shown(number), "its own mirror image: one number")
        if self._material.name == PASSANT:
            yield from self._passant()

    def _of_side(self, ours: NDArray[np.bool_]) -> Iterator[Row]:
        """Rows with one side to move."""
        over = ours & (self._distance == 0)
        for why, which in (("mate", over & (self._level == 0)), ("stalemate", over & (self._level == 1))):
            for number in self._some(which, 1):
                yield self._row(self._shown(number), why)
        for number in self._some(over & (self._level > 1), 1):
            yield self._row(self._shown(number), "the own goal stands")
        longest = int(self._number[np.argmax(np.where(ours, self._distance, 0))])
        yield self._row(self._shown(longest), "the longest distance" if self._is_whole else "a long distance")
        if (ours & (self._steps > 0)).any():
            most = int(self._number[np.argmax(np.where(ours, self._steps, 0))])
            how_many = "the most" if self._is_whole else "many"
            yield self._row(self._shown(most), f"a staircase of {how_many} steps")
        inside = ours & (self._steps > 1)
        for number in self._some(inside if inside.any() else ours & (self._distance > 0), 1):
            yield from self._records(self._shown(number))

    def _records(self, board: chess.Board) -> Iterator[Row]:
        """A position under its own goal, and under records of both holders: one of each kind."""
        yield self._row(board, "the position of the records that follow")
        board.halfmove_clock = _CLOCK
        fresh = self._tablebase.probe(board)
        own, most = goal(board), level(board)
        for holder, held in (("White", outcome.held_by_white), ("Black", outcome.held_by_black)):
            of_kind: dict[str, list[int]] = {}
            for record in map(held, range(outcome.FIRST_RECORD, most + 1)):
                found = self._tablebase.probe(board, record)
                if found.outcome == record:
                    why = "the record stands"
                elif outcome.level(fresh.outcome) < outcome.level(record):
                    why = "the fresh outcome has a lower level than the record"
                else:
                    why = "a step of the staircase answers"
                if record != own:
                    of_kind.setdefault(why, []).append(record)
            for why, records in of_kind.items():
                yield self._row(board, f"{holder} holds the record: {why}", records[len(records) // 2])
        yield self._row(board, "the record is as low as the own goal, and the other side's", -own)
        yield self._row(board, "the own goal is lower than the record", own - 1 if own > 0 else own + 1)

    def _symmetries(self) -> Iterator[Row]:
        """One position in all its images, with both colours. Both rules number positions alike."""
        if self._tablebase.rules == TableRules.WHOLE_GAME:
            return
        (number,) = self._some(self._legal & (self._distance > 0), 1)
        board = chess.Board(fen(self._layout, number))
        for image in range(FILES_MIRRORED + 1 if self._material.pawns else len(_IMAGES)):
            yield self._row(_image(board, image), f"symmetry {image}")
            yield self._row(_image(board, image).mirror(), f"symmetry {image}, colours swapped")

    def _passant(self) -> Iterator[Row]:
        """Positions just after a double step. With four men, no capture en passant leaves the king in check."""
        wg = self._tablebase.rules == TableRules.WHOLE_GAME  # nothing else leaves a record older than the double step
        for turn in chess.COLORS:
            left = dict(_PASSANT_KINDS)
            while any(left.values()):
                board = self._after_double_step(turn)
                best = self._tablebase.probe(board, moves=True).moves[0].move
                can, does = board.has_legal_en_passant(), board.is_en_passant(best)
                why = list(_PASSANT_KINDS)[0 if does else 1 if can else 2]
                if left[why]:
                    left[why] -= 1
                    yield self._row(board, why)
                    if wg:
                        yield self._row(board, f"{why}; White holds the record", outcome.held_by_white(level(board)))
                        yield self._row(
                            board, f"{why}; Black holds the record", outcome.held_by_black(level(board) - 2)
                        )

    def _after_double_step(self, turn: chess.Color) -> chess.Board:
        """A legal position with this side to move, whose pawn is as often as not beside the other one."""
        while True:
            board = chess.Board(None)
            board.turn = turn
            stepped = chess.square(self._below(8), 3 + turn)
            board.ep_square = stepped + (8 if turn else -8)
            other = self._below(64) if self._below(2) else stepped + (1 if self._below(2) else -1)
            men = {other: "pP"[turn], stepped: "Pp"[turn], self._below(64): "k", self._below(64): "K"}
            board.set_piece_map({square: chess.Piece.from_symbol(letter) for square, letter in men.items()})
            if len(men) == MOST_MEN and board.is_valid() and any(board.legal_moves):
                return board

    def _row(self, board: chess.Board, why: str, record: int | None = None) -> Row:
        result = self._tablebase.probe(board, record)
        own_numbers = [] if board.has_legal_en_passant() else _numbers(board)
        found: Row = {
            "rules": self._tablebase.rules.value,
            "material": self._material.name,
            "fen": board.fen(en_passant="fen"),
            "record": None if record is None else outcome.text(record),
            "first": "white" if material_of(board).is_normal else "black",
            "number": own_numbers[0] if own_numbers else None,
        }
        if len(own_numbers) > 1:
            found["other_number"] = own_numbers[1]
        found["outcome"] = result.outcome if board.turn else -result.outcome
        found["distance"] = result.dtg
        found["staircase"] = None
        if own_numbers:
            found["staircase"] = self._table.steps_of(self._table.look(own_numbers[0])[2])
        return found | {"why": why}

    def _shown(self, number: int) -> chess.Board:
        """One of the images of a number's position, with either colour first."""
        board = chess.Board(fen(self._layout, number))
        board = _image(board, self._below(FILES_MIRRORED + 1 if self._material.pawns else len(_IMAGES)))
        return board.mirror() if self._below(2) else board

    def _some(self, which: NDArray[np.bool_], count: int) -> list[int]:
        """Some of the numbers, if there are any."""
        numbers = self._number[which]
        return [int(numbers[self._below(len(numbers))]) for _ in range(min(count, len(numbers)))]

    def _below(self, end: int) -> int:
        """A whole number at random. Python promises that `random` gives the same in all its versions, and no more."""
        return int(self._chance.random() * end)


@cache
def _numbering(men: int) -> Any:
    return make_numbering(men)


def _numbers(board: chess.Board) -> list[int]:
    """The position's own number, then that of its mirror image, if it has another."""
    images = range(FILES_MIRRORED + 1 if board.pawns else len(_IMAGES))
    return list(dict.fromkeys(number_of(_numbering(signature(board)), _image(board, image)) for image in images))


def _image(board: chess.Board, symmetry: int) -> chess.Board:
    found = chess.Board(None)
    found.set_piece_map({_IMAGES[symmetry][square]: man for square, man in board.piece_map().items()})
    found.turn = board.turn
    return found


if __name__ == "__main__":
    main()
