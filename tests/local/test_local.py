"""A position's local tables say what the complete table says; where resets are not known, their bounds contain that."""

import random
import sys
from collections.abc import Mapping
from pathlib import Path

import chess
import pytest

from tbgen.beyond.local.choose import _Choice, make_plan, start_of
from tbgen.beyond.local.files import rows_of
from tbgen.beyond.local.resets import after_retaking, resets
from tbgen.beyond.local.solve import LocalTables, of_bound, solve_plan
from tbgen.beyond.local.stages import Limits, stages
from tbgen.beyond.local.view import SolvedTables
from tbgen.beyond.local.walks import Pawns, closed, mirrored, swapped
from tbgen.core import outcome, position
from tbgen.core.material import Material, parse
from tbgen.core.position import fault, level
from tbgen.errors import UnsupportedPosition
from tbgen.index.exits import Reached
from tbgen.index.layout import Layout
from tbgen.index.positions import fen
from tbgen.probe import SureResult, open_tablebase, play
from tbgen.probe.bounds import View, answer
from tbgen.probe.local import Numbers
from tbgen.probe.numbering import material_of
from tbgen.store import table_path
from tbgen.store.format.local import Bound
from tests.support.boards import random_boards
from tests.support.local_tables import check_bounds, images, parts_of

pytestmark = pytest.mark.usefixtures("no_bundle")

UP = "8/8/8/3k4/4P3/8/8/4K3 w - - 0 1"
DOWN = "8/3k4/7p/8/8/8/8/4K3 b - - 0 1"


