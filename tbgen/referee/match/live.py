"""Games as those who watch them are told: what is on the board, every second, and the moves that led there."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

import chess
from chess.engine import InfoDict

from tbgen.core import outcome
from tbgen.referee.match.client import Client
from tbgen.referee.match.control import Clock
from tbgen.referee.match.ply import Ply, said
from tbgen.rules.ends import Game
from tbgen.rules.pgn import san
from tbgen.rules.pgn.split import RESULTS
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.tags import begin
from tbgen.system.text import SIDES

_PAUSE: Final = 1.0
"""Seconds from one picture to the next."""
_LINE: Final = 8
"""Plies of an engine's line that are shown."""
_WORDS: Final = re.compile(r"\{([^}]*)\}|([^\s{}]+)")
"""A comment or a token of a game that a match has written."""
_SAID: Final = re.compile(r"(?:([+-]M?[\d.]+/\d+)\s)?(\d+\.\d+)s")


class Live(NamedTuple):
    """A picture of a running game. It replaces those before it."""

    round: str
    brief: Mapping[str, Any]
    """The position and the players."""
    story: Mapping[str, Any]
    """All moves."""


Tell: TypeAlias = Callable[[Live], None]


class _Told(NamedTuple):
    """What there is to say of a move besides the move."""

    said: str = ""
    seconds: float | None = None
    left: float | None = None


class Story:
    """The moves of a game, told as the game goes on."""

    def __init__(self, game: Game, bare: int) -> None:
        """`bare`: plies that no engine played."""
        self._game = game
        self._bare = bare
        start = self._board = game.board.root()
        self._told: dict[str, Any] = {
            "start": start.board_fen(),
            "number": start.fullmove_number,
            "turn": SIDES[start.turn],
            "record": str(game.record.standings[0]),
            "moves": [],
        }

    def told(self, plies: Sequence[_Told]) -> dict[str, Any]:
        """Each move is a list: SAN, squares that changed, G-score, record, what the engine said, seconds, clock."""
        moves = self._told["moves"]
        for move in self._game.board.move_stack[len(moves) :]:
            ply = len(moves)
            before, words = self._board.piece_map(), self._board.san_and_push(move)
            standing = self._game.record.standings[ply + 1]
            more = plies[ply - self._bare] if ply >= self._bare else _Told()
            moves.append([words, _changes(before, self._board), outcome.text(standing.goal), str(standing), *more])
        return self._told


def _changes(before: Mapping[chess.Square, chess.Piece], board: chess.Board) -> str:
    """The squares that a move changed, each with what stands there now: `g1.f3N`.

    A page can make such a move in any variant, whatever explodes or is dropped."""
    after = board.piece_map()
    changed = sorted(square for square in before.keys() | after.keys() if before.get(square) != after.get(square))
    return "".join(chess.SQUARE_NAMES[at] + (after[at].symbol() if at in after else ".") for at in changed)


def of_plies(plies: Sequence[Ply]) -> list[_Told]:
    return [_Told(said(ply.info), round(ply.seconds, 2), ply.left and round(ply.left, 2)) for ply in plies]


def of_pgn(section: TagSection) -> dict[str, Any]:
    """The story of a finished game, as the match has written it."""
    rules, start = begin(section.headers)
    game = Game(start.board, start.record, rules)
    plies: list[_Told] = []
    for comment, token in _WORDS.findall(section.text):
        step = san.step(token) if token and token not in RESULTS else None
        if step is not None:
            game.push_san(step.text)
        elif match := _SAID.match(comment):
            plies.append(_Told(match[1] or "", float(match[2])))
    return Story(game, game.record.ply - len(plies)).told(plies)


class Running:
    """A game that is being played."""

    def __init__(
        self,
        game: Game,
        plies: Sequence[Ply],
        clients: Mapping[chess.Color, Client],
        clocks: Mapping[chess.Color, Clock],
    ) -> None:
        """No engine has moved; the plies are those to come."""
        self._game = game
        self._plies = plies
        self._clients = clients
        self._clocks = clocks
        self._story = Story(game, game.record.ply)

    def picture(self, round_: str) -> Live:
        board = self._game.board
        story = self._story.told(of_plies(self._plies))
        brief = {
            "round": round_,
            "white": self._player(chess.WHITE),
            "black": self._player(chess.BLACK),
            "turn": SIDES[board.turn],
            "placement": board.board_fen(),
            "last": story["moves"][-1:],
            "record": str(self._game.turn.standing),
            "plies": self._game.record.ply,
        }
        return Live(round_, brief, story)

    def _player(self, side: chess.Color) -> dict[str, Any]:
        """The player, the clock, and what the engine says, or said at its last move."""
        client, clock, board = self._clients[side], self._clocks[side], self._game.board
        plies_ago = 2 if side is board.turn else 1
        last_said = said(self._plies[-plies_ago].info) if len(self._plies) >= plies_ago else ""
        thinks: InfoDict = client.thinks(board) if clock.since is not None else {}
        line = thinks.get("pv", [])[:_LINE]
        return {
            "name": client.contestant.name,
            "left": clock.left,
            "since": clock.since,
            "said": said(thinks) or last_said,
            "line": board.variation_san(line) if line else "",
        }


@contextmanager
def watched(game: Running, round_: str, tell: Tell | None) -> Iterator[None]:
    """Tell of a game every second while the block runs, if anybody is to be told."""
    if tell is None:
        yield
        return
    telling = asyncio.create_task(_tell_on(game, round_, tell))
    try:
        yield
    finally:
        telling.cancel()


async def _tell_on(game: Running, round_: str, tell: Tell) -> None:
    while True:
        tell(game.picture(round_))
        await asyncio.sleep(_PAUSE)
