"""Asking the tables: `open_tablebase(directory).probe(board, record)`."""

from tbgen.probe.result import Answers, Fresh, LineMove, MoveResult, Positions, Result
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = ["Answers", "Fresh", "LineMove", "MoveResult", "Positions", "Result", "Tablebase", "open_tablebase"]
