"""Many positions at once: the same answers as one by one, and the same numbers as the compiled index."""

import random
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.core.material import Material, every, parse
from tbgen.core.position import fault, level
from tbgen.errors import BadInput, MissingTable, UnsupportedPosition
from tbgen.index import layout_of
from tbgen.index.atlas import make_atlas
from tbgen.index.kernels import locate
from tbgen.probe import Positions, Tablebase, open_tablebase, vector
from tbgen.probe.levels import levels
from tbgen.probe.numbering import make_numbering, number_of, signature
from tbgen.store.read import table
from tbgen.store.read.open_file import OpenFile

FIVE = [parse(name) for name in ("KQQQvK", "KNNNvK", "KNNvKN", "KRBvKP", "KPPvKP")]
SIX = [parse(name) for name in ("KQQQQvK", "KRBNNvK", "KRRvKRR", "KQRvKBN", "KRPvKRP", "KPPPvKP", "KPPvKPP")]


@pytest.fixture(scope="module", params=["r", "wg"])
def tablebase(request: pytest.FixtureRequest, small_tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(small_tables, request.param) as opened:
        yield opened


def random_rows(men: int, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    return dice.integers(0, 64, (count, men), np.int8), dice.integers(0, 2, count).astype(np.bool_)


def board_of(men: str, squares: list[int], white_to_move: bool) -> chess.Board | None:
    """The board, if the row is a legal position."""
    if len(set(squares)) < len(squares):
        return None
    white, black = men.split("v")
    symbols = white + black.lower()
    board = chess.Board(None)
    board.set_piece_map({s: chess.Piece.from_symbol(x) for s, x in zip(squares, symbols, strict=True)})
    board.turn = white_to_move
    return board if fault(board) is None else None


@pytest.mark.parametrize("men", ["KvK", "KBvK", "KvKN", "KPvK", "KvKP", "KvKR"])
@pytest.mark.parametrize("given", [False, True])
def test_as_one_by_one(tablebase: Tablebase, men: str, given: bool) -> None:
    squares, turns = random_rows(len(men) - 1, 1500)
    records = [None] * len(turns)
    if given:
        dice = random.Random(men)
        records = [dice.choice([None, "G2.5", "-G4.0", dice.randint(480, 510), -dice.randint(480, 510)]) for _ in turns]
    answers = tablebase.probe_many(Positions(men, squares, turns), records if given else None)
    boards = [board_of(men, row, turn) for row, turn in zip(squares.tolist(), turns.tolist(), strict=True)]
    assert sum(board is not None for board in boards) > 200
    for row, board in enumerate(boards):
        if board is None:
            assert (answers.outcomes[row], answers.dtg[row]) == (0, 0)
            continue
        result = tablebase.probe(board, records[row])
        assert (answers.outcomes[row], answers.dtg[row]) == (result.outcome, result.dtg), board.fen()
        if answers.records is not None:
            assert answers.records[row] == result.record
    assert (answers.records is not None) == given


def test_columns_go_by_the_name(tablebase: Tablebase) -> None:
    squares, turns = random_rows(3, 400)
    right = tablebase.probe_many(Positions("KBvK", squares, turns))
    left = tablebase.probe_many(Positions("kvkb", squares[:, [2, 0, 1]] ^ 56, ~turns))
    assert np.array_equal(right.outcomes, -left.outcomes)
    assert np.array_equal(right.dtg, left.dtg)


def test_more_rows_than_a_block(tablebase: Tablebase) -> None:
    squares, turns = random_rows(3, 40_000)
    whole = tablebase.probe_many(Positions("KNvK", squares, turns))
    rest = tablebase.probe_many(Positions("KNvK", squares[30_000:], turns[30_000:]))
    assert np.array_equal(whole.outcomes[30_000:], rest.outcomes)
    none = tablebase.probe_many(Positions("KNvK", squares[:0], turns[:0]))
    assert len(none.outcomes) == 0


def test_what_is_not_kept_decoded_is_read_once(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Positions("KBvK", *random_rows(3, 40_000))
    with open_tablebase(small_tables) as tables:
        wanted = tables.probe_many(asked)
    for cache in (table._CHUNKS, table._GLANCED, table._DECODED):
        monkeypatch.setattr(cache, "budget", 0)
    read: list[int] = []
    chunk = OpenFile.chunk
    monkeypatch.setattr(OpenFile, "chunk", lambda self, number: read.append(number) or chunk(self, number))
    with open_tablebase(small_tables) as tables:
        found = tables.probe_many(asked)
    assert np.array_equal(found.outcomes, wanted.outcomes)
    assert np.array_equal(found.dtg, wanted.dtg)
    assert len(read) == len(set(read)) > 1


def test_boards_and_fens(tablebase: Tablebase) -> None:
    fens = ["8/8/8/4KBk1/8/8/8/8 b - - 0 1", "8/8/8/2kNK3/8/8/8/8 b - - 0 1"]
    boards = [chess.Board(fen) for fen in fens]
    assert tablebase.probe_many(fens) == [tablebase.probe(board) for board in boards]
    records = ["-G2.5", None]
    found = tablebase.probe_many(boards, records)
    assert found == [tablebase.probe(board, record) for board, record in zip(boards, records, strict=True)]
    with pytest.raises(BadInput, match="1 records for 2 positions"):
        tablebase.probe_many(boards, ["G1.0"])
    with pytest.raises(BadInput, match="not a FEN"):
        tablebase.probe_many(["8/8 w"])


def test_the_seventh_field_of_a_fen(tablebase: Tablebase) -> None:
    later = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"
    board = chess.Board(later)
    for record in ("G2.5", "-G2.5", "mG2.0"):
        wanted = tablebase.probe(board, record)
        assert tablebase.probe(f"{later} {record}") == wanted
        assert tablebase.probe_many([later, f"{later} {record}"]) == [tablebase.probe(board), wanted]
        assert tablebase.get(f"{later} {record}") == wanted
    assert tablebase.probe(f"{later} G2.5", "-G2.5").record_gscore == "-G2.5", "what is given beside the FEN counts"
    after_a_reset = "8/8/8/4KBk1/8/8/8/8 b - - 0 1 G2.5"
    if tablebase.rules == "wg":  # nothing resets
        assert tablebase.probe(after_a_reset).record_gscore == "G2.5"
    else:
        with pytest.raises(BadInput, match=r"the position's own G-score, G3\.5, as record, not G2\.5"):
            tablebase.probe(after_a_reset)
    with pytest.raises(BadInput, match="not an outcome: 3 "):
        tablebase.probe(board, 3)


def test_results_for_people(tablebase: Tablebase) -> None:
    result = tablebase.probe("8/8/8/4KBk1/8/8/8/8 b - - 0 1", moves=True, line=True)
    assert (result.gscore, result.score, result.record_gscore) == ("G1.5", 1.5, "G3.5")
    assert str(result).startswith("White forces G1.5 (Black left with one move, not in check) in 4 plies")
    assert [str(move) for move in result.moves] == ["g5h5 G1.5 in 4", "g5h4 G1.5 in 2", "g5h6 G1.5 in 2"]
    assert result.line is not None
    assert [(move.uci, move.san, str(move)) for move in result.line] == [
        ("g5h5", "Kh5", "Kh5 (G3.5)"),
        ("e5f4", "Kf4", "Kf4 (G2.5)"),
        ("h5h6", "Kh6", "Kh6 (G2.5)"),
        ("f4g4", "Kg4", "Kg4 (G1.5)"),
    ]
    answers = tablebase.probe_many(Positions("KBvK", [[36, 37, 38], [36, 37, 37]], [False, False]))
    assert np.array_equal(answers.scores, [1.5, np.nan], equal_nan=True)


def test_the_package_shows_what_there_is() -> None:
    import pydoc

    import tbgen

    assert set(tbgen.__all__) <= set(dir(tbgen))
    assert all(getattr(tbgen, name) is not None for name in tbgen.__all__)
    assert tbgen.MissingTable is MissingTable
    page = pydoc.plain(pydoc.render_doc(tbgen))
    assert all(f"class {name}" in page for name in ("Tablebase", "Result", "Positions", "TbgenError"))
    positions = pydoc.plain(pydoc.render_doc(tbgen.Positions))
    assert "White's rook, Black's king" in " ".join(positions.split())


def test_the_rules_of_the_game_come_with_the_package() -> None:
    """In a fresh process, where nothing has imported them yet."""
    code = """
import tbgen
game = tbgen.rules.Game.from_fen("8/8/8/4KBk1/8/8/8/8 b - - 7 30 G3.5")
turn = game.push_san("Kh5")
print(turn.standing, tbgen.rules.scoring.scoring("harmonic").points(turn.outcome))
assert all(getattr(tbgen.rules, name) for name in tbgen.rules.__all__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "G3.5 9/16\n"


def test_type_checkers_see_all_names_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    import tbgen

    assert tbgen.__file__ is not None
    monkeypatch.setattr("typing.TYPE_CHECKING", True)
    seen = runpy.run_path(tbgen.__file__)
    assert set(tbgen.__all__) <= set(seen)
    assert "__getattr__" not in seen


@pytest.mark.parametrize(
    ("men", "squares", "error", "words"),
    [
        ("KBvK", [[1, 2]], BadInput, "3 squares"),
        ("KBvK", [[1, 2, 64]], BadInput, "0 to 63"),
        ("KBvK", [[1, 2, -1]], BadInput, "0 to 63"),
        ("KBK", [[1, 2, 3]], BadInput, "White's, then Black's"),
        ("KXvK", [[1, 2, 3]], BadInput, "not a material"),
        ("KQQQQQvK", [[1, 2, 3, 4, 5, 6, 7]], UnsupportedPosition, "too many men"),
        ("KQRvK", [[1, 2, 3, 4]], MissingTable, "tbgen build"),
    ],
)
def test_errors(tablebase: Tablebase, men: str, squares: list[list[int]], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tablebase.probe_many(Positions(men, squares, [True]))


def test_arrays_of_other_shapes_are_refused(tablebase: Tablebase) -> None:
    squares, turns = random_rows(3, 2)
    shapes: list[Any] = [True, turns[:, np.newaxis]]
    for wrong in shapes:
        with pytest.raises(BadInput, match="one side to move is needed for each position"):
            tablebase.probe_many(Positions("KNvK", squares, wrong))
    with pytest.raises(BadInput, match="squares have rows of different lengths"):
        tablebase.probe_many(Positions("KNvK", [[1, 2, 3], [1]], turns))
    men: Any = parse("KNvK")
    with pytest.raises(BadInput, match="not the men of two sides: Material"):
        tablebase.probe_many(Positions(men, squares, turns))


def test_what_is_no_integer_is_not_rounded(tablebase: Tablebase) -> None:
    """An array of integers would take them all."""
    squares, turns = random_rows(3, 2)
    for records in (np.array([510.5, 1.5]), [3.5, None], [True, None], np.array([True, False]), np.array(["G1", "G2"])):
        with pytest.raises(BadInput, match=r"integers|not an outcome"):
            tablebase.probe_many(Positions("KNvK", squares, turns), records)
    for wrong in (squares + 0.5, squares.astype(str)):
        with pytest.raises(BadInput, match="squares are integers"):
            tablebase.probe_many(Positions("KNvK", wrong, turns))
    with pytest.raises(BadInput, match="sides to move are integers"):
        tablebase.probe_many(Positions("KNvK", squares, ["w", "b"]))
    for turn in (2, -1):
        with pytest.raises(BadInput, match="a side to move is True or 1, White"):
            tablebase.probe_many(Positions("KNvK", squares, [1, 0, turn]))
    for squares in (np.zeros((0, 3)), []):
        assert len(tablebase.probe_many(Positions("KNvK", squares, []), []).dtg) == 0


@pytest.mark.parametrize("record", [3, -3, 74, 513, -513, 2**40, -(2**63)])
def test_codes_that_are_no_outcomes(tablebase: Tablebase, record: int) -> None:
    squares, turns = random_rows(3, 2)
    with pytest.raises(BadInput, match="not an outcome"):
        tablebase.probe_many(Positions("KNvK", squares, turns), np.array([500, record]))


@pytest.mark.parametrize("record", ["G0.0", "-G0.5"])
def test_no_record_ends_the_game(tablebase: Tablebase, record: str) -> None:
    fen = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
    board = chess.Board(fen)
    squares = [chess.E5, chess.F5, chess.G5]
    with pytest.raises(BadInput, match="no game goes on"):
        tablebase.probe(board, record)
    with pytest.raises(BadInput, match="no game goes on"):
        tablebase.probe_many(Positions("KBvK", [squares], [False]), [record])


def test_one_record_a_row(tablebase: Tablebase) -> None:
    squares, turns = random_rows(3, 5)
    for records in (np.zeros(4, np.int64), np.full(5, 513), ["G1.0"]):
        with pytest.raises(BadInput, match="record"):
            tablebase.probe_many(Positions("KNvK", squares, turns), records)


def sound_rows(material: Material, count: int) -> vector.PositionColumns:
    """Random legal positions, slot by slot."""
    dice = np.random.default_rng(len(material.name))
    rows = dice.integers(0, 64, (count, material.men), np.int64)
    turns = dice.integers(0, 2, count).astype(np.bool_)
    layout = layout_of(material)
    men = vector.PositionColumns(layout, list(rows.T), turns)
    good = vector.sound(men)
    return vector.PositionColumns(layout, list(rows[good].T), turns[good])


def boards_of(men: vector.PositionColumns, first: chess.Color) -> Iterator[chess.Board]:
    """The rows with the side named first in either colour."""
    kinds = {"K": chess.KING, "Q": chess.QUEEN, "R": chess.ROOK, "B": chess.BISHOP, "N": chess.KNIGHT, "P": chess.PAWN}
    mirror = 0 if first else 56
    for *squares, second_moves in zip(*men.squares, men.second_moves, strict=True):
        board = chess.Board(None)
        for square, (side, letter) in zip(squares, men.layout.letters, strict=True):
            board.set_piece_at(int(square) ^ mirror, chess.Piece(kinds[letter], first != bool(side)))
        board.turn = first != bool(second_moves)
        yield board


@pytest.mark.parametrize("material", [*every(3), *every(4), *FIVE, *SIX], ids=str)
def test_numbers_are_those_of_the_kernels(material: Material) -> None:
    men = sound_rows(material, 150)
    atlas = make_atlas([men.layout])
    rows = np.stack([*men.squares, *[men.squares[0]] * (8 - material.men)], axis=1)
    expected = [locate(atlas, 0, row, int(mover)) for row, mover in zip(rows, men.second_moves, strict=True)]
    assert vector.numbers(men).tolist() == expected
    for first in chess.COLORS:
        for number, board in zip(expected, boards_of(men, first), strict=True):
            numbering = make_numbering(signature(board))
            assert numbering.material == material
            if material.even and not first:  # then the men named first are White's all the same
                continue
            assert number_of(numbering, board) == number, board.fen()


@pytest.mark.parametrize("material", [*every(2), *every(3), *every(4), *FIVE, *SIX], ids=str)
def test_levels_are_legal_moves(material: Material) -> None:
    men = sound_rows(material, 150)
    assert levels(men).tolist() == [level(board) for board in boards_of(men, chess.WHITE)]
