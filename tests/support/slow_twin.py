"""The slow twin: an r-mobility solver by brute force, the judge of the fast one.

It imports nothing of the solver it judges. Moves, legality, checks and en passant come from python-chess;
results come from the definition of the game, over every position and every record:

* A slice is one material with all its pawns on fixed squares.
* In the layer of record r, a move to q with a goal better than r pays v(q), the fresh value of q.
  A capture or a pawn move pays v(q) too (rules "r"), or lets r survive (rules "wg").
  Every other move stays in the layer. Infinite play pays r.
* A layer is solved by cutting play off after 0, 1, 2 ... plies, with r standing at the cut, until one more ply
  changes nothing.

The one liberty taken for speed is symmetry: of the placements that mirror or turn into each other only the least
is solved, and the side with more men is called White.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Rules = Literal["r", "wg"]


class Goal(NamedTuple):
    """A level and the side that reached it. Records and values are goals."""

    owner: chess.Color
    level: int

    def __str__(self) -> str:
        return f"{'+' if self.owner else '-'}G{self.level / 2}"

    def of_other_side(self) -> "Goal":
        return Goal(not self.owner, self.level)


class Result(NamedTuple):
    """The goal that decides, and the plies until it is on the board (0: the record stands)."""

    goal: Goal
    plies: int


# What a move to some position pays, under the record before the move (None: counting starts anew).
Arrival = Callable[[Goal | None], Result]
# Answers for the positions that a capture or a pawn move leads to.
Outside = Callable[[chess.Board], Arrival]
# Somebody else's V(p, r) and distance. None means: the twin shall work this one out itself.
Oracle = Callable[[chess.Board, Goal], Result | None]


def goal_of(board: chess.Board) -> Goal:
    level = 2 * board.legal_moves.count() + (0 if board.is_check() else 1)
    return Goal(not board.turn, level)


def record_after(record: Goal | None, own: Goal) -> Goal:
    """The record in a position whose own goal is `own`: only a strictly better level replaces."""
    return own if record is None or own.level < record.level else record


def possible_records(board: chess.Board, rules: Rules = "r") -> list[Goal]:
    """Every record that can stand in this position, its own goal counted in."""
    own = goal_of(board)
    if own.level < 2 or (rules == "r" and board.has_legal_en_passant()):
        return [own]  # the game has ended, or a pawn has just moved
    # Of equal levels, the other side's may have come first.
    return [Goal(owner, level) for level in range(2, own.level + 1) for owner in chess.COLORS]


# --- goals and results as integers ---------------------------------------------------------------

LEVELS = 512  # above every level: no legal position has more than 218 moves, which is level 437
PLIES = 100_000  # above every distance; LEVELS * PLIES fits 32 bits


def worth(goal: Goal) -> int:
    """The order of goals, best for White largest."""
    return LEVELS - goal.level if goal.owner else goal.level - LEVELS


def goal_worth(value: int) -> Goal:
    return Goal(value > 0, LEVELS - abs(value))


def columns(results: list[Result]) -> tuple[Ints, Ints]:
    values, plies = [worth(goal) for goal, _ in results], [plies for _, plies in results]
    return np.array(values, dtype=np.int32), np.array(plies, dtype=np.int32)


def scores_of(values: Ints, plies: Ints, record: int) -> Ints:
    """Value first, then distance: who gains over the record wants it soon, the other side late."""
    towards_record: Ints = np.sign(record - values)
    return values * PLIES + towards_record * plies


def result_of(score: int, record: int) -> Result:
    """Undo `scores_of`, which moved every gain over the record towards it by the plies."""
    value = -(-score // PLIES) if score > record * PLIES else score // PLIES
    return Result(goal_worth(value), abs(value * PLIES - score))


def one_ply_earlier(scores: Ints, record: int) -> Ints:
    towards_record: Ints = np.sign(record * PLIES - scores)
    return scores + towards_record


# --- placements and their symmetries -------------------------------------------------------------

KINDS = "PpKkQqRrBbNn"  # even: White's. Pawns are first, so the least image has the least pawns.
PIECES = [chess.Piece.from_symbol(symbol) for symbol in KINDS]
Men = tuple[int, ...]  # a placement: 64 * kind + square for each man, ascending
SliceName = tuple[Men, tuple[int, ...]]  # the pawns, and the kinds of the other men


def man(kind: int, square: chess.Square) -> int:
    return 64 * kind + square


def parse_man(text: str) -> int:
    """Like "pd4": the kind as in a FEN, then the square."""
    return man(KINDS.index(text[0]), chess.parse_square(text[1:]))


def men_of(board: chess.Board) -> Men:
    men = board.piece_map().items()
    return tuple(sorted(man(KINDS.index(piece.symbol()), square) for square, piece in men))


def board_of(men: Men, turn: chess.Color) -> chess.Board:
    board = chess.Board(None)
    for code in men:
        board.set_piece_at(code % 64, PIECES[code // 64])
    board.turn = turn
    return board


def _man_maps() -> Iterator[list[int]]:
    """The eight symmetries; only the first two, identity and mirrored files, allow for pawns."""
    for diagonal, ranks, files in itertools.product((False, True), (0, 7), (0, 7)):
        pairs = [divmod(s, 8)[:: 1 if diagonal else -1] for s in chess.SQUARES]
        squares = [chess.square(x ^ files, y ^ ranks) for x, y in pairs]
        yield [man(kind, square) for kind in range(len(KINDS)) for square in squares]


MAN_MAPS = list(_man_maps())


def least_image(men: Men) -> Men:
    maps = MAN_MAPS[:2] if men[0] < man(2, 0) else MAN_MAPS
    return min([tuple(sorted([image[code] for code in men])) for image in maps])


def normal_form(men: Men) -> tuple[Men, bool]:
    """The placement to solve in place of this one, and whether the colours are swapped in it."""
    white, black = ([c // 128 for c in men if c // 64 % 2 == colour] for colour in (0, 1))
    swap = (len(black), black) > (len(white), white)
    if swap:
        men = tuple(man(code // 64 ^ 1, chess.square_mirror(code % 64)) for code in men)
    return least_image(men), swap


def slice_name(men: Men) -> SliceName:
    pawns = tuple(code for code in men if code < man(2, 0))
    return pawns, tuple(code // 64 for code in men[len(pawns) :])


def placements(name: SliceName) -> list[Men]:
    """Every placement that is the least of its images, without regard to legality."""
    pawns, kinds = name
    free = sorted(set(chess.SQUARES) - {code % 64 for code in pawns})
    chosen = itertools.permutations(free, len(kinds))
    found = (pawns + tuple(sorted(map(man, kinds, squares))) for squares in chosen)
    return sorted({men for men in found if least_image(men) == men})


# --- one slice -----------------------------------------------------------------------------------


class Side:
    """One side's nodes, a run of the slice's node numbers, most mobile first; their moves."""

    def __init__(self, turn: chess.Color, first: int, levels: list[int], moves: list[list[int]]):
        self._first = first
        self._levels = np.array(levels)
        self._starts = np.cumsum([0] + [len(targets) for targets in moves])
        self._targets = np.fromiter(itertools.chain(*moves), dtype=np.int64)
        self._choose = np.maximum if turn == chess.WHITE else np.minimum

    def staying(self, level: int) -> slice:
        """The nodes whose goal does not replace a record of this level."""
        return slice(self._first, self._first + int(np.count_nonzero(self._levels >= level)))

    def best_moves(self, scores: Ints, count: int) -> Ints:
        """The best score that one move reaches, for each of the side's first nodes."""
        reached = scores[self._targets[: self._starts[count]]]
        best: Ints = self._choose.reduceat(reached, self._starts[:count])
        return best


