"""Damaging files as disks, copies and power cuts do."""

import os
import random
import shutil
import socket
from contextlib import chdir
from pathlib import Path
from typing import Final

PAGE: Final = 4096


def damaged(draw: random.Random, data: bytes, other: bytes = b"") -> tuple[str, bytes]:
    """Damage the bytes of a file. Returns what was done, and the new bytes. `other`: another file's bytes."""
    size = len(data)
    match draw.randrange(10):
        case 0 | 1:
            at, bit = draw.randrange(size), draw.randrange(8)
            return f"bit {bit} of byte {at} flipped", _with(data, at, bytes([data[at] ^ 1 << bit]))
        case 2:
            changed = bytearray(data)
            for _ in range(draw.randrange(2, 40)):
                changed[draw.randrange(size)] ^= 1 << draw.randrange(8)
            return "bits flipped", bytes(changed)
        case 3:
            length = draw.choice((0, 1, draw.randrange(size), size - 1, size // PAGE * PAGE))
            return f"truncated to {length}", data[:length]
        case 4:
            at = draw.randrange(0, size, PAGE)
            length = min(PAGE * draw.choice((1, 1, 4, 1000)), size - at)
            return f"zeros from {at} on, {length} bytes", _with(data, at, bytes(length))
        case 5:
            more = draw.choice((b"\0", bytes(PAGE), data[: draw.randrange(1, size)], draw.randbytes(100)))
            return f"{len(more)} bytes longer", data + more
        case 6:
            length = draw.randrange(1, min(size // 2, 20_000) + 1)
            one = draw.randrange(size // 2 - length + 1) if size // 2 > length else 0
            two = draw.randrange(size // 2, size - length + 1)
            changed = bytearray(data)
            changed[one : one + length], changed[two : two + length] = (
                data[two : two + length],
                data[one : one + length],
            )
            return f"{length} bytes swapped, at {one} and {two}", bytes(changed)
        case 7:
            at = draw.randrange(size)
            length = draw.randrange(1, min(200, size - at) + 1)
            return f"noise at {at}, {length} bytes", _with(data, at, draw.randbytes(length))
        case 8 if other:
            at = draw.randrange(size)
            return f"from byte {at} on another file", data[:at] + other[at:]
    at = draw.randrange(size)
    length = draw.randrange(1, min(PAGE, size - at) + 1)
    return f"{length} bytes gone at {at}", data[:at] + data[at + length :]


def foreign(draw: random.Random, path: Path) -> str:
    """Replace a file by something that is not a file."""
    path.unlink(missing_ok=True)
    kind = draw.choice(
        ("pipe", "directory", "socket", "loop", "nowhere", "zeros", "nothing", "memory", "empty", "terminal")
    )
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "socket":
            with chdir(path.parent), socket.socket(socket.AF_UNIX) as made:  # whole paths may be too long
                made.bind(path.name)
        case "loop":
            path.symlink_to(path.name)
        case "nowhere":
            path.symlink_to("none/at/all")
        case "zeros":
            path.symlink_to("/dev/zero")
        case "nothing":
            path.symlink_to("/dev/null")
        case "memory":
            path.symlink_to("/proc/self/mem")
        case "empty":
            path.touch()
        case "terminal":
            path.symlink_to("/dev/ptmx")
    return kind


def damage_directory(draw: random.Random, place: Path, former: Path) -> list[str]:
    """Damage one or a few files of a directory. `former`: the same directory at an earlier time."""
    done = []
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        names = sorted(path.name for path in place.iterdir() if path.is_file() and not path.is_symlink())
        if not names:
            break
        name = draw.choice(names)
        path = place / name
        match draw.randrange(12):
            case 0:
                path.unlink()
                done.append(f"{name} removed")
            case 1 if (former / name).is_file():
                shutil.copyfile(former / name, path)
                done.append(f"{name} as it was earlier")
            case 2:
                other = draw.choice(names)
                beside = path.with_name("beside")
                path.rename(beside)
                if other != name:
                    (place / other).rename(path)
                beside.rename(place / other)
                done.append(f"{name} and {other} swapped")
            case 3 if not name.startswith("journal"):
                with path.open("r+b") as file:
                    file.truncate(path.stat().st_size * draw.choice((2, 3)) // 2 + draw.randrange(9))
                done.append(f"{name} longer")
            case 4:
                path.write_bytes(b"")
                done.append(f"{name} empty")
            case 5 if "journal" in names:
                journal = place / "journal"
                done.append(f"journal: {torn(draw, journal)}")
            case 6:
                done.append(f"{name}: {foreign(draw, path)} in its place")
            case _:
                data = path.read_bytes()
                if data:
                    what, changed = damaged(
                        draw, data, (former / name).read_bytes() if (former / name).is_file() else b""
                    )
                    path.write_bytes(changed)
                    done.append(f"{name}: {what}")
    return done


def torn(draw: random.Random, journal: Path) -> str:
    """Damage a journal: lines lost, doubled, torn or in another order."""
    lines = journal.read_bytes().splitlines(keepends=True)
    if not lines:
        return "empty"
    at = draw.randrange(len(lines))
    match draw.randrange(6):
        case 0:
            lines[at] = lines[at][: draw.randrange(len(lines[at]))]
            what = f"line {at} torn"
        case 1:
            del lines[at]
            what = f"line {at} lost"
        case 2:
            lines.insert(at, draw.choice(lines))
            what = f"a line doubled at {at}"
        case 3:
            draw.shuffle(lines)
            what = "lines shuffled"
        case 4:
            digits = [place for place, byte in enumerate(lines[at]) if 48 <= byte < 58]
            place = draw.choice(digits) if digits else 0
            lines[at] = _with(lines[at], place, b"%d" % draw.randrange(10))
            what = f"a digit of line {at} changed"
        case _:
            lines.insert(
                at,
                draw.choice(
                    (
                        b"null\n",
                        b"[]\n",
                        b"3\n",
                        b'{"slice": 99999}\n',
                        b"\xff\n",
                        b'{"slice": 0, "counts": []}\n',
                        b"\n",
                    )
                ),
            )
            what = f"a strange line at {at}"
    journal.write_bytes(b"".join(lines))
    return what


def _with(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at + len(piece) :]
