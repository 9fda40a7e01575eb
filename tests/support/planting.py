"""What somebody may put where a command is about to write."""

import os
import socket
import stat
from contextlib import chdir
from pathlib import Path

import pytest


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


def links_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all links be another user's."""
    call = Path.lstat

    def planted(path: Path) -> os.stat_result:
        found = list(call(path))
        found[stat.ST_UID] = 1 + os.geteuid()
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", planted)
