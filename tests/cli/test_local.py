"""Local tables that `tbgen solve --keep` leaves, in all commands that find them."""

import json
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from tbgen.cli.main import main
from tbgen.referee.player.uci import Uci
from tbgen.store.local import list_local
from tests.support.local_tables import BLOCKED, RACE, keep_alone, links
from tests.support.patience import PATIENCE
from tests.support.serving import serving

pytestmark = pytest.mark.usefixtures("no_bundle")

ALL = "KvK KQvK KRvK KBvK KNvK KPvK"


@pytest.fixture
def tables(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One exact table, and one with two bounds."""
    monkeypatch.setenv("TBGEN_TABLES", str(tmp_path))
    links(small_tables, tmp_path, ALL)
    assert main(["solve", "--keep", "--moves", "-q", BLOCKED]) == 0
    (tmp_path / "KPvK.r.h5").unlink()
    keep_alone(tmp_path, RACE)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_solve_reads_them(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "keep" not in capsys.readouterr().err
    found = answer(capsys, "solve", "--moves", BLOCKED)
    assert (found["gscore"], found["local"]) == ("G5.5", None)  # asked as a table
    found = answer(capsys, "solve", "--moves", RACE)
    assert found["local"]["read"] is False  # there are tables that were not there before
    found = answer(capsys, "solve", "--moves", "--keep", RACE)
    found = answer(capsys, "solve", "--moves", RACE)
    assert found["local"] is None


def test_what_they_say_counts_where_less_is_solved(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in less time, or with less memory."""
    kept = answer(capsys, "probe", RACE)
    for words in (["--time", "0"], ["--time", "0.001s", "--moves"], ["--memory", "1M"]):
        found = answer(capsys, "solve", *words, RACE)
        assert (found["white"], found["black"]) == (kept["white"], kept["black"])
        assert ("moves" in found) == ("--moves" in words)
    assert main(["solve", "--time", "0", RACE]) == 0
    out = capsys.readouterr().out
    told = f"White is sure of {kept['white']}, Black of {kept['black']}."
    assert out.endswith(f"\nLocal tables kept from before:\n  {told}\n\nProved: {told}\n")


def test_probe_says_what_is_exact_and_what_is_bounded(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "probe", "--moves", "--line", BLOCKED)
    assert (found["material"], found["gscore"], found["dtg"], found["exact"]) == ("KPvKP", "G5.5", 1, True)
    assert [move["gscore"] for move in found["moves"]] == ["G5.5"] * 4 + ["-G0.5"] * 4
    assert [move["san"] for move in found["line"]] == ["Kc3"]
    found = answer(capsys, "probe", RACE)
    assert found.keys() == {"fen", "material", "white", "black", "record"}
    assert answer(capsys, "probe", "--moves", RACE)["moves"][0].keys() >= {"uci", "san", "white", "black", "record"}
    assert main(["probe", RACE]) == 0
    out = capsys.readouterr().out
    assert f"White is sure of {found['white']}, Black" in out
    assert "These are bounds from local tables" in " ".join(out.split())
    assert main(["probe", "-q", BLOCKED, RACE]) == 0
    assert capsys.readouterr().out == f"G5.5 1\nWhite is sure of {found['white']}, Black of {found['black']}\n"


def test_probe_says_a_distance_though_of_some_moves_only_bounds_are_known(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stalemates = "8/8/8/8/8/8/7p/4K2k w - - 0 1"
    found = answer(capsys, "probe", "--moves", "--line", stalemates)
    assert (found["gscore"], found["dtg"], [move["san"] for move in found["line"]]) == ("G0.5", 1, ["Kf1"])
    assert [move.get("dtg") for move in found["moves"]] == [1, 1, None, None, None]
    assert main(["probe", "--moves", "--line", stalemates]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "White forces G0.5 (Black stalemated)" in out
    assert "in 1 ply (1 move)" in out
    assert "Best: Kf1, Kf2" in out
    assert "These are bounds" not in out
    assert "1. Kf1 (G0.5) Moves, the best first: Kf1 G0.5 in 1 ply" in out
    assert "Kd2 White is sure of" in out


def test_info_leaves_out_what_is_gone(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another process may remove one between a look at the directory and one at the file."""
    listed = [*list_local(tables)]
    monkeypatch.setattr("tbgen.cli.info.list_local", lambda directory: listed)
    listed[0].path.unlink()
    capsys.readouterr()
    assert main(["info", "--json"]) == 0
    rows = [*map(json.loads, capsys.readouterr().out.splitlines())]
    assert [row["local"] for row in rows if "local" in row] == [one.path.name for one in listed[1:]]


def test_info_lists_them(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert f"local tables, in {tables / 'local'}" in out
    assert "d4 v d5" in out
    assert main(["info", "--json", "KPvKP"]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["bound"], row["slices"], row["pawns"]) == ("exact", 1, "d4 v d5")
    path = tables / "local" / row["local"]
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["info"]) == 5
    assert f"{path}: it has" in capsys.readouterr().out
    assert main(["probe", BLOCKED]) == 5
    assert "(remove it: tbgen solve --keep makes it again)" in capsys.readouterr().err


def test_verify_checks_them(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "-q"]) == 4  # a table that captures lead to has gone
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("local/KPvK.r.") and line.endswith("all right") for line in lines) == 2
    (one,) = (line for line in lines if line.startswith("local/KPvKP"))
    assert "all right" in one
    assert one.endswith("NOT CHECKED"), "why stands on a line of its own"
    assert main(["verify", "-q", "--json", "KPvK"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["bound"], row["wrong"], row["unchecked"]) for row in rows] == [("best", 0, 0), ("worst", 0, 0)]
    path = tables / "local" / rows[0]["local"]
    whole = path.read_bytes()
    path.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    assert main(["verify", "-q", "KPvK"]) == 5


def test_an_engine_plays_by_them(tables: Path) -> None:
    said: list[str] = []
    engine = Uci(tables, "r", said.append)
    for line in (f"position fen {BLOCKED}", "go", f"position fen {RACE}", "go"):
        engine.handle(line)
    assert said[0].startswith("info string G-score G5.5 in 1 ply")
    assert any(line.startswith("info string local tables: ") for line in said)
    assert sum(line.startswith("bestmove ") for line in said) == 2


def test_the_server_answers_from_them(tables: Path) -> None:
    with serving(tables, bundled=False) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        document = client.get("/v1/openapi.json").json()

        def ask(path: str, fen: str) -> dict[str, Any]:
            found = client.get(path, params={"fen": fen})
            assert found.status_code == 200, found.text
            schema = {"$ref": "#/components/schemas/Probe", **document}
            jsonschema.Draft202012Validator(schema).validate(found.json())
            answer: dict[str, Any] = found.json()
            return answer

        assert ask("/v1/probe", BLOCKED)["gscore"] == "G5.5"
        assert ask("/v1/moves", BLOCKED)["moves"][0]["gscore"] == "G5.5"
        found = ask("/v1/probe", RACE)
        assert {"white", "black"} < found.keys()
        assert "exact" not in found
        assert "white" in ask("/v1/moves", RACE)["moves"][0]
        assert "white" in client.get("/v1/board", params={"fen": RACE}).json()["answer"]
