"""Equal rows of steps have one form, others another, whatever their hashes are."""

import tracemalloc
from collections.abc import Callable
from concurrent.futures import Executor, Future
from mmap import mmap
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from tbgen.core.table_contents import Steps
from tbgen.store.format import shapes
from tbgen.store.write import aside, form_numbers, staircases
from tbgen.store.write import find_forms as find_forms_module
from tbgen.store.write.aside import Aside
from tbgen.store.write.find_forms import find_forms
from tbgen.store.write.form_numbers import number_forms
from tbgen.store.write.kernels import SAME_AT
from tbgen.store.write.staircases import make_rows

MASK = (1 << 64) - 1


def hashed(word: int) -> int:
    """The first hash of a row of one step."""
    found = word * 0x9E3779B97F4A7C15 & MASK
    return found ^ found >> 29


def forms_of(rows: list[list[int]]) -> list[int]:
    length = np.array([len(row) for row in rows], np.uint8)
    steps = np.array([word for row in rows for word in row], np.uint64)
    form, model = find_forms(np.append(0, np.cumsum(length, dtype=np.int64))[:-1], length, lambda at: steps[at])
    for number, row in zip(form, rows, strict=True):
        assert rows[model[number]] == row
    return form.tolist()


def test_equal_rows_have_one_form() -> None:
    rows = [[3, 5], [], [5, 3], [3, 5], [3], [3, 5, 1], [], [3]]
    form = forms_of(rows)
    assert form[1] == form[6] == 0
    assert form[0] == form[3]
    assert form[4] == form[7]
    assert len(set(form)) == 5


def test_rows_whose_first_hashes_are_equal_are_told_apart() -> None:
    one = [7, 11]
    other = [9, hashed(7) ^ hashed(9) ^ 11]
    form = forms_of([one, other, one, other])
    assert form[0] == form[2] != form[1] == form[3]


def test_forms_need_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table may have hundreds of millions, so what is known of each lies in arrays that can leave memory: here, in
    mappings, which are not counted."""
    for module, name, small in (
        (aside, "_PIECE", 1 << 10),
        (shapes, "_PIECE", 1 << 10),
        (find_forms_module, "_FEW", 1 << 10),
        (find_forms_module, "_MANY", 1 << 10),
        (form_numbers, "_MERGED", 1),
        (staircases, "_AHEAD", 1),
    ):
        monkeypatch.setattr(module, name, small)
    few, many = 10_000, 40_000
    _bytes_for_forms(few)  # whatever is made once
    assert _bytes_for_forms(many) - _bytes_for_forms(few) < (many - few) // 2


class _AtOnce(Executor):
    """Runs what it is given: threads may have more or less waiting."""

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        done = Future[Any]()
        done.set_result(call(*given, **named))
        return done


def _bytes_for_forms(count: int) -> int:
    """The most memory that forms take beside mappings, if so many staircases have one each: while these are found, and
    after that."""

    def make(count: int, kind: DTypeLike) -> NDArray[Any]:
        return np.frombuffer(mmap(-1, max(1, count * np.dtype(kind).itemsize)), kind, count)

    start = make(count + 1, np.int64)
    start[1:] = 2 * np.arange(count)
    steps = Steps(start, *(make(2 * (count - 1), kind) for kind in (np.uint8, np.uint8, np.int16, np.uint16)))
    nth = np.arange(count - 1)
    for step, outcome in enumerate((nth // 200, nth % 200)):
        steps.level[step::2], steps.outcome[step::2], steps.distance[step::2] = step, outcome, step
    with _AtOnce() as pool:
        tracemalloc.start()
        rows = make_rows(steps, make, pool)
        finding = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        kinds = Aside(make, np.int64)
        kinds.extend(np.arange(here.start, here.stop) << rows.marks + SAME_AT for here in aside.pieces(count))
        found, _ = number_forms(rows, kinds, make)
        numbering = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(found.keys) == len(rows.form_length) == count
    return finding + numbering
