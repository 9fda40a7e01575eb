"""Bars of 100 %, one below the other."""

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Final

from tbgen.report.charts import Bar, Stack
from tbgen.report.document import written
from tbgen.report.html.heat import figure

_ROOM: Final = 0.07
"""The share that has room for its figure."""


def stack(chart: Stack) -> Iterator[str]:
    chips = "".join(
        f'<li><span class="chip {name}"></span>{escape(words)}</li>' for name, words in chart.parts
    )  # fmt: skip
    yield f'<ul class="legend">{chips}</ul>'
    paired = " paired" if any(bar.under for bar in chart.bars) else ""
    yield f'<ul class="stack{paired}">'
    for label, bars in groupby(chart.bars, key=lambda bar: bar.label):
        yield f"<li><b>{escape(label)}</b>{''.join(_bar(chart, bar) for bar in bars)}</li>"
    yield "</ul>"


def _bar(chart: Stack, bar: Bar) -> str:
    parts = []
    words = []
    for (name, told), share in zip(chart.parts, bar.shares, strict=True):
        if share > 0:
            inside = figure(share) if share >= _ROOM else ""
            parts.append(f'<i class="{name}" style="flex:{share:.5f}">{inside}</i>')
            words.append(f"{told} {written(share, 'share')}")
    under = f'<span class="under">{bar.under}</span>' if bar.under else ""
    title = f"{bar.label} {bar.under}".strip()
    label = escape(f"{title}: {', '.join(words)}")
    return f'{under}<div class="bar" role="img" aria-label="{label}">{"".join(parts)}</div>'
