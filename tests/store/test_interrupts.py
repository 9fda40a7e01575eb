"""An interrupt, as a notebook sends it, costs the answer that was on its way and no other."""

import sys
from collections.abc import Callable, Iterator
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from zlib_ng import zlib_ng

from tbgen.core.material import parse
from tbgen.core.table_contents import Contents
from tbgen.store import TableFile, open_table, table_path
from tbgen.store.read import cache, chunk, forms, groups, open_file, table
from tbgen.store.write import write_table
from tests.support.contents import random_contents

NUMBERS = range(0, 1 << 14, 199)
TRACED = {module.__file__ for module in (cache, chunk, forms, groups, open_file, table)}

Answer = tuple[tuple[int, int, int], tuple[tuple[int, int, int, int], ...]]
Look = Callable[[], object]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    contents: Contents = random_contents(parse("KNvK"), seed=5, staircases=300, longest=4000)
    path = table_path(tmp_path_factory.mktemp("tables"), contents.material, contents.rules)
    write_table(path, contents, {})
    return path


@pytest.fixture(scope="module")
def expected(path: Path) -> list[Answer]:
    """The answers of readers that nobody has interrupted."""
    with open_table(path) as whole:
        entries = whole.entries()
    found = []
    for number in NUMBERS:
        with open_table(path) as fresh:
            found.append(answer(fresh, number))
        assert found[-1][0][:2] == (entries[number] >> 16, entries[number] & 0xFFFF)
    return found


def answer(opened: TableFile, number: int) -> Answer:
    found = opened.look(number)
    return found, opened.steps_of(found[2])


def interrupted(opened: TableFile) -> int:
    """Ask for everything, whatever comes in between. Returns how often that was an interrupt."""
    count = 0
    for number in NUMBERS:
        try:
            answer(opened, number)
        except KeyboardInterrupt:
            count += 1
    return count


class Inflater:
    """An interrupt arrives while it inflates: Python raises it when it has come back, and what it gave is lost."""

    until = 0

    def __init__(self, how: int) -> None:
        self._stream = zlib_ng.decompressobj(how)

    def decompress(self, data: bytes, length: int) -> bytes:
        found = self._stream.decompress(data, length)
        Inflater.until -= 1
        if Inflater.until == 0:
            raise KeyboardInterrupt
        return found

    @property
    def unconsumed_tail(self) -> bytes:
        return self._stream.unconsumed_tail


class _Module:
    decompressobj = Inflater
    error = zlib_ng.error  # type: ignore[attr-defined]


@pytest.mark.parametrize("after", range(1, 6))
def test_while_a_chunk_is_inflated(
    path: Path, expected: list[Answer], after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk, "zlib_ng", _Module)
    monkeypatch.setattr(Inflater, "until", after)
    with open_table(path) as opened:
        assert interrupted(opened) == 1
        assert [answer(opened, number) for number in NUMBERS] == expected


@pytest.fixture
def line_by_line() -> Iterator[Callable[[int], None]]:
    """Interrupts the reader before the nth line from now on, once."""
    before = sys.gettrace()

    def begin(until: int) -> None:
        left = until

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal left
            if frame.f_code.co_filename not in TRACED:
                return None
            # no interrupt comes between the end of a block and what releases its lock
            if event == "line" and not getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with "):
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt
            return trace

        sys.settrace(trace)

    yield begin
    sys.settrace(before)


@pytest.mark.parametrize("after", range(1, 1200, 11))
def test_between_two_lines(path: Path, expected: list[Answer], after: int, line_by_line: Callable[[int], None]) -> None:
    with open_table(path) as opened:
        line_by_line(after)
        count = interrupted(opened)
        sys.settrace(None)
        assert count == 1
        assert [answer(opened, number) for number in NUMBERS] == expected