class Slice:
    """V(p, r) and its distance, for every position of a slice (up to symmetry) and every record."""

    def __init__(self, name: SliceName, rules: Rules, arrival: Outside) -> None:
        self._rules = rules
        self._number_nodes(name)
        self._generate_moves(arrival)
        self._solve()

    def arrive(self, node: int, record: Goal | None) -> Result:
        """What a move to this node pays: v if the record is replaced, else V under the record."""
        ended = self.levels[node] < 2
        if ended or record is None or self.levels[node] < record.level:
            return Result(goal_worth(int(self._values[node])), int(self._plies[node]))
        return result_of(int(self._layers[record][node]), worth(record))

    def _number_nodes(self, name: SliceName) -> None:
        legal: list[tuple[bool, int, Men]] = []
        for men, turn in itertools.product(placements(name), chess.COLORS):
            board = board_of(men, turn)
            if not board.was_into_check():  # no king can be taken
                legal.append((not turn, -goal_of(board).level, men))
        legal.sort()  # White's first, the most mobile first
        self.levels = [-minus_level for _, minus_level, _ in legal]
        self.nodes = [(men, not is_black) for is_black, _, men in legal]
        self.number = {node: number for number, node in enumerate(self.nodes)}

    def _generate_moves(self, arrival: Outside) -> None:
        """List where each node's moves lead: node numbers, and beyond them numbers of arrivals."""
        outside: dict[str, int] = {}
        self._arrivals: list[Arrival] = []
        self._paid_outside: tuple[Ints, Ints] | None = None
        moves: list[list[int]] = []
        for men, turn in self.nodes:
            board = board_of(men, turn)
            moves.append([])
            for move in board.legal_moves:
                if not board.is_zeroing(move):
                    moves[-1].append(self.number[after_quiet_move(men, move), not turn])
                    continue
                after = after_move(board, move)
                key = after.epd(en_passant="legal")
                if key not in outside:
                    outside[key] = len(self.nodes) + len(outside)
                    self._arrivals.append(arrival(after))
                moves[-1].append(outside[key])
        whites = sum(turn == chess.WHITE for _, turn in self.nodes)
        self._sides = [
            Side(chess.WHITE, 0, self.levels[:whites], moves[:whites]),
            Side(chess.BLACK, whites, self.levels[whites:], moves[whites:]),
        ]

    def _solve(self) -> None:
        """Layers from level 2 upward; each fixes v of the nodes whose own goal is its record."""
        turns = (turn for _, turn in self.nodes)
        goals = [Goal(not turn, level) for turn, level in zip(turns, self.levels, strict=True)]
        # Right for mate and stalemate; the others are fixed before a layer uses them.
        self._values, self._plies = columns([Result(goal, 0) for goal in goals])
        self._layers: dict[Goal, Ints] = {}
        for level in range(2, max(self.levels) + 1):
            for owner in chess.COLORS:
                self._layers[Goal(owner, level)] = self._solve_layer(Goal(owner, level))
            for node in np.flatnonzero(np.array(self.levels) == level).tolist():
                goal, self._plies[node] = self.arrive(node, goals[node])
                self._values[node] = worth(goal)

    def _solve_layer(self, record: Goal) -> Ints:
        standing = worth(record)
        inside = scores_of(self._values, self._plies, standing)
        outside = scores_of(*self._pay_outside(record), standing)
        scores = np.concatenate([inside, outside])
        staying = [side.staying(record.level) for side in self._sides]
        for part in staying:
            scores[part] = standing * PLIES
        while True:
            before = scores.copy()
            for side, part in zip(self._sides, staying, strict=True):
                best = side.best_moves(before, part.stop - part.start)
                scores[part] = one_ply_earlier(best, standing)
            if np.array_equal(scores, before):
                return scores[: len(self.nodes)]

    def _pay_outside(self, record: Goal) -> tuple[Ints, Ints]:
        if self._rules == "wg":
            return columns([arrive(record) for arrive in self._arrivals])
        if self._paid_outside is None:  # the same under every record
            self._paid_outside = columns([arrive(None) for arrive in self._arrivals])
        return self._paid_outside


def after_move(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def after_quiet_move(men: Men, move: chess.Move) -> Men:
    """One man changes its square and nothing else happens."""
    step = move.to_square - move.from_square
    return least_image(tuple(c + step if c % 64 == move.from_square else c for c in men))


# --- the twin ------------------------------------------------------------------------------------


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
        return (board_of(*node) for part in self.solve(material, pawns) for node in part.nodes)

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
        part = self._slice(slice_name(men))
        node = part.number[men, board.turn != swapped]
        if not swapped:
            return lambda record: part.arrive(node, record)

        def look_from_other_side(record: Goal | None) -> Result:
            goal, plies = part.arrive(node, record.of_other_side() if record else None)
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
