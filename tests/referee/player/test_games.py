"""Games of the table engine from random positions, every move of it checked against the tables' own words.

The value of the game for the engine's side must never fall, and it must come true. Its distance must count
down: by one with every move of the engine, and no slower than that with the opponent's while it gains.
Nothing in this file knows how the tables were made: a table that promises too much is found out over the
board.
"""

import contextlib
import os
import random
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import pytest

from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.core.position import fault, goal, level
from tbgen.probe import Result, Tablebase, open_tablebase
from tbgen.rules import Game
from tbgen.rules.rulesets import IGNORED, RuleSet
from tbgen.store import list_tables
from tests.support.places import FAKE_ENGINE

LONGEST = 600
STANDS_FOR = 40
"""After so many plies in which neither side could do anything about the record, it is the result."""


class Start(NamedTuple):
    board: chess.Board
    record: int | None


def command(directory: Path, rules: str) -> list[str]:
    return [sys.executable, "-m", "tbgen", "uci", "--tables", str(directory), "--rules", rules]


def materials(directory: Path, rules: str) -> list[Material]:
    return [material for _, material, of in list_tables(directory) if of == rules and material.men > 2]


def random_start(rng: random.Random, among: list[Material]) -> Start:
    """A position in which there is something to play for, with a record that may have come from earlier."""
    while True:
        material = rng.choice(among)
        sides = (material.first, material.second)
        if rng.random() < 0.5:
            sides = sides[::-1]
        men = [
            chess.Piece.from_symbol(letter if white else letter.lower())
            for white, side in zip((True, False), sides, strict=True)
            for letter in f"K{side}"
        ]
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        for square, man in zip(rng.sample(range(64), len(men)), men, strict=True):
            board.set_piece_at(square, man)
        if fault(board) is None and level(board) > 1:
            passed = [square for square in chess.SQUARES if _allows_passing(board, square)]
            if passed:
                board.ep_square = rng.choice(passed)
            return Start(board, _random_record(rng, board))


def _allows_passing(board: chess.Board, square: chess.Square) -> bool:
    trial = board.copy()
    trial.ep_square = square
    return fault(trial) is None and trial.has_legal_en_passant()


def _random_record(rng: random.Random, board: chess.Board) -> int | None:
    own = goal(board)
    if rng.random() < 0.4 or board.ep_square is not None or outcome.level(own) < 3:
        return None
    board.halfmove_clock = 7
    found = rng.randint(2, outcome.level(own))
    return rng.choice((outcome.held_by_white, outcome.held_by_black))(found)


class Fault(AssertionError):
    """A table's promise that did not hold."""


class Watched:
    """A game of a table engine, for one side or both of it."""

    def __init__(self, tablebase: Tablebase, start: Start, sides: tuple[chess.Color, ...]) -> None:
        rules = RuleSet("test", fifty=IGNORED, whole_game=tablebase.rules == "wg")
        self.tablebase = tablebase
        self.sides = sides
        self.game = Game(start.board, start.record, rules)
        self.start = self.game.fen()
        self.now = self._probe()
        self.first = self.now
        self.stood = 0

    def _probe(self) -> Result:
        return self.tablebase.probe(self.game.board, self.game.record.outcome)

    def push(self, move: chess.Move) -> None:
        before, self_moved = self.now, self.game.board.turn in self.sides
        stood = before.stands
        self.game.push(move)
        self.now = now = self._probe()
        self.stood = self.stood + 1 if now.stands and stood else 0
        worth = self.game.record.outcome if self.game.ended else now.outcome
        for side in self.sides:
            sign = 1 if side else -1
            if sign * worth < sign * before.outcome:
                self.fail(f"the value fell from {before.gscore} to {outcome.text(worth)}")
        if stood or self.game.ended or now.outcome != before.outcome:
            return
        expected = before.dtg - 1
        if self_moved and now.dtg != expected:
            self.fail(f"own move: {now.dtg} plies to go where {expected} were promised")
        gains = [side for side in self.sides if (before.outcome > before.record) == side]
        if not self_moved and (now.dtg > expected if gains else now.dtg < expected):
            self.fail(f"opponent's move: {now.dtg} plies to go where {expected} were promised")

    def finish(self) -> None:
        """The game is over, or has been stopped: check that what the tables promised is what the record says.

        Who would have to do something about the record has had time for it; the other side need not hurry.
        """
        record = self.game.record.outcome
        for side in self.sides:
            sign = 1 if side else -1
            if not self.game.ended and sign * record < sign * self.now.outcome:
                self.fail(f"no end after {self.game.record.ply} plies")
            if sign * record < sign * self.first.outcome:
                self.fail(f"ended at {outcome.text(record)}, promised {self.first.gscore}")

    @property
    def over(self) -> bool:
        return self.game.ended or self.stood >= STANDS_FOR or self.game.record.ply >= LONGEST

    def fail(self, words: str) -> None:
        moves = " ".join(move.uci() for move in self.game.board.move_stack)
        raise Fault(f"{words}\nfrom {self.start} (worth {self.first.gscore} in {self.first.dtg})\nmoves {moves}")


