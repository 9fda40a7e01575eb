"""A board of python-chess that knows men beyond those of chess.

It is a `chess.Board` to whoever asks for legal moves, FENs and SAN. The type of such a man is the code of its letter.
Rights to castle and to capture en passant are as in chess. A pawn may become any man beyond chess that is on the board.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Self

import chess

from tbgen.board.men.known import Men
from tbgen.board.men.man import Man

_OF_CHESS: Final = "KQRBNPkqrbnp"


class FairyPiece(chess.Piece):
    def symbol(self) -> str:
        letter = chr(self.piece_type)
        return letter if self.color else letter.lower()

    def unicode_symbol(self, *, invert_color: bool = False) -> str:
        return self.symbol().swapcase() if invert_color else self.symbol()


class FairyPromotion(chess.Move):
    def uci(self) -> str:
        assert self.promotion is not None, "it is a promotion"
        return chess.Move(self.from_square, self.to_square).uci() + chr(self.promotion).lower()


class FairyBoard(chess.Board):
    """An empty one, on which these men can be put."""

    def __init__(self, fen: None = None, *, men: Iterable[Man] = (), chess960: bool = False) -> None:
        self._men = {ord(man.letter): man for man in men}
        self._fairy_stack: list[dict[int, int]] = []
        super().__init__(fen, chess960=chess960)

    @property
    def letters(self) -> str:
        """The letters of the men beyond chess that are on the board."""
        return "".join(chr(kind) for kind, there in self.fairy.items() if there)

    @property
    def definitions(self) -> Men:
        """All men beyond chess that it knows."""
        return {man.letter: man for man in self._men.values()}

    def __reduce__(self) -> tuple[Any, ...]:
        return read, (self.fen(), tuple(self._men.values()))

    # --- men on squares -------------------------------------------------------------------------------------------

    def _clear_board(self) -> None:
        super()._clear_board()
        self.fairy = dict.fromkeys(self._men, 0)
        """By the type of man, where such men are."""

    def pieces_mask(self, piece_type: chess.PieceType, color: chess.Color) -> chess.Bitboard:
        if piece_type in self._men:
            return self.fairy[piece_type] & self.occupied_co[color]
        return super().pieces_mask(piece_type, color)

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        kind = self._fairy_at(square)
        if kind is None:
            return super().piece_at(square)
        return FairyPiece(kind, bool(self.occupied_co[chess.WHITE] >> square & 1))

    def piece_type_at(self, square: chess.Square) -> chess.PieceType | None:
        return self._fairy_at(square) or super().piece_type_at(square)

    def _fairy_at(self, square: chess.Square) -> int | None:
        return next((kind for kind, there in self.fairy.items() if there >> square & 1), None)

    def _remove_piece_at(self, square: chess.Square) -> chess.PieceType | None:
        kind = self._fairy_at(square)
        if kind is None:
            return super()._remove_piece_at(square)
        others = ~chess.BB_SQUARES[square]
        self.fairy[kind] &= others
        self.occupied &= others
        self.promoted &= others
        for color in chess.COLORS:
            self.occupied_co[color] &= others
        return kind

    def _set_piece_at(
        self, square: chess.Square, piece_type: chess.PieceType, color: chess.Color, promoted: bool = False
    ) -> None:
        if piece_type not in self._men:
            self._remove_piece_at(square)
            return super()._set_piece_at(square, piece_type, color, promoted)
        self._remove_piece_at(square)
        self.fairy[piece_type] |= chess.BB_SQUARES[square]
        self.occupied |= chess.BB_SQUARES[square]
        self.occupied_co[color] |= chess.BB_SQUARES[square]
        return None

    # --- moves ----------------------------------------------------------------------------------------------------

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        kind = self._fairy_at(square)
        return super().attacks_mask(square) if kind is None else _attacks(self._men[kind], square, self.occupied)

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        found = super().attackers_mask(color, square, occupied)
        around = self.occupied if occupied is None else occupied
        for kind, there in self.fairy.items():
            if there := there & self.occupied_co[color]:
                found |= there & _attacks(self._men[kind], square, around)  # such men move alike there and back
        return found

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        for move in super().generate_pseudo_legal_moves(from_mask, to_mask):
            yield move
            if move.promotion == chess.KNIGHT:  # the last of chess
                for kind, there in self.fairy.items():
                    if there:
                        yield FairyPromotion(move.from_square, move.to_square, kind)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        return (
            move
            for move in self.generate_pseudo_legal_moves(from_mask, to_mask)
            if not self.is_into_check(move)
        )  # fmt: skip

    def is_into_check(self, move: chess.Move) -> bool:
        king = self.king(self.turn)
        if king is None:
            return False
        gone = chess.BB_SQUARES[move.to_square]
        if self.is_en_passant(move):
            gone = chess.BB_SQUARES[move.to_square + (-8 if self.turn else 8)]
        occupied = self.occupied & ~gone & ~chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        stands = move.to_square if move.from_square == king else king
        return bool(self.attackers_mask(not self.turn, stands, occupied) & ~gone)

    def push(self, move: chess.Move) -> None:
        self._fairy_stack.append(self.fairy.copy())
        super().push(move)
        self.move_stack[-1] = move

    def pop(self) -> chess.Move:
        move = super().pop()
        self.fairy = self._fairy_stack.pop()
        return move

    # --- words ----------------------------------------------------------------------------------------------------

    def parse_uci(self, uci: str) -> chess.Move:
        kind = ord(uci[4:5].upper() or " ")
        if kind not in self._men:
            return super().parse_uci(uci)
        move = chess.Move.from_uci(uci[:4])
        promotion = FairyPromotion(move.from_square, move.to_square, kind)
        if not self.is_legal(promotion):
            raise chess.IllegalMoveError(f"illegal uci: {uci!r} in {self.fen()}")
        return promotion

    def parse_san(self, san: str) -> chess.Move:
        found = (move for move in self.legal_moves if self.san(move).rstrip("+#") == san.rstrip("+#"))
        move = next(found, None)
        if move is None:
            raise chess.IllegalMoveError(f"illegal san: {san!r} in {self.fen()}")
        return move

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if isinstance(move, FairyPromotion) and move.promotion is not None:
            other = chess.Move(move.from_square, move.to_square, chess.QUEEN)
            return super()._algebraic_without_suffix(other, long=long)[:-1] + chr(move.promotion)
        kind = self._fairy_at(move.from_square)
        if kind is None:
            return super()._algebraic_without_suffix(move, long=long)
        alike = self.fairy[kind] & self.occupied_co[self.turn] & ~chess.BB_SQUARES[move.from_square]
        others = [one.from_square for one in self.generate_legal_moves(alike, chess.BB_SQUARES[move.to_square])]
        file, rank = chess.square_name(move.from_square)[0], chess.square_name(move.from_square)[1]
        if not others and not long:
            file = rank = ""
        elif not long and all(chess.square_name(other)[0] != file for other in others):
            rank = ""
        elif not long and all(chess.square_name(other)[1] != rank for other in others):
            file = ""
        takes = "x" if self.is_capture(move) else "-" if long else ""
        return f"{chr(kind)}{file}{rank}{takes}{chess.square_name(move.to_square)}"

    # --- copies ---------------------------------------------------------------------------------------------------

    def copy(self, *, stack: bool | int = True) -> Self:
        board = super().copy(stack=stack)
        board._men, board.fairy = self._men, self.fairy.copy()
        board._fairy_stack = self._fairy_stack[len(self._fairy_stack) - len(board.move_stack) :]
        return board

    def apply_transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        super().apply_transform(f)
        self.fairy = {kind: f(there) for kind, there in self.fairy.items()}

    def clear_stack(self) -> None:
        super().clear_stack()
        self._fairy_stack.clear()

    def _transposition_key(self) -> Any:
        return super()._transposition_key(), tuple(self.fairy.items())


def piece(letter: str, color: chess.Color) -> chess.Piece:
    """The man of this letter, of chess or not."""
    if letter.upper() in _OF_CHESS:
        return chess.Piece(chess.PIECE_SYMBOLS.index(letter.lower()), color)
    return FairyPiece(ord(letter.upper()), color)


def beyond_chess(fen: str) -> set[str]:
    """The letters on the board of a FEN that are not those of chess."""
    return {letter.upper() for letter in fen.partition(" ")[0] if letter.isalpha() and letter not in _OF_CHESS}


def read(fen: str, men: Iterable[Man], *, chess960: bool = False) -> FairyBoard:
    """The board of a FEN with these men. ValueError if it is none."""
    men = tuple(men)
    letters = "".join(man.letter + man.letter.lower() for man in men)
    ranks, space, rest = fen.partition(" ")
    board = FairyBoard(men=men, chess960=chess960)
    board.set_fen(re.sub(rf"[1-8{letters}]+", _emptied, ranks) + space + rest)
    for rank, text in enumerate(ranks.split("/")):
        file = 0
        for symbol in text.replace("~", ""):
            if symbol in letters:
                board.set_piece_at(8 * (7 - rank) + file, piece(symbol, symbol.isupper()))
            file += int(symbol) if symbol.isdecimal() else 1
    return board


def _emptied(run: re.Match[str]) -> str:
    """Empty squares, and those of men beyond chess, as empty ones."""
    if re.search("[0-9]{2}", run[0]):  # which python-chess refuses
        return run[0]
    return str(sum(int(symbol) if symbol.isdecimal() else 1 for symbol in run[0]))


@lru_cache(1 << 12)
def _rays(man: Man, square: chess.Square) -> tuple[tuple[int, ...], ...]:
    """The squares that it reaches, as bits, ray by ray and outwards."""
    found = []
    for step in man.steps:
        file, rank, ray = square % 8 + step.file, square // 8 + step.rank, list[int]()
        while 0 <= file < 8 and 0 <= rank < 8 and len(ray) < step.far:
            ray.append(chess.BB_SQUARES[8 * rank + file])
            file, rank = file + step.file, rank + step.rank
        found.append(tuple(ray))
    return tuple(found)


def _attacks(man: Man, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
    found = 0
    for ray in _rays(man, square):
        for target in ray:
            found |= target
            if target & occupied:
                break
    return found
