"""Boards of python-chess at random, and the material on them."""

import random
from collections.abc import Iterator

import chess
import chess.variant
import numpy as np

from tbgen.core import material
from tbgen.core.material import Material
from tbgen.core.position import read
from tbgen.index.positions import fens, placed
from tbgen.store import TableFile


def is_complete(board: chess.Board, men: int) -> bool:
    """Whether a position is legal, as tables have it, and has this many men."""
    if board.occupied.bit_count() != men or board.kings.bit_count() != 2 or board.pawns & chess.BB_BACKRANKS:
        return False
    return chess.square_distance(*chess.SquareSet(board.kings)) > 1 and not board.was_into_check()


def random_boards(one: Material, count: int, seed: int = 0) -> Iterator[chess.Board]:
    """Men are often on lines with kings, between two others or under attack, pawns and their prey near the end."""
    chance = random.Random(f"{one} {seed}")
    men = one.first + one.second.lower()
    while count:
        board = chess.Board(None)
        for letter in ["K", "k", *chance.sample(men, len(men))]:
            placed = list(board.piece_map())
            lines = {s for king in chess.SquareSet(board.kings) for s in chess.SQUARES if chess.ray(s, king)}
            between = {s for a in placed for b in placed for s in chess.SquareSet(chess.between(a, b))}
            attacked = set(board.attacks(chance.choice(placed or chess.SQUARES)))
            rank = {"P": 6, "p": 1}.get(letter, 0 if letter.isupper() else 7)
            on_rank = {s for s in chess.SQUARES if s // 8 == rank}
            fitting = chance.choice([lines, between, attacked, on_rank, on_rank & attacked])
            square = chance.choice(sorted(fitting - set(placed)) or chess.SQUARES)
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.random() < 0.5
        if is_complete(board, one.men):
            count -= 1
            yield board


def boards_of(table: TableFile, count: int) -> list[tuple[int, chess.Board]]:
    """Numbers of a table that have a position, drawn from so many, and these."""
    numbers = np.array(random.Random(str(table.material)).sample(range(table.size), count))
    numbers = numbers[np.array([table.look(int(number))[0] for number in numbers]) != 0]
    texts = fens(table.layout, placed(table.layout, numbers))
    men = {man.letter: man for man in table.material.fairy}
    return [(int(number), read(str(text, "ascii"), men=men)) for number, text in zip(numbers, texts, strict=True)]


def drawn(men: str, draw: random.Random) -> Iterator[chess.Board]:
    """Legal positions of these men, such as `KPk`, without end."""
    while True:
        board = chess.Board(None)
        for man, square in zip(men, draw.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            yield board


def material_on(board: chess.Board) -> Material:
    white, black = ("".join(p.symbol().upper() for p in board.piece_map().values() if p.color == c) for c in (1, 0))
    return material.parse(f"K{white.replace('K', '')}vK{black.replace('K', '')}")


def boards_of_no_chess(fen: str) -> Iterator[tuple[str, chess.Board]]:
    """A position as boards of the variants that python-chess knows, and as boards that contradict themselves; each with
    words of the line that refuses it."""
    for variant in chess.variant.VARIANTS:
        if variant.uci_variant != "chess":
            yield variant.aliases[0], variant(fen)
    for name in ("occupied", "pawns", "knights", "bishops", "rooks", "queens", "kings"):
        for changed in (getattr(chess.Board(fen), name) ^ chess.BB_B8, 1 << 64, -1):
            board = chess.Board(fen)
            setattr(board, name, changed)
            yield "bitboards", board
    for color in chess.COLORS:
        board = chess.Board(fen)
        board.occupied_co[color] ^= chess.BB_B8
        yield "bitboards", board
    board = chess.Board(fen)
    board.queens = board.kings  # men of two kinds
    yield "bitboards", board
    for turn in (2, -1, None, "w", 1.0):
        board = chess.Board(fen)
        board.turn = turn  # type: ignore[assignment]
        yield "side to move", board
