"""The interface for programs: every answer is what the tables say, in the shape that the document promises."""

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import httpx
import jsonschema
import pytest

from tbgen import open_tablebase
from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.rules.fen import read_fen
from tbgen.store.format.schema import INDEX
from tests.support.answers import answered, check
from tests.support.damaged import damaged
from tests.support.judged_games import game
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.serving import Server, serving

LATER = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"
LATE = "8/8/8/4KBk1/8/8/8/8 b - - 99 90"
KNIGHTS = "8/8/8/8/8/1k6/8/KN5N w - - 0 1"


def refused(
    client: httpx.Client, document: dict[str, Any], path: str, status: int, code: str, **query: str
) -> dict[str, str]:
    answer = client.get(path, params=query)
    assert answer.status_code == status, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found = answer.json()
    check(document, found, "Error")
    assert found["error"]["code"] == code
    problem: dict[str, str] = found["error"]
    return problem


def test_the_document_is_one_and_names_every_address(document: dict[str, Any], server: Server) -> None:
    from tbgen.web.server.app import _routes
    from tbgen.web.server.service import Service, Settings

    service = Service(Settings(Path("nowhere")))
    there = {route.path for route in _routes(service) if getattr(route, "include_in_schema", False)}  # type: ignore[attr-defined]
    service.close()
    assert {path for path in there if path.startswith(("/v1", "/standard"))} == set(document["paths"])
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("query", [{"fen": fen} for fen in (BISHOP, f"{LATER} G2.5", f"{BISHOP} G2.5", LATE)])
@pytest.mark.parametrize("options", [[], ["--moves"], ["--line"]])
def test_the_same_json_as_tbgen_probe(
    client: httpx.Client,
    document: dict[str, Any],
    small_tables: Path,
    capsys: pytest.CaptureFixture[str],
    query: dict[str, str],
    options: list[str],
) -> None:
    assert main(["probe", "--json", "--tables", str(small_tables), *options, query["fen"]]) == 0
    path = f"/v1/{options[0].strip('-') if options else 'probe'}"
    assert answered(client, document, path, "Position", **query) == json.loads(capsys.readouterr().out)


def test_the_record_and_the_rules(client: httpx.Client, document: dict[str, Any]) -> None:
    def ask(**query: str) -> dict[str, Any]:
        return answered(client, document, "/v1/probe", "Position", **query)

    assert ask(fen=LATER, record="-G3.5")["record"] == "-G3.5"
    assert ask(fen=f"{LATER} G2.5", record="G2.0")["record"] == "G2.0"
    assert ask(fen=f"{BISHOP} G2.5")["dropped"] == "G2.5"
    assert "dropped" not in ask(fen=f"{BISHOP} G2.5", rules="wg")
    assert ask(fen=BISHOP.replace(" ", "_")) == {**ask(fen=BISHOP), "fen": BISHOP}
    pasted = BISHOP.replace("-", "–").replace(" ", "\xa0")
    assert ask(fen=pasted) == {**ask(fen=BISHOP), "fen": pasted}


def test_the_fen_after_each_move_leads_on(client: httpx.Client, document: dict[str, Any], small_tables: Path) -> None:
    """Whoever follows them keeps the record: the worth of a move is that of the position behind it."""
    for fen in (LATER, f"{LATER} G1.0", "8/8/8/8/2kB4/8/8/K7 b - - 5 9 -G9.0", "8/2P5/8/8/8/1k6/8/K7 w - - 0 1"):
        for rules in ("r", "wg"):
            found = answered(client, document, "/v1/moves", "Position", fen=fen, fens="true", rules=rules)
            for move in found["moves"]:
                there = answered(client, document, "/v1/probe", "Position", fen=move["fen"], rules=rules)
                assert (there["gscore"], there["record"]) == (move["gscore"], move["record"]), (fen, rules, move)
                assert max(0, move["dtg"] - 1) == there["dtg"]
                assert "dropped" not in there


