"""Own tables as docs/format.md describes them, read by the program that knows that page alone."""

import hashlib
from pathlib import Path

import chess

from tbgen.index.kings import FIXED, PAIRS
from tbgen.probe.own import number_in_slice, pawns_of, views_of
from tbgen.store import open_table
from tbgen.store.own import list_own
from tests.store.test_format import Reader
from tests.support.own_tables import RACE, keep_alone, spread

TWO = "8/8/3k4/3p4/P7/8/3K4/8 w - - 4 60"


def test_the_page_finds_the_same_numbers_and_the_key(tmp_path: Path) -> None:
    keep_alone(tmp_path, RACE)
    keep_alone(tmp_path, TWO)
    for one, start in zip(list_own(tmp_path), (RACE, RACE, TWO, TWO), strict=True):
        reader = Reader(one.path)
        assert reader.attributes["bound"].decode() == one.bound
        rows = sorted(reader.index["pawns"])
        told = [reader.attributes["material"].decode(), *(" ".join(map(str, row)) for row in rows), "-", "-"]
        assert hashlib.sha256("\n".join(told).encode()).hexdigest()[:16] == one.key
        with open_table(one.path) as table:
            assert table.own is not None
            for board in spread(start, 20):
                _, views = views_of(board)
                found = set()
                for seen in views:
                    if pawns_of(seen.board) in table.own.placements:
                        part = table.own.placements.index(pawns_of(seen.board))
                        number = 2 * PAIRS[FIXED] * table.layout.inner * part + number_in_slice(
                            seen.board, table.layout
                        )
                        found.add((number, *table.look(number)[:2]))
                seen = views[0]
                squares = [
                    chess.SquareSet(seen.board.pieces(chess.Piece.from_symbol(man).piece_type, man.isupper()))
                    for man in reader.men
                ]
                number = reader.number([min(one) for one in squares], int(not seen.board.turn))
                chunk, place = divmod(number, reader.width)
                outcome, distance, _ = reader.chunk(chunk)[place]
                assert (number, outcome, distance) in found
