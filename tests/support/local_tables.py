"""Directories in which local tables are kept, and positions of them."""

import random
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import chess

from tbgen.beyond.local.attempt import Attempt, Means, attempt
from tbgen.beyond.local.choose import Tables, make_plan
from tbgen.beyond.local.complete import CompleteTables
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.solve import solve_plan
from tbgen.core.material import Material
from tbgen.core.position import fault, goal, level
from tbgen.core.table_rules import TableRules
from tbgen.index.exits import Reached
from tbgen.memory.arrays import in_memory
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.probe import ResultWithMoves, Sure, SureResult, Tablebase, open_tablebase
from tbgen.store import find_table, list_tables
from tbgen.store.entry_cache import EntryCache
from tbgen.store.local import list_local
from tbgen.verify.file import check_local

BLOCKED = "8/8/3k4/3p4/3P4/8/3K4/8 w - - 4 60"
"""One placement: what is taken leads to tables of three men."""
ALL = "KvK KQvK KRvK KBvK KNvK"
"""All tables that a pawn's promotions and its loss lead to."""
RACE = "8/3k4/7p/8/8/8/8/4K3 b - - 0 1"
"""Five placements of Black's pawn."""
BOTH_RACE = "8/8/3k3p/8/P7/8/3K4/8 w - - 4 60"
"""A pawn a side on files apart: both promote, and either may be lost first."""
MEMORY = 4_000_000_000


def links(source: Path, target: Path, names: str) -> None:
    """Have some tables in another directory."""
    for name in names.split():
        (target / f"{name}.r.h5").symlink_to(source / f"{name}.r.h5")


def parts_of(directory: Path, asked: Tables) -> dict[Material, Reached]:
    """What solving a plan asks for, from the tables of a directory."""
    return CompleteTables(directory, in_memory).take(asked)


def keep(directory: Path, fen: str) -> Attempt:
    """Solve a position, and keep the tables."""
    board = chess.Board(fen)
    with open_tablebase(directory) as tables:
        return attempt(board, goal(board), tables, Means(directory, MEMORY, 3600, 1, keeps=True))


def keep_alone(directory: Path, fen: str) -> None:
    """Solve the position's own part only, nothing else being known, and keep it."""
    solve_plan(make_plan(chess.Board(fen), [], 0), lambda materials: {}, shelf=Shelf(directory, writes=True))


def keep_all(directory: Path, fen: str, most: int = 1 << 40) -> None:
    """Solve everything that the position leads to and that has no table, parts of up to so many numbers."""
    complete = [material for _, material, _ in list_tables(directory)]
    plan = make_plan(chess.Board(fen), complete, most)
    solve_plan(plan, partial(parts_of, directory), shelf=Shelf(directory, writes=True))


def spread(fen: str, count: int, seed: int = 1) -> Iterator[chess.Board]:
    """Positions with the same men, the pawns where they are: kings at random, colours and files mirrored at random."""
    chance, start = random.Random(seed), chess.Board(fen)
    while count:
        board = start.copy(stack=False)
        for square in chess.SquareSet(board.kings):
            board.remove_piece_at(square)
        for color in chess.COLORS:
            free = sorted(chess.SquareSet(~board.occupied))
            board.set_piece_at(chance.choice(free), chess.Piece(chess.KING, color))
        board.turn = chance.random() < 0.5
        board = board.mirror() if chance.random() < 0.5 else board
        board = board.transform(chess.flip_horizontal) if chance.random() < 0.5 else board
        if fault(board) is None and level(board) > 1:
            count -= 1
            yield board


def images(board: chess.Board) -> list[chess.Board]:
    """The four positions that symmetry makes one."""
    return [image for one in (board, board.mirror()) for image in (one, one.transform(chess.flip_horizontal))]


def check_bounds(found: SureResult, truth: Tablebase, board: chess.Board, record: int) -> ResultWithMoves:
    """See that bounds hold, and that all that is said to be exact is, for the position and each of its moves."""
    value = truth.probe(board, record, moves=True)
    said: dict[chess.Move | None, Sure] = {None: found.sure, **{one.move: one.sure for one in found.moves}}
    true: dict[chess.Move | None, tuple[int, int]] = {None: (value.outcome, value.dtg)}
    true.update((one.move, (one.outcome, one.dtg)) for one in value.moves)
    assert said.keys() == true.keys()
    for move, sure in said.items():
        outcome, distance = true[move]
        assert sure.white <= outcome <= sure.black, (board.fen(), record, move)
        assert sure.dtg in (None, distance), (board.fen(), record, move)
    return value


def verdicts(directory: Path, threads: int = 1) -> list[tuple[int, int]]:
    """How many positions are wrong, and how many could not be checked, table by table."""
    found = []
    with closing(DiskArrays(directory, MEMORY)) as disk_arrays:
        cache = EntryCache(directory, TableRules.RESET, disk_arrays, find=find_table)
        for one in list_local(directory):
            verdict = check_local(
                one, directory, cache, disk_arrays, threads=threads, lost=lambda material, error: None
            )
            assert verdict.checked + verdict.unchecked > 0
            found.append((verdict.wrong, verdict.unchecked))
    return found
