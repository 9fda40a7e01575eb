"""Which move the table engine chooses, with tables and without."""

from pathlib import Path

import chess

from tbgen.core import outcome
from tbgen.core.position import level
from tbgen.probe import open_tablebase
from tbgen.referee.player.choice import LONGEST_LINE, line_of, ranked
from tbgen.rules import Game
from tbgen.rules.rulesets import IGNORED, RuleSet

ROOK = "8/8/8/4k3/8/8/8/K6R w - - 0 1"


def shuffled(*moves: str) -> Game:
    game = Game.from_fen(ROOK, RuleSet("test", fifty=IGNORED))
    for move in moves:
        game.push_legal(chess.Move.from_uci(move))
    return game


ROUND = ("h1h2", "e5d5", "h2h1", "d5e5")


def test_who_is_behind_repeats(small_tables: Path) -> None:
    game = shuffled(*ROUND, *ROUND[:3])
    with open_tablebase(small_tables) as tablebase:
        best = ranked(tablebase, game).choices[0]
        assert (best.move.uci(), best.outcome, best.dtg) == ("d5e5", game.record.outcome, 0)
        assert line_of(tablebase, game, best) == [best.move]


def test_who_is_ahead_does_not_let_it_come_to_that(small_tables: Path) -> None:
    game = shuffled(*ROUND, *ROUND[:2])
    with open_tablebase(small_tables) as tablebase:
        moves = {choice.move.uci(): choice for choice in ranked(tablebase, game).choices}
        assert moves["h2h1"].outcome == game.record.outcome
        best = ranked(tablebase, game).choices[0]
        assert best.outcome == outcome.held_by_white(0)
    game = shuffled(*ROUND)
    with open_tablebase(small_tables) as tablebase:
        assert {choice.outcome for choice in ranked(tablebase, game).choices[:3]} == {outcome.held_by_white(0)}


def test_a_long_line_is_cut(small_tables: Path) -> None:
    game = Game.from_fen("8/8/8/8/8/2k5/P7/K7 w - - 0 1")
    with open_tablebase(small_tables) as tablebase:
        best = ranked(tablebase, game).choices[0]
        line = line_of(tablebase, game, best)
    assert len(line) == min(best.dtg, LONGEST_LINE)


def test_the_moves_of_a_line_are_legal_and_lead_to_the_goal(small_tables: Path) -> None:
    game = Game.from_fen(ROOK)
    with open_tablebase(small_tables) as tablebase:
        line = line_of(tablebase, game, ranked(tablebase, game).choices[0])
    for move in line:
        game.push(move)
    assert level(game.board) == 0
