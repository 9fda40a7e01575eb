"""What differs between chess and its variants, as data. Whoever keeps a game asks here, by its board, and nowhere else.

python-chess knows the moves. In each a capture, a pawn move or a drop resets the record; only Crazyhouse has drops.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

import chess
from chess import variant as boards

from tbgen.core import outcome, position
from tbgen.errors import BadInput
from tbgen.rules.endings import Ending
from tbgen.rules.rulesets import bare_name

MATE: Final = 0
"""The level of mate, and of whatever else wins a game."""


def _when_played(board: chess.Board) -> int:
    """The goal of a position: G0.0 for who has won, else by the legal moves, for the side that has just moved."""
    won = _won(board)
    return outcome.goal(_level(board), board.turn) if won is None else won


def _when_lost_by_moving(board: chess.Board) -> int:
    """The same where running out of moves wins: a G-score is the mover's own."""
    won = _won(board)
    return outcome.goal(_level(board), not board.turn) if won is None else won


def _won(board: chess.Board) -> int | None:
    if board.is_variant_win():
        return outcome.goal(MATE, not board.turn)
    if board.is_variant_end() and not board.is_variant_draw():
        return outcome.goal(MATE, board.turn)
    return None


def _level(board: chess.Board) -> int:
    """As of chess; but drops may be more moves than any position of chess has."""
    moves = _after_the_race(board) if board.is_variant_draw() else board.legal_moves.count()
    return min(2 * moves + (not board.is_check()), outcome.MAX_LEVEL)


def _after_the_race(board: chess.Board) -> int:
    """The moves that there would be if the race were not over."""
    plain = chess.Board(board.fen())
    return sum(not plain.gives_check(move) for move in plain.legal_moves)


def _all_but_pawns(board: chess.Board) -> Hashable:
    """What makes two positions of chess the same, given that no pawn move or capture came between."""
    passing = board.ep_square if board.ep_square and board.has_legal_en_passant() else None
    return (
        board.occupied_co[True],
        board.kings,
        board.queens,
        board.rooks,
        board.bishops,
        board.knights,
        board.turn,
        board.castling_rights,
        passing,
    )


def _all(board: chess.Board) -> Hashable:
    """What makes two positions the same: checks that are left and men in hand as well."""
    return board.epd()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A kind of chess."""

    name: str
    """As in the PGN tag."""

    board: type[chess.Board]
    """Its moves, and what UCI and xboard call it."""

    goal: Callable[[chess.Board], int] = _when_played
    """The outcome that a position itself scores."""

    won: Ending = Ending.MATE
    """What wins beside mate."""

    drawn: Ending | None = None
    """What ends it without a winner, if anything of its own does."""

    same: Callable[[chess.Board], Hashable] = _all
    """What makes two positions the same. The record is no part of it."""

    resets_are_final: bool = True
    """Whether no position from before a reset can come again."""

    bare_kings_draw: bool = True
    """Whether kings alone can win no more."""

    placement: re.Pattern[str] = re.compile(r"(?:[^/]*/){7}[^/]*")
    """The first field of a FEN."""

    extra: re.Pattern[str] | None = None
    """The field that only its FENs have."""

    no_whole_game: str = ""
    """Why it is not played by whole-game mobility, if it is not."""

    @property
    def uci(self) -> str:
        """What UCI calls it."""
        return self.board.uci_variant or ""

    def check(self, *, whole_game: bool) -> None:
        """BadInput for rules that make no sense here."""
        if whole_game and self.no_whole_game:
            raise BadInput(f"no whole-game mobility in {self.name}: {self.no_whole_game}")

    def ending(self, board: chess.Board, level: int) -> Ending | None:
        """Why the game is over, by the board alone; the position has this level."""
        if level == MATE:
            return self.won if board.is_variant_end() or board.is_variant_win() else Ending.MATE
        if level == position.STALEMATE:
            return Ending.STALEMATE
        return self.drawn if self.drawn is not None and board.is_variant_draw() else None


CHESS: Final = Variant(name="Standard", board=chess.Board, goal=position.goal, same=_all_but_pawns)

VARIANTS: Final = (
    CHESS,
    Variant(name="Atomic", board=boards.AtomicBoard, won=Ending.EXPLODED),
    Variant(
        name="Crazyhouse",
        board=boards.CrazyhouseBoard,
        resets_are_final=False,
        bare_kings_draw=False,
        placement=re.compile(r"(?:[^/\[\]]*/){7}[^/\[\]]*(?:\[[QRBNPqrbnp]*\]|/[QRBNPqrbnp]*)?"),
    ),
    Variant(
        name="Antichess",
        board=boards.AntichessBoard,
        goal=_when_lost_by_moving,
        won=Ending.NO_MOVES,
        bare_kings_draw=False,
        no_whole_game="a compulsory capture leaves few moves, and no reset would end the record that it sets",
    ),
    Variant(name="Horde", board=boards.HordeBoard, won=Ending.HORDE_TAKEN),
    Variant(
        name="Three-check",
        board=boards.ThreeCheckBoard,
        won=Ending.THIRD_CHECK,
        extra=re.compile(r"\+?[0-3]\+[0-3]"),
    ),
    Variant(name="King of the Hill", board=boards.KingOfTheHillBoard, won=Ending.IN_THE_CENTRE, bare_kings_draw=False),
    Variant(
        name="Racing Kings",
        board=boards.RacingKingsBoard,
        won=Ending.RACE_WON,
        drawn=Ending.RACE_DRAWN,
        bare_kings_draw=False,
    ),
)

_OF_BOARDS: Final = {variant.uci: variant for variant in VARIANTS}


_OF_NAMES: Final = {
    bare_name(name): board for board in boards.VARIANTS for name in (*board.aliases, board.uci_variant or "")
}


def of(board: chess.Board | type[chess.Board]) -> Variant:
    """The variant of a board; BadInput for one that is not played here."""
    found = _OF_BOARDS.get(board.uci_variant or "")
    if found is None:
        played = ", ".join(variant.name for variant in VARIANTS[1:])
        raise BadInput(f"{board.aliases[0]} is not played here, but chess and {played} are")
    return found


def named(name: str) -> Variant | None:
    """The variant of this name, in any spelling; None where no variant is called so. BadInput for one that is not
    played here."""
    board = _OF_NAMES.get(bare_name(name))
    return None if board is None else of(board)
