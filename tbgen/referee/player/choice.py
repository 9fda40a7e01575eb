"""Perfect play: the best move from the tables under the record and the history of a game.

Tables take endless play for the record standing, but a game ends at the third repetition. Whoever gains
by its table value comes nearer to it with every move, so never repeats; but a game that was played by
others may bring positions along that have occurred twice. These count as what they are: the end.
"""

from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple

import chess

from tbgen.probe import MoveResult, OnlyBounds, ResultWithMoves, SureMove, SureResult, Tablebase
from tbgen.probe.play import ranked as best_first
from tbgen.rules import Game

LONGEST_LINE: Final = 30
"""How many moves of a line are worked out: enough to read, and no reason to wait."""

_FEWEST_TO_REPEAT: Final = 6
"""Plies in a game before two more can make a third occurrence."""


class Moves(NamedTuple):
    """What there is to say of a position with all its moves."""

    material: str
    record: int
    choices: list[MoveResult]
    """Best first."""


def ranked(tablebase: Tablebase, game: Game, among: Collection[chess.Move] | None = None) -> Moves:
    """The moves of a position, or some of them, best first. Raises what a probe raises."""
    found = _probe(tablebase, game.board, game.record.outcome)
    moves = [move for move in found.moves or () if among is None or move.move in among]
    over = _seen_twice(game.board)
    if over:
        moves = [_with_repetition(game.board, move, over) for move in moves]
    return Moves(found.material, found.record, best_first(moves, game.board.turn, found.record))


def surest(known: SureResult, among: Collection[chess.Move]) -> SureMove:
    """The move after which local tables assure the side to move of most."""
    return next(one for one in known.moves if one.move in among)


def _probe(tablebase: Tablebase, board: chess.Board, record: int) -> ResultWithMoves:
    """What tables say; of local tables, which may know only bounds of some moves, all moves whose worth is known, if
    one of them is best."""
    try:
        return tablebase.probe(board, record, moves=True)
    except OnlyBounds:
        found = tablebase.probe(board, record, moves=True, partial=True)
        if not found.moves or (found.moves[0].outcome, found.moves[0].dtg) != (found.outcome, found.dtg):
            raise
        return found


def line_of(tablebase: Tablebase, game: Game, choice: MoveResult) -> list[chess.Move]:
    """A choice and the moves that follow, to the goal that decides if it is not too far off."""
    board = game.board.copy(stack=False)
    record = game.record.outcome
    line = [choice.move]
    after = _probe(tablebase, board, record)
    while len(line) < min(choice.dtg, LONGEST_LINE):
        record = next(move.record for move in after.moves or () if move.move == line[-1])
        board.push(line[-1])
        try:
            after = _probe(tablebase, board, record)
        except OnlyBounds:
            break
        if not after.moves or after.stands:
            break
        line.append(after.moves[0].move)
    return line


def _seen_twice(board: chess.Board) -> Collection[str]:
    """The positions since the last reset that end the game if they occur once more."""
    if len(board.move_stack) < _FEWEST_TO_REPEAT:
        return ()
    board = board.copy()
    seen = Counter([board.epd()])
    while board.move_stack:
        move = board.pop()
        if board.is_zeroing(move):
            break
        seen[board.epd()] += 1
    return {epd for epd, times in seen.items() if times > 1}


def _with_repetition(board: chess.Board, move: MoveResult, over: Collection[str]) -> MoveResult:
    """A move's result, given that some positions end the game and leave the record standing."""
    if move.reset:
        return move
    board = board.copy(stack=False)
    board.push(move.move)
    if board.epd() in over:
        return move._replace(outcome=move.record, dtg=0)
    sign = 1 if board.turn else -1
    if sign * move.record > sign * move.outcome and _can_reach(board, over):
        return move._replace(outcome=move.record, dtg=0)
    return move


def _can_reach(board: chess.Board, over: Collection[str]) -> bool:
    """Whether a move ends the game by repetition."""
    for reply in list(board.legal_moves):
        board.push(reply)
        found = board.epd() in over
        board.pop()
        if found:
            return True
    return False