def test_a_move_without_a_table_leads_on_with_its_record(small_tables: Path, tmp_path: Path) -> None:
    """By the rules of the game: tables have nothing to say of it."""
    shutil.copy(small_tables / "KPvK.r.h5", tmp_path)
    for name in ("KvK.r.h5", "KQvK.r.h5"):
        shutil.copy(small_tables / name, tmp_path)
    with serving(tmp_path, bundled=False) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        found = client.get("/v1/board", params={"fen": f"{LATER} G1.0"}).json()
        after = [read_fen(move["fen"]) for move in found["beyond"]]
        assert {outcome.text(fen.record or 0) for fen in after} == {"G1.0"}
        pawn = "8/2P5/8/8/8/1k6/8/K7 w - - 4 9 G1.0"
        moves = client.get("/v1/moves", params={"fen": pawn, "fens": "1"}).json()["moves"]
        rook = next(move for move in moves if move["san"] == "c8=R")
        assert (rook["gscore"], rook["fen"].split()[-1]) == (None, "G3.5"), "what a reset scores"


def test_a_line_as_pgn_bears_its_record(client: httpx.Client, tmp_path: Path, small_tables: Path) -> None:
    for query in ({"fen": f"{LATER} G2.5"}, {"fen": BISHOP, "record": "G2.5"}, {"fen": f"{LATER} -G3.5"}):
        worth = client.get("/v1/probe", params=query).json()
        text = client.get("/v1/line", params={**query, "format": "pgn"}).text
        assert f'[RMobilityRecord "{worth["record"]}"]' in text
        (tmp_path / "line.pgn").write_text(text)
        target = tmp_path / "out.pgn"
        assert main(["adjudicate", str(tmp_path / "line.pgn"), "-o", str(target), "--decide", "none", "-q"]) == 0
        assert f'[RMobilityResult "{worth["gscore"]}"]' in target.read_text()
    for fen in (LATER, f"{BISHOP} G2.5"):  # the halfmove clock of the second is 0: there is no other record
        text = client.get("/v1/line", params={"fen": fen, "format": "pgn"}).text
        assert "RMobilityRecord" not in text
        assert f'[FEN "{" ".join(fen.split()[:6])}"]' in text


PGN = {"content-type": "application/x-chess-pgn"}
TAKES = game("1. Kxd4 1/2-1/2", FEN="8/8/8/8/2Kb4/8/8/k7 w - - 9 9 G1.0").decode()


def test_games_are_told_by_their_own_rules(client: httpx.Client, small_tables: Path) -> None:
    whole = f'[RMobilityRules "wg"]\n{TAKES}'

    def annotated(pgn: str, **query: str) -> str:
        return client.post("/v1/annotate", content=pgn, headers=PGN, params=query).text

    assert "record G3.5" in annotated(TAKES)
    assert "record G1.0" in annotated(whole)
    assert "record G3.5" in annotated(whole, rules="r")
    assert "record G1.0" in annotated(TAKES, rules="wg")
    page = client.post("/game", data={"pgn": f"{whole}\n{TAKES}", "rules": ""}).text
    assert re.findall(r'data-rules="(\w+)"', page) == ["wg", "r"]
    assert re.findall(r'href="/\?fen=[^"]*rules=(\w+)"', page) == ["wg", "r"]
    assert page.count(">reset</span>") == 1, "nothing resets in a whole game"
    with serving(small_tables, "--rules", "wg") as server:
        told = httpx.post(f"{server.url}/v1/annotate", content=TAKES, headers=PGN, timeout=PATIENCE).text
        assert "record G1.0" in told
        page = httpx.get(f"{server.url}/", params={"fen": LATER, "rules": "r"}, timeout=PATIENCE).text
        assert set(re.findall(r"rules=(\w+)", page)) == {"r"}, "links keep to the rules of their page"


