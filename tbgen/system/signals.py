"""Ctrl-C, and the signals that end a command as it does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ENDS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def terminable() -> Iterator[None]:
    """A SIGTERM, and the SIGHUP of a terminal that is closed, end the work as a Ctrl-C does: no half-written file is
    left, and no process. What a caller has told us to ignore, as `nohup` does, is ignored."""
    if threading.current_thread() is not threading.main_thread():  # it hears no signals
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDS}
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
    """Hear of a signal that ends the command afterwards. Processes that are started here never hear of a Ctrl-C.

    They inherit the mask. It is not enough for ourselves: a thread of some library may take the signal.
    """
    heard: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():  # no other thread is told
        for number in (signal.SIGINT, *_ENDS):
            if number == signal.SIGINT or signal.getsignal(number) is signal.default_int_handler:
                before[number] = signal.signal(number, lambda number, _: heard.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])
