"""The positions of a table as columns for other programs: HDF5 or CSV."""

from typing import Final

COLUMNS: Final = {
    "number": "of the position in its table",
    "fen": "the position, the side that is named first playing as White",
    "gscore": "what is forced, the position's own goal being the record: G1.5, or -G1.5 where Black holds it",
    "outcome": "the same as an integer, the larger the better for White: 512 - twice the G-score, negative for Black",
    "dtg": "plies to the goal that decides; 0 if the position's own stands",
    "staircase": "1 if under some record it is not simply worth the better of that and this outcome",
    "placements": "how many placements it stands for: images, and with the same men on both sides swapped colours",
}
