"""What the board's page is told, and the page around it."""

import json
import re
from html import escape, unescape
from io import BytesIO
from typing import Any

import pytest

from tbgen.core.table_rules import TableRules
from tbgen.probe import open_tablebase
from tbgen.referee.annotate.game import Teller
from tbgen.rules.pgn.split import units
from tbgen.web.pages import explorer, materials
from tbgen.web.pages.game import games
from tbgen.web.pages.modules import FROM_ELSEWHERE, STATIC
from tbgen.web.server.board import board
from tests.support.judged_games import game


def told(fen: str, moves: str = "") -> dict[str, Any]:
    with open_tablebase() as tables:
        return board(fen, TableRules.RESET, tables, moves=moves, with_line=False)


@pytest.mark.parametrize(
    ("fen", "title"), [(explorer.START, "KBvK, Black to move"), ("8/8 w", "tbgen: endgame explorer")]
)
def test_the_page_of_a_position(fen: str, title: str) -> None:
    """With what is told of it, for the script; until that has come, or without one, a picture and words."""
    found = told(fen)
    page = explorer.served(found)
    assert f"<title>{title}" in page
    first = page.partition('id="told">')[2].partition("</script>")[0]
    assert json.loads(first) == found
    assert "<noscript" not in page
    picture, words = page.split('<div id="tools"')[0], page.split('<div id="panel">')[1].split("<dialog")[0]
    assert ("<svg" in picture) == (fen == explorer.START)
    assert ("White forces G1.5" if fen == explorer.START else "a board has 8 rows") in words


def test_a_page_names_all_modules_that_its_script_imports() -> None:
    """So they come at once. There are more than it imports itself."""
    page = explorer.served(told(explorer.START))
    named = re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page)
    texts = {name: FROM_ELSEWHERE.get(name, STATIC / name).read_text() for name in ("served.js", *named)}
    wanted = {other for text in texts.values() for other in re.findall(r'from "\./([^"]+)"', text)}
    assert sorted(named) == sorted(wanted)
    assert len(named) > 12


def test_a_link_to_a_position_shows_it() -> None:
    """Where the server knows its address, which those who show links want in full."""
    found = told(explorer.START)
    assert "og:image" not in explorer.served(found)
    page = explorer.served(found, "https://example.org/t")
    tags = {name: unescape(words) for name, words in re.findall(r'property="(og:[\w:]+)" content="([^"]*)"', page)}
    fen = explorer.START.replace(" ", "_")
    assert tags["og:title"] == "KBvK, Black to move"
    assert tags["og:description"].startswith("White forces G1.5")
    assert tags["og:url"] == f"https://example.org/t/?fen={fen}&rules=r"
    assert tags["og:image"] == f"https://example.org/t/picture.png?fen={fen}"
    assert f'<link rel="canonical" href="{escape(tags["og:url"])}">' in page
    others = explorer.served(told("8/8/8/4KCk1/8/8/8/8 b - - 0 1"), "https://example.org/t")
    assert "https://example.org/t/static/preview.png" in others, "of men beyond chess there is no picture"


def test_a_challenge_is_not_given_away() -> None:
    page = explorer.served(told(explorer.START), "https://example.org", secret=True)
    before = page.split('id="told"')[0]
    assert "G1.5" not in re.sub("<noscript>.*</noscript>|<dl>.*</dl>", "", before, flags=re.DOTALL)
    assert "A challenge: KBvK" in before


def test_nothing_that_is_asked_becomes_a_part_of_the_page() -> None:
    page = explorer.served(told("</script><b>"))
    assert "<b>" not in page
    assert "</script><b>" in unescape(page)


@pytest.mark.parametrize(("clock", "late"), [(96, False), (97, True)])
def test_the_50_move_rule_may_come_first(clock: int, late: bool) -> None:
    """So says a position, and the page of a game in which it comes up."""
    fen = f"8/8/8/4KBk1/8/8/8/8 b - - {clock} 90 G2.5"
    with open_tablebase() as tables:
        (unit,) = units(BytesIO(game("90... Kh5 1/2-1/2", FEN=fen)))
        annotated = Teller(lambda _: tables).tell(unit)
    assert told(fen)["answer"]["late"] is late
    assert ("50-move rule may come first" in games(None, "", [(annotated, "")], None)) is late


def test_moves_lead_to_a_position() -> None:
    found = told(explorer.START, "g5h5,e5f4")
    assert found["fen"] == "8/8/8/5B1k/5K2/8/8/8 b - - 2 2 G2.5"
    assert found["steps"] == [
        {"fen": explorer.START, "uci": None, "san": None},
        {"fen": "8/8/8/4KB1k/8/8/8/8 w - - 1 2 G3.5", "uci": "g5h5", "san": "Kh5"},
        {"fen": found["fen"], "uci": "e5f4", "san": "Kf4"},
    ]


@pytest.mark.parametrize(("moves", "place"), [("g5h5,h5g5", 2), ("0000", 1), ("Kh5", 1), (",", 1)])
def test_moves_that_cannot_be_made(moves: str, place: int) -> None:
    found = told(explorer.START, moves)
    assert f"move {place} is not possible" in found["error"]["message"]
    assert found["fen"] == explorer.START


def test_so_many_moves_are_followed_and_no_more() -> None:
    there_and_back = ["g5h5", "f5e4", "h5g5", "e4f5"] * 100
    assert len(told(explorer.START, ",".join(there_and_back))["steps"]) == 401
    found = told(explorer.START, ",".join([*there_and_back, "g5h5"]))
    assert "401 moves are too many" in found["error"]["message"]


def test_men_on_their_way_to_a_position() -> None:
    assert told("8/8/8/8/8/8/8/K7 w - - 0 1")["lacks"] == "Black has no king"
    assert "lacks" not in told("8/8 w")


def test_a_material_that_is_being_counted_comes_by_itself() -> None:
    slow, damaged = (materials.waiting("KRvKP", "Not yet.", "why", "", counting=counting) for counting in (True, False))
    assert "Counting KRvKP" in slow
    assert "counting.js" in slow
    assert "why" in damaged
    assert "counting.js" not in damaged
