"""What has been published about r-mobility endgames, asked of real tables."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.probe import Tablebase, open_tablebase
from tbgen.store import open_table, table_path


@pytest.fixture(scope="module")
def tablebase(small_tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(small_tables) as opened:
        yield opened


def histogram(directory: Path, material: str) -> Counter[str]:
    """How often each G-score occurs, whoever holds it."""
    with open_table(table_path(directory, parse(material), "r")) as table:
        entries = table.entries()
    values, counts = np.unique(abs(entries[entries != 0] >> 16), return_counts=True)
    return Counter({outcome.text(value): count for value, count in zip(values.tolist(), counts.tolist(), strict=True)})


def longest_mate(directory: Path, material: str) -> tuple[int, set[bool]]:
    """The longest way to mate in plies, and whether the mating side is to move there."""
    with open_table(table_path(directory, parse(material), "r")) as table:
        entries = table.entries()
    mates = entries[abs(entries >> 16) == outcome.BASE]
    longest = int((mates & 0xFFFF).max())
    return longest, {entry > 0 for entry in mates[mates & 0xFFFF == longest].tolist()}


@pytest.mark.parametrize(
    ("fen", "gscore", "dtg"),
    [
        ("8/8/8/2K3k1/8/8/8/8 w – – 0 1", "-G8.5", 0),
        ("8/6k1/8/4K3/8/8/8/8 b – – 0 1", "G5.5", None),
        ("8/8/8/4KBk1/8/8/8/8 b – – 0 1", "G1.5", 4),
        ("6k1/8/5K2/5B2/8/8/8/8 b – – 0 1", "G0.5", 8),
        ("8/8/8/2kNK3/8/8/8/8 b – – 0 1", "G3.5", None),
        ("4k3/4P3/4K3/8/8/8/8/8 b – – 0 1", "G0.5", 0),
    ],
)
def test_positions(tablebase: Tablebase, fen: str, gscore: str, dtg: int | None) -> None:
    """With the dashes that the page has."""
    result = tablebase.probe(fen)
    assert result.gscore == gscore
    assert result.exact
    if dtg is not None:
        assert result.dtg == dtg
        assert result.stands == (dtg == 0)


@pytest.mark.parametrize(
    ("fen", "line", "gscore"),
    [
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 1", "Kh5 Kf4 Kh6 Kg4", "G1.5"),
        ("6k1/8/5K2/5B2/8/8/8/8 b - - 0 1", "Kf8 Bd7 Kg8 Be6+ Kh7 Bf7 Kh8 Kg6", "G0.5"),
    ],
)
def test_published_lines_are_best_play(tablebase: Tablebase, fen: str, line: str, gscore: str) -> None:
    board, record = chess.Board(fen), None
    sans = line.split()
    for plies, san in zip(range(len(sans), 0, -1), sans, strict=True):
        result = tablebase.probe(board, record, moves=True)
        assert (result.gscore, result.dtg) == (gscore, plies)
        assert result.moves
        played = {board.san(move.move): move for move in result.moves}[san]
        assert (played.gscore, played.dtg) == (gscore, plies)
        board.push(played.move)
        record = played.record
    assert record is not None
    assert outcome.text(record) == gscore


def test_the_side_behind_may_not_go_near(tablebase: Tablebase) -> None:
    board = chess.Board("8/8/8/2K3k1/8/8/8/8 w - - 0 1")
    record = tablebase.probe(board).record
    for san in ("Kd5", "Kf5"):
        board.push_san(san)
    result = tablebase.probe(board, record)
    assert (result.gscore, result.stands) == ("-G5.5", True)


def test_bare_kings(small_tables: Path) -> None:
    found = histogram(small_tables, "KvK")
    assert set(found) == {"G5.5", "G3.5", "G8.5", "G2.5", "G1.5", "G4.5"}
    assert found["G5.5"] > found.total() / 2


def test_a_knight(small_tables: Path) -> None:
    found = histogram(small_tables, "KNvK")
    assert found["G3.5"] > found.total() / 2
    assert found["G1.5"] > found["G2.5"] > found["G0.5"] > 0
    for rare in ("G2.0", "G3.0", "G1.0"):
        assert 0 < found[rare] < found.total() / 400


def test_two_knights_mate_in_one_or_not_at_all(small_tables: Path) -> None:
    longest, mover_mates = longest_mate(small_tables, "KNNvK")
    assert (longest, mover_mates) == (1, {True})
    found = histogram(small_tables, "KNNvK")
    assert found["G0.5"] > 0.85 * found.total()


@pytest.mark.parametrize(("material", "moves"), [("KQvK", 10), ("KRvK", 16), ("KPvK", 28)])
def test_longest_mates(small_tables: Path, material: str, moves: int) -> None:
    """All with Black to move."""
    assert longest_mate(small_tables, material) == (2 * moves, {False})
