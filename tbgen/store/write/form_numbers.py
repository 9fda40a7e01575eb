"""The forms of a table, numbered in the order in which its chunks have them."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import Make
from tbgen.store.format.form_pages import pack_pages
from tbgen.store.format.planes import bytes_for
from tbgen.store.format.schema import FORMS_PER_PAGE
from tbgen.store.format.shapes import EVEN, Forms, by_step
from tbgen.store.write.aside import Aside, pieces
from tbgen.store.write.kernels import SAME_AT, Rows
from tbgen.store.write.rising import Rising
from tbgen.store.write.staircases import make_forms
from tbgen.system.parallel import ranges

_MERGED: Final = 1 << 12
"""Chunks whose forms are merged at a time."""


class FormNumbers(NamedTuple):
    """The forms of a table, and how a kind leads to its form."""

    keys: NDArray[np.int64]
    """The kinds' upper parts, in rising order."""
    rank: NDArray[np.int32]
    """`[key]`: which form it is."""
    numbers: NDArray[np.int64]
    """`[form]`: its number in the file."""
    steps: NDArray[np.uint8]
    """`[form, nth]`: the step whose distance is the nth that is stored, if there is one."""
    beside: NDArray[np.uint8]
    """`[form]`: how many distances are stored beside the fresh one."""
    bytes: int
    """Of a number in the file; 0 if no form has steps."""

    def of(self, kinds: NDArray[np.int64]) -> NDArray[np.int32]:
        """The form of each kind."""
        return self.rank[np.searchsorted(self.keys, kinds >> SAME_AT)]


def number_forms(rows: Rows, kinds: Aside[np.int64], make: Make) -> tuple[FormNumbers, Aside[np.uint8]]:
    """The forms that these kinds have, `kinds[chunk]`, and the pages of forms: none if no form has steps."""
    keys, rising = _by_appearance(kinds, make)
    rank: NDArray[np.int32] = make(len(keys), np.int32)
    for here in pieces(len(keys)):
        order = np.argsort(keys[here])  # each search ends near the one before
        rank[np.searchsorted(rising, keys[here][order])] = here.start + order
    forms = make_forms(rows, keys, make)
    numbers: NDArray[np.int64] = make(len(keys), np.int64)
    pages = Aside(make, np.uint8)
    for some, page in pack_pages(forms):
        numbers[some.start : some.stop] = len(pages) * FORMS_PER_PAGE + np.arange(len(some))
        pages.append(np.frombuffer(page, np.uint8))
    length = bytes_for(int(numbers.max()))
    found = FormNumbers(rising, rank, numbers, *_stored_steps(forms, make), length)
    return found, pages if length else Aside(make, np.uint8)


def _by_appearance(kinds: Aside[np.int64], make: Make) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys of all forms, in the order in which they come up, so that neighbouring chunks use the same pages of
    forms; that of no steps is the first. And the same in rising order."""
    rising, found = Rising(make, np.int64), Aside(make, np.int64)
    found.append(rising.values)
    for chunks in ranges(range(len(kinds)), _MERGED):
        every = np.concatenate([kinds[chunk] for chunk in chunks])
        keys, where = np.unique(every >> SAME_AT, return_index=True)
        new = rising.add(keys)
        found.append(keys[new][np.argsort(where[new])])
    keys, end = make(len(rising.values), np.int64), 0
    for one in found:
        keys[end : end + len(one)] = one
        end += len(one)
    return keys, rising.values


def _stored_steps(forms: Forms, make: Make) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """`steps` and `beside` of `FormNumbers`."""
    beside: NDArray[np.uint8] = make(len(forms.steps), np.uint8)
    for here, part in forms.parts():
        beside[here] = part.stored()
    most = int(beside.max())
    steps: NDArray[np.uint8] = make(len(beside) * most, np.uint8).reshape(len(beside), most)
    for here, part in forms.parts():
        column, _ = part.distances()
        for step, (having, at) in enumerate(by_step(part.start, part.steps)):
            own = part.source[at] >= EVEN
            steps[here][having[own], column[at[own]] - 1] = step
    return steps, beside
