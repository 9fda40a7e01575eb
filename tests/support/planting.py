"""What somebody may put where a command is about to write."""

import os
import socket
from contextlib import chdir
from pathlib import Path


def plant(kind: str, place: Path, victim: Path) -> None:
    match kind:
        case "link" | "dangling link":
            place.symlink_to(victim)
        case "hard link":
            place.hardlink_to(victim)
        case "pipe":
            os.mkfifo(place)
        case "directory":
            place.mkdir()
        case "socket":
            with chdir(place.parent), socket.socket(socket.AF_UNIX) as made:  # its name may not be long
                made.bind(place.name)
