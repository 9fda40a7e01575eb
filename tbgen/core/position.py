"""The level of a `chess.Board`: its legal moves counted without generating one.

The count works on the board's bitboards, as python-chess's own generator does, but adds up the
sizes of sets instead of walking through them. It holds for every board with one king per side on
which the side that has just moved is not in check, Chess960 included. The tests compare it with
`board.legal_moves.count()`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import chess

from tbgen.board.men import Men, known, named
from tbgen.board.men import board as fairy
from tbgen.core import outcome
from tbgen.errors import BadInput, check_kind, quoted

# Local names: a look-up in this module is faster than one in another.
_between: Final = chess.between
_LINES: Final = chess.BB_RAYS
_KING: Final = chess.BB_KING_ATTACKS
_KNIGHT: Final = chess.BB_KNIGHT_ATTACKS
_PAWN: Final = chess.BB_PAWN_ATTACKS
_DIAGONAL: Final = chess.BB_DIAG_ATTACKS
_DIAGONAL_MASK: Final = chess.BB_DIAG_MASKS
_FILE: Final = chess.BB_FILE_ATTACKS
_FILE_MASK: Final = chess.BB_FILE_MASKS
_RANK: Final = chess.BB_RANK_ATTACKS
_RANK_MASK: Final = chess.BB_RANK_MASKS

_NOT_A: Final = chess.BB_ALL ^ chess.BB_FILE_A
_NOT_H: Final = chess.BB_ALL ^ chess.BB_FILE_H
_NOT_BACK: Final = chess.BB_ALL ^ chess.BB_BACKRANKS
_THIRD: Final = (chess.BB_RANK_6, chess.BB_RANK_3)
"""Where a pawn of that colour passes in its double step."""
_HOME: Final = (chess.BB_RANK_8, chess.BB_RANK_1)

_TURNS: Final = {"w": chess.WHITE, "b": chess.BLACK}
_EMPTY: Final = {digit: int(digit) for digit in "12345678"}
"""How many squares a digit of a FEN stands for."""
_MEN: Final = "KQRBNPkqrbnp"
_RANKS_DOWN: Final = range(56, -8, -8)
"""The first square of each rank, as a FEN goes."""
_FEW: Final = 9
"""Men: that few break no bound on pawns or men of a side."""

STALEMATE: Final = 1
"""The level of a stalemate; no other position but a mate has a lower one."""

_FAULTS: Final = {
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than 16 men",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than 16 men",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than 8 pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than 8 pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.STATUS_BAD_CASTLING_RIGHTS: "the castling rights do not fit the kings and rooks",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can just have passed the en passant square",
    chess.STATUS_RACE_CHECK: "nobody may be in check in a race",
    chess.STATUS_RACE_OVER: "the race was over before",
    chess.STATUS_RACE_MATERIAL: "these men are not in the race",
}
"""What makes a board illegal, the first fault first.

Checks that no move can have given (`STATUS_IMPOSSIBLE_CHECK`, `STATUS_TOO_MANY_CHECKERS`) are missing: such a
position cannot arise, but play from it is well defined, and tables hold it.
"""


def read(
    fen: str, *, chess960: bool = False, kind: type[chess.Board] = chess.Board, men: Men | None = None
) -> chess.Board:
    """The board of a FEN of six fields, of which those behind the side to move may be missing. It may be illegal. The
    `kind` is a variant's. `men`: those beyond chess that may be on it."""
    plain = _plain(fen) if kind is chess.Board else None
    if plain is not None:
        plain.chess960 = chess960
        return plain
    strange = named(fairy.beyond_chess(fen), men) if men else []
    try:
        if strange:
            return fairy.read(fen, strange, chess960=chess960)
        board = kind(fen if " " in fen else f"{fen} w", chess960=chess960)
    except ValueError as error:
        raise BadInput(f"not a FEN: {error}") from None
    if len(fen.split()) == 1:
        raise BadInput(f"not a FEN: the side to move, w or b, is missing behind the board: {quoted(fen.strip())}")
    return board


