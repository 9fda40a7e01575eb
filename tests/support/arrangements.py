"""Arrangements of free men against python-chess, square by square."""

import itertools
import random

import chess

from tbgen.beyond.holding.graph import Graph
from tbgen.core.position import level


def compare_arrangements(board: chess.Board, free_men: str) -> None:
    graph = Graph(board, [chess.parse_square(name) for name in free_men.split()])
    places = list(itertools.product(*map(range, graph.shape)))
    for place in [graph.start, *random.Random(free_men).sample(places, min(400, len(places)))]:
        for turn in chess.COLORS:
            found = graph.turns[0 if turn else 1]
            there = graph.board_at(place, turn)
            legal = there.occupied.bit_count() == board.occupied.bit_count() and not there.was_into_check()
            assert found.legal[place] == legal, there.fen()
            if legal:
                _compare(graph, place, there)


def _compare(graph: Graph, place: tuple[int, ...], board: chess.Board) -> None:
    turn = graph.turns[0 if board.turn else 1]
    assert turn.level[place] == level(board), board.fen()
    moves = set()
    for free, targets in turn.moves:
        at = tuple(min(one, size - 1) for one, size in zip(place, targets.shape, strict=True))
        moves |= {(free.squares[place[free.axis]], target) for target in chess.scan_forward(int(targets[at]))}
    standing = set(graph.still)
    within = {move for move in board.legal_moves if not board.is_zeroing(move) and move.from_square not in standing}
    assert moves == {(move.from_square, move.to_square) for move in within}, board.fen()
    others = set(board.legal_moves) - within
    assert turn.exits[place] == bool(others), board.fen()
    assert turn.quiet_exits[place] == any(not board.is_zeroing(move) for move in others), board.fen()
