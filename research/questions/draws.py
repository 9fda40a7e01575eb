"""Adjudicated and agreed draws of real games: what tables say, and what the halfmove clock leaves of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import chess
import chess.pgn
import numpy as np

from research.clock.solve import Layer, Solver
from tbgen.core import outcome
from tbgen.core.material import Material, parse, with_dependencies
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.index import layout_of
from tbgen.probe import Tablebase
from tbgen.probe.numbering import make_numbering, material_of, number_of, signature
from tbgen.referee.adjudicate.finish import Finish, finish_of
from tbgen.rules import Game
from tbgen.rules.rulesets import IGNORED, W

MOST_MEN: Final = 4
_ASKED: Final = (Finish.ADJUDICATION, Finish.AGREEMENT)

Row = dict[str, Any]


def draws(games: Path, directory: Path, materials: Sequence[Material] = ()) -> list[Row]:
    """A row for each draw of up to four men; with the clock where the material is among these, or none is named."""
    with Tablebase(directory, TableRules.RESET) as tablebase:
        rows = [_row(tablebase, board, game) for board, game in _ended(games)]
    wanted = {parse(row["material"]) for row in rows}
    wanted = {one for one in wanted if not materials or one in materials}
    solver = Solver(clocks={row["clock"] for row in rows})
    for material in with_dependencies([*wanted]):
        here = [row for row in rows if row["material"] == material.name]
        solver.solve(material, _Reader(material, here))
    return rows


def _ended(games: Path) -> Iterator[tuple[chess.Board, Game]]:
    with games.open(encoding="utf-8", errors="replace") as stream:
        while (read := chess.pgn.read_game(stream)) is not None:
            last = read.end()
            board = last.board()
            if len(board.piece_map()) > MOST_MEN or read.headers["Result"] != "1/2-1/2":
                continue
            try:
                game = Game.replayed(board)
            except BadInput:  # it was over before, and went on: scored as it was played
                game = Game.replayed(board, rules=replace(W, repetitions=None, fifty=IGNORED))
            if finish_of("1/2-1/2", read.headers, last.comment, game.turn, board) in _ASKED:
                yield board, game


def _row(tablebase: Tablebase, board: chess.Board, game: Game) -> Row:
    found = tablebase.probe(board, record=game.turn.outcome)
    return {
        "material": material_of(board).normal.name,
        "fen": board.fen(),
        "record": outcome.text(game.turn.outcome),
        "clock": game.turn.quiet,
        "table": found.gscore,
        "dtg": found.dtg,
        "with_clock": "",
    }


class _Reader:
    """Reads rows off the layers of their material."""

    def __init__(self, material: Material, rows: Sequence[Row]) -> None:
        self._start = layout_of(material).start
        self._rows = [(row, *_number(chess.Board(row["fen"]))) for row in rows]

    def __call__(self, layer: Layer) -> None:
        for row, number, sign in self._rows:
            node = number - int(self._start[layer.slice])
            if row["clock"] == layer.clock and 0 <= node < self._start[layer.slice + 1] - self._start[layer.slice]:
                record = outcome.parse(row["record"])
                holder = int(record * (1 if chess.Board(row["fen"]).turn else -1) > 0)
                (worth,) = layer.values(np.array([node]), np.array([holder]), outcome.level(record))
                row["with_clock"] = outcome.text(sign * int(worth))


def _number(board: chess.Board) -> tuple[int, int]:
    """The number of a position, and 1 if White is to move, else -1."""
    return number_of(make_numbering(signature(board)), board), 1 if board.turn else -1
