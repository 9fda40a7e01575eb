"""Records and lines that `tbgen report` gives, replayed by python-chess with a record of its own."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

from tbgen.core import outcome
from tbgen.core.material import parse
from tbgen.probe import Tablebase, open_tablebase
from tbgen.report.census import take
from tbgen.report.document import Line, lines
from tbgen.report.document import tables as tables_of
from tbgen.report.lines import best_line, pgn, words
from tbgen.report.make import Request, make
from tbgen.report.records import Longest, find, overall
from tbgen.store import open_table, table_path

NAMES = ["KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KNNvK"]


def holdings_of(tables: Path, name: str, limit: int, rules: str = "r", *, with_lines: bool = False) -> list[Longest]:
    with open_table(table_path(tables, parse(name), rules)) as table, open_tablebase(tables, rules) as tablebase:
        return find(table, take(table), limit, tablebase if with_lines else None)


def goal(board: chess.Board) -> tuple[int, bool]:
    """Level and holder, by listing the moves."""
    return 2 * len(list(board.legal_moves)) + (not board.is_check()), not board.turn


def as_outcome(level: int, holder: bool) -> int:
    return (512 - level) * (1 if holder else -1)


def replay(game: chess.pgn.Game, *, whole_game: bool = False) -> tuple[chess.Board, int]:
    """Play a game's moves and keep its record; its comments must say the same."""
    board = game.board()
    record = goal(board)
    for node in game.mainline():
        assert node.move in board.legal_moves
        reset = board.is_zeroing(node.move)
        board.push(node.move)
        if (reset and not whole_game) or goal(board)[0] < record[0]:
            record = goal(board)
        assert outcome.parse(node.comment) == as_outcome(*record)
    return board, as_outcome(*record)


def check(line: Line) -> None:
    """A line's PGN ends in the goal that it claims, and not a ply earlier."""
    game = chess.pgn.read_game(io.StringIO(pgn(line)))
    assert game is not None
    assert not game.errors
    board, record = replay(game, whole_game=line.rules == "wg")
    assert record == line.outcome == outcome.parse(game.headers["RMobilityResult"])
    assert as_outcome(*goal(board)) == record
    assert board.ply() - game.board().ply() == len(line.steps)
    if line.steps[:-1]:
        assert line.steps[-2].record != record


@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("name", NAMES[:-1])
def test_lines_end_in_the_goal_they_claim(small_tables: Path, name: str, rules: str) -> None:
    found = [one for one in holdings_of(small_tables, name, 1, rules, with_lines=True) if one.line is not None]
    assert found
    for one in found:
        assert one.line is not None
        assert (one.line.outcome, len(one.line.steps)) == (one.outcome, one.dtg)
        assert one.line.fen == one.fens[0]
        check(one.line)


@pytest.mark.parametrize("name", NAMES)
def test_record_positions_have_the_record(small_tables: Path, name: str) -> None:
    material = parse(name)
    with open_tablebase(small_tables) as tablebase:
        for one in holdings_of(small_tables, name, 3):
            assert len(one.fens) == min(3, one.count)
            for fen in one.fens:
                board = chess.Board(fen)
                result = tablebase.probe(board)
                assert (result.outcome, result.dtg) == (one.outcome, one.dtg)
                assert board.turn == (chess.WHITE if material.even else one.mover == 0)
                white = [man.symbol() for man in board.piece_map().values() if man.color]
                assert sorted(white) == sorted(f"K{material.first}")


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KNNvK", "KPvK"])
def test_no_record_position_is_an_image_of_another(small_tables: Path, name: str) -> None:
    """With a limit above their number, as many are listed as were counted."""
    for one in holdings_of(small_tables, name, 200):
        assert len(one.fens) == min(200, one.count)
        assert len({smallest_image(chess.Board(fen)) for fen in one.fens}) == len(one.fens)


def smallest_image(board: chess.Board) -> str:
    """The same for all images of a position that its pawns leave."""
    boards = [board, board.transform(chess.flip_horizontal)]
    if not board.pawns:
        boards += [one.transform(chess.flip_vertical) for one in boards]
        boards += [one.transform(chess.flip_diagonal) for one in boards]
    return min(one.board_fen() for one in boards)


def test_what_is_known_from_the_literature(small_tables: Path) -> None:
    longest = {one.outcome: one for one in holdings_of(small_tables, "KBvK", 1)}
    assert longest[outcome.parse("G1.5")].dtg == 46
    mates = [one.dtg for one in holdings_of(small_tables, "KPvK", 1) if one.outcome == outcome.BASE]
    assert sorted(mates) == [55, 56]


def test_the_overall_list_has_the_longest_of_each_level(small_tables: Path) -> None:
    holdings = [one for name in NAMES for one in holdings_of(small_tables, name, 1)]
    best = list(overall(holdings))
    levels = [outcome.level(one.outcome) for one in best]
    assert levels == sorted(levels)
    assert set(levels) == {outcome.level(one.outcome) for one in holdings}
    for one in holdings:
        assert one.dtg <= max(other.dtg for other in best if abs(other.outcome) == abs(one.outcome))


def test_rows_link_to_their_lines(small_tables: Path) -> None:
    document = make("records", Request(small_tables, materials=(parse("KBvK"), parse("KvK")), limit=2))
    known = {line.key for line in lines(document)}
    for table in tables_of(document):
        linked = {row[-1] for row in table.rows if row[-1] is not None}
        assert linked <= known
        assert linked
    assert len(lines(document)) == len(known)


def test_a_line_in_words(small_tables: Path) -> None:
    with open_tablebase(small_tables) as tablebase:
        line = best_line(tablebase, chess.Board("6k1/8/5K2/5B2/8/8/8/8 b - - 0 1"), "key", "title")
        assert line is not None
        assert words(line).startswith("1... Kf8 (G2.5) 2. Bd7 (G1.5) Kg8")
        assert words(line).endswith("(G0.5)")
        over = best_line(tablebase, chess.Board("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1"), "key", "title")
        assert over is not None
        assert words(over) == "on the board"
        assert chess.pgn.read_game(io.StringIO(pgn(over))).headers["Result"] == "1/2-1/2"


@pytest.mark.usefixtures("no_bundle")
def test_no_line_without_the_tables_that_it_leads_to(small_tables: Path, tmp_path: Path) -> None:
    source = table_path(small_tables, parse("KPvK"), "r")
    (tmp_path / source.name).write_bytes(source.read_bytes())
    with Tablebase(tmp_path) as tablebase:
        assert best_line(tablebase, chess.Board("8/8/8/8/8/1K6/4P3/6k1 w - - 0 1"), "key", "title") is None
    with open_table(source) as table, Tablebase(tmp_path) as tablebase:
        assert find(table, take(table), 1, tablebase)


@pytest.mark.full
def test_lines_with_pawns_on_both_sides(four_men: Path) -> None:
    for one in holdings_of(four_men, "KPvKP", 1, with_lines=True):
        if one.line is not None:
            check(one.line)
