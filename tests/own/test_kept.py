"""Own tables that are kept: read instead of solved again, found by their pawns, and never a wrong answer."""

import pickle
import random
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from tbgen import outcome, position
from tbgen.errors import UnsupportedPosition
from tbgen.material import parse
from tbgen.own import attempt as attempts
from tbgen.own.plan import PlannedPart
from tbgen.own.search import Kept
from tbgen.own.shelf import Shelf
from tbgen.own.slices import PartName
from tbgen.probe import OnlyBounds, Tablebase, open_tablebase
from tbgen.store import open_table
from tbgen.store.format.own import Bound
from tbgen.store.own import list_own
from tests.support.own_tables import (
    ALL,
    BLOCKED,
    BOTH_RACE,
    MEMORY,
    RACE,
    check_bounds,
    keep,
    keep_all,
    keep_alone,
    links,
    spread,
    verdicts,
)

pytestmark = pytest.mark.usefixtures("no_bundle")

SIX = "8/8/3k4/p2p4/P2P4/8/3K4/8 w - - 4 60"
"""More men than complete tables have."""


def is_right(tables: Tablebase, truth: Tablebase, board: chess.Board, record: int) -> bool:
    """Whether bounds hold, and all that is said to be exact is, for the position and each of its moves. Returns whether
    the position's outcome is exact."""
    found = tables.sure(board, record, line=True)
    assert found is not None
    value = check_bounds(found, truth, board, record)
    try:
        probed = tables.probe(board, record, moves=True)
    except OnlyBounds:
        assert any(sure.dtg is None for sure in (found.sure, *(one.sure for one in found.moves)))
    else:
        assert (probed.outcome, probed.dtg, probed.record) == (value.outcome, value.dtg, value.record)
        assert [*map(str, probed.moves)] == [*map(str, value.moves)]
    return found.sure.dtg is not None


@pytest.mark.parametrize("names", [ALL, "KvK KNvK", ""])
def test_against_the_complete_table(names: str, small_tables: Path, tmp_path: Path) -> None:
    """Of either colour, mirrored or not, under records that a game brings along."""
    links(small_tables, tmp_path, names)
    keep(tmp_path, RACE)
    kept = {one.bound for one in list_own(tmp_path)}
    assert kept == ({Bound.EXACT} if names == ALL else {Bound.WORST, Bound.BEST})
    exact, chance = 0, random.Random(2)
    with open_tablebase(small_tables) as truth, open_tablebase(tmp_path) as tables:
        for board in spread(RACE, 60):
            own = position.goal(board)
            held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
            for record in (own, outcome.improved(held(chance.randint(2, position.level(board))), own)):
                exact += is_right(tables, truth, board, record)
    assert (exact == 120) == (names == ALL)


@pytest.mark.full
@pytest.mark.parametrize("names", [ALL, f"{ALL} KPvK", ""])
def test_four_men(names: str, small_tables: Path, four_men: Path, tmp_path: Path) -> None:
    """KPvKP with two pawns that pass each other, with tables of three men and with fewer."""
    links(small_tables, tmp_path, names)
    keep(tmp_path, BOTH_RACE)
    with open_tablebase(four_men) as truth, open_tablebase(tmp_path) as tables:
        for board in spread(BOTH_RACE, 100):
            is_right(tables, truth, board, position.goal(board))
    assert set(verdicts(tmp_path)) == {(0, 0)}


def test_what_is_kept_is_not_solved_again(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "solve_plan", None)
    for fen in (BLOCKED, BLOCKED.replace("w", "b"), "8/8/2k5/3p4/3P4/8/2K5/8 w - - 4 60"):
        found = keep(solved, fen)
        assert found.read
        assert found.answer is not None
        assert found.answer.sure.dtg is not None
    with pytest.raises(TypeError):  # another placement
        keep(solved, "8/3p4/3k4/8/3P4/8/3K4/8 w - - 4 60")


