"""Processes that work for this one: forked from a server without threads, and deaf to Ctrl-C."""

import multiprocessing
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker


def fork_server(preload: str) -> multiprocessing.context.ForkServerContext:
    """A process to fork others from: those that are forked from one with threads may hang. It imports `preload`.

    It and all of its children are deaf to the Ctrl-C that a terminal sends to everybody, from their first moment
    on. The parent hears it, and ends them.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    resource_tracker.ensure_running()  # the server would start it, and that opens ears
    with deaf():
        forkserver.ensure_running()
    return context


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
