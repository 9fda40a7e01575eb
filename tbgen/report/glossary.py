"""The words that a reader of a report needs. docs/glossary.md has all of them."""

from typing import Final

GLOSSARY: Final = (
    (
        "G-score",
        "the number of legal moves of the side to move, plus a half if it is not in check: mate is G0.0, stalemate "
        "G0.5, one move in check G1.0. It is credited to the other side: G1.5 is White’s, -G1.5 Black’s",
    ),
    ("record", "the lowest G-score so far. The side that first forced its opponent into it wins by that score"),
    ("reset", "a capture or a pawn move. Under the rules r it begins a new record, under wg (whole game) it does not"),
    ("outcome", "the score and the side that holds it after best play, here with the position’s own score as record"),
    ("DTG", "distance to goal: plies until the score that decides is on the board; 0 if the record stands"),
    ("ply", "a move of one side"),
    ("KBvK", "a material: White has the men named first"),
    ("position", "counted once up to symmetry: of the board, and of colours where both sides have the same men"),
    ("placement", "the men on any squares, either side to move: each symmetric image counts. Shares are of placements"),
)  # fmt: skip
