"""What a build notes: numbers and short texts, by name."""

from collections.abc import Mapping
from typing import Any, Final

Facts = Mapping[str, int | float | str]
"""Numbers and texts by name."""

_MOST: Final = 1000
_LONGEST: Final = 4096
"""Characters of a text."""


def read_facts(told: Any) -> dict[str, int | float | str]:
    """ValueError if no build can have noted that."""
    if not isinstance(told, dict) or len(told) > _MOST or not all(map(_is_fact, told.items())):
        raise ValueError("its notes are none")
    return told


def _is_fact(item: tuple[str, Any]) -> bool:
    name, value = item
    if not name:
        return False
    if type(value) in (int, float):
        small: bool = abs(value) < 1 << 63  # not so infinity, and what is no number
    else:
        small = is_text(value)
    return small and is_text(name)


def is_text(value: Any) -> bool:
    """Whether it is one that can be shown in a line."""
    return type(value) is str and len(value) <= _LONGEST and value.isprintable()
