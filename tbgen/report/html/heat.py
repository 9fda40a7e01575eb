"""A heat map: a table whose cells have colours. A legend says which, so that no scale has to be guessed."""

from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import Final

from tbgen.report.charts import HeatMap, View

_STEPS: Final = (0, 0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75)
"""The shares at which colours begin."""
_SIGNED_STEPS: Final = (0, 0.001, 0.01, 0.03, 0.1)
"""The differences at which colours begin, either way."""
_LEAST: Final = 0.0005
"""Below this, a figure would be 0.0."""
_DOT: Final = "·"


def heat(chart: HeatMap) -> Iterator[str]:
    if len(chart.views) > 1:
        yield f'<fieldset class="views"><legend class="sr">Whose: {escape(chart.title)}</legend>'
        for place, view in enumerate(chart.views):
            checked = "" if place else " checked"
            yield (
                f'<label><input type="radio" name="view-{chart.key}" value="{place}"{checked}>'
                f"{escape(view.title)}</label>"
            )
        yield "</fieldset>"
    for place, view in enumerate(chart.views):
        yield from _table(chart, view, place)
    yield _legend(signed=chart.signed)


def _table(chart: HeatMap, view: View, place: int) -> Iterator[str]:
    heads = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in chart.columns)
    yield f'<table class="heat view{place}"><caption class="sr">{escape(chart.title)}: {escape(view.title)}</caption>'
    yield f'<thead><tr><th scope="col"><span class="sr">material</span></th>{heads}</tr></thead><tbody>'
    for label, row in zip(chart.labels, view.rows, strict=True):
        cells = "".join(_cell(value, signed=chart.signed) for value in row)
        yield f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>'
    yield "</tbody></table>"


def _cell(value: float, *, signed: bool) -> str:
    if not value:
        return "<td></td>"
    steps = _SIGNED_STEPS if signed else _STEPS
    grade = sum(abs(value) >= step for step in steps) - 1
    name = f"{'p' if value > 0 else 'n'}{grade}" if signed else f"h{grade}"
    return f'<td class="{name}">{figure(value, signed=signed)}</td>'


def figure(value: float, *, signed: bool = False) -> str:
    """Percent in at most four characters. Only all is written as 100."""
    size = abs(value)
    if size < _LEAST:
        return _DOT
    sign = ("−" if value < 0 else "+") if signed else ""
    percent = 100 * size
    if percent < 9.95:
        return f"{sign}{percent:.1f}"
    return f"{sign}{percent:.0f}" if percent < 99.5 or size == 1 else ">99"


def _legend(*, signed: bool) -> str:
    steps = _SIGNED_STEPS if signed else _STEPS
    chips = []
    for sign, name in (("−", "n"), ("+", "p")) if signed else (("", "h"),):
        order = range(len(steps) - 1, -1, -1) if name == "n" else range(len(steps))
        for grade in order:
            chips.append(f'<li><span class="chip {name}{grade}"></span>{_range(steps, grade, sign)}</li>')
    return f'<ul class="legend"><li>{_DOT} less than 0.05 %</li>{"".join(chips)}</ul>'


def _range(steps: tuple[float, ...], grade: int, sign: str) -> str:
    bounds = [*pairwise(steps), (steps[-1], None)]
    low, high = bounds[grade]
    if high is None:
        return f"{sign}{100 * low:g} % and more"
    return f"{sign}{100 * low:g} to {100 * high:g} %" if low else f"{sign} to {100 * high:g} %"
