"""What a word that is not understood was perhaps meant to be."""

from collections.abc import Iterable, Mapping


def hint(word: str, known: Iterable[str] = (), otherwise: Mapping[str, str] | None = None) -> str:
    """`did you mean fetch? `, or nothing: what `otherwise` has for the word, else a known word that is much like it."""
    from difflib import get_close_matches  # late: few words are not understood

    found = [(otherwise or {}).get(word.strip().casefold()), *get_close_matches(word, known, 1)]
    return next((f"did you mean {one}? " for one in found if one), "")
