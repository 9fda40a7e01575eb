"""The protocol over the board: what two players write down beside their moves.

A goal of G3.5 or lower that improves the record is an entry, and so is such a record that the start
brings along. A capture or pawn move draws a line under the sheet. At the end the side that suffered
the last entry below the last line loses; without one the game is drawn. `scoring.OverTheBoard` gives
the same points from the outcome alone. Players may agree on another score than G3.5.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tbgen.rules.record import Standing
from tbgen.rules.scoring import DRAW, LOSS, WIN


def parts(standings: Iterable[Standing], level: int, *, whole_game: bool) -> list[list[Standing]]:
    """The entries of a game, of scores up to this level, in parts between the lines."""
    found: list[list[Standing]] = [[]]
    for standing in standings:
        if standing.reset and not whole_game and found[-1]:
            found.append([])
        is_news = standing.just_set or not standing.ply  # a start may bring the record of earlier moves along
        if is_news and standing.level <= level:
            found[-1].append(standing)
    return found


def points(sheet: Sequence[Sequence[Standing]]) -> Fraction:
    """White's points if the game ends here, by the parts of its sheet."""
    if not sheet[-1]:
        return DRAW
    return WIN if sheet[-1][-1].outcome > 0 else LOSS
