"""What the user types to call this program, for hints that can be typed again."""

import os
import shlex
from typing import Final

NAME: Final = "tbgen"
_VARIABLE: Final = "TBGEN_CALLED_AS"
"""How a script that stands for the command was called: `scripts/tbgen` sets it."""


def called_as() -> str:
    """`tbgen`, or `scripts/tbgen` in a checkout."""
    return shlex.quote(os.environ.get(_VARIABLE) or NAME)
