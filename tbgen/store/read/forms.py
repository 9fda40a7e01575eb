"""Forms of an open file, page by page."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.form_pages import unpack_page
from tbgen.store.format.schema import FORM_PAGE, FORMS_PER_PAGE
from tbgen.store.format.shapes import Forms, no_forms
from tbgen.store.read.cache import Cache


class _Page(NamedTuple):
    forms: Forms
    start: NDArray[np.int64]
    """`[form]`: where its steps begin; one more entry than forms."""


_PAGES: Final[Cache[_Page]] = Cache(64 << 20)
_OF_WHOLE: Final[Cache[_Page]] = Cache(1 << 30)
"""Of large tables that are read as a whole: each stretch of KRRvKRR needs thousands of its 71,464 pages, 0.8 GB in
memory."""
_MANY: Final = 512
"""Pages, wanted together by whoever reads such a table."""
_OVERHEAD: Final = 1000
"""Bytes of memory that a page takes beside its columns."""


class FormReader:
    def __init__(self, read: Callable[[int, int], bytes], pages: int, key: int) -> None:
        """`read`: gives bytes of their section, by offset and length. `key`: of the first page, in the cache."""
        self._read = read
        self._pages = pages
        self._key = key

    @property
    def count(self) -> int:
        """As many forms, at most: their numbers are below that."""
        return self._pages * FORMS_PER_PAGE

    def load(self, numbers: NDArray[np.int64]) -> Forms:
        """The forms with these numbers, all below `count`; ValueError if the file does not have one."""
        if len(numbers) == 1:
            return self._one(int(numbers[0]))
        if not numbers.any():
            return no_forms().taken(np.zeros(len(numbers), np.int64))
        wanted, index = numbers // FORMS_PER_PAGE, numbers % FORMS_PER_PAGE
        different, which = np.unique(wanted, return_inverse=True)
        cache = _OF_WHOLE if len(different) > _MANY else _PAGES
        pages = [self._page(number, cache).forms for number in different.tolist()]
        counts = np.array([len(page.steps) for page in pages])
        if (index >= counts[which]).any():
            raise ValueError("it has no such form")
        begin = np.cumsum(counts) - counts
        return Forms(*map(np.concatenate, zip(*pages, strict=True))).taken(begin[which] + index)

    def _one(self, number: int) -> Forms:
        """The same of a single one, in a tenth of the time."""
        if not number:
            return no_forms()
        page, index = self._page(number // FORMS_PER_PAGE, _PAGES), number % FORMS_PER_PAGE
        if index >= len(page.forms.steps):
            raise ValueError("it has no such form")
        here = slice(page.start[index], page.start[index + 1])
        steps, holder, level, outcome, source = page.forms
        return Forms(steps[index : index + 1], holder[here], level[here], outcome[here], source[here])

    def _page(self, number: int, cache: Cache[_Page]) -> _Page:
        page = cache.get(self._key + number)
        if page is None:
            forms = unpack_page(self._read(number * FORM_PAGE, FORM_PAGE))
            page = _Page(forms, np.append(0, np.cumsum(forms.steps, dtype=np.int64)))
            size = _OVERHEAD + page.start.nbytes + sum(column.nbytes for column in forms)
            cache.put(self._key + number, page, size)
        return page

    def forget(self) -> None:
        for cache in (_PAGES, _OF_WHOLE):
            cache.drop(self._key, self._key + self._pages)
