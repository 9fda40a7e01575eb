"""Forms of an open file, page by page."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import Make
from tbgen.store.format.form_pages import unpack_page
from tbgen.store.format.schema import FORM_PAGE, FORMS_PER_PAGE
from tbgen.store.format.shapes import Forms, no_forms
from tbgen.store.read.cache import Cache


class _Page(NamedTuple):
    forms: Forms
    start: NDArray[np.int64]
    """`[form]`: where its steps begin; one more entry than forms."""


_PAGES: Final[Cache[_Page]] = Cache(64 << 20)
_MANY: Final = 512
"""Pages, wanted together by whoever reads a large table as a whole: each stretch of KRRvKRR needs thousands of its
71,464."""
_MOST: Final = 1 << 30
"""Bytes of such pages that are kept; those of KRRvKRR take 0.8 GB."""
_SPARE: Final = 1.25
"""Columns grow by so much when they are full."""
_OVERHEAD: Final = 1000
"""Bytes of memory that a page takes beside its columns."""


class _Gathered:
    """Many pages of a table, one behind the other, in the order in which they came: to lay them together anew for each
    stretch of the table took a third of its reading. Safe for threads."""

    def __init__(self, pages: int, make: Make) -> None:
        self._pages = pages
        self._make = make
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        self._first = self._counts = np.zeros(0, np.int64)
        """`[page]`: its first form here, -1 if it is not here; how many forms it has. Empty until pages are loaded: few
        who open a table read all of it."""
        self._forms = no_forms()
        """They and `_start` have more room than is taken."""
        self._start = np.zeros(1, np.int64)
        """`[form]`: where its steps begin."""
        self._count = self._steps = 0

    def load(
        self,
        page: NDArray[np.int64],
        index: NDArray[np.int64],
        different: NDArray[np.int64],
        unpacked: Callable[[int], Forms],
    ) -> Forms:
        """The forms with these pages, and indices in them. `different`: the pages, each once."""
        with self._lock:
            if sum(column.nbytes for column in (*self._forms, self._start)) > _MOST:
                self.forget()
            if not len(self._first):
                self._first, self._counts = np.full(self._pages, -1), np.zeros(self._pages, np.int64)
            for number in different[self._first[different] < 0].tolist():
                self._add(number, unpacked(number))
            if (index >= self._counts[page]).any():
                raise ValueError("it has no such form")
            return self._forms.taken(self._first[page] + index, self._start)

    def _add(self, page: int, forms: Forms) -> None:
        count = len(forms.steps)
        known: tuple[NDArray[Any], ...] = self._forms
        more: tuple[NDArray[Any], ...] = forms
        self._forms = Forms(*map(self._with, known, [self._count, *[self._steps] * 4], more))
        self._start = self._with(self._start, self._count, self._steps + forms.start)
        self._first[page], self._counts[page] = self._count, count
        self._count, self._steps = self._count + count, self._steps + len(forms.level)

    def _with(self, column: NDArray[Any], used: int, more: NDArray[Any]) -> NDArray[Any]:
        """The column with more behind what is used of it, or a longer one."""
        end = used + len(more)
        if len(column) < end:
            longer = self._make(int(_SPARE * end), column.dtype)
            longer[:used] = column[:used]
            column = longer
        column[used:end] = more
        return column


class FormReader:
    def __init__(self, read: Callable[[int, int], bytes], pages: int, key: int, make: Make) -> None:
        """`read`: gives bytes of their section, by offset and length. `key`: of the first page, in the cache. `make`
        gives arrays for the many that whoever reads a whole table needs together."""
        self._read = read
        self._pages = pages
        self._key = key
        self._gathered = _Gathered(pages, make)

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
        if len(different) > _MANY:
            return self._gathered.load(wanted, index, different, self._unpacked)
        pages = [self._page(number).forms for number in different.tolist()]
        counts = np.array([len(page.steps) for page in pages])
        if (index >= counts[which]).any():
            raise ValueError("it has no such form")
        begin = np.cumsum(counts) - counts
        return Forms(*map(np.concatenate, zip(*pages, strict=True))).taken(begin[which] + index)

    def _one(self, number: int) -> Forms:
        """The same of a single one, in a tenth of the time."""
        if not number:
            return no_forms()
        page, index = self._page(number // FORMS_PER_PAGE), number % FORMS_PER_PAGE
        if index >= len(page.forms.steps):
            raise ValueError("it has no such form")
        here = slice(page.start[index], page.start[index + 1])
        steps, holder, level, outcome, source = page.forms
        return Forms(steps[index : index + 1], holder[here], level[here], outcome[here], source[here])

    def _unpacked(self, number: int) -> Forms:
        return unpack_page(self._read(number * FORM_PAGE, FORM_PAGE))

    def _page(self, number: int) -> _Page:
        page = _PAGES.get(self._key + number)
        if page is None:
            forms = self._unpacked(number)
            page = _Page(forms, np.append(0, np.cumsum(forms.steps, dtype=np.int64)))
            size = _OVERHEAD + page.start.nbytes + sum(column.nbytes for column in forms)
            _PAGES.put(self._key + number, page, size)
        return page

    def forget(self) -> None:
        _PAGES.drop(self._key, self._key + self._pages)
        self._gathered.forget()
