"""Where tables are, as a user names it: a directory, and web hosts that others put theirs on; and the user's own
directory."""

import os
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tbgen.errors import BadInput, quoted

VARIABLE: Final = "TBGEN_TABLES"
"""Of the environment: it names the directory where nothing else does."""
HOSTS: Final = "TBGEN_FROM"
"""The same for hosts."""


def existing(directory: str | PathLike[str]) -> Path:
    """The directory; BadInput if there is none of that name."""
    if not str(directory) or not Path(directory).is_dir():
        raise BadInput(f"no such directory of tables: {directory}")
    return Path(directory)


def address(url: str) -> str:
    """The address of a web host, without a slash at its end; BadInput if it is none."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or not url.isascii() or not url.isprintable() or " " in url or parts.query or parts.fragment:
        raise BadInput(f"not the address of a server: {quoted(url, ascii)} (write http://host:8000/)")
    return url.rstrip("/")


def home() -> Path:
    """The user's own directory; where the system knows of none, as in some containers, /."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def hosts_file() -> Path:
    """It names hosts of tables, a line each, for whoever names none."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else home() / ".config") / "tbgen" / "from"


def usual_hosts() -> list[str]:
    """Hosts of tables that the user has named once for all: in the environment, with spaces between, else in the file.
    There, lines that begin with # are comments."""
    named = os.environ.get(HOSTS, "").split()
    with suppress(FileNotFoundError, NotADirectoryError):
        lines = [] if named else hosts_file().read_text(encoding="utf-8", errors="replace").splitlines()
        named += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return named
