"""How everything looks that tbgen draws: docs/look.md.

look.css      the palette, and what all pages share
board.py      positions as pictures
staircase.py  a position under every record as a picture
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

SHEET: Final = Path(__file__).parent / "look.css"
_COLOUR: Final = re.compile(r"--([\w-]+): (#\w+)")
_DARK: Final = "@media (prefers-color-scheme: dark)"


@cache
def palette(*, dark: bool = False) -> dict[str, str]:
    """Colours by their names in look.css, for pictures and pages that no style sheet reaches."""
    by_day, by_night, *_ = SHEET.read_text(encoding="utf-8").split(_DARK)
    return dict(_COLOUR.findall(by_day)) | (dict(_COLOUR.findall(by_night)) if dark else {})
