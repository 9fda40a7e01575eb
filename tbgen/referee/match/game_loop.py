"""One game: two engines, a board and a referee."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

import chess
from chess.engine import Info

from tbgen.core import outcome
from tbgen.errors import OutOfRoom, TbgenError
from tbgen.probe.words import LATE
from tbgen.referee.match.adjudication import ScoreWatch
from tbgen.referee.match.client import Breach, CannotStart, Client, Misconduct, Resigns
from tbgen.referee.match.conditions import Conditions
from tbgen.referee.match.control import Clock, limit
from tbgen.referee.match.live import Running, Tell, watched
from tbgen.referee.match.openings import Opening
from tbgen.referee.match.ply import Ply
from tbgen.referee.match.systems import Pairing
from tbgen.referee.match.table_judge import TableJudge, TableVerdict
from tbgen.referee.syzygy import Syzygy, SyzygyVerdict
from tbgen.rules.ends import Game
from tbgen.rules.scoring import Scoring
from tbgen.system.text import SIDES, plies


class End(NamedTuple):
    """How a game is over."""

    outcome: int
    """The result."""
    words: str
    """Why."""
    verdict: TableVerdict | SyzygyVerdict | None = None
    misconduct: Misconduct | None = None
    awarded: bool = False
    """Whether it is lost without mate on the board."""
    gives_up: bool = False
    """Whether an engine has given it up."""


@dataclass(frozen=True)
class Bout:
    """A finished game."""

    pairing: Pairing
    opening: Opening
    game: Game
    plies: tuple[Ply, ...]
    """The plies of the players, without the opening's."""
    end: End
    scoring: Scoring
    """An opening may bring its own komi along."""
    begun: datetime

    @property
    def points(self) -> Fraction:
        """White's."""
        return self.scoring.points(self.end.outcome)

    @property
    def termination(self) -> str:
        """The tag of the PGN standard."""
        if self.end.misconduct is not None:
            return self.end.misconduct.value
        return "normal" if self.game.ended or self.end.gives_up else "adjudication"


class Judges(NamedTuple):
    """The tables that end games."""

    tables: TableJudge | None
    syzygy: Syzygy | None


async def play(
    pairing: Pairing,
    opening: Opening,
    clients: Mapping[chess.Color, Client],
    conditions: Conditions,
    judges: Judges,
    info: Info,
    tell: Tell | None = None,
) -> Bout:
    """`tell`: who is told of the game every second."""
    game = opening.game(conditions.rules)
    told = None if opening.record is None else outcome.text(opening.record)
    begun = datetime.now().astimezone()
    scoring = conditions.scoring_with(opening.komi)
    clocks = {colour: Clock(client.contestant.control) for colour, client in clients.items()}
    plies: list[Ply] = []
    scores = ScoreWatch(conditions.resign, conditions.draw)
    faults = await _announce(clients, opening.board, told)
    if faults:
        (absent,) = faults
        words = str(faults[absent]).removeprefix(f"{clients[absent].contestant.name} ")
        return Bout(pairing, opening, game, (), _lost(absent, words, Misconduct.CRASH), scoring, begun)
    with watched(Running(game, plies, clients, clocks), pairing.round, tell):
        while (end := _end(game, len(plies), conditions, judges, scores)) is None:
            turn = game.board.turn
            try:
                ply = await _move(game, clients[turn], clocks, conditions, info)
                plies.append(ply)
                scores.add(turn, ply.info, reset=game.turn.standing.reset)
            except Breach as breach:
                end = _lost(turn, str(breach), breach.misconduct)
                break
            except Resigns:
                end = _lost(turn, "resigns")._replace(gives_up=True)
                break
    return Bout(pairing, opening, game, tuple(plies), end, scoring, begun)


class NobodyStarts(CannotStart):
    """A game that has no players: it cannot be lost by either."""


async def _announce(
    clients: Mapping[chess.Color, Client], start: chess.Board, record: str | None
) -> dict[chess.Color, TbgenError]:
    """Announce a game to both. Gives the side that does not start, if any; NobodyStarts if neither does."""
    faults: dict[chess.Color, TbgenError] = {}
    for colour, client in clients.items():
        try:
            await client.new_game(start, record)
        except OutOfRoom:  # the engine is not to blame
            raise
        except TbgenError as error:  # an option that is no longer known, perhaps
            faults[colour] = error
    if len(faults) == len(clients):
        raise NobodyStarts("; ".join(map(str, faults.values())))
    return faults


def _lost(side: chess.Color, words: str, misconduct: Misconduct | None = None) -> End:
    """A game that a side has lost without mate."""
    return End(outcome.goal(0, side), f"{SIDES[side]} {words}", misconduct=misconduct, awarded=True)


def _end(game: Game, made: int, conditions: Conditions, judges: Judges, scores: ScoreWatch) -> End | None:
    """Whether the game is over before the next move, and how; so many were made by the players."""
    if game.ended:
        return End(game.record.outcome, str(game.turn.ending))
    verdict = None if judges.tables is None else judges.tables.verdict(game)
    if verdict is not None:
        words = "the record stands" if verdict.stands else f"in {plies(verdict.dtg)}"
        return End(verdict.outcome, f"tables: {words}{f', {LATE}' * verdict.late}", verdict)
    won = None if judges.syzygy is None else judges.syzygy.verdict(game.board, game.rules)
    if won is not None:
        kind = "win, but for the 50-move rule," if won.cursed else "win"
        return End(won.outcome, f"Syzygy tables: {kind} for {SIDES[won.winner]}", won)
    if scores.loser is not None:
        return _lost(scores.loser, f"resigns by the scores: {conditions.resign}")
    if scores.is_draw(game.board.fullmove_number - 1):
        return End(game.record.outcome, f"draw rule: {conditions.draw}")
    if conditions.longest is not None and made >= 2 * conditions.longest:
        return End(game.record.outcome, "adjudication: move limit")
    return None


async def _move(
    game: Game, client: Client, clocks: dict[chess.Color, Clock], conditions: Conditions, info: Info
) -> Ply:
    clock = clocks[game.board.turn]
    allowed = clock.allowed()
    if allowed is not None:
        own = client.contestant.margin
        allowed += conditions.margin if own is None else own
    clock.start()
    answer = await client.move(game.board, limit(clocks, game.board.turn), allowed, conditions.patience, info)
    clock.spend(answer.seconds)
    turn = game.push_legal(answer.move)
    record = turn.outcome if turn.standing.just_set else None
    return Ply(answer.move, answer.seconds, answer.info, record, clock.left)
