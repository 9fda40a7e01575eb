"""Local tables that are kept: read instead of solved again, found by their pawns, and never a wrong answer."""

import pickle
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import pytest

from tbgen.beyond.local import attempt as attempts
from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.files import KeptPart, Shelf
from tbgen.beyond.local.stages import Cost
from tbgen.cli.main import main
from tbgen.core import outcome, position
from tbgen.core.material import Material, parse
from tbgen.errors import MissingTable, TbgenError, UnsupportedPosition
from tbgen.probe import OnlyBounds, Sure, Tablebase, open_tablebase
from tbgen.store import list_tables, open_table
from tbgen.store.format.local import Bound
from tbgen.store.local import list_local, refuse_old
from tests.support.local_tables import (
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
    kept = {one.name.bound for one in list_local(tmp_path)}
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


def test_the_last_plan_that_is_kept_answers(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is not exact, and though those before it are kept no more: it knows all that they did."""
    links(small_tables, tmp_path, ALL)

    def two_plans(board: chess.Board, means: attempts.Means) -> Iterator[tuple[list[Part], Cost]]:
        for most in (0, 100_000):
            yield make_plan(board, [material for _, material, _ in list_tables(tmp_path)], most), Cost(0, 0, 0)

    monkeypatch.setattr(attempts, "plans", two_plans)
    solved = keep(tmp_path, BOTH_RACE)
    monkeypatch.setattr(attempts, "solve_plan", None)
    again = keep(tmp_path, BOTH_RACE)
    assert solved.answer is not None
    assert again.answer is not None
    assert not solved.answer.sure.exact
    assert (solved.read, again.read) == (False, True)
    assert solved.answer.sure == again.answer.sure


def test_what_is_kept_counts_where_less_is_solved(
    small_tables: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each move too."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for place in (tmp_path, elsewhere):
        links(small_tables, place, ALL)
    complete = [material for _, material, _ in list_tables(tmp_path)]
    alone, more = (make_plan(chess.Board(BOTH_RACE), complete, most) for most in (0, 100_000))

    def moves_of(place: Path, plan: list[Part]) -> dict[chess.Move, Sure]:
        monkeypatch.setattr(attempts, "plans", lambda board, means: iter([(plan, Cost(0, 0, 0))]))
        found = keep(place, BOTH_RACE)
        assert not found.read
        assert found.answer is not None
        return {one.move: one.sure for one in found.answer.moves}

    weak, strong = moves_of(elsewhere, alone), moves_of(tmp_path, more)
    assert weak != strong
    assert moves_of(tmp_path, alone) == strong


def test_tables_that_an_earlier_program_kept_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, which says what to do."""
    old = tmp_path / "own"
    old.mkdir()
    (old / "KPvK.r.1f0c9d2e8a7b55aa.worst.h5").write_bytes(b"")
    wanted = f"an earlier tbgen kept tables in {old}: remove it (tbgen solve --keep makes them again)"
    with pytest.raises(TbgenError, match=f"^{re.escape(wanted)}$"):
        open_tablebase(tmp_path)
    for words in (["info"], ["verify"], ["probe", RACE], ["solve", "--keep", RACE]):
        assert main([*words, "--tables", str(tmp_path)]) == TbgenError.exit_code
        assert capsys.readouterr().err == f"tbgen: {wanted}\n"


def test_the_directory_is_looked_at_once_for_each_plan(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links(small_tables, tmp_path, ALL)
    look_up, looks = Shelf.look_up, list[str]()

    def counted(shelf: Shelf, plan: Sequence[Part]) -> dict[Material, KeptPart]:
        looks.append(str(plan))
        return look_up(shelf, plan)

    monkeypatch.setattr(Shelf, "look_up", counted)
    keep(tmp_path, BLOCKED)
    assert len({*looks}) == len(looks) > 0


def test_what_is_kept_may_go_before_it_is_asked(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove it between a look at its notes and the question."""
    look_up = Shelf.look_up

    def remove(shelf: Shelf, plan: Sequence[Part]) -> dict[Material, KeptPart]:
        found = look_up(shelf, plan)
        for one in list_local(solved):
            one.path.unlink()
        return found

    monkeypatch.setattr(Shelf, "look_up", remove)
    (kept,) = list_local(solved)
    with open_tablebase(solved) as tables:
        monkeypatch.setattr("tbgen.probe.local.list_local", lambda directory: [kept])
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
    files = [*list_local(tmp_path)]
    gone = [one._replace(path=one.path.with_name(f"gone.{one.path.name}")) for one in files]
    with open_tablebase(tmp_path) as tables:
        wanted = tables.sure(SIX)
        assert wanted is not None
    monkeypatch.setattr("tbgen.probe.local.list_local", lambda directory: [*gone, *files])
    with open_tablebase(tmp_path) as tables:
        assert tables.sure(SIX) == wanted
    for one in files:  # it was there when its slices were read
        one.path.rename(one.path.with_name(f"gone.{one.path.name}"))
    with open_tablebase(tmp_path) as tables:
        assert tables.local is not None
        assert tables.local.covers(chess.Board(SIX))
        for one in gone:
            one.path.unlink()
        assert tables.sure(SIX) is None
        with pytest.raises(MissingTable, match=r"KPPvKPP\.r\.h5 is missing"):
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
    next(list_local(tmp_path)).path.unlink()
    with open_tablebase(tmp_path) as tables:
        for record in (None, "G2.5"):
            assert tables.sure(fen, record) is None


def test_pawns_that_have_gone_ahead_are_covered(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep(tmp_path, RACE)
    (one,) = list_local(tmp_path)
    assert keep(tmp_path, "8/3k4/8/8/7p/8/8/4K3 b - - 0 1").read
    with open_table(one.path) as table:
        assert table.local is not None
        # Black is the first side, and files are mirrored
        assert {*table.local.slices} == {(16,), (24,), (32,), (40,), (48,)}
        assert (table.local.bound, table.local.tables) == (Bound.EXACT, ())
        assert {*table.local.complete} == {*map(parse, ALL.split())}


def test_tables_of_fewer_men_are_kept_too(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    files = {(one.material.name, one.name.bound) for one in list_local(tmp_path)}
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
        assert tables.local is not None
        bounds = [tables.local.result(board, record, winner) for winner in chess.COLORS]
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


def test_a_name_that_no_directory_can_have_holds_no_tables() -> None:
    refuse_old("9" * 5000)
    assert not [*list_local("9" * 5000)]
