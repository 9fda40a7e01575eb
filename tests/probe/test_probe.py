"""`Tablebase` on real tables: results, moves, lines, records, errors."""

import pickle
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import numpy as np
import pytest

import tbgen
from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.core.position import fault, goal, level
from tbgen.errors import BadInput, CorruptTable, MissingTable, UnsupportedPosition
from tbgen.probe import Positions, Result, Tablebase, open_tablebase, play, tables
from tbgen.probe.numbering import is_sound
from tbgen.store import TableFile, open_table
from tests.support.boards import boards_of_no_chess
from tests.support.runs import BISHOP

MATERIALS = ["KvK", "KBvK", "KvKB", "KNvK", "KPvK", "KvKP", "KQvK", "KvKR"]


@pytest.fixture(scope="module", params=["r", "wg"])
def tablebase(request: pytest.FixtureRequest, small_tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(small_tables, request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def resetting(small_tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(small_tables) as opened:
        yield opened


def some_boards(men: str, count: int) -> Iterator[chess.Board]:
    """Random legal positions of White's and Black's men."""
    dice = random.Random(men)
    white, black = men.split("v")
    pieces = [chess.Piece.from_symbol(letter) for letter in white + black.lower()]
    while count:
        squares = dice.sample(chess.SQUARES, len(pieces))
        board = chess.Board(None)
        board.set_piece_map(dict(zip(squares, pieces, strict=True)))
        board.turn = dice.random() < 0.5
        if fault(board) is None:
            yield board
            count -= 1


def some_record(board: chess.Board, dice: random.Random) -> int:
    """A record that may or may not be better than the position's own goal."""
    return dice.choice((-1, 1)) * (outcome.BASE - dice.randint(2, level(board) + 4))


def test_a_result_says_everything(resetting: Tablebase) -> None:
    result = resetting.probe(chess.Board(BISHOP), moves=True, line=True)
    assert (result.material, result.gscore, result.winner, result.dtg) == ("KBvK", "G1.5", chess.WHITE, 4)
    assert result.exact
    assert not result.stands
    assert outcome.text(result.record) == "G3.5"
    assert result.moves is not None
    assert [(move.uci, move.gscore, move.dtg, move.reset) for move in result.moves] == [
        ("g5h5", "G1.5", 4, False),
        ("g5h4", "G1.5", 2, False),
        ("g5h6", "G1.5", 2, False),
    ]
    assert result.line is not None
    assert [outcome.text(step.record) for step in result.line] == ["G3.5", "G2.5", "G2.5", "G1.5"]
    plain = resetting.probe(chess.Board(BISHOP))
    assert plain == result._replace(moves=None, line=None)
    with pytest.raises(AttributeError):
        plain.dtg = 1  # type: ignore[misc]


def test_the_board_is_left_alone(resetting: Tablebase) -> None:
    board = chess.Board(BISHOP)
    board.push_san("Kh5")
    before = board.fen(), list(board.move_stack)
    resetting.probe(board, moves=True, line=True)
    assert (board.fen(), board.move_stack) == before


@pytest.mark.parametrize("men", MATERIALS)
def test_a_result_is_that_of_its_best_move(tablebase: Tablebase, men: str) -> None:
    dice = random.Random(1)
    for board in some_boards(men, 60):
        for record in (None, some_record(board, dice)):
            result = tablebase.probe(board, record, moves=True)
            assert result.moves is not None
            assert len(result.moves) == board.legal_moves.count()
            sign = 1 if board.turn else -1
            values = [sign * move.outcome for move in result.moves]
            assert values == sorted(values, reverse=True)
            if not values:
                assert result.outcome == outcome.improved(record or goal(board), goal(board))
                continue
            best = result.moves[0]
            where = f"{board.fen()} {record}"
            assert best.outcome == result.outcome, where
            assert result.dtg == (0 if result.stands else best.dtg), where
            gains = sign * result.outcome > sign * result.record
            equals = [move.dtg for move in result.moves if move.outcome == best.outcome]
            assert result.stands or best.dtg == (min if gains else max)(equals), where


@pytest.mark.parametrize("men", MATERIALS)
def test_lines_end_in_their_goal(tablebase: Tablebase, men: str) -> None:
    dice = random.Random(2)
    for start in some_boards(men, 40):
        for record in (None, some_record(start, dice)):
            board, where = start.copy(), f"{start.fen()} {record}"
            result = tablebase.probe(board, record, line=True)
            assert result.line is not None
            assert len(result.line) == result.dtg, where
            standing = result.record
            for step in result.line:
                assert step.move in board.legal_moves, where
                forgets = tablebase.rules == "r" and board.is_zeroing(step.move)
                board.push(step.move)
                standing = goal(board) if forgets else outcome.improved(standing, goal(board))
                assert step.record == standing, where
            assert standing == result.outcome, where
            if result.line:
                assert goal(board) == result.outcome, where


@pytest.mark.parametrize("men", MATERIALS)
def test_symmetries_change_nothing(tablebase: Tablebase, men: str) -> None:
    dice = random.Random(3)
    for board in some_boards(men, 100):
        record = some_record(board, dice)
        result = tablebase.probe(board, record)
        swapped = tablebase.probe(board.mirror(), outcome.flip(record))
        assert (swapped.outcome, swapped.dtg, swapped.record) == (-result.outcome, result.dtg, -result.record)
        same = [chess.flip_horizontal]
        if not board.pawns:
            same += [chess.flip_vertical, chess.flip_diagonal, chess.flip_anti_diagonal]
        for symmetry in same:
            assert tablebase.probe(board.transform(symmetry), record) == result, board.fen()


@pytest.mark.parametrize("men", MATERIALS)
def test_records(tablebase: Tablebase, men: str) -> None:
    dice = random.Random(4)
    for board in some_boards(men, 60):
        own = goal(board)
        fresh = tablebase.probe(board)
        assert fresh.record == own
        assert fresh == tablebase.probe(board, own)
        weaker = dice.choice((-1, 1)) * (outcome.BASE - outcome.level(own) - 1)
        assert tablebase.probe(board, weaker) == fresh
        if level(board) < 2:
            continue
        first = tablebase.probe(board, outcome.flip(own))
        assert first.record == outcome.flip(own)
        ladder = [outcome.held_by_black(2), outcome.flip(abs(own)), abs(own), outcome.held_by_white(2)]
        values = [tablebase.probe(board, record).outcome for record in ladder]
        assert values == sorted(values), "a better record is worth no less"
        if tablebase.rules == "wg":
            assert first.outcome == outcome.improved(outcome.flip(own), fresh.outcome)


def test_a_record_can_be_written_out(resetting: Tablebase) -> None:
    board = chess.Board(BISHOP)
    assert resetting.probe(board, "mG2.5") == resetting.probe(board, outcome.held_by_black(5))
    with pytest.raises(BadInput, match="G-score"):
        resetting.probe(board, "G1.7")
    with pytest.raises(BadInput, match=r"no game goes on after -G0\.5"):
        resetting.probe(board, "-G0.5")
    for wrong in (0, 3, -3, 74, 513, 3.5, 500.0, True, False, np.float64(500), b"G2.5"):
        with pytest.raises(BadInput, match="not an outcome: "):
            resetting.probe(board, wrong)
        with pytest.raises(BadInput, match="not an outcome: "):
            resetting.probe_many([board], [wrong])
    assert resetting.probe(board, np.int16(507)) == resetting.probe(board, "G2.5")
    assert resetting.probe(board, outcome.held_by_black(outcome.MAX_LEVEL)) == resetting.probe(board)


def test_on_the_board(resetting: Tablebase) -> None:
    mate = resetting.probe(chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), moves=True, line=True)
    assert (mate.gscore, mate.dtg, mate.stands, mate.moves, mate.line) == ("G0.0", 0, True, (), ())
    stalemate = resetting.probe(chess.Board("8/8/8/8/8/1k6/2q5/K7 w - - 0 1"))
    assert (stalemate.gscore, stalemate.winner, stalemate.stands) == ("-G0.5", chess.BLACK, True)


def test_the_rules_differ(small_tables: Path) -> None:
    """Black takes the bishop: under wg what White had before still counts."""
    with open_tablebase(small_tables) as resets, open_tablebase(small_tables, "wg") as keeps:
        board = chess.Board("8/8/8/8/2kB4/8/8/K7 b - - 0 1")
        old, new = (tablebase.probe(board, "G3.0", moves=True) for tablebase in (resets, keeps))
        assert old.moves
        assert new.moves
        assert any(move.reset for move in old.moves)
        assert not any(move.reset for move in new.moves)
        assert (old.outcome, old.stands) < (new.outcome, new.stands)
        assert new.gscore == "G3.0"


def test_a_table_that_is_missing_is_not_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The layout of four pawns takes a second, and 400 MB."""

    def no_layout(first: int, second: int, even: bool) -> None:
        raise AssertionError(f"{first} and {second} pawns were laid out")

    monkeypatch.setattr("tbgen.index.layout.every_slice", no_layout)
    with open_tablebase(tmp_path) as tables:
        with pytest.raises(MissingTable, match=r"KPPvKPP\.r\.h5 is missing"):
            tables.probe("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", moves=True)
        with pytest.raises(MissingTable, match=r"KPPvKPP\.r\.h5 is missing"):
            tables.probe_many(Positions("KPPvKPP", [[4, 8, 9, 60, 48, 49]], [True]))


@pytest.mark.parametrize(
    ("fen", "error", "words"),
    [
        ("8/8/8/4KB2/8/8/8/8 b - - 0 1", BadInput, "Black has no king"),
        ("8/8/8/4KBk1/8/8/8/6k1 b - - 0 1", BadInput, "more than one king"),
        ("8/8/8/4Kk2/8/8/8/8 b - - 0 1", BadInput, "in check"),
        ("8/8/8/4K1k1/7B/8/8/8 w - - 0 1", BadInput, "in check"),
        ("4P3/8/8/4K1k1/8/8/8/8 w - - 0 1", BadInput, "last rank"),
        ("8/8/8/4K1k1/8/8/8/8 w KQ - 0 1", BadInput, "castling rights do not fit"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", UnsupportedPosition, "castling"),
        ("7k/8/8/4K3/8/8/8/NNNNN3 w - - 0 1", UnsupportedPosition, "too many men: 7"),
        (chess.STARTING_FEN, UnsupportedPosition, "too many men: 32"),
        ("k7/8/8/8/8/NNNNNNNN/NNNNNNNN/K7 b - - 0 1", BadInput, "more than 16 men"),
        ("8/8/8/4K1k1/8/8/4P3/8 b - e3 0 1", BadInput, "en passant"),
        ("8/8/8/4K1k1/8/8/8/QR6 w - - 0 1", MissingTable, r"KQRvK\.r\.h5.*tbgen build KQRvK --tables [^ ;]*\)$"),
        ("8/8/8/4K1k1/8/8/8/QRbn4 w - - 0 1", MissingTable, r"tbgen plan KQRvKBN says what"),
    ],
)
def test_what_cannot_be_probed(resetting: Tablebase, fen: str, error: type[Exception], words: str) -> None:
    board = chess.Board(fen)
    with pytest.raises(error, match=words) as raised:
        resetting.probe(board)
    assert raised.type is error
    assert "\n" not in str(raised.value)
    if error in (MissingTable, UnsupportedPosition):
        assert resetting.get(board) is None
        assert resetting.get(board, "nothing") == "nothing"
    else:
        with pytest.raises(error):
            resetting.get(board)


@pytest.mark.parametrize("what", [None, 5, b"8/8/8/4KBk1/8/8/8/8 b - - 0 1", chess.BaseBoard()])
def test_what_is_no_position(resetting: Tablebase, what: object) -> None:
    for ask in (resetting.probe, resetting.get, resetting.sure):
        with pytest.raises(BadInput, match=r"not a position: .* \(give a FEN or a chess\.Board\)"):
            ask(what)  # type: ignore[operator]


@pytest.mark.parametrize("fen", [BISHOP, chess.STARTING_FEN])
def test_only_boards_of_chess_are_probed(resetting: Tablebase, fen: str) -> None:
    asks = (resetting.probe, resetting.get, resetting.sure, resetting.complete, resetting.known, resetting.beyond)
    for words, board in boards_of_no_chess(fen):
        for ask in (*asks, lambda board: resetting.probe_many([board])):
            with pytest.raises(BadInput, match=words) as raised:
                ask(board)
            assert raised.type is BadInput
            assert "\n" not in str(raised.value)


def test_a_side_to_move_may_be_an_integer(resetting: Tablebase) -> None:
    board = chess.Board(BISHOP)
    expected = resetting.probe(board)
    board.turn = 0  # type: ignore[assignment]
    assert resetting.probe(board) == expected


def test_complete_tables_know_no_castling(resetting: Tablebase) -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    with pytest.raises(UnsupportedPosition, match="castling"):
        resetting.complete(board)
    assert resetting.known(board) is None
    board.castling_rights = 0
    assert resetting.known(board) == resetting.probe(board)


def test_texts_are_refused_where_boards_and_materials_are_wanted(resetting: Tablebase) -> None:
    for ask in (resetting.complete, resetting.known, resetting.beyond):
        with pytest.raises(BadInput, match=rf"^not a board: '{BISHOP}' \(give a chess\.Board; "):
            ask(BISHOP)  # type: ignore[operator]
    with pytest.raises(BadInput, match=r"^not a material: 'KBvK' \(parse in tbgen\.core\.material makes one"):
        resetting.table("KBvK")  # type: ignore[arg-type]


def test_one_position_is_no_list_of_them(resetting: Tablebase) -> None:
    for one in (BISHOP, chess.Board(BISHOP)):
        with pytest.raises(BadInput, match="takes a list of positions"):
            resetting.probe_many(one)  # type: ignore[call-overload]


def test_a_copy_for_another_process(small_tables: Path) -> None:
    for directory, rules in ((small_tables, "r"), (str(small_tables), "wg"), (None, "r")):
        with open_tablebase(directory, rules) as first, pickle.loads(pickle.dumps(first)) as copy:
            assert copy.rules == first.rules
            assert copy.probe(BISHOP) == first.probe(BISHOP)


@pytest.mark.parametrize(
    ("fen", "material", "gscore"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", None, "-G0.0"),
        ("R6k/6pp/8/8/8/8/8/K7 b - - 0 1", "KPPvKR", "G0.0"),
        ("7k/6Q1/8/8/8/8/8/K5R1 b - - 9 40 -G3.0", "KQRvK", "G0.0"),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", "KPvK", "G0.5"),
        ("4k2r/2Q5/8/8/8/8/4R3/K3R3 b k - 0 1", None, None),
    ],
)
def test_who_is_mated_needs_no_table(tmp_path: Path, fen: str, material: str | None, gscore: str | None) -> None:
    """Of any number of men, and whether or not the king has moved."""
    with open_tablebase(tmp_path) as tables:
        if gscore is None:
            with pytest.raises(UnsupportedPosition):
                tables.probe(fen)
            return
        found = tables.probe(fen, moves=True, line=True)
        assert (found.gscore, found.dtg, found.exact, found.stands) == (gscore, 0, True, True)
        assert (found.moves, found.line, found.unknown) == ((), (), ())
        assert material in (None, found.material)


def test_get_answers_where_it_can(resetting: Tablebase) -> None:
    board = chess.Board(BISHOP)
    assert resetting.get(board, record="-G2.5") == resetting.probe(board, "-G2.5")


def test_soundness_is_what_the_faults_say() -> None:
    dice = random.Random(5)
    seen = set()
    for _ in range(3000):
        board = chess.Board(None)
        for symbol in dice.choice(("Kk", "KkR", "Kkq", "KkPp", "Kbkn", "KKk", "kQ")):
            board.set_piece_at(dice.randrange(64), chess.Piece.from_symbol(symbol))
        board.turn = dice.random() < 0.5
        if dice.random() < 0.3:
            board.ep_square = dice.randrange(64)
        assert is_sound(board) == (fault(board) is None), board.fen()
        seen.add(fault(board))
    assert len(seen) >= 6


@pytest.mark.usefixtures("no_bundle")
def test_tables_are_opened_when_asked_for(small_tables: Path, tmp_path: Path) -> None:
    board = chess.Board("8/8/8/2K3k1/8/8/8/8 w - - 0 1")
    tablebase = open_tablebase(tmp_path)
    with pytest.raises(MissingTable):
        tablebase.probe(board)
    (tmp_path / "KvK.r.h5").write_bytes(b"nothing of the kind")
    with pytest.raises(CorruptTable, match=r"KvK\.r\.h5"):
        tablebase.probe(board)
    (tmp_path / "KvK.r.h5").write_bytes((small_tables / "KvK.r.h5").read_bytes())
    result = tablebase.probe(board)
    tablebase.close()
    assert tablebase.probe(board) == result
    tablebase.close()


def test_threads_open_a_table_once(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that another thread has opened as well would never be closed."""
    opened = []

    def slowly(path: Path, threads: int, material: Material) -> TableFile:
        opened.append(path)
        time.sleep(0.05)
        return open_table(path, threads=threads, material=material)

    monkeypatch.setattr(tables, "open_table", slowly)
    board = chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    with open_tablebase(small_tables) as tablebase, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: tablebase.probe(board), range(4)))
    assert answers == answers[:1] * 4
    assert len(opened) == 1


