"""Asking the tables: `open_tablebase(directory).probe(board, record)`."""

from tbgen.probe.as_dict import as_dict, bounds_as_dict, line_as_dicts, move_as_dict, sure_as_dict
from tbgen.probe.result import Answers, LineMove, MoveResult, Positions, Result, ResultWithMoves, UnknownMove, is_late
from tbgen.probe.staircase import Staircase, Step
from tbgen.probe.sure import OnlyBounds, Sure, SureMove, SureResult
from tbgen.probe.tablebase import Tablebase, open_tablebase
from tbgen.probe.view import View

__all__ = [
    "Answers",
    "LineMove",
    "MoveResult",
    "OnlyBounds",
    "Positions",
    "Result",
    "ResultWithMoves",
    "Staircase",
    "Step",
    "Sure",
    "SureMove",
    "SureResult",
    "Tablebase",
    "UnknownMove",
    "View",
    "as_dict",
    "bounds_as_dict",
    "is_late",
    "line_as_dicts",
    "move_as_dict",
    "open_tablebase",
    "sure_as_dict",
]
