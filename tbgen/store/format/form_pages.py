"""Forms in pages of equal length, so that a reader finds each by its number and reads no other page.

A page is deflated; docs/format.md says what it holds. The number of a form is that of its page times FORMS_PER_PAGE,
plus its index there."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from zlib_ng import zlib_ng

from tbgen.store.format.planes import joined, planes_of
from tbgen.store.format.schema import CHECK, FORM_PAGE, FORMS_PER_PAGE, LEVEL, RAW, check_of
from tbgen.store.format.shapes import MOST_STEPS, Forms, check

_COUNT: Final = 2
"""Bytes of how many forms a page has."""
_STEP: Final = 4
_LARGEST: Final = _COUNT + FORMS_PER_PAGE * (1 + MOST_STEPS * _STEP)
"""Bytes of a page before compression, at most."""
_HOLDER_AT: Final = 2


def unpack_page(page: bytes) -> Forms:
    """ValueError if it has changed, or no writer can have made it."""
    if len(page) != FORM_PAGE or check_of(page[CHECK:]) != page[:CHECK]:
        raise ValueError("a page of forms has changed since it was written")
    try:
        raw = zlib_ng.decompressobj(RAW).decompress(page[CHECK:], _LARGEST)
    except zlib_ng.error as error:  # type: ignore[misc]  # its stub has no class here
        raise ValueError(str(error)) from error
    count = int.from_bytes(raw[:_COUNT], "little")
    if not 0 < count <= min(FORMS_PER_PAGE, len(raw) - _COUNT):
        raise ValueError("a page of forms is none")
    steps = np.frombuffer(raw, np.uint8, count, _COUNT)
    total, at = int(steps.sum(dtype=np.int64)), _COUNT + count
    if at + _STEP * total != len(raw):
        raise ValueError("a page of forms is none")
    how = np.frombuffer(raw, np.uint8, total, at)
    level = np.frombuffer(raw, np.uint8, total, at + total)
    outcome = joined(raw, at + 2 * total, total, 2).view(np.int16) if total else np.zeros(0, np.int16)
    holder, source = how >> np.uint8(_HOLDER_AT), how & np.uint8(3)
    forms = Forms(steps, holder, level, outcome, source)
    check(forms)
    return forms


def pack_pages(forms: Forms) -> Iterator[tuple[range, bytes]]:
    """Page after page, each with as many forms as fit: which these are, and the page."""
    first, at, count, guess = 0, 0, len(forms.steps), FORMS_PER_PAGE
    while first < count:
        fits, page = 0, b""
        too_many = min(FORMS_PER_PAGE, count - first) + 1
        guess = min(max(guess, 1), too_many - 1)
        while fits + 1 < too_many:
            made = _packed(forms, range(first, first + guess), at)
            if len(made) <= FORM_PAGE - CHECK:
                fits, page = guess, made
                # towards what fills it, and at least half of the way
                guess = max((fits + too_many) // 2, fits + 1)
                if (too_many - fits) * 32 <= too_many:  # nearly full
                    break
            else:
                too_many = guess
                guess = max((fits + too_many) // 2, 1)
            guess = min(guess, too_many - 1)
        if not fits:
            raise ValueError("a form does not fit into a page")
        body = page.ljust(FORM_PAGE - CHECK, b"\0")
        yield range(first, first + fits), check_of(body) + body
        at += int(forms.steps[first : first + fits].sum(dtype=np.int64))
        first, guess = first + fits, fits


def _packed(forms: Forms, some: range, at: int) -> bytes:
    """Some forms; `at` is where their steps begin."""
    count = forms.steps[some.start : some.stop]
    steps = slice(at, at + int(count.sum(dtype=np.int64)))
    how = forms.source[steps] | forms.holder[steps] << _HOLDER_AT
    columns = [count, how, forms.level[steps], *planes_of(forms.outcome[steps], 2)]
    packer = zlib_ng.compressobj(LEVEL, zlib_ng.DEFLATED, RAW)
    raw = len(some).to_bytes(_COUNT, "little") + b"".join(column.tobytes() for column in columns)
    return packer.compress(raw) + packer.flush()
