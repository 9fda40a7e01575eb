"""Signals that end a command as Ctrl-C does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def terminable() -> Iterator[None]:
    """A SIGTERM, and the SIGHUP of a terminal that is closed, end the work as a Ctrl-C does: no half-written file is
    left, and no process. What a caller has told us to ignore, as `nohup` does, is ignored."""
    if threading.current_thread() is not threading.main_thread():  # it hears no signals
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
