"""What a command line says of engines and rules, as `key=value`."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeVar

from tbgen.errors import BadInput, brief, quoted

Number = TypeVar("Number", int, float)

_ANSWERS: Final = {"yes": True, "no": False, "on": True, "off": False, "true": True, "false": False}


def pairs(words: Sequence[str], example: str, known: Collection[str] = ()) -> dict[str, str]:
    """What is said, by key; BadInput for another key than the known ones, if there are any."""
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals or (known and key not in known):
            raise BadInput(f"not understood: {quoted(word)} (one writes key=value, as in {example})")
        found[key] = value
    return found


def number(
    key: str, words: str, kind: Callable[[str], Number], least: float = -math.inf, most: float = math.inf
) -> Number:
    """A number in plain digits: Python would also take those of other scripts, and lines between them."""
    try:
        if not words.isascii() or "_" in words:
            raise ValueError
        found = kind(words)
    except ValueError:
        raise BadInput(f"{key} takes a number, not {quoted(words)}") from None
    if not least <= found <= most:
        raise BadInput(f"{key} cannot be {brief(words)}")
    return found


def answer(key: str, words: str) -> bool:
    if words not in _ANSWERS:
        raise BadInput(f"{key}=yes or {key}=no, not {quoted(words)}")
    return _ANSWERS[words]
