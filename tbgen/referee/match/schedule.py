"""A game that is to be played."""

from typing import NamedTuple


class Pairing(NamedTuple):
    """A game to be played."""

    round: str
    """The round as in the PGN tag, `3.1`. No two games of a match have the same."""
    white: int
    """The engine's place in the list."""
    black: int
    opening: int
