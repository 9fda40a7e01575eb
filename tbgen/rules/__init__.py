"""The game around the tables: the record, the ends of a game, points, komi, FEN and PGN tags."""

from tbgen.rules.ends import Game
from tbgen.rules.record import Record

__all__ = ["Game", "Record"]
