"""Boards with men beyond chess, as far as the twin asks: moves square by square, and a king that can be taken is in
check. It answers as `chess.Board` does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import chess

ORTHOGONAL = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
Steps = list[tuple[int, int]]


def twice(steps: Steps) -> Steps:
    return [(2 * x, 2 * y) for x, y in steps]


# Leaps, then rides.
MOVES: dict[str, tuple[Steps, Steps]] = {
    "K": (ORTHOGONAL + DIAGONAL, []),
    "Q": ([], ORTHOGONAL + DIAGONAL),
    "R": ([], ORTHOGONAL),
    "B": ([], DIAGONAL),
    "N": (KNIGHT, []),
    "A": (twice(DIAGONAL), []),
    "C": (ORTHOGONAL + DIAGONAL, []),
    "D": (twice(ORTHOGONAL), []),
    "E": (twice(ORTHOGONAL), DIAGONAL),
    "F": (DIAGONAL, []),
    "H": ([], KNIGHT),
    "J": ([], DIAGONAL + twice(ORTHOGONAL)),
    "O": (ORTHOGONAL + twice(ORTHOGONAL), []),
    "W": (ORTHOGONAL, []),
}
CHESS_PROMOTIONS = "QRBN"


class Man(NamedTuple):
    letter: str
    color: chess.Color

    def symbol(self) -> str:
        return self.letter if self.color else self.letter.lower()


class Move(NamedTuple):
    from_square: chess.Square
    to_square: chess.Square
    promotion: str = ""


@dataclass
class Moves:
    found: list[Move]

    def __iter__(self) -> Iterator[Move]:
        return iter(self.found)

    def count(self) -> int:
        return len(self.found)


class FairyBoard:
    """A position without rights to castle or to capture en passant; pawns promote to the men of chess, and to others
    that are on the board."""

    def __init__(self, men: dict[chess.Square, str], turn: chess.Color) -> None:
        self.men = {square: Man(symbol.upper(), symbol.isupper()) for square, symbol in men.items()}
        self.turn = turn

    def piece_map(self) -> dict[chess.Square, Man]:
        return self.men

    def copy(self, *, stack: bool = True) -> "FairyBoard":
        return FairyBoard({square: man.symbol() for square, man in self.men.items()}, self.turn)

    def mirror(self) -> "FairyBoard":
        return FairyBoard({square ^ 56: man.symbol().swapcase() for square, man in self.men.items()}, not self.turn)

    def fen(self) -> str:
        ranks = []
        for rank in reversed(range(8)):
            squares = (self.men.get(chess.square(file, rank)) for file in range(8))
            ranks.append("".join(man.symbol() if man else "1" for man in squares))
        return f"{'/'.join(ranks)} {'w' if self.turn else 'b'} - - 0 1"

    def epd(self, *, en_passant: str) -> str:
        return self.fen()

    def has_legal_en_passant(self) -> bool:
        return False

    def is_check(self) -> bool:
        return self._takes_king(not self.turn)

    def was_into_check(self) -> bool:
        return self._takes_king(self.turn)

    def is_zeroing(self, move: Move) -> bool:
        return move.to_square in self.men or self.men[move.from_square].letter == "P"

    def push(self, move: Move) -> None:
        man = self.men.pop(move.from_square)
        self.men[move.to_square] = Man(move.promotion or man.letter, man.color)
        self.turn = not self.turn

    @property
    def legal_moves(self) -> Moves:
        return Moves([move for move in self._moves(self.turn) if not self._after(move).was_into_check()])

    def _after(self, move: Move) -> "FairyBoard":
        after = self.copy()
        after.push(move)
        return after

    def _takes_king(self, color: chess.Color) -> bool:
        king = next(square for square, man in self.men.items() if man == Man("K", not color))
        return any(move.to_square == king for move in self._moves(color))

    def _moves(self, color: chess.Color) -> Iterator[Move]:
        for square, man in self.men.items():
            if man.color == color:
                yield from self._of_pawn(square, color) if man.letter == "P" else self._of_piece(square, man)

    def _of_piece(self, square: chess.Square, man: Man) -> Iterator[Move]:
        leaps, rides = MOVES[man.letter]
        for (x, y), far in [(step, 1) for step in leaps] + [(step, 7) for step in rides]:
            file, rank = square % 8 + x, square // 8 + y
            while far and 0 <= file < 8 and 0 <= rank < 8:
                there = self.men.get(8 * rank + file)
                if there is None or there.color != man.color:
                    yield Move(square, 8 * rank + file)
                file, rank, far = file + x, rank + y, 0 if there else far - 1

    def _of_pawn(self, square: chess.Square, color: chess.Color) -> Iterator[Move]:
        up = 8 if color else -8
        targets = [square + up] if square + up not in self.men else []
        if targets and square // 8 == (1 if color else 6) and square + 2 * up not in self.men:
            targets.append(square + 2 * up)
        for side in (-1, 1):
            there = self.men.get(square + up + side)
            if 0 <= square % 8 + side < 8 and there is not None and there.color != color:
                targets.append(square + up + side)
        fairy = sorted({man.letter for man in self.men.values()} - {*"PKQRBN"})
        for target in targets:
            for promotion in (*CHESS_PROMOTIONS, *fairy) if target // 8 in (0, 7) else ("",):
                yield Move(square, target, promotion)