@pytest.fixture(scope="module")
def wholes(small_tables: Path) -> dict[Material, Reached]:
    return parts_of(small_tables, dict.fromkeys(map(parse, ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"))))


def positions(start: chess.Board, local: LocalTables, count: int) -> list[chess.Board]:
    """Legal positions of a local table, or their mirror images, at random."""
    chance, found = random.Random(1), list[chess.Board]()
    reached = of_bound(local.parts[local.root], Bound.BEST)
    layout, is_swapped = reached.layout, bool(reached.swapped)
    numbers = Numbers(layout.material, layout.pawns.squares.tolist())
    while len(found) < count:
        number = chance.randrange(layout.size)
        board = chess.Board(fen(layout, number))
        if board.occupied.bit_count() == start.occupied.bit_count() and fault(board) is None and level(board) > 1:
            upright = board.mirror() if is_swapped else board
            pair = upright, upright.transform(chess.flip_horizontal)
            for image in pair:
                place = numbers.place(image, swapped=is_swapped)
                assert place is not None
                assert place.number == number
            found.append(chance.choice(pair))
    return found


def test_a_number_is_that_of_the_position() -> None:
    for board in random_boards(parse("KRPvKPP"), 50):
        (part,) = make_plan(board, [], 0)
        layout = Layout(part.material.normal, rows_of(part))
        place = Numbers(layout.material, layout.pawns.squares.tolist()).place(board, swapped=part.swapped)
        assert place is not None
        found = chess.Board(fen(layout, place.number))
        assert (found.board_fen(), found.turn) == (place.board.board_fen(), place.board.turn)
        assert found.board_fen() in [image.board_fen() for image in images(board)]


@pytest.mark.parametrize("material", ["KRPvKPP", "KRPvKRP"])
def test_all_images_of_a_position_have_one_part(material: str) -> None:
    """With the colours swapped it is the same one with the colours swapped, or the mirror image of that."""
    for board in random_boards(parse(material), 50):
        parts = [make_plan(image, [], 0)[-1] for image in images(board)]
        men, pawns = parts[0].material, {*parts[0].slices}
        assert [part.material for part in parts] == [men, men, men.swapped, men.swapped]
        assert pawns == {*parts[1].slices}
        turned = {*map(swapped, parts[2].slices)}
        assert turned == {*map(swapped, parts[3].slices)}
        assert pawns in (turned, {*map(mirrored, turned)})


@pytest.mark.parametrize(
    ("start", "slices"),
    [
        (UP, 4),
        (DOWN, 5),
        ("8/7p/8/8/P7/8/8/K6k w - - 0 1", 4 * 6),
        ("8/p7/8/8/P7/8/8/K6k w - - 0 1", 6),
        ("8/8/p1p5/P1P5/8/8/8/K6k w - - 0 1", 1),
    ],
)
def test_pawns_only_step_forward_and_never_pass(start: str, slices: int) -> None:
    board = chess.Board(start)
    assert len(closed({start_of(board)[1]})) == slices


@pytest.mark.parametrize("material", ["KRPvKP", "KPPvKP", "KBPPvKNP", "KRBPvKNPP"])
def test_every_reset_leads_to_a_part_that_is_listed(material: str) -> None:
    """And so does taking the man that has moved."""
    retaken = 0
    for board in random_boards(parse(material), 60):
        men, pawns = start_of(board)
        listed: dict[tuple[Material, Pawns], set[tuple[Material, Pawns]]] = {}
        for reset in resets(pawns, men):
            listed.setdefault((reset.material, reset.pawns), set()).update(after_retaking(reset))
        for move in board.legal_moves:
            if not (board.is_capture(move) or move.promotion):
                continue
            board.push(move)
            if board.pawns:
                there = men_and_pawns(board)
                assert there in listed, (board.fen(), move)
                for retaking in board.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square]):
                    after = board.copy(stack=False)
                    after.push(retaking)
                    if after.pawns and not retaking.promotion:
                        retaken += 1
                        assert men_and_pawns(after) in listed[there], (after.fen(), move)
            board.pop()
    assert retaken > 5


@pytest.mark.parametrize("material", ["KPPvKNP", "KRPPvKBPP"])
def test_no_two_pawns_are_on_one_square(material: str) -> None:
    """Not even after a capture or promotion, or after retaking: no file can have such a placement."""
    for board in random_boards(parse(material), 60):
        men, pawns = start_of(board)
        for reset in resets(pawns, men):
            for lead, (white, black) in [(reset.material, reset.pawns), *after_retaking(reset)]:
                assert len({*white, *black}) == len(white) + len(black) == lead.pawns, (board.fen(), reset)


def test_a_part_of_equal_men_is_found_where_black_has_more() -> None:
    """Black is the first side of the position's own part; in this one either could be."""
    root = chess.Board("8/8/3k4/p6p/P7/8/3K4/8 b - - 0 1")
    plan = make_plan(root, [], 200_000)
    assert parse("KPvKP") in [part.material for part in plan]
    local = SolvedTables(solve_plan(plan, lambda materials: {}))
    white, black = (local.result(chess.Board("8/8/3k4/p7/P7/8/3K4/8 w - - 0 1"), None, side) for side in chess.COLORS)
    assert white is not None
    assert black is not None
    assert black.outcome <= white.outcome


def test_more_than_four_like_pieces_are_not_numbered() -> None:
    with pytest.raises(UnsupportedPosition, match=r"^KQQQQQPvK: .* up to 4 like pieces a side$"):
        make_plan(chess.Board("7k/8/8/8/8/P7/8/QQQQQ2K w - - 0 1"), [], 1 << 50)
    plan = make_plan(chess.Board("7k/PP6/8/8/8/8/8/NNNNK3 w - - 0 1"), [], 1 << 50)
    materials = {part.material.normal for part in plan}
    assert parse("KBNNNNPvK") in materials
    assert parse("KNNNNNPvK") not in materials


def leads_of(board: chess.Board, most: int) -> dict[Material, set[Material]]:
    """Where resets of the position's own part lead to, and where retaking does."""
    choice = _Choice(board, [], most, 0, sys.maxsize)
    choice.look_at_next()
    return choice.chosen[start_of(board)[0]].leads_to


@pytest.mark.parametrize("material", ["KPPvKP", "KBPPvKNP", "KPPvKPP"])
def test_what_slices_lead_to_is_known_without_a_list_of_them(material: str) -> None:
    """A position's own part alone has the size, the exits and the slices that it has in a larger plan."""
    for board in random_boards(parse(material), 6):
        alone, listed = (make_plan(board, [], most)[-1] for most in (0, 1))
        assert leads_of(board, 0) == leads_of(board, 1)
        assert (alone.numbers, len(alone.slices)) == (listed.numbers, len(listed.slices))
        assert alone.slices == listed.slices


def test_too_many_slices_are_counted_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbgen.beyond.local.choose.closed", None)
    (part,) = make_plan(chess.Board("4k3/ppppp3/8/8/8/8/PPPPP3/4K3 w - - 0 1"), [], 0)
    assert len(part.slices) == 15**5
    limits = Limits(1 << 33, 1 << 60, 1000)
    assert len([*stages(chess.Board("4k3/ppppp3/8/8/8/8/PPPPP3/4K3 w - - 0 1"), [], limits, 2)]) == 1


def men_and_pawns(board: chess.Board) -> tuple[Material, Pawns]:
    white, black = (tuple(sorted(board.pieces(chess.PAWN, color))) for color in (chess.WHITE, chess.BLACK))
    return material_of(board), (white, black)


@pytest.mark.parametrize("start", [UP, DOWN])
@pytest.mark.parametrize("names", ["KvK KQvK KRvK KBvK KNvK", "KvK KNvK", ""])
def test_against_the_complete_table(
    start: str, names: str, wholes: Mapping[Material, Reached], small_tables: Path, tmp_path: Path
) -> None:
    board = chess.Board(start)
    known = {parse(name): wholes[parse(name)] for name in names.split()}
    for material in known:
        path = table_path(small_tables, material, "r")
        (tmp_path / path.name).symlink_to(path)
    local = solve_plan(make_plan(board, known, 0), lambda asked: {one.normal: known[one.normal] for one in asked})
    exact, chance = 0, random.Random(2)
    with open_tablebase(small_tables) as truth, open_tablebase(tmp_path) as complete:
        for one in positions(board, local, 60):
            goal = position.goal(one)
            held = outcome.held_by_white if chance.random() < 0.5 else outcome.held_by_black
            for record in (goal, outcome.improved(held(chance.randint(2, level(one))), goal)):
                found = answer(SolvedTables(local), one, record, complete)
                check_bounds(found, truth, one, record)
                exact += found.sure.exact
                if len(known) == 5:
                    value = truth.probe(one, record, line=True)
                    assert found.sure.dtg == value.dtg
                    assert len(found.line) in (value.dtg, next_reset(one, found))
    assert (exact == 120) == (len(known) == 5)


def next_reset(board: chess.Board, found: SureResult) -> int:
    """The plies of a line up to where it leaves the local table."""
    board = board.copy(stack=False)
    for ply, one in enumerate(found.line, 1):
        leaves = board.is_capture(one.move) or one.move.promotion
        board.push(one.move)
        if leaves:
            return ply
    return -1


def test_best_play_is_what_is_known_of_both_sides(wholes: Mapping[Material, Reached], tmp_path: Path) -> None:
    """If White mates wherever nothing is known, Black's a1=B looks no better to him than his mate; if Black does, no
    worse."""
    known = {parse("KvK"): wholes[parse("KvK")]}
    black = chess.Board("1r6/8/8/8/8/7k/p7/7K b - - 0 1")
    for board in (black, black.mirror()):
        local = SolvedTables(solve_plan(make_plan(board, [], 0), lambda asked: known))
        with open_tablebase(tmp_path) as nothing:
            found = answer(local, board, position.goal(board), nothing)
        assert (found.sure.dtg, len(found.line)) == (1, 1)
        for move in (found.line[0].move, found.moves[0].move):
            board.push(move)
            assert board.is_checkmate()
            board.pop()
        assert {one.move.promotion for one in found.moves if not one.sure.known} == {chess.BISHOP, chess.KNIGHT}


def test_a_capture_leads_to_a_local_table_of_fewer_men(wholes: Mapping[Material, Reached], small_tables: Path) -> None:
    """KPvKP without its successors' tables: KPvK is solved on the way, for either side."""
    board = chess.Board("8/8/3k4/3p4/3P4/8/3K4/8 w - - 0 1")
    plan = make_plan(board, wholes, 1 << 22)
    assert {str(part.material) for part in plan[:2]} == {"KPvK", "KvKP"}
    local = solve_plan(plan, lambda asked: {one.normal: wholes[one.normal] for one in asked})
    (kpk, *_) = plan
    assert kpk.exact
    with open_tablebase(small_tables) as complete:
        found = answer(SolvedTables(local), board, position.goal(board), complete)
    assert found.sure.white <= found.sure.black


def test_a_double_step_may_answer_another(tmp_path: Path) -> None:
    """e4 gives a right to capture it, and g5 instead another one: what is stored is what moves make of it."""
    start = chess.Board("7k/6p1/8/7P/3p4/8/4P3/K7 w - - 0 1")
    local = solve_plan(make_plan(start, [], 0), lambda materials: {})
    chance, rights = random.Random(3), 0
    with open_tablebase(tmp_path) as complete:
        for view in (View(SolvedTables(local), winner, complete) for winner in chess.COLORS):
            for _ in range(80):
                board = start.copy()
                for king in chess.COLORS:
                    board.remove_piece_at(board.king(king))
                    free = sorted(chess.SquareSet(~board.occupied))
                    board.set_piece_at(chance.choice(free), chess.Piece(chess.KING, king))
                if fault(board) is not None or level(board) < 2:
                    continue
                stored = view.result(board, None)
                best = play.moves(view, board, stored.record)[0]
                distance = 0 if best.outcome == stored.record else best.dtg
                assert (stored.outcome, stored.dtg) == (best.outcome, distance), board.fen()
                for uci in ("e2e4", "g7g5"):
                    if chess.Move.from_uci(uci) in board.legal_moves:
                        board.push_uci(uci)
                rights += len(board.move_stack) == 2 and board.has_legal_en_passant()
    assert rights > 20
