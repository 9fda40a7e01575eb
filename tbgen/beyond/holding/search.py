"""What a side can be sure of by holding: which men to move, and what bound to hold.

The claim for a bound b, no better than the record r for the defender: whatever the attacker does, the game ends with b
or better for the defender, because

- no position that the attacker makes has a level below the limit, so that his goals never make a record better than b;
- he has no exit but such as are worth b or less to him.

The limit is the record's level, or the bound's if that is lower and the attacker's: a goal of the record's level or
more changes nothing, and one of the bound's level or more is the bound at best.

A bound that is better than the record is a goal of the defender's: he can force it, and then hold it as the record.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, combinations, product
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.beyond.holding.exits import Exits, worth
from tbgen.beyond.holding.graph import Graph, size_of
from tbgen.beyond.holding.hold import FOR_EVER, Goals, Hold, hold
from tbgen.beyond.holding.way import Way, find_way
from tbgen.core.outcome import BASE, FIRST_RECORD, MAX_LEVEL, level
from tbgen.core.position import check_legal
from tbgen.probe import Tablebase
from tbgen.system.text import SIDES, counted

Men = list[chess.Square]

Report = Callable[[int, int], None]
"""Called with how many sets of men have been tried, and how many there are as far as is known by then."""

ANY_MOVE: Final = 2
"""Plies that the attacker needs at least, whatever quiet move the defender makes."""
ARRANGEMENTS: Final = 600_000
"""Graphs have so many at most."""
IN_ALL: Final = 2_500_000
"""All graphs of more than two men together have so many at most: a second or two for each side."""
SETS: Final = 1_000
"""Where there are more sets of men, nobody looks at their sizes: a pair holds what can be held among so many pieces."""


class Proof(NamedTuple):
    """What a side is sure of."""

    defender: chess.Color
    bound: int
    """An outcome: the game ends with this or better for the defender."""
    plies: int
    """The first ply at which the record may change for the worse; FOR_EVER if the bound is the record or better."""
    held: Hold | Way | None
    """How the bound is held, or come to; None where it is mate by the attacker."""
    delay: Hold | None
    """How the record is kept so long; None where the bound is the record or better, or nothing is gained."""
    obstacle: str = ""
    """Why nothing is held, if that is so."""


def prove(
    board: chess.Board,
    record: int,
    tables: Tablebase | None = None,
    arrangements: int = ARRANGEMENTS,
    report: Report = lambda tried, known: None,
) -> list[Proof]:
    """What White and Black are sure of, the position's own goal being counted in the record."""
    check_legal(board)
    return [_prove(board, record, defender, tables, arrangements, report) for defender in (chess.WHITE, chess.BLACK)]


def goals(exits: Exits, attacker: int, record: int, bound: int) -> Goals:
    """What has to be held for a bound."""
    sign = 1 if attacker == 0 else -1
    limit = min(level(record), level(bound)) if bound * sign > 0 else level(record)
    return Goals(limit, exits.breaking(attacker, bound), exits.saving(1 - attacker, bound))


def no_exits(graph: Graph, attacker: int, record: int) -> Goals:
    """What has to be held for the record to stay: what ends well may begin with a worse one."""
    return Goals(level(record), graph.turns[attacker].exits, np.zeros(graph.shape, np.bool_))


def _prove(
    board: chess.Board,
    record: int,
    defender: chess.Color,
    tables: Tablebase | None,
    arrangements: int,
    report: Report,
) -> Proof:
    attempt = Attempt(board, record, defender, tables)
    ours, theirs = (list(chess.SquareSet(board.occupied_co[side] & ~board.pawns)) for side in (defender, not defender))
    pairs = [sorted(pair) for pair in product(ours, theirs)]
    for tried, free_men in enumerate(pairs):
        report(tried, len(pairs))
        attempt.on(free_men)
        if attempt.mates:
            return attempt.best
    larger: list[Men] = []
    if not (soon := breaks_soon(board, defender, tables)):
        larger = _larger(board, ours, theirs, arrangements)
        for tried, free_men in enumerate(larger, len(pairs)):
            report(tried, len(pairs) + len(larger))
            attempt.on(free_men)
            if attempt.mates:
                break
    if attempt.best.held is not None:
        return attempt.best
    return attempt.best._replace(obstacle=attempt.obstacle(len(pairs) + len(larger), soon=soon))