def test_unknown_rules(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="rules"):
        open_tablebase(tmp_path, "blitz")


def test_which_directory_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_tables: Path) -> None:
    """The one that is given, else the environment's, else none; what is named is there."""
    knights = "8/8/8/2K3k1/8/8/8/2NN4 w - - 0 1"
    monkeypatch.setenv("TBGEN_TABLES", str(small_tables))
    with open_tablebase() as tablebase, pickle.loads(pickle.dumps(tablebase)) as copy:
        assert tablebase.probe(knights) == copy.probe(knights)
    with open_tablebase(tmp_path) as tablebase, pytest.raises(MissingTable):
        tablebase.probe(knights)
    monkeypatch.setenv("TBGEN_TABLES", "")
    with open_tablebase() as tablebase, pytest.raises(MissingTable):
        tablebase.probe(knights)
    file = tmp_path / "file"
    file.touch()
    for wrong in (tmp_path / "nowhere", file, ""):
        with pytest.raises(BadInput, match=f"^no such directory of tables: {wrong}$"):
            open_tablebase(wrong)
    monkeypatch.setenv("TBGEN_TABLES", str(tmp_path / "nowhere"))
    with pytest.raises(BadInput, match="no such directory of tables"):
        open_tablebase()


def test_public_names() -> None:
    assert tbgen.open_tablebase is open_tablebase
    assert tbgen.Tablebase is Tablebase
    assert isinstance(tbgen.__version__, str)
    with pytest.raises(AttributeError):
        tbgen.nothing  # noqa: B018


