"""What a drawn game comes to: by complete tables, by Syzygy tables, or by what can be proved of the position alone."""

import enum
from collections.abc import Callable
from typing import NamedTuple

import chess

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.probe import OnlyBounds, Sure, Tablebase
from tbgen.probe.words import bounds
from tbgen.referee.adjudicate.finish import CURSED, MAY_BE_CURSED, Finish
from tbgen.referee.adjudicate.settings import Settings
from tbgen.referee.syzygy import Syzygy
from tbgen.rules import variants
from tbgen.rules.rulesets import RuleSet

Solve = Callable[[chess.Board, int], Sure | None]
"""What is proved of a position under a record; None where nothing can be tried."""


class Basis(enum.StrEnum):
    """What the result of a game rests on."""

    PLAYED = "played"
    """The record as it stood when the game ended."""
    TABLEBASE = "tablebase"
    """What best play would have made of it."""
    STANDS = "stands"
    """The record, which by the tables nobody could have bettered."""
    PROVED = "proved"
    """What best play would have made of it, as solving the position alone has shown."""
    BOUNDED = "bounded"
    """The record, or the bound nearest to it that solving has shown."""
    SYZYGY = "syzygy"
    """The whole point, for what chess tables call won."""
    AWARDED = "awarded"
    """The whole point, for a game won without mate."""
    AGREED = "agreed"
    """The result that the players of such a game have written down instead."""


class Reach(enum.StrEnum):
    """Whether the tables had a say."""

    NOT_ASKED = "not asked"
    ANSWERED = "answered"
    OUT_OF_REACH = "out of reach"
    """Too many men, or a right to castle; or local tables know only bounds."""
    MISSING = "missing"


class Decision(NamedTuple):
    """The result of a game without a winner, and what there is to say of it."""

    outcome: int
    basis: Basis
    reach: Reach
    table: str = ""
    """The one that answered, or is missing."""
    dtg: int = 0
    words: str = ""
    """What the tag says behind the basis."""
    sure: Sure | None = None
    """What solving has shown, if it was tried, or local tables that were kept."""


class Decider:
    """Asks tables, and whoever solves positions."""

    def __init__(self, settings: Settings, solve: Solve | None = None) -> None:
        self._settings = settings
        self._asks = settings.tables is not None and bool(settings.decide)
        self._solve = solve if settings.decide else None
        self._tables: dict[TableRules, Tablebase] = {}
        self._syzygy = Syzygy(settings.syzygy, settings.syzygy_men) if settings.syzygy and settings.decide else None
        if self._asks:
            self._opened(settings.rules.of_tables)

    def close(self) -> None:
        for tables in self._tables.values():
            tables.close()
        self._tables.clear()
        if self._syzygy is not None:
            self._syzygy.close()

    def _opened(self, rules: TableRules) -> Tablebase:
        directory = self._settings.tables
        assert directory is not None, "nobody asks"
        if rules not in self._tables:
            self._tables[rules] = Tablebase(directory, rules)
        return self._tables[rules]

    def decide(self, finish: Finish, board: chess.Board, record: int, rules: RuleSet) -> Decision:
        """The result of a game that ended so, with this record."""
        kinds = self._settings.decide
        only_by_mate = finish not in kinds and CURSED in kinds and finish in MAY_BE_CURSED
        if (finish not in kinds and not only_by_mate) or variants.of(board) is not variants.CHESS:
            return Decision(record, Basis.PLAYED, Reach.NOT_ASKED)
        found = self._decide(board, record, rules)
        if not only_by_mate or outcome.level(found.outcome) == 0:
            return found
        reach = Reach.NOT_ASKED if found.reach is Reach.ANSWERED else found.reach
        return Decision(record, Basis.PLAYED, reach, found.table, sure=found.sure)

    def _decide(self, board: chess.Board, record: int, rules: RuleSet) -> Decision:
        """The result by whoever knows one."""
        found = self._ask_tables(board, record, rules)
        if found.reach is Reach.ANSWERED:
            return found
        won = None if self._syzygy is None else self._syzygy.verdict(board, rules)
        if won is not None:
            words = str(won).removeprefix(Basis.SYZYGY.value)
            return Decision(won.outcome, Basis.SYZYGY, Reach.ANSWERED, "Syzygy", 0, words)
        if self._solve is None or rules.whole_game:
            return _solved(found, found.sure)
        return _solved(found, self._solve(board, record))

    def _ask_tables(self, board: chess.Board, record: int, rules: RuleSet) -> Decision:
        """What r-mobility tables decide."""
        if not self._asks:
            return Decision(record, Basis.PLAYED, Reach.NOT_ASKED)
        tables = self._opened(rules.of_tables)
        try:
            answer = tables.probe(board, record)
        except OnlyBounds as error:
            return Decision(record, Basis.PLAYED, Reach.OUT_OF_REACH, sure=error.known.sure)
        except UnsupportedPosition:
            return Decision(record, Basis.PLAYED, Reach.OUT_OF_REACH)
        except MissingTable as error:
            if not error.expected:
                return Decision(record, Basis.PLAYED, Reach.OUT_OF_REACH)
            if self._settings.strict and self._syzygy is None and self._solve is None:
                raise
            return Decision(record, Basis.PLAYED, Reach.MISSING, error.material or str(error))
        basis = Basis.STANDS if answer.stands else Basis.TABLEBASE
        return Decision(answer.outcome, basis, Reach.ANSWERED, answer.material, answer.dtg, f", DTG {answer.dtg}")


def _solved(found: Decision, sure: Sure | None) -> Decision:
    """The result, given what was proved of it. What is played within the bounds stays as it is."""
    if sure is None or not sure.known:
        return found._replace(sure=sure)
    if sure.exact:
        words = "" if sure.dtg is None else f", DTG {sure.dtg}"
        return found._replace(outcome=sure.white, basis=Basis.PROVED, dtg=sure.dtg or 0, words=words, sure=sure)
    nearest = min(max(found.outcome, sure.white), sure.black)
    return found._replace(outcome=nearest, basis=Basis.BOUNDED, words=f": {bounds(sure)}", sure=sure)