def test_a_game_as_pasted(client: httpx.Client) -> None:
    pasted = TAKES.replace("1/2-1/2", "½–½").replace('"', "”").replace("-", "–")
    assert "record G3.5" in client.post("/v1/annotate", content=pasted.encode(), headers=PGN).text
    assert client.post("/game", data={"pgn": pasted, "rules": ""}).text.count(">reset</span>") == 1


def test_what_was_never_reached_is_told(client: httpx.Client) -> None:
    pgn = '[White "Ann"]\n[Black "Bob"]\n[FEN "8/8/8/4k3/8/8/8/KR6 w - - 0 1"]\n\n1. Rb2 Kd5 2. Rb1 Kc5 1/2-1/2\n'
    page = client.post("/game", data={"pgn": pgn, "rules": "r"}).text
    assert "None of those moves gave anything away." in page
    assert "<b>Ann</b> could force G0.0 from 1. Rb2 on, and did not get there." in page


def test_games_that_are_not_told(client: httpx.Client) -> None:
    raw = {"content-type": "application/x-www-form-urlencoded"}  # what curl says unless it is told
    for headers, status in ((raw, 400), ({"content-type": "image/png"}, 415)):
        error = client.post("/v1/annotate", content=TAKES, headers=headers)
        assert error.status_code == status
        assert 'content-type: application/x-chess-pgn"' in error.json()["error"]["hint"]
    broken = "1. e4 Ke4 1-0\n\n"
    atomic = '[Variant "Atomic"]\n\n1. e4 *\n'
    for pgn, why in (
        (broken, "line 1: game 1: illegal move: Ke4 (ply 2)"),
        ("words", "line 1: text that is no game"),
        (atomic, "line 1: game 1: not a game of chess: Atomic (tbgen annotate tells it)"),
    ):
        error = client.post("/v1/annotate", content=pgn, headers=PGN)
        assert error.status_code == 400
        assert error.json()["error"]["message"] == f"no game that can be read; {why}"
    both = client.post("/v1/annotate", content=broken + TAKES, headers=PGN)
    assert (both.status_code, both.text[: len(broken)]) == (200, broken)
    assert client.post("/v1/annotate", content="", headers=PGN).status_code == 200
    many = "\n".join([TAKES] * 51)
    page = client.post("/game", data={"pgn": many}, headers={"accept": "text/html"})
    assert page.status_code == 413
    assert "more than 50 games" in page.text
    assert "tbgen annotate takes any number" in page.text
    assert client.post("/game", data={"pgn": "\n".join([TAKES] * 50)}).text.count('class="game"') == 50


def test_what_is_no_material_is_not_to_come(client: httpx.Client) -> None:
    assert "<strong>No such material.</strong>" in client.get("/materials/foo").text
    assert "<strong>Not yet.</strong>" in client.get("/materials/KQQvKQQ").text


def test_a_missing_table_for_one_move_leaves_that_move_unknown(
    small_tables: Path, document: dict[str, Any], tmp_path: Path
) -> None:
    for name in ("KPvK.r.h5", "KvK.r.h5", "KQvK.r.h5"):
        shutil.copy(small_tables / name, tmp_path)
    with serving(tmp_path, bundled=False) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        found = answered(client, document, "/v1/moves", "Position", fen="8/2P5/8/8/8/1k6/8/K7 w - - 0 1", fens="1")
        unknown = {move["san"]: move for move in found["moves"] if move["gscore"] is None}
        assert set(unknown) == {"c8=R", "c8=B", "c8=N"}
        assert unknown["c8=R"]["missing"] == "KRvK.r.h5"
        assert unknown["c8=R"]["dtg"] is None
        assert [move["gscore"] is None for move in found["moves"]] == sorted(
            move["gscore"] is None for move in found["moves"]
        ), "what is unknown is never best"
        assert found["gscore"] == "G0.0"
        standard = answered(client, document, "/standard", "Standard", fen="8/2P5/8/8/8/1k6/8/K7 w - - 0 1")
        assert {move["san"] for move in standard["moves"] if move["category"] == "unknown"} == set(unknown)
        assert standard["category"] == "win"
        assert answered(client, document, "/standard", "Standard", fen=BISHOP)["category"] == "unknown"
        problem = refused(client, document, "/v1/probe", 404, "missing_table", fen=BISHOP)
        assert problem["hint"] == "tbgen build KBvK"
        assert refused(client, document, "/v1/probe", 404, "missing_table", fen=BISHOP, rules="wg")["hint"] == (
            "tbgen build --rules wg KBvK"
        )
        six = "8/8/8/4K1k1/8/8/8/RBnn4 w - - 0 1"
        assert refused(client, document, "/v1/probe", 404, "missing_table", fen=six)["hint"] == (
            "tbgen plan KRBvKNN says what building takes"
        )
        large = client.get("/v1/materials/KNNPPvKBNP").json()["error"]
        assert (large["code"], large["hint"]) == ("missing_table", "tables hold up to six men")
        assert refused(client, document, "/standard/mainline", 404, "missing_table", fen=BISHOP)


