"""What tables with men beyond chess say of a board, of many positions, and of either side kept alone."""

from pathlib import Path

import chess
import pytest

from tbgen.beyond.prove.position import solve
from tbgen.board.men import defined
from tbgen.core.material import parse
from tbgen.core.position import level, read
from tbgen.drawing.board import sharing
from tbgen.probe import Positions, Tablebase, open_tablebase
from tbgen.slim.make import make_slim
from tests.support.boards import boards_of

WIZARD = defined(["X=WDN"])
NAMES = ("KCvKX", "KHvK", "KJvK")
COMMONER = "8/8/8/4KC1k/8/8/8/8 w - - 0 1"


@pytest.mark.parametrize("name", NAMES)
def test_boards_have_the_numbers_of_their_tables(fairy_tables: Path, name: str) -> None:
    with Tablebase(fairy_tables) as tables:
        table = tables.table(parse(name, men=WIZARD))
        boards = boards_of(table, 400)
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
        boards = [board for _, board in boards_of(whole.table(parse("KCvKX", men=WIZARD)), 60)]
        squares = [
            [next(s for s, man in b.piece_map().items() if man.symbol() == one) for one in "KCkx"] for b in boards
        ]
        asked = Positions("KCvKX", squares, [board.turn for board in boards])
        expected = [whole.probe(board) for board in boards]
        for tables in (whole, slim):
            assert tables.probe_many(asked).outcomes.tolist() == [one.outcome for one in expected]
            assert [tables.probe(board).outcome for board in boards] == [one.outcome for one in expected]


def test_solve_hands_on_what_tables_say(fairy_tables: Path) -> None:
    assert solve(COMMONER, tables=open_tablebase(fairy_tables), time=0).white == "G0.0"


def test_pictures_have_a_circle_with_the_letter() -> None:
    picture = sharing(read(COMMONER, men=WIZARD), "a Commoner")
    assert picture.count("<circle") == 1
    assert ">C</text>" in picture
