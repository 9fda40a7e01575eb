"""The names of openings: a game bears that of the last position that has one, however it was reached."""

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import chess

_FARTHEST: Final = 40
"""Plies: no named position lies further from the start."""


class Name(NamedTuple):
    """An opening as people call it."""

    eco: str
    name: str


def name_of(start: chess.Board, moves: list[chess.Move]) -> Name | None:
    """The name of a game's opening, if it has one."""
    if type(start) is not chess.Board:
        return None
    board = start.copy(stack=False)
    found = None
    for move in moves[:_FARTHEST]:
        board.push(move)
        found = _names().get(board.epd(), found)
    return found


@cache
def _names() -> dict[str, Name]:
    text = files("tbgen.referee.match").joinpath("eco.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {epd: Name(eco, name) for eco, name, epd in lines}
