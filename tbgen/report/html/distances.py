"""Distributions of distances: small pictures of the same kind, White's upwards and Black's downwards."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from tbgen.report.charts import Curve, Distances, Panel
from tbgen.report.overview import AT_ONCE

_STEPS: Final = (2, 5, 10, 20, 50, 100, 200, 500)
_MOST_TICKS: Final = 4
_HEIGHT: Final = 100


def distances(chart: Distances) -> Iterator[str]:
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
    step = next(step for step in _STEPS if last / step <= _MOST_TICKS)
    ticks = "".join(
        f'<span style="left:{100 * (ply - AT_ONCE) / width:.1f}%">{ply}</span>'
        for ply in range(step, last + 1, step)
        if ply > AT_ONCE
    )
    return f'<div class="ticks" aria-hidden="true">{ticks if width else ""}</div>'
