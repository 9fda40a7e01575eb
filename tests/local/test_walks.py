"""Where pawns can walk."""

from itertools import combinations

import pytest

from tbgen.beyond.local import walks
from tbgen.beyond.local.walks import AllFrom, closed

START = ((8, 26), (48, 51))
"""a2 and c4 against a7 and d7."""


def test_a_slice_is_found_without_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among all that these pawns could have on their files and one more."""
    listed, those = closed({START}), AllFrom(START)
    monkeypatch.setattr(walks, "_all_from", None)
    squares = [square for square in range(8, 56) if square % 8 in (0, 2, 3)]
    asked = [(white, black) for white in combinations(squares, 2) for black in combinations(squares, 2)]
    assert {one for one in asked if one in those} == listed
    assert all(one not in those for one in (None, (), ((8,), (48, 51)), ((26, 8), (48, 51)), [*START]))


def test_what_it_has_with_others_is_a_set() -> None:
    listed = closed({START})
    assert AllFrom(START) & listed == AllFrom(START) | listed == listed
    assert AllFrom(START) - listed == set()
