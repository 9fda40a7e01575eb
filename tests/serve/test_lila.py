"""The shape of lila-tablebase."""

from typing import Any

import berserk
import chess
import httpx
import pytest

from tbgen.rules.fen import read_fen
from tests.support.answers import answered
from tests.support.runs import BISHOP
from tests.support.serving import Server


def test_a_client_of_lila_mates(server: Server) -> None:
    """lichess's own client for Python."""
    lila = berserk.Client(tablebase_url=server.url.rstrip("/")).tablebase
    turned = {"win": "loss", "loss": "win", "cursed-win": "blessed-loss", "blessed-loss": "cursed-win"}
    board = chess.Board("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    while not board.is_game_over(claim_draw=False):
        found = lila.standard(board.fen())
        assert set(found) >= {"checkmate", "stalemate", "insufficient_material", "dtz", "dtm", "category", "moves"}
        first = found["moves"][0]
        assert found["category"] == turned[first["category"]] == ("win" if board.turn else "loss")
        board.push_uci(first["uci"])
        assert board.ply() < 100
    assert board.is_checkmate()
    with pytest.raises(berserk.exceptions.ResponseError, match="not a FEN"):
        lila.standard("nonsense")


def test_the_shape_of_lila(client: httpx.Client, document: dict[str, Any]) -> None:
    found = answered(client, document, "/standard", "Standard", fen=BISHOP)
    assert (found["category"], found["dtz"], found["dtm"]) == ("blessed-loss", -4, None)
    assert found["insufficient_material"] is True
    assert (found["moves"][0]["category"], found["moves"][0]["dtz"]) == ("cursed-win", 3)
    rook = answered(client, document, "/standard", "Standard", fen="8/8/8/8/7r/1k6/8/K7 b - - 0 1")
    assert (rook["category"], rook["dtm"]) == ("win", rook["dtz"])
    capture = answered(client, document, "/standard", "Standard", fen="8/8/8/8/2kB4/8/8/K7 b - - 0 1")["moves"]
    assert {move["san"]: move["zeroing"] for move in capture}["Kxd4"] is True
    mainline = answered(client, document, "/standard/mainline", "Mainline", fen=BISHOP)
    assert [step["san"] for step in mainline["mainline"]] == ["Kh5", "Kf4", "Kh6", "Kg4"]
    assert mainline["mainline"][-1]["dtz"] == 0
    assert read_fen(BISHOP).board.fen() == BISHOP
    too_many = answered(client, document, "/standard", "Standard", fen=chess.STARTING_FEN)
    assert too_many["category"] == "unknown"
    assert len(too_many["moves"]) == 20


def test_the_50_move_rule_may_come_first(client: httpx.Client, document: dict[str, Any]) -> None:
    """Of a mate lila says then that it may be a win."""
    for clock, category in ((97, "win"), (98, "maybe-win")):
        fen = f"7k/8/5K2/8/8/8/8/R7 w - - {clock} 90"
        found = answered(client, document, "/standard", "Standard", fen=fen)
        assert (found["category"], found["dtz"], found["late"]) == (category, 3, clock == 98)
        first = found["moves"][0]
        assert (first["category"], first["late"]) == (category.replace("win", "loss"), clock == 98)
    score = answered(client, document, "/standard", "Standard", fen=f"{BISHOP[:-3]}97 90")
    assert (score["category"], score["late"]) == ("blessed-loss", True)
    unknown = answered(client, document, "/standard", "Standard", fen=chess.STARTING_FEN)
    assert unknown["late"] is None


def test_moves_of_a_position_that_no_table_has(client: httpx.Client, document: dict[str, Any]) -> None:
    """Those that lead to a table, or end the game, are known all the same."""
    castling = answered(client, document, "/standard", "Standard", fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert castling["category"] == "unknown"
    assert {move["san"]: move["dtz"] for move in castling["moves"]}["O-O"] is not None
    six = answered(client, document, "/standard", "Standard", fen="1k6/8/1K6/8/8/8/PPP5/7R w - - 0 1")
    first = six["moves"][0]
    assert (first["san"], first["category"], first["dtz"]) == ("Rh8#", "loss", 0)
    assert {move["category"] for move in six["moves"][1:]} == {"unknown"}
    board = answered(client, document, "/v1/board", "Board", fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert "tables know no castling" in board["error"]["message"]
    assert "answer" not in board
    assert {move["san"]: move["gscore"] for move in board["beyond"]}["O-O"]
    assert all(move["gscore"] for move in board["beyond"])
    board = answered(client, document, "/v1/board", "Board", fen="1k6/8/1K6/8/8/8/PPP5/7R w - - 0 1")
    mate, *others = board["beyond"]
    assert (mate["san"], mate["gscore"], mate["dtg"]) == ("Rh8#", "G0.0", 1)
    assert not any(move["gscore"] for move in others)
