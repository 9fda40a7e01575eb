"""Bars on a terminal, one below the other, which leave nothing behind. Imported late, as rich takes time to import."""

import time
from typing import TextIO

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from tbgen.cli.common import console


class _TimeLeft(ProgressColumn):
    """The time left: what the task's `believed` makes of the one that the bar has measured."""

    def render(self, task: Task) -> Text:
        if (measured := task.time_remaining) is None:
            left = "" if task.total is None else "-:--:--"
        else:
            minutes, seconds = divmod(int(task.fields["believed"](measured, time.monotonic())), 60)
            left = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        return Text(left, style="progress.remaining")


def make_bars(stream: TextIO, period: float, *, sizes: bool) -> Progress:
    """`period`: seconds over which the speed is averaged. `sizes`: they count bytes."""
    counts = (DownloadColumn(binary_units=True), TransferSpeedColumn()) if sizes else (TaskProgressColumn(),)
    return Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), *counts, _TimeLeft(),
        console=console(stream), transient=True, speed_estimate_period=period,
    )  # fmt: skip
