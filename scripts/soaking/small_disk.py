"""Small file systems, which only one process and its children see."""

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Final

_NEW_FILES: Final = 0x00020000
_NEW_USERS: Final = 0x10000000


def can_mount() -> bool:
    """Give this process its own view of the file systems; False if that is not permitted."""
    library = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if library.unshare(_NEW_FILES) != 0:
        if library.unshare(_NEW_FILES | _NEW_USERS) != 0:
            return False
        try:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        except OSError:
            return False
    return _mount("--make-rprivate", "/")


def mount(place: Path, size: int) -> bool:
    """Mount a file system of this many bytes on this directory."""
    return _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place))


def enlarge(place: Path, size: int) -> None:
    if not _mount("-o", f"remount,size={size}", str(place)):
        raise OSError(f"{place} cannot be made larger")


def unmount(place: Path) -> None:
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(*words: str) -> bool:
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
