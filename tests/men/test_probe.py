"""What tables with men beyond chess say of a board, of many positions, and of either side kept alone."""

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.archive.slim import make_slim
from tbgen.errors import UnsupportedPosition
from tbgen.index.positions import fens, placed
from tbgen.material import parse
from tbgen.men import defined
from tbgen.men.board import FairyBoard
from tbgen.position import level, read
from tbgen.probe import Positions, Tablebase, open_tablebase
from tbgen.prove.position import solve
from tbgen.report.html.boards import board as drawn

WIZARD = defined(["X=WDN"])
NAMES = ("KCvKX", "KHvK", "KJvK")
COMMONER = "8/8/8/4KC1k/8/8/8/8 w - - 0 1"


def some_boards(tables: Tablebase, name: str, count: int) -> list[tuple[int, FairyBoard]]:
    """Numbers that have a position, and these."""
    table = tables.table(parse(name, men=WIZARD))
    numbers = np.array(random.Random(name).sample(range(table.size), count))
    numbers = numbers[np.array([table.look(int(number))[0] for number in numbers]) != 0]
    texts = fens(table.layout, placed(table.layout, numbers))
    found = [(int(number), read(str(text, "ascii"), men=WIZARD)) for number, text in zip(numbers, texts, strict=True)]
    return [(number, board) for number, board in found if isinstance(board, FairyBoard)]


@pytest.mark.parametrize("name", NAMES)
def test_boards_have_the_numbers_of_their_tables(fairy_tables: Path, name: str) -> None:
    with Tablebase(fairy_tables) as tables:
        table = tables.table(parse(name, men=WIZARD))
        boards = some_boards(tables, name, 400)
        assert len(boards) > 200
        for number, board in boards:
            outcome, dtg, _ = table.look(number)
            for one in (board, board.transform(chess.flip_diagonal)):
                found = tables.probe(one)
                assert (found.outcome, found.dtg) == (outcome if one.turn else -outcome, dtg)
            assert tables.probe(board.mirror()).outcome == -tables.probe(board).outcome
            best = tables.probe(board, moves=True)
            if level(board) > 1 and best.dtg:
                assert (best.moves[0].outcome, best.moves[0].dtg) == (best.outcome, best.dtg)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_many_positions_at_once_and_one_side_alone(
    fairy_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    monkeypatch.setenv("TBGEN_MEN", "X=WDN")
    for table in fairy_tables.glob(f"*.{rules}.h5"):
        if make_slim(table, tmp_path / table.name.replace(".h5", ".slim.h5")) is None:
            (tmp_path / table.name).write_bytes(table.read_bytes())
    with open_tablebase(fairy_tables, rules) as whole, open_tablebase(tmp_path, rules) as slim:
        boards = [board for _, board in some_boards(whole, "KCvKX", 60)]
        squares = [
            [next(s for s, man in b.piece_map().items() if man.symbol() == one) for one in "KCkx"] for b in boards
        ]
        asked = Positions("KCvKX", squares, [board.turn for board in boards])
        expected = [whole.probe(board) for board in boards]
        for tables in (whole, slim):
            assert tables.probe_many(asked).outcomes.tolist() == [one.outcome for one in expected]
            assert [tables.probe(board).outcome for board in boards] == [one.outcome for one in expected]


def test_solve_hands_on_what_tables_say_and_proves_nothing_itself(fairy_tables: Path) -> None:
    assert solve(COMMONER, tables=open_tablebase(fairy_tables), time=0).white == "G0.0"
    with pytest.raises(UnsupportedPosition, match="tables alone give answers"):
        solve(COMMONER.replace("8/8/8/4", "8/8/4C3/4"), tables=open_tablebase(fairy_tables), time=0)


def test_pictures_have_a_circle_with_the_letter() -> None:
    picture = drawn(read(COMMONER, men=WIZARD), "a Commoner")
    assert picture.count("<circle") == 1
    assert ">C</text>" in picture
