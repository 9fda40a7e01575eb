"""A thread that calls the same thing again and again."""

from collections.abc import Callable
from threading import Event, Thread
from weakref import WeakMethod


def call_every(seconds: float, method: Callable[[], object], stop: Event, name: str) -> Thread:
    """Have a thread call a method until the event is set. If nobody sets it, the thread ends with the method's
    object."""
    thread = Thread(target=_call, args=(seconds, WeakMethod(method), stop), name=name, daemon=True)
    thread.start()
    return thread


def _call(seconds: float, method: WeakMethod[Callable[[], object]], stop: Event) -> None:
    while not stop.wait(seconds):
        call = method()
        if call is None:
            return
        call()
        del call