def test_the_line_as_a_game(client: httpx.Client, document: dict[str, Any]) -> None:
    answer = client.get("/v1/line", params={"fen": BISHOP, "format": "pgn"})
    assert answer.headers["content-type"] == "application/x-chess-pgn"
    game = chess.pgn.read_game(io.StringIO(answer.text))
    assert game is not None
    assert not game.errors
    line = answered(client, document, "/v1/line", "Position", fen=BISHOP)["line"]
    assert [move.uci() for move in game.mainline_moves()] == [step["uci"] for step in line]
    assert [node.comment for node in game.mainline()] == [step["record"] for step in line]


def test_all_that_the_board_shows(client: httpx.Client, document: dict[str, Any]) -> None:
    found = answered(client, document, "/v1/board", "Board", fen=BISHOP, moves="g5h5", line="1")
    assert [step["uci"] for step in found["steps"]] == [None, "g5h5"]
    query = {"fen": found["fen"]}
    assert found["answer"] == answered(client, document, "/v1/moves", "Position", fens="1", **query)
    assert found["staircase"] == answered(client, document, "/v1/staircase", "Staircase", **query)["staircase"]
    line = answered(client, document, "/v1/line", "Position", **query)["line"]
    assert [{name: step[name] for name in ("uci", "san", "record")} for step in found["line"]] == line
    assert read_fen(found["line"][-1]["fen"]).record == outcome.parse(found["answer"]["gscore"])
    assert "lacks" in answered(client, document, "/v1/board", "Board", fen="8/8/8/8/8/8/8/K7 w - - 0 1")


def test_the_staircase(client: httpx.Client, document: dict[str, Any], small_tables: Path) -> None:
    found = answered(client, document, "/v1/staircase", "Staircase", fen=f"{LATER} G2.5")
    assert (found["gscore"], found["record"]) == ("G1.5", "G2.5")
    steps = found["staircase"]
    records = [outcome.parse(step["record"]) for step in steps]
    assert records == sorted(records, reverse=True)
    with open_tablebase(small_tables) as tablebase:
        for step in steps:
            result = tablebase.probe(chess.Board(LATER), step["record"])
            assert (step["gscore"], step["dtg"]) == (result.gscore, result.dtg)
    assert {"G3.5", "-G3.5", "G1.0", "-G1.0"} <= {step["record"] for step in steps}


# Many


def test_a_batch_is_answered_in_order(client: httpx.Client, document: dict[str, Any]) -> None:
    fens = [
        BISHOP,
        "nonsense",
        "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1",
        KNIGHTS,
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
        LATER,
    ] * 100
    answer = client.post("/v1/batch", json={"fens": fens, "moves": True})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [one["fen"] for one in found] == fens
    for one in found[:6]:
        check(document, one, "BatchLine")
    assert found[0]["moves"][0]["san"] == "Kh5"
    assert [one["error"]["code"] if "error" in one else None for one in found[:6]] == [
        None, "bad_input", "missing_table", None, "unsupported_position", None,
    ]  # fmt: skip


