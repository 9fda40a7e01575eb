"""The forms of a table, numbered in the order in which its chunks have them."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make
from tbgen.store.format.form_pages import pack_pages
from tbgen.store.format.planes import bytes_for
from tbgen.store.format.shapes import EVEN, Forms, by_step
from tbgen.store.write.aside import Aside, put_aside
from tbgen.store.write.kernels import SAME_AT, Rows
from tbgen.store.write.staircases import make_forms
from tbgen.turns import pieces

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


def number_forms(rows: Rows, kinds: Aside[np.int64], make: Make) -> tuple[FormNumbers, list[bytes]]:
    """The forms that these kinds have, `kinds[chunk]`, and the pages of forms."""
    keys = _by_appearance(kinds)
    forms = make_forms(rows, keys, make)
    pages, numbers = pack_pages(forms)
    rising = np.argsort(keys)
    in_order = (put_aside(keys[rising], make), put_aside(rising.astype(np.int32), make), put_aside(numbers, make))
    length = bytes_for(int(numbers.max()))
    return FormNumbers(*in_order, *_stored_steps(forms, make), length), pages if length else []


def _by_appearance(kinds: Aside[np.int64]) -> NDArray[np.int64]:
    """The keys of all forms, in the order in which they come up, so that neighbouring chunks use the same pages of
    forms. That of no steps is the first."""
    keys = [np.zeros(1, np.int64)]
    known = keys[0]
    for here in pieces(len(kinds), _MERGED):
        every = np.concatenate([kinds[chunk] for chunk in range(here.start, here.stop)])
        found, where = np.unique(every >> SAME_AT, return_index=True)
        new = known[np.minimum(np.searchsorted(known, found), len(known) - 1)] != found
        keys.append(found[new][np.argsort(where[new])])
        known = np.sort(np.concatenate([known, found[new]]), kind="stable")  # which merges what is sorted
    return np.concatenate(keys)


def _stored_steps(forms: Forms, make: Make) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """`steps` and `beside` of `FormNumbers`."""
    beside = np.concatenate([part.stored() for _, part in forms.parts()])
    most = int(beside.max())
    steps: NDArray[np.uint8] = make(len(beside) * most, np.uint8).reshape(len(beside), most)
    for here, part in forms.parts():
        column, _ = part.distances()
        for step, (having, at) in enumerate(by_step(part.start, part.steps)):
            own = part.source[at] >= EVEN
            steps[here][having[own], column[at[own]] - 1] = step
    return steps, beside
