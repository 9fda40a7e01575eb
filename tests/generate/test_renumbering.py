"""Builds that were stopped while links became numbers go on with the links, and only with what is sound."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tbgen.generate import renumbering
from tbgen.index import layout_of
from tbgen.retro import export
from tbgen.store import table_path
from tbgen.system import output_files
from tests.support.stopped import KPVK, Enough, build, go_on, journal_of, stop


def stop_numbering(place: Path, after: int) -> None:
    """Stop a build while links become numbers, or numbers links again; some thousand positions have been written down
    so often, and those of the last time have become what nobody knows."""
    left = after
    keep = renumbering.keep

    def counted(work: Path, start: int, links: np.ndarray) -> None:
        nonlocal left
        keep(work, start, links)
        left -= 1
        if not left:
            raise Enough

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renumbering, "keep", counted)
        stop(place, 0)
    with (journal_of(place).parent / "staircases").open("r+b") as file:
        start, count = numbered_in(place)
        file.seek(4 * start)
        file.write(b"\xff" * 4 * count)


def numbered_in(place: Path) -> tuple[int, int]:
    """The first of the positions that were next, and how many they were."""
    data = (journal_of(place).parent / "numbered").read_bytes()
    return int.from_bytes(data[:8], "little"), (len(data) - 12) // 4


@pytest.fixture
def few_together(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(export, "TOGETHER", 10_000)
    return -(-layout_of(KPVK).size // 10_000)


@pytest.mark.parametrize("again", [None, 1, 4])
@pytest.mark.parametrize("stop_after", [1, 6, -1])
def test_numbers_become_links_again(
    place: Path, expected: bytes, few_together: int, stop_after: int, again: int | None
) -> None:
    stop_numbering(place, stop_after % (few_together + 1))
    if again and again < numbered_in(place)[0] // 10_000:
        stop_numbering(place, again)
    assert go_on(place) == [*range(layout_of(KPVK).slices)]
    assert not {"ends", "numbered", "numbered.new"} & {path.name for path in journal_of(place).parent.iterdir()}
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_numbers_are_on_the_disk_before_the_next_are_given(
    place: Path, few_together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, done = ["staircases", "ends", "numbered"], list[str]()

    def sync(path: Path) -> None:
        done.append(path.name)
        output_files.sync(path)

    def renew(path: Path, parts: list[Any]) -> None:
        done.append(path.name)
        output_files.renew(path, parts)

    monkeypatch.setattr(renumbering, "sync", sync)
    monkeypatch.setattr(renumbering, "renew", renew)
    build(place)
    assert done == order * few_together


def test_links_are_put_back_where_they_last(place: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the file for them is missing, and slices that are solved again bring another."""
    monkeypatch.setattr(export, "TOGETHER", layout_of(KPVK).size // 2)
    stop_numbering(place, 1)
    (journal_of(place).parent / "staircases").unlink()
    assert numbered_in(place) == (0, layout_of(KPVK).size // 2)
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


@pytest.mark.parametrize("name", ["ends", "numbered", "staircases"])
@pytest.mark.parametrize("harm", ["gone", "empty", "half", "another", "changed"])
def test_what_the_links_were_is_not_believed(
    place: Path, expected: bytes, few_together: int, name: str, harm: str
) -> None:
    stop_numbering(place, few_together)
    path = journal_of(place).parent / name
    data = path.read_bytes()
    changed = data[:16] + bytes([data[16] ^ 1]) + data[17:]
    path.unlink()
    if harm != "gone":
        found = {"empty": b"", "half": data[: len(data) // 2], "another": data[::-1], "changed": changed}
        path.write_bytes(found[harm])
    assert go_on(place) != [*range(layout_of(KPVK).slices)]
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected
