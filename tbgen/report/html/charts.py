"""Heat maps, bars of 100 % and distributions of distances. Legends say which colour is what, so that no
scale has to be guessed.

They are tables, boxes and a few paths: a library would weigh more than all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import Final

from tbgen.report.charts import Bar, Curve, Distances, HeatMap, Panel, Scale, Stack, View
from tbgen.report.distances import AT_ONCE
from tbgen.report.document import written
from tbgen.report.html.filter import scrolled, search
from tbgen.report.overview import ALL

_STEPS: Final[Mapping[Scale, tuple[float, ...]]] = {
    "share": (0, 0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75),
    "difference": (0, 0.001, 0.01, 0.03, 0.1),
    "plies": (0, 10, 25, 50, 75, 100, 200, 300),
}
"""Where colours begin; of differences, either way."""
_LEAST: Final = 0.0005
"""Below this, a figure would be 0.0."""
_DOT: Final = "·"
_ROOM: Final = 0.07
"""The share that has room for its figure."""
_TICKS: Final = (2, 5, 10, 20, 50, 100, 200, 500)
_MOST_TICKS: Final = 4
_HEIGHT: Final = 100
FEW: Final = 8
"""Columns that have room for their figures on a phone."""
MANY: Final = 80
"""A chart of this many rows scrolls, and can be filtered."""


def heat(chart: HeatMap) -> Iterator[str]:
    """A table whose cells have colours."""
    if len(chart.views) > 1:
        yield f'<fieldset class="views"><legend class="sr">Whose: {escape(chart.title)}</legend>'
        for place, view in enumerate(chart.views):
            checked = "" if place else " checked"
            yield (
                f'<label><input type="radio" name="view-{chart.key}" value="{place}"{checked}>'
                f"{escape(view.title)}</label>"
            )
        yield "</fieldset>"
    yield from _many(chart, _tables(chart)) if len(chart.labels) >= MANY else _tables(chart)
    yield _legend(chart.scale)


def _many(chart: HeatMap | Stack, inside: Iterator[str]) -> Iterator[str]:
    """A table may have the same title."""
    name = f"Picture: {chart.title}"
    yield search(f"chart-{chart.key}", name)
    yield from scrolled(name, inside)


def _tables(chart: HeatMap) -> Iterator[str]:
    for place, view in enumerate(chart.views):
        yield from _table(chart, view, place)


def _table(chart: HeatMap, view: View, place: int) -> Iterator[str]:
    heads = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in chart.columns)
    title = escape(f"{chart.title}: {view.title}")
    few = " few" if len(chart.columns) <= FEW else ""
    yield f'<table class="heat view{place}{few}"><caption class="sr">{title}</caption>'
    yield f'<thead><tr><th scope="col"><span class="sr">material</span></th>{heads}</tr></thead><tbody>'
    for label, row in zip(chart.labels, view.rows, strict=True):
        cells = "".join(_cell(value, chart.scale) for value in row)
        name = ' class="whole"' if label == ALL else ""
        yield f'<tr{name}><th scope="row">{escape(label)}</th>{cells}</tr>'
    yield "</tbody></table>"


def _cell(value: float | None, scale: Scale) -> str:
    if value is None or (not value and scale != "plies"):
        return "<td></td>"
    grade = sum(abs(value) >= step for step in _STEPS[scale]) - 1
    name = f"{'p' if value > 0 else 'n'}{grade}" if scale == "difference" else f"h{grade}"
    return f'<td class="{name}">{figure(value, scale)}</td>'


def figure(value: float, scale: Scale = "share") -> str:
    """Plies, or percent in at most four characters. Only all is written as 100."""
    if scale == "plies":
        return f"{value:.0f}"
    size = abs(value)
    if size < _LEAST:
        return _DOT
    sign = ("−" if value < 0 else "+") if scale == "difference" else ""
    percent = 100 * size
    if percent < 9.95:
        return f"{sign}{percent:.1f}"
    return f"{sign}{percent:.0f}" if percent < 99.5 or size == 1 else ">99"


def _legend(scale: Scale) -> str:
    steps = _STEPS[scale]
    chips = []
    for sign, name in (("−", "n"), ("+", "p")) if scale == "difference" else (("", "h"),):
        order = range(len(steps) - 1, -1, -1) if name == "n" else range(len(steps))
        for grade in order:
            words = _plies(steps, grade) if scale == "plies" else _range(steps, grade, sign)
            chips.append(f'<li><span class="chip {name}{grade}"></span>{words}</li>')
    dot = "" if scale == "plies" else f"<li>{_DOT} less than 0.05 %</li>"
    return f'<ul class="legend">{dot}{"".join(chips)}</ul>'


def _plies(steps: tuple[float, ...], grade: int) -> str:
    return f"{steps[grade]} to {steps[grade + 1] - 1} plies" if grade + 1 < len(steps) else f"{steps[grade]} and more"


def _range(steps: tuple[float, ...], grade: int, sign: str) -> str:
    bounds = [*pairwise(steps), (steps[-1], None)]
    low, high = bounds[grade]
    if high is None:
        return f"{sign}{100 * low:g} % and more"
    return f"{sign}{100 * low:g} to {100 * high:g} %" if low else f"{sign} to {100 * high:g} %"


def stack(chart: Stack) -> Iterator[str]:
    """Bars, one below the other."""
    chips = "".join(
        f'<li><span class="chip {name}"></span>{escape(words)}</li>' for name, words in chart.parts
    )  # fmt: skip
    yield f'<ul class="legend">{chips}</ul>'
    yield from _many(chart, _bars(chart)) if len(chart.bars) >= MANY else _bars(chart)


def _bars(chart: Stack) -> Iterator[str]:
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


def distances(chart: Distances) -> Iterator[str]:
    """Small pictures of the same kind, White's upwards and Black's downwards."""
    chips = [("w1", "White’s"), ("b1", "Black’s")]
    swatches = "".join(f'<li><span class="chip {name}"></span>{words}</li>' for name, words in chips)
    if len(chart.rules) > 1:
        first, second = chart.rules
        swatches += f'<li><span class="chip thin"></span>outline: {second} (filled: {first})</li>'
    yield f'<ul class="legend">{swatches}</ul><div class="panels">'
    for panel in chart.panels:
        yield _panel(panel)
    yield "</div>"


def _panel(panel: Panel) -> str:
    steps = max((len(curve.white) for curve in panel.curves), default=0)
    top = max((max(curve.white, default=0) for curve in panel.curves), default=0)
    bottom = max((max(curve.black, default=0) for curve in panel.curves), default=0)
    inside = ""
    if steps and top + bottom:
        scale = _HEIGHT / (top + bottom)
        base = round(top * scale, 1)
        filled, *outlined = panel.curves
        inside = (
            f'<path class="w1" d="{_area(filled.white, base, -scale)}"/>'
            f'<path class="b1" d="{_area(filled.black, base, scale)}"/>'
            + "".join(f'<path class="thin" d="{_outline(curve, base, scale)}"/>' for curve in outlined)
            + f'<path class="base" d="M0 {base}H{steps}"/>'
        )
    label = escape(f"{panel.label}: {panel.words}")
    return (
        f'<figure class="panel"><figcaption><b>{escape(panel.label)}</b> '
        f"<span>{escape(panel.words)}</span></figcaption>"
        f'<svg viewBox="0 0 {steps or 1} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f"{inside}</svg>{_axis(2 * steps)}</figure>"
    )


def _area(shares: Sequence[float], base: float, scale: float) -> str:
    return f"{_steps(shares, base, scale)}V{base}Z"


def _outline(curve: Curve, base: float, scale: float) -> str:
    return _steps(curve.white, base, -scale) + _steps(curve.black, base, scale)


def _steps(shares: Sequence[float], base: float, scale: float) -> str:
    path = [f"M0 {base}"]
    for place, share in enumerate(shares):
        path.append(f"V{base + share * scale:.1f}H{place + 1}")
    return "".join(path).replace(".0V", "V").replace(".0H", "H")


def _axis(width: int) -> str:
    """Round numbers of plies where they belong."""
    last = AT_ONCE + width
    step = next(step for step in _TICKS if last / step <= _MOST_TICKS)
    ticks = "".join(
        f'<span style="left:{100 * (ply - AT_ONCE) / width:.1f}%">{ply}</span>'
        for ply in range(step, last + 1, step)
        if ply > AT_ONCE
    )
    return f'<div class="ticks" aria-hidden="true">{ticks if width else ""}</div>'
