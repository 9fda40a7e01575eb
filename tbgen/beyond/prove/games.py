"""The draws of games, proved one after the other. Local tables stay for the next one."""

import chess

from tbgen.beyond.prove.position import MakeMeans, find
from tbgen.beyond.prove.watch import Watch
from tbgen.probe import Sure, Tablebase


class Solver:
    """Called with a board and the record that stands there, says what each side is sure of."""

    def __init__(self, tables: Tablebase, means: MakeMeans, watch: Watch) -> None:
        self._tables = tables
        self._means = means
        self._watch = watch

    def __call__(self, board: chess.Board, record: int) -> Sure:
        return find(board, record, self._tables, self._means, watch=self._watch).sure
