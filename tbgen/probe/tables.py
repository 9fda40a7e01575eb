"""The tables of a directory and of the package, opened when first asked for, and what they say of a position."""

from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, Protocol

import chess

from tbgen.core import outcome as outcomes
from tbgen.core.material import Material
from tbgen.core.position import goal
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.core.table_rules import TableRules
from tbgen.probe import play
from tbgen.probe.numbering import Numbering, Signature, check_men, make_numbering, material_with, number_of, signature
from tbgen.probe.result import Result
from tbgen.store import LeftOut, TableFile, find_any, open_table

Steps = tuple[tuple[int, int, int, int], ...]
"""Holder, level, outcome and distance: see `Steps` in tbgen/core/table_contents.py."""


class Lookup(Protocol):
    """What a table says of a number."""

    def look(self, number: int) -> tuple[int, int, int]:
        """Fresh outcome and distance in the mover's view, and the staircase."""

    def steps_of(self, staircase: int) -> Steps:
        """The steps of a staircase."""


class NumberedTable(NamedTuple):
    """A table, and the numbers of positions with certain men in it."""

    name: str
    numbering: Numbering
    table: TableFile


class OpenTables:
    """The tables of one rule set. They know no right to capture en passant: play.py looks one ply ahead instead."""

    def __init__(self, directory: str | PathLike[str], rules: str = TableRules.RESET, *, threads: int = 1) -> None:
        self.directory: Final = Path(directory)
        self.rules: Final = TableRules.of(rules)
        self.whole_game: Final = self.rules == TableRules.WHOLE_GAME
        self._threads = threads
        self._by_men: dict[Signature, NumberedTable] = {}
        self._tables: dict[Material, TableFile] = {}
        self._opening = Lock()
        """Of two threads that open the same table, one would lose its file without closing it."""

    def close(self) -> None:
        self._by_men.clear()
        while self._tables:
            self._tables.popitem()[1].close()

    def numbered_table(self, board: chess.Board) -> NumberedTable:
        """The table for a board's men."""
        men = signature(board)
        found = self._by_men.get(men)
        if found is None:
            check_men(board.occupied.bit_count())
            material = material_with(men).normal
            table = self.table(material)  # first: the layout of four pawns takes a second and 400 MB
            found = self._by_men[men] = NumberedTable(material.name, make_numbering(men), table)
        return found

    def table(self, material: Material) -> TableFile:
        """The table for a normal material."""
        found = self._tables.get(material)
        if found is None:
            with self._opening:
                found = self._tables.get(material)
                if found is None:
                    path = find_any(self.directory, material, self.rules)
                    found = self._tables[material] = open_table(path, threads=self._threads, material=material)
        return found

    def name(self, board: chess.Board) -> str:
        """The name of the table for a board's men, which need not be there."""
        return material_with(signature(board)).normal.name

    def source(self, board: chess.Board) -> str:
        """The place where that table is."""
        return str(self.numbered_table(board).table.path)

    def result(self, board: chess.Board, record: int | None) -> Result:
        """What a sound board is worth under a record; None: its own goal."""
        name, numbering, table = self.numbered_table(board)
        try:
            return worth(board, name, table, number_of(numbering, board), record, whole_game=self.whole_game)
        except LeftOut:
            return play.searched(self, board, record)


def worth(
    board: chess.Board, name: str, table: Lookup, number: int, record: int | None, *, whole_game: bool = False
) -> Result:
    """What a sound board, which has this number in a table, is worth under a record; None: its own goal."""
    outcome, dtg, staircase = table.look(number)
    if not board.turn:
        outcome = -outcome
    own = goal(board) if dtg else outcome  # at no distance the goal is on the board
    standing = own if record is None else outcomes.improved(record, own)
    if standing == own or outcomes.level(outcome) < outcomes.level(standing):
        return Result(name, outcome, dtg, True, standing)
    if whole_game:
        return Result(name, standing, 0, True, standing)
    sign = 1 if board.turn else -1
    outcome, dtg = under_record(table.steps_of(staircase), standing * sign)
    return Result(name, outcome * sign, dtg, True, standing)


def under_record(steps: Steps, record: int) -> tuple[int, int]:
    """What an undecided position is worth under a record that stands: outcome and distance in the mover's view."""
    level = outcomes.level(record)
    holder = MOVER_HOLDS if record > 0 else OPPONENT_HOLDS
    for step_holder, from_level, outcome, distance in reversed(steps):
        if step_holder == holder and from_level <= level:
            if (outcome < record) if record > 0 else (outcome > record):
                return outcome, distance
            break
    return record, 0
