"""How games end by the rules, in words."""

import enum


class Ending(enum.StrEnum):
    """Why a game is over."""

    MATE = "mate"
    STALEMATE = "stalemate"
    BARE_KINGS = "bare kings at G8.5"
    FIFTY_MOVES = "50-move rule"
    REPETITION = "repetition"

    EXPLODED = "an exploded king"
    NO_MOVES = "no move left"
    HORDE_TAKEN = "a horde taken"
    THIRD_CHECK = "a third check"
    IN_THE_CENTRE = "a king in the centre"
    RACE_WON = "a race won"
    RACE_DRAWN = "a drawn race"