def of_tables(fen: str) -> chess.Board:
    """The board of a FEN that a table or a user gives: with the men beyond chess that are known here."""
    return read(fen, men=known())


def _plain(fen: str) -> chess.Board | None:
    """The board of a FEN without rights to castle or to capture en passant, in a fifth of the time that python-chess
    takes. None for any other text: python-chess reads it, or says what is wrong with it."""
    fields = fen.split(" ")
    if len(fields) != 6 or fields[1] not in _TURNS or fields[2] != "-" or fields[3] != "-":
        return None
    clock, number = fields[4:]
    ranks = fields[0].split("/")
    if not (clock.isdecimal() and number.isdecimal()) or len(ranks) != 8:
        return None
    men = dict.fromkeys(_MEN, 0)
    for shift, rank in zip(_RANKS_DOWN, ranks, strict=True):
        if rank != "8":
            there = _on_rank(rank)
            if there is None:
                return None
            for symbol, file in there:
                men[symbol] |= file << shift
    board = chess.Board(None)
    white = board.occupied_co[chess.WHITE] = men["K"] | men["Q"] | men["R"] | men["B"] | men["N"] | men["P"]
    black = board.occupied_co[chess.BLACK] = men["k"] | men["q"] | men["r"] | men["b"] | men["n"] | men["p"]
    board.occupied = white | black
    board.kings, board.queens, board.rooks = men["K"] | men["k"], men["Q"] | men["q"], men["R"] | men["r"]
    board.bishops, board.knights, board.pawns = men["B"] | men["b"], men["N"] | men["n"], men["P"] | men["p"]
    board.turn = _TURNS[fields[1]]
    board.halfmove_clock, board.fullmove_number = int(clock), max(1, int(number))
    return board


@lru_cache(1 << 14)
def _on_rank(text: str) -> tuple[tuple[str, int], ...] | None:
    """The men on a rank of a FEN, each with its file's bit; None for what is no rank."""
    found = []
    file, is_empty = 0, False
    for symbol in text:
        if symbol in _EMPTY:
            if is_empty:  # 12 is written 3
                return None
            file += _EMPTY[symbol]
        elif symbol in _MEN:
            found.append((symbol, 1 << file))
            file += 1
        else:
            return None
        is_empty = symbol in _EMPTY
    return tuple(found) if file == 8 else None


def fault(board: chess.Board) -> str | None:
    """Why a board is illegal, or None if it is not."""
    if is_plain(board):  # as a rule; all that can be wrong takes ten times as long
        return None
    status = board.status()
    return next((words for flag, words in _FAULTS.items() if status & flag), None)


def is_plain(board: object, most: int = _FEW) -> bool:
    """True only for boards of chess without a fault. Those with rights, or with more men, have to be looked at
    closely."""
    if type(board) is not chess.Board:
        return False
    occupied, turn = board.occupied, board.turn
    if board.castling_rights or board.ep_square is not None or occupied.bit_count() > most or type(turn) is not bool:
        return False
    ours, theirs = board.occupied_co[turn], board.occupied_co[not turn]
    pawns, knights, bishops, rooks = board.pawns, board.knights, board.bishops, board.rooks
    queens, kings = board.queens, board.kings
    if not (  # sets without a common square are as large together as their sum
        pawns | knights | bishops | rooks | queens | kings == occupied == ours | theirs <= chess.BB_ALL
        and pawns + knights + bishops + rooks + queens + kings == occupied == ours + theirs
        and (kings & ours).bit_count() == (kings & theirs).bit_count() == 1
        and not pawns & chess.BB_BACKRANKS
    ):
        return False
    king = (kings & theirs).bit_length() - 1
    if ours & (kings & _KING[king] | knights & _KNIGHT[king] | pawns & _PAWN[not turn][king]):
        return False
    straight = (rooks | queens) & ours
    if straight and straight & (_RANK[king][_RANK_MASK[king] & occupied] | _FILE[king][_FILE_MASK[king] & occupied]):
        return False
    diagonal = (bishops | queens) & ours
    return not diagonal or not diagonal & _DIAGONAL[king][_DIAGONAL_MASK[king] & occupied]


