"""The staircase as a picture: outcome against record, from White's best on the left to Black's on the right.

Where the record stands the curve is the diagonal; what one side can better lies off it. Resting on a step tells what it
says. The explorer's (tbgen/web/pages/static/staircase.js) looks the same, and can be walked as well.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from tbgen.core.outcome import text
from tbgen.drawing import palette
from tbgen.system.text import plies

Steps = Sequence[tuple[int, int, int]]
"""Record, outcome and distance of each step, White's best record first."""

_WIDTH: Final = 640
_HEIGHT: Final = 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 10, 14, 46
_ACROSS: Final = _WIDTH - _LEFT - _RIGHT
_DOWN: Final = _HEIGHT - _TOP - _BOTTOM
_LABELS: Final = 16
_LINE: Final = 11
"""Between labels that can be read."""


def picture(steps: Steps, record: int, words: str) -> str:
    """`record`: the one that stands now. `words`: what the picture says, for who cannot see it."""
    scale = sorted({value for step in steps for value in step[:2]}, reverse=True)
    width = _ACROSS / len(steps)
    edges = [_LEFT + place * width for place in range(len(steps) + 1)]
    heights = {value: _TOP + (row + 0.5) * _DOWN / len(scale) for row, value in enumerate(scale)}
    now = next((place for place, step in enumerate(steps) if step[0] == record), None)
    marked = None if now is None else steps[now][1]
    parts = [
        *_levels(heights, marked),
        *_records(steps, edges, width),
        _title(_LEFT, "White’s", "start"),
        _title(_LEFT + _ACROSS / 2, "record", "middle"),
        _title(_WIDTH - _RIGHT, "Black’s", "end"),
        f'<text transform="rotate(-90)" x="{-_TOP - _DOWN / 2}" y="13" text-anchor="middle">what can be forced</text>',
        _path("".join(_flat("M", edges, place, heights[step[0]]) for place, step in enumerate(steps)), "faint", 1.5, 3),
        _path(
            "".join(_flat("L" if place else "M", edges, place, heights[step[1]]) for place, step in enumerate(steps)),
            "link",
            3,
        ),
    ]
    if now is not None and marked is not None:
        middle, colours = edges[now] + width / 2, palette()
        parts += [
            _path(f"M{middle:.1f} {_TOP}v{_DOWN}", "w1", 2),
            f'<circle cx="{middle:.1f}" cy="{heights[marked]:.1f}" r="5" fill="{colours["w1"]}" '
            f'stroke="{colours["paper"]}" stroke-width="1.5"/>',
        ]
    parts += [
        f'<rect x="{edges[place]:.1f}" y="{_TOP}" width="{width:.1f}" height="{_DOWN}" fill="transparent">'
        f"<title>{told(*step)}</title></rect>"
        for place, step in enumerate(steps)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" '
        f'aria-label="{escape(words)}" font-family="system-ui, sans-serif" font-size="11" '
        f'fill="{palette()["faint"]}"><rect width="100%" height="100%" fill="{palette()["paper"]}"/>'
        f"{''.join(parts)}</svg>"
    )


def told(record: int, outcome: int, dtg: int) -> str:
    """What a step says: `under the record G3.5: G1.5 in 4 plies`."""
    how = f"{text(outcome)} in {plies(dtg)}" if dtg else "it stands"
    return f"under the record {text(record)}: {how}"


def _levels(heights: dict[int, float], marked: int | None) -> list[str]:
    """Lines and names of outcomes, as many as can be read; the one that is marked is named in any case."""
    every = len(heights) // _LABELS + 1
    shown = [
        (value, y)
        for row, (value, y) in enumerate(heights.items())
        if value == marked or (row % every == 0 and (marked is None or abs(y - heights[marked]) >= _LINE))
    ]
    return [
        f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{text(value)}</text>'
        + _path(f"M{_LEFT} {y:.1f}h{_ACROSS}", "line", 0.6)
        for value, y in shown
    ]


def _records(steps: Steps, edges: Sequence[float], width: float) -> list[str]:
    every = len(steps) // _LABELS + 1
    return [
        f'<text x="{edges[place] + width / 2:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">'
        f"{text(steps[place][0]).lstrip('-G')}</text>"
        for place in range(0, len(steps), every)
    ]


def _title(x: float, words: str, anchor: str) -> str:
    return f'<text x="{x}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{words}</text>'


def _flat(join: str, edges: Sequence[float], place: int, y: float) -> str:
    """A step's stretch of a path."""
    return f"{join}{edges[place]:.1f} {y:.1f}H{edges[place + 1]:.1f}"


def _path(way: str, colour: str, width: float, dashes: int = 0) -> str:
    dashed = f' stroke-dasharray="{dashes} 2"' if dashes else ""
    return f'<path d="{way}" fill="none" stroke="{palette()[colour]}" stroke-width="{width}"{dashed}/>'
