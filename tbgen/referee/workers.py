"""Processes that work for this one: forked from a server without threads, and deaf to Ctrl-C."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker

from tbgen.errors import TbgenError
from tbgen.system.signals import deaf


def fork_server(preload: str) -> multiprocessing.context.ForkServerContext:
    """A process to fork others from: those that are forked from one with threads may hang. It imports `preload`.

    It and all of its children are deaf to the Ctrl-C that a terminal sends to everybody, from their first moment
    on. The parent hears it, and ends them.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    with started():
        resource_tracker.ensure_running()  # the server would start it, and that opens ears
        with deaf():
            forkserver.ensure_running()
    return context


@contextmanager
def started() -> Iterator[None]:
    """Say in one line that processes cannot be started, or the locks made that they share."""
    try:
        yield
    except (EOFError, OSError) as error:  # a server that has gone answers with nothing
        why = getattr(error, "strerror", None) or str(error) or "their server has gone"
        raise TbgenError(
            f"no processes can be started: {why} (it takes /dev/shm, and a $TMPDIR whose name is not long)"
        ) from None