def check_board(board: object) -> None:
    """BadInput for what is no board: a program may make what no FEN says."""
    check_kind(board, chess.Board, "a board", "give a chess.Board; Game.from_fen and Tablebase.probe take FENs")
    assert isinstance(board, chess.Board)
    if type(board.turn) not in (bool, int) or board.turn not in chess.COLORS:
        raise BadInput(f"the side to move is chess.WHITE or chess.BLACK, not {quoted(board.turn)}")
    if isinstance(board, fairy.FairyBoard):
        return
    again = chess.BaseBoard(None)
    again.set_piece_map(board.piece_map())
    if again != board or again.occupied_co != board.occupied_co:
        raise BadInput("a board whose bitboards contradict each other (set_piece_at changes them together)")


def check_legal(board: chess.Board) -> None:
    """BadInput for what is no legal board of chess."""
    check_board(board)
    if board.uci_variant != chess.Board.uci_variant:
        raise BadInput(f"a board of {board.aliases[0]}, not of chess")
    _check_fault(board)


def _check_fault(board: chess.Board) -> None:
    found = fault(board)
    if found is not None:
        raise BadInput(f"illegal position: {found}: {board.fen()}")


def checked_copy(board: chess.Board | None) -> chess.Board:
    """A copy of a legal board, of a variant too, without its move stack; the start position for None."""
    if board is None:
        return chess.Board()
    check_board(board)
    _check_fault(board)
    return board.copy(stack=False)


def record_of(given: int | str) -> int:
    """What a caller gave for a record, an outcome or its text."""
    return outcome.parse(given) if isinstance(given, str) else outcome.checked(given)


def check_record(record: int, board: chess.Board, own: Callable[[chess.Board], int] | None = None) -> None:
    """BadInput if no game that goes on can have this record: mate and stalemate have ended it. A variant's positions
    have goals of their `own`."""
    if outcome.level(record) <= STALEMATE and record != (own or goal)(board):
        raise BadInput(f"no game goes on after {outcome.text(record)}: it cannot be the record here")


def goal(board: chess.Board) -> int:
    """The outcome that the position itself scores, for the side that has just moved there."""
    return outcome.goal(level(board), board.turn)


def level(board: chess.Board) -> int:
    """Twice the number of legal moves, and one more when not in check: twice the G-score."""
    if board.__class__ is fairy.FairyBoard:
        return 2 * board.legal_moves.count() + (not board.is_check())
    turn = board.turn
    ours = board.occupied_co[turn]
    theirs = board.occupied_co[not turn]
    occupied = ours | theirs
    pawns = board.pawns
    knights = board.knights
    straight = board.rooks | board.queens
    diagonal = board.bishops | board.queens
    king = (board.kings & ours).bit_length() - 1

    checkers = theirs & (knights & _KNIGHT[king] | pawns & _PAWN[turn][king])
    pinned = 0
    snipers = theirs & (straight & (_RANK[king][0] | _FILE[king][0]) | diagonal & _DIAGONAL[king][0])
    while snipers:
        sniper = snipers & -snipers
        snipers ^= sniper
        between = _between(king, sniper.bit_length() - 1) & occupied
        if not between:
            checkers |= sniper
        elif not between & (between - 1):
            pinned |= between & ours

    count = _king_steps(board, king, theirs, ours)
    if not checkers:
        target = chess.BB_ALL ^ ours
        if board.castling_rights & _HOME[turn]:
            count += _castlings(board, king, occupied)
    elif checkers & (checkers - 1):
        return 2 * count  # only the king can answer a double check
    else:
        target = _between(king, checkers.bit_length() - 1) | checkers

    men = knights & ours & ~pinned
    while men:
        man = men & -men
        men ^= man
        count += (_KNIGHT[man.bit_length() - 1] & target).bit_count()

    men = straight & ours
    while men:
        man = men & -men
        men ^= man
        square = man.bit_length() - 1
        reach = target & (_RANK[square][_RANK_MASK[square] & occupied] | _FILE[square][_FILE_MASK[square] & occupied])
        if man & pinned:
            reach &= _LINES[king][square]
        count += reach.bit_count()

    men = diagonal & ours
    while men:
        man = men & -men
        men ^= man
        square = man.bit_length() - 1
        reach = target & _DIAGONAL[square][_DIAGONAL_MASK[square] & occupied]
        if man & pinned:
            reach &= _LINES[king][square]
        count += reach.bit_count()

    men = pawns & ours
    if men:
        held = men & pinned
        count += _pawn_moves(men ^ held, turn, occupied, theirs, target)
        while held:
            man = held & -held
            held ^= man
            line = _LINES[king][man.bit_length() - 1]
            count += _pawn_moves(man, turn, occupied, theirs, target & line)
        if board.ep_square is not None:
            count += sum(1 for _ in board.generate_legal_ep())
    return 2 * count + (not checkers)


