"""Signals that end a command: when they are heard."""

import os
import signal

import pytest

from tbgen.system.signals import deaf, terminable


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_is_deaf_hears_of_it_afterwards(number: int) -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), terminable(), deaf():  # noqa: PT012
        os.kill(os.getpid(), number)
        done = True
    assert done


def test_nor_is_it_forgotten_when_something_fails() -> None:
    with pytest.raises(KeyboardInterrupt), deaf():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        raise ValueError
