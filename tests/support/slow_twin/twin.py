"""The twin: answers for any position with few enough men."""

import itertools
from collections.abc import Callable, Iterable, Iterator

import chess

from tests.support.slow_twin.goals import (
    Goal,
    Result,
    Rules,
    columns,
    goal_of,
    one_ply_earlier,
    possible_records,
    record_after,
    result_of,
    scores_of,
    worth,
)
from tests.support.slow_twin.placements import (
    KINDS,
    SliceName,
    board_of,
    man,
    men_of,
    normal_form,
    parse_man,
    slice_name,
)
from tests.support.slow_twin.slice import Arrival, Slice, after_move

# Somebody else's V(p, r) and distance. None: the twin solves this one itself.
Oracle = Callable[[chess.Board, Goal], Result | None]


class Twin:
    """Answers for any position with few enough men; solves and keeps the slices this takes.

    An oracle, when given, is asked first for every position outside the slice being solved.
    If it always answers, a slice can be judged without solving those that it leads to.
    It is asked about the normal forms, which may be the mirror images of what the twin was asked.
    """

    def __init__(self, rules: Rules = "r", oracle: Oracle | None = None) -> None:
        self.rules: Rules = rules
        self._oracle = oracle
        self._slices: dict[SliceName, Slice] = {}

    def fresh(self, board: chess.Board) -> Result:
        """v(p) and its distance: the position is the first of a new record."""
        return self._arrival(board)(None)

    def value(self, board: chess.Board, record: Goal) -> Result:
        """V(p, r) and its distance; the position's own goal must have been counted in r."""
        if record not in possible_records(board, self.rules):
            raise ValueError(f"{record} cannot be the record in {board.fen()}")
        return self._arrival(board)(record)

    def staircase(self, board: chess.Board) -> dict[Goal, Result]:
        """V(p, r) and its distance for every record that can stand here."""
        arrive = self._arrival(board)
        return {record: arrive(record) for record in possible_records(board, self.rules)}

    def positions(self, material: str, pawns: Iterable[str] | None = None) -> Iterator[chess.Board]:
        """All positions of `solve`, one of those that are alike but for symmetry."""
        return (board_of(*node) for slice_ in self.solve(material, pawns) for node in slice_.nodes)

    def solve(self, material: str, pawns: Iterable[str] | None = None) -> list[Slice]:
        """The slices of a material like "KPvKP", all or those with pawns like "Pe2 pd4"."""
        white, black = material.split("v")
        kinds = [KINDS.index(symbol) for symbol in white.upper() + black.lower()]
        pawn_kinds = [kind for kind in kinds if kind < 2]
        # A name does not tell where the other men stand: put them where no pawn can be.
        others = [man(kind, square) for square, kind in enumerate(kinds) if kind >= 2]
        if pawns is None:
            squares = itertools.permutations(range(chess.A2, chess.A8), len(pawn_kinds))
            choices = [list(map(man, pawn_kinds, chosen)) for chosen in squares]
        else:
            choices = [[parse_man(text) for text in placement.split()] for placement in pawns]
        normal = (normal_form(tuple(sorted(others + choice))) for choice in choices)
        return [self._slice(name) for name in dict.fromkeys(slice_name(men) for men, _ in normal)]

    def _slice(self, name: SliceName) -> Slice:
        if name not in self._slices:
            self._slices[name] = Slice(name, self.rules, self._arrival_outside)
        return self._slices[name]

    def _arrival_outside(self, board: chess.Board) -> Arrival:
        oracle, own = self._oracle, goal_of(board)
        if oracle is None or oracle(board, own) is None:
            return self._arrival(board)

        def ask(record: Goal | None) -> Result:
            result = oracle(board, record_after(record, own))
            assert result is not None, f"answered for some records only: {board.fen()}"
            return result

        return ask

    def _arrival(self, board: chess.Board) -> Arrival:
        if board.has_legal_en_passant():
            return self._arrival_with_en_passant(board)
        men, swapped = normal_form(men_of(board))
        slice_ = self._slice(slice_name(men))
        node = slice_.number[men, board.turn != swapped]
        if not swapped:
            return lambda record: slice_.arrive(node, record)

        def look_from_other_side(record: Goal | None) -> Result:
            goal, plies = slice_.arrive(node, record.of_other_side() if record else None)
            return Result(goal.of_other_side(), plies)

        return look_from_other_side

    def _arrival_with_en_passant(self, board: chess.Board) -> Arrival:
        """The right to capture makes another position, on no cycle: look one ply ahead."""
        own = goal_of(board)
        moves = [(self._arrival_outside(after_move(board, move)), board.is_zeroing(move)) for move in board.legal_moves]

        def look_ahead(record: Goal | None) -> Result:
            current = record_after(record, own)
            standing = worth(current)
            forgets = self.rules == "r"
            results = [arrive(None if forgets and resets else current) for arrive, resets in moves]
            scores = one_ply_earlier(scores_of(*columns(results), standing), standing)
            best = scores.max() if board.turn == chess.WHITE else scores.min()
            return result_of(int(best), standing)

        return look_ahead
