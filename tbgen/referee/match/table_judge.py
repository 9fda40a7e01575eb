"""Games ended by tables as soon as these cover the position."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tbgen.core import outcome
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.probe import Tablebase, is_late
from tbgen.probe.words import LATE
from tbgen.rules.ends import Game
from tbgen.rules.rulesets import RuleSet

MATE = 0
"""Its level."""


class TableVerdict(NamedTuple):
    """What best play would make of a game."""

    outcome: int
    dtg: int
    stands: bool
    """Whether the record is the result already."""
    late: bool = False
    """Whether the 50-move rule may come before the goal."""

    def __str__(self) -> str:
        """The words of the tag `RMobilityTermination`."""
        return f"{'stands' if self.stands else 'tablebase'}, DTG {self.dtg}{f', {LATE}' * self.late}"


class TableJudge:
    """The tables of a match."""

    def __init__(self, directory: Path, rules: RuleSet) -> None:
        self._tables = Tablebase(directory, rules.of_tables)
        self._only_mates = not rules.adjudicates_draws
        self.missing = Counter[str]()
        """What tables would have been needed, and how often they were asked for."""

    def verdict(self, game: Game) -> TableVerdict | None:
        """The result of a game that goes on, if tables know it and the rules want to know."""
        try:
            found = self._tables.probe(game.board, game.record.outcome)
        except UnsupportedPosition:
            return None
        except MissingTable as error:
            if error.expected:
                self.missing[str(error)] += 1
            return None
        if self._only_mates and outcome.level(found.outcome) != MATE:
            return None
        late = is_late(game.turn.quiet, found.dtg, game.rules.fifty.limit(game.board.occupied.bit_count()))
        return TableVerdict(found.outcome, found.dtg, found.stands, late)

    def close(self) -> None:
        self._tables.close()
