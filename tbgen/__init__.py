"""R-mobility endgame tablebases: what both sides can force in every position of a few men.

>>> import tbgen
>>> with tbgen.open_tablebase("data") as tablebase:  # doctest: +SKIP
...     result = tablebase.probe("8/8/8/4KBk1/8/8/8/8 b - - 0 1", moves=True)
...     print(result)
...     print(result.gscore, result.score, result.dtg, [move.uci for move in result.moves])
White forces G1.5 (Black left with one move, not in check) in 4 plies (2 moves); worth 0.5625 points to White.
G1.5 1.5 4 ['g5h5', 'g5h4', 'g5h6']

The directory's tables come first; the package's own, of two and three men, fill the gaps. Without a directory,
`$TBGEN_TABLES` names one. That gives a `Tablebase`; its `probe` answers one position, `probe_many` arrays of
`Positions`. What can go wrong is a `TbgenError`. `tbgen.rules` keeps the record of a game, ends games and scores them;
`tbgen.solve` proves what each side is sure of in positions of more men.
The `tbgen` command builds tables: `tbgen build --all 3`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tbgen._version import __version__

if TYPE_CHECKING:
    from tbgen import rules
    from tbgen.beyond.prove import Solution, solve
    from tbgen.errors import BadInput, CorruptTable, MissingTable, TbgenError, UnsupportedPosition
    from tbgen.probe import (
        Answers,
        LineMove,
        MoveResult,
        Positions,
        Result,
        Staircase,
        Step,
        Tablebase,
        View,
        open_tablebase,
    )

__all__ = [
    "Answers",
    "BadInput",
    "CorruptTable",
    "LineMove",
    "MissingTable",
    "MoveResult",
    "Positions",
    "Result",
    "Solution",
    "Staircase",
    "Step",
    "Tablebase",
    "TbgenError",
    "UnsupportedPosition",
    "View",
    "__version__",
    "open_tablebase",
    "rules",
    "solve",
]


if not TYPE_CHECKING:  # a checker that saw it would take any name for a public one

    def __getattr__(name: str) -> Any:
        """The public names, imported when first used: most modules of the package need none of them."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "rules":
            return import_module("tbgen.rules")
        if name in ("Solution", "solve"):
            return getattr(import_module("tbgen.beyond.prove"), name)
        from tbgen import errors, probe

        return getattr(errors if hasattr(errors, name) else probe, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
