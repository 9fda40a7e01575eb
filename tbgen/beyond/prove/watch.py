"""Whoever looks on while something is proved."""

from typing import Protocol


class Watch(Protocol):
    """Shows one task at a time. `tbgen.cli.display.Counter` is one."""

    def begin(self, what: str, total: float) -> None:
        """A task begins, of this size."""

    def advance(self, count: float) -> None:
        """So much more of it is done."""

    def at(self, done: float, total: float) -> None:
        """So much of it is done, and its size is this now."""

    def remark(self, line: str) -> None:
        """Something is worth knowing."""


class Nobody:
    """Who looks on where nobody does."""

    def begin(self, what: str, total: float) -> None: ...

    def advance(self, count: float) -> None: ...

    def at(self, done: float, total: float) -> None: ...

    def remark(self, line: str) -> None: ...