class Attempt:
    """The best that was proved so far, and more graphs to try."""

    def __init__(self, board: chess.Board, record: int, defender: chess.Color, tables: Tablebase | None) -> None:
        self._board = board
        self._record = record
        self._attacker = 1 if defender else 0
        self._tables = tables
        self._passing = _passing(board, defender, tables)
        self._bounds = _bounds(record, self._attacker)
        self._reached = 0
        """The place of the best bound."""
        self.best = Proof(defender, self._bounds[0], 1, None, None)

    @property
    def mates(self) -> bool:
        return level(self.best.bound) == 0 and self.best.held is not None

    def on(self, free_men: Sequence[chess.Square]) -> None:
        """Try what can be held when these men move."""
        graph = Graph(self._board, free_men)
        exits = Exits(graph, self._tables)
        if self.best.plies < FOR_EVER:
            self._try_to_hold(graph, exits)
        self._try_to_gain(graph, exits)

    def _try_to_hold(self, graph: Graph, exits: Exits) -> None:
        """Look for the record, or the best bound that is worse."""
        held, plies = self._hold(graph, goals(exits, self._attacker, self._record, self._record), self._record)
        if plies == FOR_EVER:
            self.best = self.best._replace(bound=self._record, plies=plies, held=held, delay=None)
            return
        if plies > self.best.plies:
            held, plies = self._hold(graph, no_exits(graph, self._attacker, self._record), None)
        if plies > self.best.plies:
            self.best = self.best._replace(plies=plies, delay=held if plies > ANY_MOVE else None)
        low, high = self._reached, len(self._bounds) - 1
        step = 1  # as a rule nothing better can be held: see that first
        while high - low > 1:
            middle = min(low + step, (low + high) // 2)
            bound = self._bounds[middle]
            held, plies = self._hold(graph, goals(exits, self._attacker, self._record, bound), bound)
            if plies == FOR_EVER:
                low, step = middle, high
                self.best = self.best._replace(bound=bound, held=held)
            else:
                high = middle
        self._reached = low

    def _try_to_gain(self, graph: Graph, exits: Exits) -> None:
        """Look for the best goal of the defender's that he can force, and then hold."""
        sign = 1 if self._attacker else -1
        highest = level(self._record)
        if self.best.bound * sign > self._record * sign:
            highest = level(self.best.bound)
        easiest = sign * (BASE - highest + 1)
        lenient = goals(exits, self._attacker, easiest, easiest)._replace(limit=FIRST_RECORD)
        held, plies = self._hold(graph, lenient, easiest)
        if plies < FOR_EVER:
            return
        theirs = graph.turns[self._attacker]
        safe = theirs.legal & (held.plies[self._attacker] == FOR_EVER)
        levels = np.union1d(theirs.level[safe], exits.goals(1 - self._attacker))
        for lowest in levels[levels < highest].tolist():
            bound = sign * (BASE - lowest)
            wanted = goals(exits, self._attacker, bound, bound)
            held, plies = self._hold(graph, wanted, bound)
            if plies == FOR_EVER:
                way = find_way(held, wanted)
                if way.at(graph.start, defends=(self._board.turn == chess.WHITE) == (self._attacker == 1)):
                    self.best = self.best._replace(bound=bound, plies=FOR_EVER, held=way, delay=None)
                    return

    def _hold(self, graph: Graph, wanted: Goals, bound: int | None) -> tuple[Hold, int]:
        """Work out a graph, and for how many plies its own arrangement is held. A capture en passant, of which graphs
        know nothing, breaks through at once unless it is worth the bound or less."""
        held = hold(graph, self._attacker, wanted)
        sign = 1 if self._attacker == 0 else -1
        if self._passing is not None and (bound is None or self._passing * sign > bound * sign):
            return held, 1
        return held, held.at(graph.start, self._board.turn)

    def obstacle(self, tried: int, *, soon: bool) -> str:
        """Say why nothing is held."""
        attacker = SIDES[not self.best.defender]
        if self._board.has_castling_rights(not self.best.defender):
            return f"{attacker} may castle"
        if self._passing is not None and level(self._passing) == 0:
            return f"{attacker} may capture en passant, and no table says what comes of that"
        if soon:
            return f"within three plies {attacker} mates, or makes a capture or pawn move to what no table has"
        return f"{attacker} gets through {counted(tried, 'set')} of men that were tried"


def _passing(board: chess.Board, defender: chess.Color, tables: Tablebase | None) -> int | None:
    """Give the worst for the defender that a capture en passant leads to: mate where nothing is known. None if the
    attacker has no such capture."""
    if board.turn == defender:
        return None
    board, mate = board.copy(stack=False), -BASE if defender else BASE
    outcomes = []
    for move in list(board.generate_legal_ep()):
        board.push(move)
        after = worth(board, tables)
        outcomes.append(mate if after is None else after)
        board.pop()
    return (min if defender else max)(outcomes, default=None)


def breaks_soon(board: chess.Board, defender: chess.Color, tables: Tablebase | None) -> bool:
    """Say if the attacker has an exit of which nothing is known, or mates, within three plies, whichever men move.

    Then larger graphs can do no more than delay that, and are not worth their time.
    """
    return _breaks(board.copy(stack=False), defender, tables, 3)


def _breaks(board: chess.Board, defender: chess.Color, tables: Tablebase | None, plies: int) -> bool:
    if plies == 0:
        return False
    moves = list(board.legal_moves)
    if not moves:
        return board.turn == defender and board.is_check()
    outcomes = (_breaks_after(board, move, defender, tables, plies) for move in moves)
    return all(outcomes) if board.turn == defender else any(outcomes)


def _breaks_after(
    board: chess.Board, move: chess.Move, defender: chess.Color, tables: Tablebase | None, plies: int
) -> bool:
    is_exit = board.is_zeroing(move)
    board.push(move)
    if is_exit:
        after, mate = worth(board, tables), -BASE if defender else BASE
        breaks = after is None or after == mate
    else:
        breaks = _breaks(board, defender, tables, plies - 1)
    board.pop()
    return breaks


def _bounds(record: int, attacker: int) -> list[int]:
    """Outcomes from mate by the attacker to the record, the best for the defender last."""
    sign = 1 if attacker == 0 else -1
    every = range(BASE, BASE - MAX_LEVEL - 1, -1)
    worst_first = [*every, *(-one for one in reversed(every))]
    relative = worst_first[: worst_first.index(record * sign) + 1]
    return [one * sign for one in relative]


def _larger(board: chess.Board, ours: Men, theirs: Men, arrangements: int) -> list[Men]:
    """The largest sets of men that move, more than one a side, with at most so many arrangements each, and `IN_ALL`
    together; smallest first."""
    if (2 ** len(ours) - 1) * (len(theirs) + 1) > SETS:
        return []
    sizes: dict[frozenset[chess.Square], int] = {}
    for count in range(len(ours), 0, -1):
        for own in combinations(ours, count):
            for others in [theirs, *([one] for one in theirs)]:
                free_men = frozenset((*own, *others))
                if len(free_men) == 2 or free_men in sizes or any(free_men < larger for larger in sizes):
                    continue
                size = size_of(board, sorted(free_men))
                if size <= arrangements:
                    sizes[free_men] = size
    rising = sorted(sizes, key=sizes.__getitem__)
    together = accumulate(sizes[free_men] for free_men in rising)
    return [sorted(free_men) for free_men, total in zip(rising, together, strict=True) if total <= IN_ALL]
