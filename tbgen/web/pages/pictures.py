"""Pictures of numbers, as SVG that follows the page's colours."""

from collections.abc import Sequence
from html import escape

from tbgen.core import outcome
from tbgen.report.grades import colour_class


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
