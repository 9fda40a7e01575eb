"""A position and all that is known of it, for people."""

from typing import NamedTuple

import chess

from tbgen.probe.result import ResultWithMoves
from tbgen.probe.staircase import Staircase
from tbgen.probe.words import record_sentence, sentence


class View(NamedTuple):
    """`print` it for words; a notebook shows the board as well."""

    board: chess.Board
    result: ResultWithMoves
    staircase: Staircase

    def __str__(self) -> str:
        return f"{sentence(self.result)}\n{record_sentence(self.result)}"

    def __repr__(self) -> str:
        return f"<View of {self.board.fen()}: {self.result!r}>"

    def _repr_html_(self) -> str:
        from tbgen.probe.html import page

        return page(self.board, self.result, self.staircase)
