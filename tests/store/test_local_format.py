"""Local tables as docs/format.md describes them, read by the program that knows that page alone."""

import hashlib
from pathlib import Path

import chess
import pytest

from tbgen.probe import open_tablebase
from tbgen.store.local import list_local
from tests.support.format_reader import Reader
from tests.support.local_tables import RACE, keep_alone, spread

pytestmark = pytest.mark.usefixtures("no_bundle")

TWO = "8/8/3k4/3p4/P7/8/3K4/8 w - - 4 60"


@pytest.mark.parametrize("start", [RACE, TWO])
def test_the_page_says_what_a_probe_does(start: str, tmp_path: Path) -> None:
    """The key, what is in the file, and what it says of positions of either colour, mirrored or not."""
    keep_alone(tmp_path, start)
    boards = [*spread(start, 3)]
    sure: dict[str, set[int]] = {board.fen(): set() for board in boards}
    for one in list_local(tmp_path):
        reader = Reader(one.path)
        local = reader.notes()["local"]
        slices = local.pop("slices")
        assert local == {"key": one.name.key, "complete": [], "tables": []}
        lines = (" ".join(map(str, row)) for row in sorted(slices))
        assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8] == one.name.slices
        assert reader.words["bound"] == one.name.bound
        for board in boards:
            normal = sorted(man for man in reader.men if man.isupper())
            swapped = normal != sorted(man.symbol() for man in board.piece_map().values() if man.color)
            seen = board.mirror() if swapped else board
            squares = [min(seen.pieces(chess.Piece.from_symbol(man).piece_type, man.isupper())) for man in reader.men]
            chunk, place = divmod(reader.number(squares, int(not seen.turn)), reader.width)
            relative, *_ = reader.chunk(chunk)[place]
            sure[board.fen()].add(relative if board.turn else -relative)
    with open_tablebase(tmp_path) as tables:
        for board in boards:
            found = tables.sure(board)
            assert found is not None
            assert {found.sure.white, found.sure.black} == sure[board.fen()]
