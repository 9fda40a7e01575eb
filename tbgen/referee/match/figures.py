"""Lines of figures, read while an engine thinks. python-chess reads them too, but tells of them only with the move.

All of its private names that we take are in this module.
"""

import chess
from chess.engine import Info, InfoDict, _parse_uci_info, _parse_xboard_post


def uci_figures(line: str, board: chess.Board, wanted: Info) -> InfoDict:
    """Return the figures of a line `info ...` on the position that the engine thinks about."""
    return _parse_uci_info(line.removeprefix("info"), board, wanted)


def xboard_figures(line: str, board: chess.Board, wanted: Info) -> InfoDict:
    """Return the figures of a line of thinking."""
    return _parse_xboard_post(line, board, wanted)