def test_a_batch_of_lines(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/batch?record=G2.0", content=f"{LATER}\n\n{LATER} G3.0\n", headers={"content-type": "text/plain"}
    )
    assert [json.loads(line)["record"] for line in answer.text.splitlines()] == ["G2.0", "G2.0"]
    assert client.post("/v1/batch", json={"fens": []}).text == ""


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"[" * 100_000, 400),
        (b'{"fens": "x"}', 400),
        (b'{"fens": [1]}', 400),
        (b'{"fens": [], "what": 1}', 400),
        (b'{"fens": [], "moves": 3}', 400),
        (b'{"fens": [], "rules": []}', 400),
        (b'{"fens": [], "rules": "x"}', 400),
        (b"\xff\xfe\x00", 400),
        (json.dumps({"fens": [BISHOP] * 10_001}).encode(), 413),
        (b" " * (5 << 20), 413),
    ],
)
def test_a_batch_that_is_none(client: httpx.Client, document: dict[str, Any], given: bytes, status: int) -> None:
    answer = client.post("/v1/batch", content=given, headers={"content-type": "application/json"})
    assert answer.status_code == status
    check(document, answer.json(), "Error")


def test_a_batch_of_another_kind(client: httpx.Client) -> None:
    assert client.post("/v1/batch", content=b"x", headers={"content-type": "image/png"}).status_code == 415


# Tables


def test_materials(client: httpx.Client, document: dict[str, Any], small_tables: Path) -> None:
    found = answered(client, document, "/v1/materials", "Materials")["materials"]
    assert {one["file"] for one in found} == {path.name for path in small_tables.glob("*.h5")}
    for one in found:
        assert one["bytes"] == (small_tables / one["file"]).stat().st_size
    only = answered(client, document, "/v1/materials", "Materials", rules="wg")["materials"]
    assert {one["rules"] for one in only} == {"wg"}
    one = answered(client, document, "/v1/materials/kbk", "Material")
    assert (one["material"], one["needs"], one["missing"]) == ("KBvK", ["KvK"], [])


def test_statistics_and_records(client: httpx.Client, document: dict[str, Any], small_tables: Path) -> None:
    stats = answered(client, document, "/v1/materials/KBvK/stats", "Stats")
    for row in stats["outcomes"]:
        assert sum(row["histogram"]) == row["placements"]
        assert len(row["histogram"]) == row["longest_dtg"] + 1
    shares = [row["share"] for row in stats["outcomes"] if row["to_move"] == "white"]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    records = answered(client, document, "/v1/materials/KBvK/records", "Records")["records"]
    assert max(one["dtg"] for one in records) == stats["longest_dtg"]
    with open_tablebase(small_tables) as tablebase:
        for one in records:
            result = tablebase.probe(chess.Board(one["fens"][0]))
            assert (result.gscore, result.dtg) == (one["gscore"], one["dtg"])
    even = answered(client, document, "/v1/materials/KvK/stats", "Stats")
    assert {row["to_move"] for row in even["outcomes"]} == {"either"}


def test_the_server_itself(client: httpx.Client, document: dict[str, Any]) -> None:
    health = answered(client, document, "/v1/health", "Health")
    assert health["status"] == "ok"
    client.get("/v1/probe", params={"fen": BISHOP})
    metrics = client.get("/v1/metrics")
    assert 'tbgen_requests_total{route="probe",status="200"}' in metrics.text
    assert "tbgen_tables " in metrics.text
    assert client.head("/v1/health").status_code == 200


# What is wrong