class Playing(chess.engine.UciProtocol):
    """Tells the engine the record of the start position, as the FEN's seventh field."""

    record: str | None = None

    def send_line(self, line: str) -> None:
        if self.record is not None and line.startswith("position fen "):
            head, moves, rest = line.partition(" moves ")
            line = f"{head} {self.record}{moves}{rest}"
        super().send_line(line)


def play(
    directory: Path, rules: str, opponent: list[str] | None, limit: chess.engine.Limit, *, count: int, seed: int
) -> None:
    """Have the table engine play an opponent, or itself, and check every move."""
    rng = random.Random(seed)
    among = materials(directory, rules)
    if not among:
        pytest.skip(f"no tables for {rules} in {directory}")
    engine = chess.engine.SimpleEngine
    with contextlib.ExitStack() as stack:
        tablebase = stack.enter_context(open_tablebase(directory, rules))
        ours = stack.enter_context(engine.popen(Playing, command(directory, rules)))
        theirs = ours if opponent is None else stack.enter_context(engine.popen_uci(opponent))
        for number in range(count):
            start = random_start(rng, among)
            side = bool(number % 2)
            watched = Watched(tablebase, start, (True, False) if opponent is None else (side,))
            ours.protocol.record = None if start.record is None else outcome.text(start.record)
            while not watched.over:
                mover = ours if watched.game.board.turn == side else theirs
                played = mover.play(watched.game.board, limit, game=number)
                assert played.move is not None
                watched.push(played.move)
            watched.finish()


@pytest.fixture(scope="module")
def tables(small_tables: Path) -> Path:
    """The tables that a variable names, or small ones."""
    named = os.environ.get("TBGEN_TEST_TABLES")
    return Path(named) if named else small_tables


FAKE = [sys.executable, str(FAKE_ENGINE), "--seed", "5"]
STOCKFISH = shutil.which("stockfish", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")
AT_ONCE = chess.engine.Limit(time=0.01)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_some_games_against_itself(tables: Path, rules: str) -> None:
    play(tables, rules, None, AT_ONCE, count=5, seed=1)


def test_some_games_against_any_move(tables: Path) -> None:
    play(tables, "r", FAKE, AT_ONCE, count=8, seed=2)


@pytest.mark.full
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_200_games_against_itself(tables: Path, rules: str) -> None:
    play(tables, rules, None, AT_ONCE, count=200, seed=3)


@pytest.mark.full
@pytest.mark.skipif(STOCKFISH is None, reason="needs Stockfish")
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_200_games_against_stockfish(tables: Path, rules: str) -> None:
    assert STOCKFISH is not None
    play(tables, rules, [STOCKFISH], chess.engine.Limit(nodes=3000), count=200, seed=4)


def test_a_broken_promise_is_noticed(tables: Path) -> None:
    """Else these tests would pass whatever happens."""
    with open_tablebase(tables) as tablebase:
        watched = Watched(tablebase, Start(chess.Board("8/8/8/4k3/8/8/8/K6R w - - 0 1"), None), (True,))
        with pytest.raises(Fault, match="own move"):
            watched.push(chess.Move.from_uci("h1h2"))
        watched = Watched(tablebase, Start(chess.Board("8/8/8/8/8/3k4/4R3/K7 w - - 0 1"), None), (True,))
        with pytest.raises(Fault, match=r"the value fell from G0\.0 to "):
            watched.push(chess.Move.from_uci("a1a2"))