def test_the_directory_is_looked_at_once_for_each_plan(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links(small_tables, tmp_path, ALL)
    look_up, looks = Shelf.look_up, list[str]()

    def counted(shelf: Shelf, plan: Sequence[PlannedPart]) -> dict[PartName, Kept]:
        looks.append(str(plan))
        return look_up(shelf, plan)

    monkeypatch.setattr(Shelf, "look_up", counted)
    keep(tmp_path, BLOCKED)
    assert len({*looks}) == len(looks) > 0


def test_what_is_kept_may_go_before_it_is_asked(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove it between a look at its notes and the question."""
    look_up = Shelf.look_up

    def remove(shelf: Shelf, plan: Sequence[PlannedPart]) -> dict[PartName, Kept]:
        found = look_up(shelf, plan)
        for one in list_own(solved):
            one.path.unlink()
        return found

    monkeypatch.setattr(Shelf, "look_up", remove)
    (kept,) = list_own(solved)
    with open_tablebase(solved) as tables:
        monkeypatch.setattr("tbgen.probe.own.list_own", lambda directory: [kept])
        board = chess.Board(BLOCKED)
        found = attempts.attempt(board, position.goal(board), tables, attempts.Means(solved, MEMORY, 3600, 1))
    assert not found.read
    assert found.answer is not None
    assert found.answer.sure.dtg is not None


def test_who_knows_bounds_says_them_at_once(tmp_path: Path) -> None:
    """Another process may remove the tables before they are asked again."""
    keep_alone(tmp_path, SIX)
    with open_tablebase(tmp_path) as tables:
        with pytest.raises(OnlyBounds, match="know bounds only") as caught:
            tables.probe(SIX)
        assert caught.value.known == tables.sure(SIX)
        assert pickle.loads(pickle.dumps(caught.value)).known == caught.value.known
        assert caught.value.table == ""


def test_a_table_that_has_just_been_removed_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A better one has replaced it: that one answers."""
    keep_alone(tmp_path, SIX)
    files = [*list_own(tmp_path)]
    gone = [one._replace(path=one.path.with_name(f"gone.{one.path.name}")) for one in files]
    with open_tablebase(tmp_path) as tables:
        wanted = tables.sure(SIX)
        assert wanted is not None
    monkeypatch.setattr("tbgen.probe.own.list_own", lambda directory: [*gone, *files])
    with open_tablebase(tmp_path) as tables:
        assert tables.sure(SIX) == wanted
    for one in files:  # it was there when its placements were read
        one.path.rename(one.path.with_name(f"gone.{one.path.name}"))
    with open_tablebase(tmp_path) as tables:
        assert tables.own is not None
        assert tables.own.covers(chess.Board(SIX))
        for one in gone:
            one.path.unlink()
        assert tables.sure(SIX) is None
        with pytest.raises(UnsupportedPosition, match="too many men"):
            tables.probe(SIX)


def test_tables_have_one_name_whoever_has_more(tmp_path: Path) -> None:
    """As complete ones do."""
    fen = "7k/8/8/p7/P7/8/1P6/K7 w - - 0 1"
    keep_alone(tmp_path, fen)
    with open_tablebase(tmp_path) as tables:
        for board in (chess.Board(fen), chess.Board(fen).mirror()):
            found = tables.sure(board)
            assert found is not None
            assert found.material == "KPPvKP"


def test_one_bound_is_no_answer(tmp_path: Path) -> None:
    """The other one has just been removed."""
    fen = "7k/8/8/p7/P7/8/1P6/K7 w - - 0 1"
    keep_alone(tmp_path, fen)
    next(list_own(tmp_path)).path.unlink()
    with open_tablebase(tmp_path) as tables:
        for record in (None, "G2.5"):
            assert tables.sure(fen, record) is None


def test_pawns_that_have_gone_ahead_are_covered(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep(tmp_path, RACE)
    (one,) = list_own(tmp_path)
    assert keep(tmp_path, "8/3k4/8/8/7p/8/8/4K3 b - - 0 1").read
    with open_table(one.path) as table:
        assert table.own is not None
        # Black is the first side, and files are mirrored
        assert {*table.own.placements} == {(16,), (24,), (32,), (40,), (48,)}
        assert (table.own.bound, table.own.parts) == (Bound.EXACT, ())
        assert {*table.own.complete} == {*map(parse, ALL.split())}


def test_tables_of_fewer_men_are_kept_too(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    files = {(one.material.name, one.bound) for one in list_own(tmp_path)}
    assert files == {("KPvKP", Bound.EXACT), ("KPvK", Bound.EXACT)}
    with open_tablebase(small_tables) as truth, open_tablebase(tmp_path) as tables:
        for board in spread("8/8/3k4/8/3P4/8/3K4/8 w - - 4 60", 20):
            assert is_right(tables, truth, board, position.goal(board))


def test_who_delays_does_not_take_the_shortest_way_that_is_known(small_tables: Path, tmp_path: Path) -> None:
    """Black is mated whatever he does; of his other moves it is not known how soon."""
    links(small_tables, tmp_path, ALL)
    board = chess.Board("6R1/8/8/8/8/8/k5p1/2K5 b - - 4 60")
    keep_all(tmp_path, board.fen(), 0)
    with open_tablebase(tmp_path) as tables:
        found = tables.sure(board)
    assert found is not None
    assert [(board.san(one.move), one.sure.dtg) for one in found.moves if one.sure.dtg is not None] == [("Ka1", 2)]
    assert {one.sure.white for one in found.moves} == {outcome.held_by_white(0)}
    assert board.san(found.moves[-1].move) == "Ka1"


def test_a_distance_that_is_the_same_twice_may_be_wrong(small_tables: Path, tmp_path: Path) -> None:
    """Both bounds are -G3.5 in 5 plies; in the complete table it is in 7."""
    links(small_tables, tmp_path, f"{ALL} KPvK")
    fen = "8/8/8/8/8/8/1B3K1p/k7 b - - 4 60"
    keep_all(tmp_path, fen, 0)
    board, record = chess.Board(fen), outcome.parse("-G2.5")
    with open_tablebase(tmp_path) as tables:
        assert tables.own is not None
        bounds = [tables.own.result(board, record, winner) for winner in chess.COLORS]
        found = tables.sure(board, record)
    assert [(one.gscore, one.dtg) for one in bounds if one is not None] == [("-G3.5", 5)] * 2
    assert found is not None
    assert (found.sure.exact, outcome.text(found.sure.white), found.sure.dtg) == (True, "-G3.5", None)


def test_more_men_than_tables_have(tmp_path: Path) -> None:
    """Six men, of which nothing is known but what lies on this one placement."""
    keep_alone(tmp_path, SIX)
    with open_tablebase(tmp_path) as tables:
        for board in spread(SIX, 5):
            found = tables.sure(board)
            assert found is not None
            assert found.material == "KPPvKPP"
            assert found.sure.white <= found.sure.black
            try:
                assert tables.probe(board).outcome == found.sure.white == found.sure.black
            except OnlyBounds:
                assert found.sure.dtg is None
        with pytest.raises(UnsupportedPosition, match="too many men"):
            tables.probe("8/8/3k4/p2pp3/P2P4/8/3K4/8 w - - 4 60")
