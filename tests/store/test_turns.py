"""Parts of a whole are those of slicing, though none is made before it is asked for."""

import pytest

from tbgen.system.parallel import pieces, ranges


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize("whole", [range(0), range(5, 6), range(3, 24)])
def test_parts_are_those_of_slicing(whole: range, size: int) -> None:
    parts, slices = ranges(whole, size), pieces(len(whole), size)
    expected = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert list(parts) == [whole[here] for here in slices] == expected
    assert len(parts) == len(slices) == len(expected)
    assert list(reversed(parts)) == expected[::-1]
    assert parts[:2] == expected[:2]
    for nth in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError):
            parts[nth]
    if expected:
        assert (parts[0], parts[-1]) == (expected[0], expected[-1])


def test_millions_of_parts_take_no_time() -> None:
    many = pieces(1 << 62)
    assert many[-1] == slice((1 << 62) - (1 << 22), 1 << 62)
    assert len(many) == 1 << 40
