"""What makes many rows easy to handle: words to filter them by, and a part of the page that scrolls."""

from collections.abc import Iterator
from html import escape


def search(of: str, title: str) -> str:
    """A field that filters the rows of the element with this name (tables.js)."""
    return (
        f'<input type="search" class="filter" placeholder="filter" data-of="{escape(of)}" '
        f'aria-label="Filter: {escape(title)}">'
    )


def scrolled(title: str, inside: Iterator[str]) -> Iterator[str]:
    """By keys as well."""
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
    yield from inside
    yield "</div>"