@pytest.mark.parametrize(
    ("path", "query", "status", "code"),
    [
        ("/v1/probe", {}, 400, "bad_input"),
        ("/v1/probe", {"fen": "nonsense"}, 400, "bad_input"),
        ("/v1/probe", {"fen": "8/8/8/8/8/8/8/K1k1QQ2 w - - 0 1"}, 400, "bad_input"),
        ("/v1/probe", {"fen": BISHOP, "record": "G"}, 400, "bad_input"),
        ("/v1/probe", {"fen": BISHOP, "rules": "x"}, 400, "bad_input"),
        ("/v1/probe", {"fen": BISHOP, "recrod": "G1.0"}, 400, "bad_input"),
        ("/v1/moves", {"fen": BISHOP, "fens": "perhaps"}, 400, "bad_input"),
        ("/v1/line", {"fen": BISHOP, "format": "xml"}, 400, "bad_input"),
        ("/v1/probe", {"fen": chess.STARTING_FEN}, 422, "unsupported_position"),
        ("/v1/probe", {"fen": "r3k3/8/8/8/8/8/8/4K3 b q - 0 1"}, 422, "unsupported_position"),
        ("/v1/probe", {"fen": "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1"}, 404, "missing_table"),
        ("/v1/materials/KQQQvK", {}, 404, "missing_table"),
        ("/v1/materials/XvY", {}, 404, "no_such_material"),
        ("/v1/materials/KRvKR/stats", {}, 404, "missing_table"),
        ("/v1/nothing", {}, 404, "not_found"),
        ("/v1/batch", {}, 405, "method_not_allowed"),
    ],
)
def test_errors_say_what_to_do(
    client: httpx.Client, document: dict[str, Any], path: str, query: dict[str, str], status: int, code: str
) -> None:
    problem = refused(client, document, path, status, code, **query)
    assert problem["message"]
    assert problem["hint"]


def test_no_message_names_a_directory(client: httpx.Client, small_tables: Path) -> None:
    for fen in ("8/8/8/4K1k1/8/8/8/QR6 w - - 0 1", "nonsense"):
        assert str(small_tables) not in client.get("/v1/probe", params={"fen": fen}).text


def test_a_damaged_table(small_tables: Path, document: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "KBvK.r.h5").write_bytes(damaged((small_tables / "KBvK.r.h5").read_bytes(), INDEX))
    (tmp_path / "KNvK.r.h5").write_bytes(b"no table")
    log: list[str] = []
    with serving(tmp_path, log=log) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        assert (
            refused(client, document, "/v1/probe", 503, "corrupt_table", fen=BISHOP)["hint"] == "tbgen verify names it"
        )
        board = answered(client, document, "/v1/board", "Board", fen=BISHOP)
        assert (board["error"]["code"], len(board["beyond"])) == ("corrupt_table", 3)
        found = answered(client, document, "/v1/materials", "Materials")["materials"]
        assert [one["body_sha256"] == "" for one in found[:2]] == [False, True]
        assert all(one["body_sha256"] for one in found[2:])
    assert log
    assert all(f"{tmp_path}/KBvK.r.h5" in line for line in log)


@pytest.mark.parametrize("name", ["look.css", "explorer.js", "rmtb.js", "chessground/chessground.css"])
def test_what_pages_load_comes_compressed(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/static/{name}", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in answer.headers["vary"].lower()
    plain = client.get(f"/static/{name}", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content


@pytest.mark.parametrize("name", ["__init__.py", "board.py", "../look/board.py", "%2e%2e/frame.py", "test.mjs"])
def test_nothing_else_is_served_from_where_these_lie(client: httpx.Client, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_a_picture_of_a_position(client: httpx.Client) -> None:
    answer = client.get("/picture.png", params={"fen": "8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content.startswith(b"\x89PNG")
    assert client.get("/picture.png", params={"fen": "8/8 w"}).status_code == 400
    assert client.get("/picture.png", params={"fen": "8/8/8/4KCk1/8/8/8/8 b - - 0 1"}).status_code == 404


def test_a_served_page_knows_its_address(small_tables: Path) -> None:
    with serving(small_tables, "--url", "https://example.org/") as server:
        page = httpx.get(f"{server.url}/", timeout=PATIENCE).text
    assert '<meta property="og:image" content="https://example.org/picture.png?fen=' in page
