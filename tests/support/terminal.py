"""Commands run on a terminal of some width."""

import fcntl
import os
import struct
import subprocess
import termios


def in_terminal(*words: str, columns: int = 100, **environment: str) -> str:
    """What a command prints on a terminal, with these variables; an empty one is not set."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", *environment}}
    given = {name: value for name, value in environment.items() if value}
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env={**kept, **given}) as process:
        os.close(theirs)
        found = b""
        try:
            while data := os.read(ours, 1 << 16):
                found += data
        except OSError:  # Linux says so when the last process has left the terminal
            pass
    os.close(ours)
    assert process.returncode == 0, found
    return found.decode()
