"""`tbgen verify` within bounds: of memory, and of what a sample asks for."""

from argparse import Namespace

import pytest

from tbgen.cli.common import memory_of
from tbgen.errors import BadInput


@pytest.mark.parametrize(
    ("words", "size"), [("4G", 4 << 30), ("800m", 800 << 20), ("1.5GiB", 3 << 29), ("65536", 65536), ("1kB", 1024)]
)
def test_sizes_of_memory(words: str, size: int) -> None:
    assert memory_of(Namespace(memory=words)) == size


@pytest.mark.parametrize("words", ["", "much", "0", "-1G", "4P", "1e9", "G"])
def test_sizes_of_memory_that_are_none(words: str) -> None:
    with pytest.raises(BadInput, match="--memory"):
        memory_of(Namespace(memory=words))
