"""Pictures of numbers, as SVG that follows the page's colours."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from tbgen import outcome
from tbgen.report.grades import colour_class

_WIDTH: Final = 640
_HEIGHT: Final = 260
_LEFT: Final = 46
_BOTTOM: Final = 40
_TOP: Final = 14
_MOST_LABELS: Final = 16
_LINE: Final = 11
"""Between labels that can be read."""


def staircase(found: dict[str, Any]) -> str:
    """Outcome against record, from White's best on the left to Black's on the right. Where the record stands the
    curve is the diagonal; what one side can better lies off it."""
    records = [outcome.parse(step["record"]) for step in found["staircase"]]
    values = [outcome.parse(step["gscore"]) for step in found["staircase"]]
    if not records:
        return ""
    now = outcome.parse(found["record"])
    own = outcome.parse(found["gscore"])
    scale = sorted({*records, *values, now, own}, reverse=True)
    across, down = len(records), len(scale)
    room_x, room_y = _WIDTH - _LEFT - 10, _HEIGHT - _BOTTOM - _TOP
    step_x = room_x / across

    def x(place: float) -> float:
        return round(_LEFT + place * step_x, 1)

    def y(value: int) -> float:
        return round(_TOP + room_y * (scale.index(value) + 0.5) / down, 1)

    parts = []
    steps = len(scale) // _MOST_LABELS + 1
    for place, value in enumerate(scale):
        if value == own or (place % steps == 0 and abs(y(value) - y(own)) >= _LINE):
            parts.append(f'<text class="axis end" x="{_LEFT - 5}" y="{y(value) + 4}">{outcome.text(value)}</text>')
            parts.append(f'<path class="grid" d="M{_LEFT} {y(value)}H{_WIDTH - 10}"/>')
    steps = across // _MOST_LABELS + 1
    for place, record in enumerate(records):
        if place % steps == 0:
            number = outcome.text(record).strip("-G")
            parts.append(f'<text class="axis mid" x="{x(place + 0.5)}" y="{_HEIGHT - 22}">{number}</text>')
    parts.append(f'<text class="axis" x="{_LEFT}" y="{_HEIGHT - 5}">record: White’s</text>')
    parts.append(f'<text class="axis end" x="{_WIDTH - 10}" y="{_HEIGHT - 5}">Black’s</text>')
    diagonal = "".join(f"M{x(place)} {y(record)}H{x(place + 1)}" for place, record in enumerate(records))
    parts.append(f'<path class="diagonal" d="{diagonal}"/>')
    curve = "".join(
        f"{'L' if place else 'M'}{x(place)} {y(value)}H{x(place + 1)}" for place, value in enumerate(values)
    )
    parts.append(f'<path class="curve" d="{curve}"/>')
    if now in records:
        at = records.index(now)
        parts.append(f'<path class="now" d="M{x(at + 0.5)} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<circle class="dot" cx="{x(at + 0.5)}" cy="{y(values[at])}" r="5"/>')
    words = "; ".join(_runs(records, values))
    return (
        f'<svg class="picture" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(words)}">'
        f"{''.join(parts)}</svg>"
    )


def _runs(records: Sequence[int], values: Sequence[int]) -> Iterator[str]:
    """The staircase in words: under records from so far to so far, this outcome."""
    start = 0
    for place in range(1, len(values) + 1):
        if place == len(values) or values[place] != values[start]:
            first, last = outcome.text(records[start]), outcome.text(records[place - 1])
            span = f"record {first}" if first == last else f"records {first} to {last}"
            yield f"{span}: {outcome.text(values[start])}"
            start = place


def share_bar(shares: Sequence[tuple[int, float]], label: str) -> str:
    """Outcomes, best for White first, and their shares."""
    at, parts = 0.0, []
    for value, share in shares:
        parts.append(
            f'<rect class="{colour_class(value)}" x="{at * 100:.3f}" width="{share * 100:.3f}" height="10">'
            f"<title>{outcome.text(value)}: {100 * share:.2f} %</title></rect>"
        )
        at += share
    return (
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def histogram(counts: Sequence[int], label: str, kind: str) -> str:
    most = max(counts, default=0) or 1
    width = max(len(counts), 10)
    bars = "".join(
        f'<rect class="{kind}" x="{ply + 0.05}" y="{100 - 100 * count / most:.2f}" width="0.9" '
        f'height="{100 * count / most:.2f}"><title>{ply} plies: {count:,}</title></rect>'
        for ply, count in enumerate(counts)
        if count
    )
    return (
        f'<svg class="histogram" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{bars}</svg>'
    )
