"""Contents that no solver has made: anything the store must be able to keep."""

import itertools

import numpy as np

from tbgen.core.material import parse
from tests.support.contents import random_contents, steps_at


def test_the_contents_have_all_that_the_format_tells_apart() -> None:
    contents = random_contents(parse("KQvK"), seed=1, staircases=300)
    legal = contents.entries != 0
    assert 0.7 < legal.mean() < 0.9
    assert not contents.staircases[~legal].any()
    staircases = [(int(contents.entries[n]), steps_at(contents, n)) for n in np.flatnonzero(contents.staircases)[:2000]]
    fresh = sum((step[2] * 65536 + step[3]) == entry for entry, steps in staircases for step in steps)
    again = sum(a[2:] == b[2:] for _, steps in staircases for a, b in itertools.pairwise(steps))
    assert fresh > 3
    assert again > 1000
    assert {len(steps) for _, steps in staircases} == set(range(1, 9))
    assert all(sorted(level) == level for _, steps in staircases for level in [[step[1] for step in steps]])
