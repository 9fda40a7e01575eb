"""What the server says of positions that local tables know."""

from collections.abc import Iterator
from pathlib import Path

import chess
import httpx
import pytest
from playwright.sync_api import expect

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.probe import OnlyBounds, SureResult, Tablebase, open_tablebase
from tbgen.system.text import to_json
from tbgen.web.server import answers
from tbgen.web.server.board import board
from tbgen.web.server.question import question
from tests.support.browsing import CHROMIUM, go, launched
from tests.support.local_tables import keep_alone
from tests.support.patience import PATIENCE
from tests.support.serving import serving

RUN = "7k/8/8/p7/P7/8/1P6/K7 w - - 0 1"
"""White is sure of G3.5 whatever becomes of the pawn, and Black of nothing; after b4 nothing is known."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("local")
    keep_alone(made, RUN)
    return made


@pytest.fixture(scope="module")
def client(directory: Path) -> Iterator[httpx.Client]:
    with (
        serving(directory, "--per-client", "0") as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def known(directory: Path) -> SureResult:
    with open_tablebase(directory) as tables:
        found = tables.sure(RUN)
    assert found is not None
    assert not found.sure.exact
    return found


def test_bounds_of_a_position_and_of_each_move(client: httpx.Client, known: SureResult) -> None:
    answer = client.get("/v1/moves", params={"fen": RUN}).json()
    assert (answer["white"], answer["black"]) == (outcome.text(known.sure.white), outcome.text(known.sure.black))
    assert [move["uci"] for move in answer["moves"]] == [move.move.uci() for move in known.moves]
    assert client.get("/v1/probe", params={"fen": RUN}).json() == {
        name: value for name, value in answer.items() if name != "moves"
    }


def test_they_are_asked_but_once(directory: Path, known: SureResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove them before they are asked again."""
    monkeypatch.setattr(Tablebase, "sure", lambda *_: None)
    asked, wanted = question(RUN, None, TableRules.RESET), outcome.text(known.sure.white)
    with open_tablebase(directory) as tables:
        for said in (answers.position(asked, tables), to_json(answers.moves(asked, tables))):
            assert f'"white": "{wanted}"' in said
        assert board(RUN, TableRules.RESET, tables, with_line=False)["answer"]["white"] == wanted


def test_the_page_of_what_is_known_under_one_record_only(tmp_path: Path) -> None:
    """The record stands; under others the tables know bounds."""
    fen = "6k1/8/p2p4/P2P4/5K2/8/8/8 w - - 4 60"
    keep_alone(tmp_path, fen)
    with open_tablebase(tmp_path) as tables:
        assert tables.probe(fen, "G1.0").stands
        with pytest.raises(OnlyBounds):
            tables.probe(fen)
        found = board(f"{fen} G1.0", TableRules.RESET, tables, with_line=True)
        assert found["answer"]["stands"]
        assert "staircase" not in found


def test_the_page_is_told_them(client: httpx.Client, known: SureResult) -> None:
    answer = client.get("/v1/board", params={"fen": RUN}).json()["answer"]
    assert (answer["white"], answer["black"]) == (outcome.text(known.sure.white), outcome.text(known.sure.black))
    for move in answer["moves"]:
        board = chess.Board(RUN)
        board.push_uci(move["uci"])
        assert move["fen"].startswith(board.fen())


@pytest.mark.full
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: scripts/programs installs it")
def test_the_page_shows_them(client: httpx.Client, known: SureResult) -> None:
    with launched() as browser:
        page = browser.new_page(base_url=str(client.base_url))
        go(page, RUN)
        expect(page.locator(".verdict h2")).to_have_text(f"White is sure of {outcome.text(known.sure.white)}")
        expect(page.locator(".verdict")).to_contain_text("more is not proved")
        expect(page.get_by_role("alert")).to_have_count(0)
        moves = page.locator("a.move").evaluate_all("all => all.map(one => one.dataset.uci)")
        assert moves == [move.move.uci() for move in known.moves]
        expect(page.locator("h3", has_text="Nothing is known")).to_have_count(1)
