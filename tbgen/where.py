"""The directory of tables that a user names."""

from os import PathLike
from pathlib import Path
from typing import Final

from tbgen.errors import BadInput

VARIABLE: Final = "TBGEN_TABLES"
"""Of the environment: it names the directory where nothing else does."""


def existing(directory: str | PathLike[str]) -> Path:
    """The directory; BadInput if there is none of that name."""
    if not str(directory) or not Path(directory).is_dir():
        raise BadInput(f"no such directory of tables: {directory}")
    return Path(directory)
