"""Asking the tables: `open_tablebase(directory).probe(board, record)`."""

from tbgen.probe.as_dict import as_dict
from tbgen.probe.result import (
    Answers,
    Fresh,
    LineMove,
    MoveResult,
    Positions,
    Result,
    ResultWithMoves,
    UnknownMove,
)
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = [
    "Answers",
    "Fresh",
    "LineMove",
    "MoveResult",
    "Positions",
    "Result",
    "ResultWithMoves",
    "Tablebase",
    "UnknownMove",
    "as_dict",
    "open_tablebase",
]
