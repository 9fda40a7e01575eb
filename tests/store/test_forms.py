"""Equal rows of steps have one form, others another, whatever their hashes are."""

import numpy as np

from tbgen.store.write.find_forms import find_forms

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
