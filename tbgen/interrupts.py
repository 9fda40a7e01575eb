"""Ctrl-C, and the signals that end a command as it does."""

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


@contextmanager
def deaf() -> Iterator[None]:
    """Hear of a Ctrl-C afterwards. Processes that are started here never do.

    They inherit the mask. It is not enough for ourselves: a thread of some library may take the signal.
    """
    heard: list[int] = []
    listens = threading.current_thread() is threading.main_thread()  # no other thread is told
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if listens else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if listens:
            signal.signal(signal.SIGINT, handler)
    if heard:
        signal.raise_signal(signal.SIGINT)