class OwnGoalTables:
    """Tables in which every position is worth its own goal, or the record that stands; they note what is asked."""

    whole_game = False

    def __init__(self) -> None:
        self.asked: dict[str, int | None] = {}

    def name(self, board: chess.Board) -> str:
        return "KPvKP"

    def source(self, board: chess.Board) -> str:
        return "nowhere"

    def result(self, board: chess.Board, record: int | None) -> Result:
        self.asked[board.peek().uci()] = record
        standing = goal(board) if record is None else outcome.improved(record, goal(board))
        return Result(self.name(board), standing, 0, True, standing)


@pytest.mark.parametrize("whole_game", [False, True])
@pytest.mark.parametrize("given", [None, "G2.0", "-G2.0", "-G30.5"])
def test_en_passant_is_looked_at_one_ply_deep(given: str | None, whole_game: bool) -> None:
    board = chess.Board("8/8/8/8/2Pp4/k7/8/K7 b - c3 0 1")
    tables = OwnGoalTables()
    tables.whole_game = whole_game
    without = goal(chess.Board("8/8/8/8/2Pp4/k7/8/K7 b - - 0 1"))
    own = goal(board)
    assert outcome.level(own) == outcome.level(without) + 2
    record = None if given is None else outcome.parse(given)
    standing = own if record is None else outcome.improved(record, own)
    result = play.result(tables, board, record)
    assert result.record == standing
    assert set(tables.asked) == {move.uci() for move in board.legal_moves}
    for uci, asked in tables.asked.items():
        reset = board.is_zeroing(chess.Move.from_uci(uci)) and not whole_game
        assert asked == (None if reset else standing)
    assert result.outcome == min(move.outcome for move in play.moves(tables, board, standing))
    assert result.dtg == (0 if result.outcome == standing else 1)


def test_with_a_right_only_the_tables_that_moves_lead_to_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The king has to take a pawn, or the pawn captures en passant: KNvKP alone is there."""
    board = chess.Board("1N6/8/2K5/k7/pP6/8/8/8 b - b3 0 1")
    assert {board.san(move) for move in board.legal_moves} == {"Kxb4", "axb3"}
    there = OwnGoalTables()
    monkeypatch.setattr(tables.OpenTables, "result", lambda _, board, record: there.result(board, record))
    assert play.result(tables.OpenTables(tmp_path), board, None).material == "KNPvKP"
    assert there.asked.keys() == {"a5b4", "a4b3"}


def test_a_line_past_the_end_of_the_game_is_a_table_that_is_wrong(resetting: Tablebase) -> None:
    """As a table says it whose checksums somebody has made anew."""
    mate = chess.Board("k1K5/8/8/8/8/8/8/R7 b - - 0 1")
    found = resetting.probe(mate)
    assert found.dtg == 0
    with pytest.raises(CorruptTable, match=r"KRvK\.r\.h5 is wrong: it has play go on where the game is over"):
        play.line(resetting._tables, mate, found._replace(dtg=2))
