"""How far a report is: a bar on standard error, on a terminal only, and only when it takes more than a moment."""

import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE: Final = 0.5
"""Seconds without a bar."""


class Watch:
    """Steps of any size towards a total."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._done = 0
        self._start = time.monotonic()
        self._shown = sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def tick(self, steps: int) -> None:
        """Move the bar by this many steps."""
        self._done += steps
        if self._bar is not None:
            self._bar[0].update(self._bar[1], completed=self._done)
        elif self._shown and time.monotonic() - self._start > _PATIENCE:
            self._bar = self._make()

    def _make(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import Progress

        progress = Progress(console=Console(stderr=True), transient=True)
        task = progress.add_task(self._title, total=self._total, completed=self._done)
        progress.start()
        return progress, task
