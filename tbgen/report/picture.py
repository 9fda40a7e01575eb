"""Bars drawn by matplotlib, as SVG that takes its colours from the page around it."""

import io
import re
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from tbgen.report.document import Bars

_INK: Final = "#010203"
_UP: Final = "#040506"
_DOWN: Final = "#070809"
_COLOURS: Final = {_INK: "currentColor", _UP: "var(--up)", _DOWN: "var(--down)"}
"""What stands for colours that the page knows: matplotlib takes none by such names."""
_LEAST: Final = 1e-4
"""Shares below this are drawn in proportion, those above logarithmically."""
_TICKS: Final = (1e-3, 1e-2, 1e-1, 1)
_SETTINGS: Final[Any] = {"svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif"}
_CLUTTER: Final = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", re.DOTALL
)
_LINKS: Final = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
_DIGITS: Final = re.compile(r"(\d\.\d)\d+")
_OWN_FONT: Final = re.compile(r"font(?:-size)?: ([0-9.]+px)[^;\"]*(?:; font-family: [^;\"]*)?")


@cache
def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def draw(bars: Bars, key: str) -> str:
    """One picture; `key` keeps its names apart from those of others on the page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS | {"svg.hashsalt": key}):
        figure = Figure(figsize=(7.2, 2.6), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for shares, sign, colour, title in (
            (bars.up, 1, _UP, bars.up_title),
            (bars.down, -1, _DOWN, bars.down_title),
        ):
            there = [place for place, share in enumerate(shares) if share]
            axes.bar(there, [sign * shares[place] for place in there], color=colour, label=title, clip_on=False)
        axes.axhline(0, color=_INK, linewidth=0.8)
        axes.set_xlim(-0.6, len(bars.labels) - 0.4)
        axes.set_yscale("symlog", linthresh=_LEAST)
        axes.set_ylim(-1.5 if any(bars.down) else -_LEAST, 1.5)
        ticks = [*(-tick for tick in reversed(_TICKS)), 0, *_TICKS] if any(bars.down) else [0, *_TICKS]
        axes.set_yticks(ticks, [f"{abs(tick):.1%}".replace(".0%", "%") for tick in ticks])
        axes.yaxis.set_minor_locator(mpl.ticker.NullLocator())
        axes.set_xticks(range(len(bars.labels)), bars.labels, rotation=90 if len(bars.labels) > 12 else 0)
        axes.set_xlabel("G-score", color=_INK)
        axes.tick_params(colors=_INK)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.spines["left"].set_color(_INK)
        axes.legend(frameon=False, labelcolor=_INK, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _adapt(buffer.getvalue(), bars)


def _adapt(picture: str, bars: Bars) -> str:
    """Take the page's colours and font, and say in words what is to be seen."""
    picture = " ".join(_CLUTTER.sub("", picture).split())
    picture = _DIGITS.sub(r"\1", picture)
    picture = re.sub(r'<g id="[^"]*"', "<g", picture)
    picture = _OWN_FONT.sub(r"font-size: \1", picture)
    for colour, name in _COLOURS.items():
        picture = picture.replace(colour, name)
    label = f"Shares of placements by G-score, {bars.up_title} up and {bars.down_title} down, logarithmic"
    view = re.search(r'viewBox="[^"]*"', picture)
    assert view is not None
    return re.sub(r"<svg [^>]*>", f'<svg {view[0]} role="img" aria-label="{label}" {_LINKS}>', picture, count=1)
