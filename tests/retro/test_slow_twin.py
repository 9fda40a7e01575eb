"""The slow twin against the literature, against the definition, and against the theory's claims."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import chess
import pytest

from tests.support.slow_twin.goals import Goal, Result, Rules, goal_of, record_after, worth
from tests.support.slow_twin.slice import Slice, after_move
from tests.support.slow_twin.twin import Twin

LONG = ("KBvK", "KRvK", "KQvK", "KPvK")
MATERIALS = ["KvK", "KNvK", *(pytest.param(name, marks=pytest.mark.full) for name in LONG)]


@cache
def twin(rules: Rules = "r") -> Twin:
    return Twin(rules)


def values(material: str) -> Counter[str]:
    return Counter(str(twin().fresh(board).goal) for board in twin().positions(material))


def levels(material: str) -> set[str]:
    return {value[1:] for value in values(material)}


@pytest.mark.parametrize(
    ("fen", "value", "plies"),
    [
        ("8/8/8/2K3k1/8/8/8/8 w - - 0 1", "-G8.5", 0),
        ("8/8/8/3K1k2/8/8/8/8 w - - 0 1", "-G5.5", None),
        ("8/6k1/8/4K3/8/8/8/8 b - - 0 1", "+G5.5", None),
        ("8/8/8/2kNK3/8/8/8/8 b - - 0 1", "+G3.5", None),
        pytest.param("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", "+G0.5", 0, marks=pytest.mark.full),
    ],
)
def test_the_slow_twin_finds_known_values(fen: str, value: str, plies: int | None) -> None:
    board = chess.Board(fen)
    result = twin().fresh(board)
    assert str(result.goal) == value
    assert plies in (None, result.plies)
    assert twin().fresh(board.mirror()) == Result(result.goal.of_other_side(), result.plies)


@pytest.mark.parametrize(
    ("fen", "value", "line"),
    [
        ("8/8/8/4KBk1/8/8/8/8 b - - 0 1", "+G1.5", "Kh5 Kf4 Kh6 Kg4"),
        ("6k1/8/5K2/5B2/8/8/8/8 b - - 0 1", "+G0.5", "Kf8 Bd7 Kg8 Be6+ Kh7 Bf7 Kh8 Kg6"),
    ],
)
def test_published_lines_are_best_play(fen: str, value: str, line: str) -> None:
    board = chess.Board(fen)
    record = goal_of(board)
    moves = line.split()
    for plies in range(len(moves), 0, -1):
        result = twin().value(board, record)
        assert (str(result.goal), result.plies) == (value, plies)
        board.push_san(moves[-plies])
        record = record_after(record, goal_of(board))
    assert str(record) == value


def test_values_of_bare_kings() -> None:
    count = values("KvK")
    assert levels("KvK") == {"G8.5", "G5.5", "G4.5", "G3.5", "G2.5", "G1.5"}
    assert all(count[value] == count["-" + value[1:]] for value in count)
    assert count["+G5.5"] + count["-G5.5"] > count.total() / 2


def test_values_of_a_knight() -> None:
    count = values("KNvK")
    assert levels("KNvK") >= {"G0.5", "G1.0", "G1.5", "G2.0", "G2.5", "G3.0", "G3.5"}
    assert count["+G3.5"] > count.total() / 2
    assert all(count[rare] < count.total() / 400 for rare in ("+G1.0", "+G2.0", "+G3.0"))


@pytest.mark.full
@pytest.mark.parametrize(("material", "plies"), [("KQvK", 20), ("KRvK", 32), ("KPvK", 56)])
def test_longest_mates(material: str, plies: int) -> None:
    positions = [board for board in twin().positions(material) if board.turn == chess.BLACK]
    results = [twin().fresh(board) for board in positions]
    assert max(found for goal, found in results if goal == Goal(chess.WHITE, 0)) == plies


# --- the definition, one ply deep ----------------------------------------------------------------


def by_definition(
    board: chess.Board, record: Goal, rules: Rules, value: Callable[[chess.Board, Goal], Result]
) -> Result:
    """V(p, r) and its distance from those of the positions one ply on."""
    if not any(board.legal_moves):
        return Result(record, 0)
    results = []
    for move in board.legal_moves:
        after = after_move(board, move)
        forgotten = rules == "r" and board.is_zeroing(move)
        results.append(value(after, record_after(None if forgotten else record, goal_of(after))))
    best = (max if board.turn == chess.WHITE else min)(worth(result.goal) for result in results)
    if best == worth(record):
        return Result(record, 0)
    keeping = [result for result in results if worth(result.goal) == best]
    mover_gains = (best > worth(record)) == (board.turn == chess.WHITE)
    plies = (min if mover_gains else max)(result.plies for result in keeping)
    return Result(keeping[0].goal, 1 + plies)


@pytest.mark.parametrize(
    ("material", "rules"),
    [
        *(("KvK", "r"), ("KvK", "wg"), ("KNvK", "r")),
        pytest.param("KNvK", "wg", marks=pytest.mark.full),
        *(pytest.param(name, rules, marks=pytest.mark.full) for name in LONG for rules in ("r", "wg")),
    ],
)
def test_every_result_follows_from_the_next_ply(material: str, rules: Rules) -> None:
    judged = twin(rules)
    for board in random.Random(material).sample(list(judged.positions(material)), 20):
        for record, result in judged.staircase(board).items():
            expected = by_definition(board, record, rules, judged.value)
            assert result == expected, (board.fen(), str(record))


def test_en_passant_and_the_oracle() -> None:
    """The oracle pretends that every record stands once the slice is left."""

    def oracle(board: chess.Board, record: Goal) -> Result | None:
        return None if board.has_legal_en_passant() else Result(record, 0)

    def value(board: chess.Board, record: Goal) -> Result:
        in_slice = board.pawns == pawns and chess.popcount(board.occupied) == 4
        if in_slice or board.has_legal_en_passant():
            return judged.value(board, record)
        return Result(record, 0)

    pawns = chess.BB_D5 | chess.BB_E7
    judged = Twin(oracle=oracle)
    boards = list(judged.positions("KPvKP", ["Pd5 pe7"]))
    captures = 0
    for board in random.Random(0).sample(boards, 40):
        for record, result in judged.staircase(board).items():
            assert result == by_definition(board, record, "r", value), (board.fen(), str(record))
        for after in (after_move(board, move) for move in board.legal_moves):
            if after.has_legal_en_passant():
                captures += 1
                own = goal_of(after)
                assert judged.staircase(after) == {own: by_definition(after, own, "r", value)}
    assert captures > 0


# --- what the theory claims ----------------------------------------------------------------------


def staircases(slice_: Slice) -> Iterator[tuple[int, dict[Goal, Result]]]:
    """Each position where play goes on, with V for every level of either side."""
    for node, level in enumerate(slice_.levels):
        records = (Goal(owner, h) for h in range(2, level + 1) for owner in chess.COLORS)
        if level >= 2:
            yield node, {record: slice_.arrive(node, record) for record in records}


@pytest.mark.parametrize("material", MATERIALS)
def test_a_better_record_is_never_worse(material: str) -> None:
    for slice_ in twin().solve(material):
        for _, stairs in staircases(slice_):
            steps = [worth(stairs[record].goal) for record in sorted(stairs, key=worth)]
            assert steps == sorted(steps)


@pytest.mark.parametrize("material", MATERIALS)
def test_inside_or_beyond_for_good(material: str) -> None:
    for slice_ in twin().solve(material):
        for _, stairs in staircases(slice_):
            beyond = None
            for level in range(2, max(record.level for record in stairs) + 1):
                plus, minus = Goal(chess.WHITE, level), Goal(chess.BLACK, level)
                pair = {stairs[plus], stairs[minus]}
                if beyond is not None:
                    assert pair == {beyond}
                elif len(pair) == 1 and stairs[plus].goal.level < level:
                    beyond = stairs[plus]
                    assert beyond.goal.level == level - 1 or (level, beyond.goal.level) == (2, 0)
                else:
                    assert all(worth(minus) <= worth(goal) <= worth(plus) for goal, _ in pair)


@pytest.mark.parametrize("material", MATERIALS)
def test_without_resets_the_better_of_record_and_fresh_value(material: str) -> None:
    for slice_ in twin("wg").solve(material):
        for node, stairs in staircases(slice_):
            fresh = slice_.arrive(node, None)
            for record, result in stairs.items():
                better = fresh if fresh.goal.level < record.level else Result(record, 0)
                assert result == better


@pytest.mark.full
def test_without_resets_a_lost_bishop_does_not_level_the_score() -> None:
    even = Goal(chess.BLACK, 17)
    boards = [board for board in twin().positions("KBvK") if twin().fresh(board).goal == even]
    ends = [twin("wg").fresh(board).goal for board in boards]
    assert (min(ends).level, max(ends).level) == (6, 14)
    assert all(goal.owner == chess.WHITE for goal in ends)
