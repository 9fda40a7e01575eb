"""A UCI engine that plays from the tables, line by line.

It answers every `go` at once, whatever the time control: there is nothing to think about. Whatever comes
in, it goes on: a GUI that loses its engine loses the game.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess

from tbgen._version import __version__
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.rules import Game
from tbgen.rules.fen import read_fen
from tbgen.rules.rulesets import IGNORED, RuleSet
from tbgen.rules.scoring import Harmonic
from tbgen.rules.statistics import elo
from tbgen.system.text import SIDES, Line, plies

if TYPE_CHECKING:
    from tbgen.probe import MoveResult, SureResult, Tablebase

MOST_LINES: Final = 256
HOLDING: Final = 0.1
"""Seconds after which no more men are tried that might hold something."""
LONGEST: Final = 1 << 20
"""Bytes of a line: 200,000 moves."""

_LIMITS: Final = frozenset(
    ("ponder", "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "infinite")
)
"""The words that end the list of `searchmoves`."""

_SHOWN: Final = 40
_LOST: Final = "the last position could not be read: send another"
_NUL: Final = "\0"


class Uci:
    """An engine: lines in by `handle`, lines out by `write`."""

    def __init__(self, tables: Path, rules: TableRules, write: Callable[[str], None]) -> None:
        self._tables = tables
        self._rules = rules
        self._write = write
        self._lines = 1
        self._chess960 = False
        self._tablebase: Tablebase | None = None
        self._game = self._new_game(chess.Board(), None)
        self._told: Sequence[str] = ("startpos",)
        """The last position, as it was said."""
        self._lost = False
        """Whether the last position could not be read: no move is answered then, for it would be that of another."""
        self._pending: str | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "stop": self._release,
            "ponderhit": self._release,
            "d": self._show,
        }

    def run(self, lines: Iterable[Line]) -> None:
        """Serve until `quit` or the end of the input."""
        try:
            for line in lines:
                if not line.whole:  # half a list of moves would be another position
                    self._say(f"error: a line of more than {LONGEST} bytes is left out: {line.text[:_SHOWN]} ...")
                    self._lost = self._lost or "position" in line.text[:_SHOWN].split()
                elif not self.handle(line.text):
                    break
        finally:
            self._close()

    def handle(self, line: str) -> bool:
        """Obey one line; False if it was `quit`. Words that mean nothing are passed over, as the protocol asks."""
        words = line.split()
        while words:
            word = words.pop(0)
            if word == "quit":
                return False
            command = self._commands.get(word)
            if command is not None:
                try:
                    command(words)
                except BrokenPipeError:
                    raise
                except Exception as error:  # a fault of ours must not end the game
                    self._say(f"error: {error}")
                break
        return True

    def _say(self, words: str) -> None:
        self._write(f"info string {' '.join(words.split())}")

    def _uci(self, _: Sequence[str]) -> None:
        self._write(f"id name tbgen {__version__}")
        self._write("id author the authors of tbgen")
        self._write(f"option name Tables type string default {self._tables}")
        self._write(
            f"option name Rules type combo default {self._rules}{''.join(f' var {rule}' for rule in TableRules)}"
        )
        self._write(f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}")
        self._write("option name UCI_Chess960 type check default false")
        self._write("uciok")

    def _isready(self, _: Sequence[str]) -> None:
        self._open()
        self._write("readyok")

    def _show(self, _: Sequence[str]) -> None:
        self._say(_LOST if self._lost else self._game.fen())

    def _setoption(self, words: Sequence[str]) -> None:
        name, _, value = " ".join(words).removeprefix("name").strip().partition(" value")
        value = value.strip()
        match name.strip().casefold():
            case "tables" if _NUL not in value:  # no name of a file has one
                self._tables = Path(value)
                self._close()
                if not self._tables.is_dir():
                    self._say(f"there is no directory {value}: only positions of two and three men can be answered")
            case "rules" if value in list(TableRules):
                self._rules = TableRules(value)
                self._close()
                if not self._lost:
                    self._position(self._told)  # by other rules it is another game
            case "multipv" if value.isdecimal() and 1 <= int(value) <= MOST_LINES:
                self._lines = int(value)
            case "uci_chess960" if value.casefold() in ("true", "false"):
                self._chess960 = value.casefold() == "true"
            case _:
                self._say(f"no such option or value: {' '.join(words)}")

    def _new_game(self, board: chess.Board, record: int | None) -> Game:
        # Tables know nothing of the 50-move rule: who applies one ends the game without being told to.
        return Game(board, record, RuleSet(self._rules, fifty=IGNORED, whole_game=self._rules == TableRules.WHOLE_GAME))

    def _position(self, words: Sequence[str]) -> None:
        self._told = words
        self._lost = True  # until all of it is read
        at = words.index("moves") if "moves" in words else len(words)
        start, moves = words[:at], words[at + 1 :]
        if list(start) == ["startpos"]:
            game = self._new_game(chess.Board(chess960=self._chess960), None)
        elif list(start[:1]) == ["fen"]:
            fen = " ".join(start[1:])
            found = read_fen(fen, whole_game=self._rules == TableRules.WHOLE_GAME, chess960=self._chess960)
            game = self._new_game(found.board, found.record)
            if found.dropped is not None:
                self._say(found.note)
        else:
            raise BadInput("position takes startpos or fen")
        for word in moves:
            move = _move(game.board, word)
            if move is None:
                raise BadInput(f"illegal move {word} in {game.board.fen()}")
            game.push_legal(move)
        self._game, self._lost = game, False

    def _go(self, words: list[str]) -> None:
        self._release(())
        if self._lost:
            self._say(_LOST)
            best = f"bestmove {chess.Move.null()}"
        else:
            among = self._searchmoves(words)
            best = f"bestmove {self._game.board.uci(self._best(among)) if among else '(none)'}"
        if "infinite" in words or "ponder" in words:
            self._pending = best
        else:
            self._write(best)

    def _searchmoves(self, words: list[str]) -> list[chess.Move]:
        """The moves to choose from: all legal ones, unless some legal ones are named."""
        board = self._game.board
        every = list(board.legal_moves)
        named = []
        if "searchmoves" in words:
            for word in words[words.index("searchmoves") + 1 :]:
                if word in _LIMITS:
                    break
                move = _move(board, word)
                if move is None:
                    self._say(f"illegal move {word}: left out")
                else:
                    named.append(move)
        return [move for move in every if move in named] or every

    def _release(self, _: Sequence[str]) -> None:
        """Give the answer that was held back."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._write(pending)

    def _best(self, among: list[chess.Move]) -> chess.Move:
        from tbgen.probe import OnlyBounds  # late: a GUI waits for the first answer

        try:
            return self._from_tables(among)
        except BrokenPipeError:
            raise
        except OnlyBounds as error:
            return self._surest(error.known, among)
        except Exception as error:  # no table, or a fault of ours: there has to be a move
            self._say(f"outside the tables, playing by men and record: {error}")
        move, depth = self._hoped_or_held(among)
        self._write(f"info depth {depth} pv {self._game.board.uci(move)}")
        return move

    def _hoped_or_held(self, among: list[chess.Move]) -> tuple[chess.Move, int]:
        """Give the move that promises most, or one that holds as much; and how far it was looked."""
        from tbgen.referee.player.shallow_search import Hope, promise

        board, record = self._game.board, self._game.record.outcome
        whole_game = self._rules == TableRules.WHOLE_GAME
        hoped, worth = Hope(self._tablebase, whole_game=whole_game).choose(board, record, among)
        if not whole_game:
            from tbgen.beyond.holding import hold_quickly

            held = hold_quickly(board, record, self._tablebase, HOLDING)
            if held is not None and held.move in among and promise(held.bound, board.turn) >= worth:
                side = SIDES[board.turn]
                self._say(f"holding: {side} is sure of {outcome.text(held.bound)}, or better")
                return held.move, 1
        return hoped or among[0], 2

    def _from_tables(self, among: list[chess.Move]) -> chess.Move:
        from tbgen.probe import words
        from tbgen.referee.player.choice import line_of, ranked

        tablebase = self._open()
        found = ranked(tablebase, self._game, among)
        best = found.choices[0]
        record = outcome.text(found.record)
        how = "stands" if best.outcome == found.record else f"in {plies(best.dtg)}, record {record}"
        self._say(f"G-score {outcome.text(best.outcome)} {how} ({found.material})")
        late = words.late(self._game.board.halfmove_clock, best.dtg)
        if late:
            self._say(late)
        for number, choice in enumerate(found.choices[: self._lines], start=1):
            self._write(self._info(choice, line_of(tablebase, self._game, choice), number))
        return best.move

    def _surest(self, known: "SureResult", among: list[chess.Move]) -> chess.Move:
        """The best move by local tables that know only bounds."""
        from tbgen.probe.words import bounds
        from tbgen.referee.player.choice import surest

        found = surest(known, among)
        self._say(f"local tables: {bounds(found.sure)} after {self._game.board.uci(found.move)}")
        self._write(f"info depth 1 pv {self._game.board.uci(found.move)}")
        return found.move

    def _info(self, choice: "MoveResult", moves: Iterable[chess.Move], number: int) -> str:
        board = self._game.board.copy(stack=False)
        relative = choice.outcome if board.turn else outcome.flip(choice.outcome)
        line = []
        for move in moves:
            line.append(board.uci(move))
            board.push(move)
        multipv = f" multipv {number}" if self._lines > 1 else ""
        return f"info depth {choice.dtg}{multipv} score {score(relative, choice.dtg)} pv {' '.join(line)}"

    def _open(self) -> "Tablebase":
        if self._tablebase is None:
            from tbgen.probe import Tablebase  # late: it takes longer to import than the rest to start

            self._tablebase = Tablebase(self._tables, self._rules)
        return self._tablebase

    def _close(self) -> None:
        if self._tablebase is not None:
            self._tablebase.close()
            self._tablebase = None


def _move(board: chess.Board, word: str) -> chess.Move | None:
    """The legal move that a word stands for. A null move, which python-chess lets pass, is none."""
    try:
        return board.parse_uci(word) or None
    except ValueError:
        return None


def score(relative: int, dtg: int) -> str:
    """A G-score in the words of the protocol, in the view of the side to move.

    Mates are mates. The rest becomes centipawns as the Elo that the harmonic points are worth: 191 for a
    stalemate, 19 for G8.5, a different number for every G-score that matters.
    """
    if outcome.level(relative) == 0:
        return f"mate {(dtg + 1) // 2}" if relative > 0 else f"mate -{dtg // 2}"
    return f"cp {round(elo(float(Harmonic().points(relative))))}"
