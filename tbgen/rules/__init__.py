"""The game around the tables: the record, the ends of a game, points, komi, FEN and PGN tags.

`Game` plays a game to its end and keeps its `Record`. The modules: `scoring` makes points of an outcome, `rulesets` has
the rule sets, `tags` turns results into PGN tags and back, `scoresheet` keeps the sheet of the game over the board,
`tiebreaks` and `statistics` make tables and figures, `variants` has what is not chess.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tbgen.rules.ends import Game
from tbgen.rules.record import Record

if TYPE_CHECKING:
    from tbgen.rules import rulesets, scoresheet, scoring, statistics, tags, tiebreaks, variants

__all__ = ["Game", "Record", "rulesets", "scoresheet", "scoring", "statistics", "tags", "tiebreaks", "variants"]


if not TYPE_CHECKING:  # as in tbgen/__init__.py

    def __getattr__(name: str) -> Any:
        """The modules, imported when first used."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