def _king_steps(board: chess.Board, king: int, theirs: int, ours: int) -> int:
    """How many squares beside the king are neither its own men's nor attacked, castling aside."""
    steps = _KING[king] & ~ours
    if not steps:
        return 0
    steps &= ~_KING[(board.kings & theirs).bit_length() - 1]
    pawns = board.pawns & theirs
    if pawns:
        west, east = pawns & _NOT_A, pawns & _NOT_H
        steps &= ~(west >> 9 | east >> 7 if board.turn else west << 7 | east << 9)
    knights = board.knights & theirs
    straight = (board.rooks | board.queens) & theirs
    diagonal = (board.bishops | board.queens) & theirs
    if not (knights or straight or diagonal):
        return steps.bit_count()
    others = (ours | theirs) ^ (1 << king)  # the king does not shield what is behind it
    count = 0
    while steps:
        square = steps.bit_length() - 1
        steps ^= 1 << square
        if knights & _KNIGHT[square]:
            continue
        # The look-up without blockers, by 0, is a fast one and mostly says no.
        if diagonal:
            lines = _DIAGONAL[square]
            if diagonal & lines[0] and diagonal & lines[_DIAGONAL_MASK[square] & others]:
                continue
        if straight:
            lines = _RANK[square]
            if straight & lines[0] and straight & lines[_RANK_MASK[square] & others]:
                continue
            lines = _FILE[square]
            if straight & lines[0] and straight & lines[_FILE_MASK[square] & others]:
                continue
        count += 1
    return count


def _pawn_moves(men: int, turn: bool, occupied: int, theirs: int, target: int) -> int:
    """Steps and captures of pawns onto target squares, en passant aside."""
    prey = theirs & target
    if turn:
        pushed = men << 8 & ~occupied & chess.BB_ALL
        doubled = (pushed & _THIRD[1]) << 8 & ~occupied & target
        west = (men & _NOT_A) << 7 & prey
        east = (men & _NOT_H) << 9 & prey
    else:
        pushed = men >> 8 & ~occupied
        doubled = (pushed & _THIRD[0]) >> 8 & ~occupied & target
        west = (men & _NOT_A) >> 9 & prey
        east = (men & _NOT_H) >> 7 & prey
    pushed &= target
    count = pushed.bit_count() + doubled.bit_count() + west.bit_count() + east.bit_count()
    if (pushed | west | east) & chess.BB_BACKRANKS:  # each of them promotes in four ways
        below = (pushed & _NOT_BACK).bit_count() + doubled.bit_count()
        below += (west & _NOT_BACK).bit_count() + (east & _NOT_BACK).bit_count()
        count += 3 * (count - below)
    return count


def _castlings(board: chess.Board, king: int, occupied: int) -> int:
    """How many castling moves are legal. Most are not: men stand between king and rook."""
    rooks = board.castling_rights & _HOME[board.turn]
    while rooks:
        rook = rooks.bit_length() - 1
        rooks ^= 1 << rook
        if not _between(king, rook) & occupied:
            return sum(1 for _ in board.generate_castling_moves())
    return 0
