"""Every reader and every command takes tables of six men.

TBGEN_SIX=DIR names a directory with some, and with those that their captures lead to.
"""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import chess
import httpx
import numpy as np
import pytest

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.core.material import Material, parse, with_dependencies
from tbgen.probe import Positions, Result, Tablebase, open_tablebase
from tests.support import c_client, js_client
from tests.support.boards import drawn
from tests.support.patience import PATIENCE
from tests.support.places import ROOT
from tests.support.range_host import hosting
from tests.support.runs import tbgen
from tests.support.serving import serving

Asked = tuple[str, str | None]

MEN = 6
EACH = 100
"""Positions with either side in white."""
RECORDS = (None, None, "G1.0", "-G3.0", "G8.5", "-G20.5")
PLACE = Path(os.environ.get("TBGEN_SIX", os.devnull))
SIX = [path.name.split(".")[:2] for path in sorted(PLACE.glob(f"K{'?' * MEN}.*.h5")) if path.name.count(".") == 2]
"""Material and rules. The name of a slim table has a dot more."""

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not SIX, reason="TBGEN_SIX names no directory with tables of six men"),
]


@pytest.fixture(scope="module", params=SIX, ids=".".join)
def named(request: pytest.FixtureRequest) -> tuple[Material, str]:
    return parse(request.param[0]), request.param[1]


@pytest.fixture(scope="module")
def tables(named: tuple[Material, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one of them and what it needs, alone."""
    place, (material, rules) = tmp_path_factory.mktemp("tables"), named
    for one in with_dependencies([material]):
        (place / f"{one}.{rules}.h5").symlink_to((PLACE / f"{one}.{rules}.h5").resolve(strict=True))
    return place


@pytest.fixture(scope="module")
def asked(named: tuple[Material, str]) -> list[Asked]:
    """Positions of these men, in either colour, with records and without."""
    material, draw = named[0], random.Random(str(named))
    sides = [(material.first, material.second), (material.second, material.first)]
    each = [f"K{white}k{black.lower()}" for white, black in sides]
    boards = [board for men in each for board in islice(drawn(men, draw), EACH)]
    for board in boards:
        board.halfmove_clock = 20  # a record may be older than the position
    return [(board.fen(), draw.choice(RECORDS)) for board in boards]


@pytest.fixture(scope="module")
def tablebase(tables: Path, named: tuple[Material, str]) -> Iterator[Tablebase]:
    with open_tablebase(tables, named[1]) as opened:
        yield opened


@pytest.fixture(scope="module")
def wanted(tablebase: Tablebase, asked: list[Asked]) -> list[Result]:
    return [tablebase.probe(fen, record, moves=True) for fen, record in asked]


@pytest.fixture(scope="module")
def fresh(wanted: list[Result], asked: list[Asked]) -> dict[str, Result]:
    """Those without a record."""
    return {fen: result for (fen, record), result in zip(asked, wanted, strict=True) if record is None}


def test_a_position_is_worth_its_best_move(wanted: list[Result], asked: list[Asked]) -> None:
    for result, (fen, _) in zip(wanted, asked, strict=True):
        board = chess.Board(fen)
        assert result.moves is not None
        assert {move.move for move in result.moves} == {*board.legal_moves}
        sign = 1 if board.turn else -1
        assert not result.moves or sign * result.outcome == max(sign * move.outcome for move in result.moves), fen


def test_many_at_once(tablebase: Tablebase, wanted: list[Result], asked: list[Asked]) -> None:
    """Those of one colour together."""
    for half in (slice(0, EACH), slice(EACH, None)):
        boards = [chess.Board(fen) for fen, _ in asked[half]]
        men = sorted(boards[0].piece_map().values(), key=lambda man: (not man.color, man.piece_type != chess.KING))
        men_of_white = sum(man.color for man in men)
        symbols = "".join(man.symbol().upper() for man in men)
        squares = np.array([squares_of(board, men) for board in boards], np.int8)
        positions = Positions(f"{symbols[:men_of_white]}v{symbols[men_of_white:]}", squares, [b.turn for b in boards])
        found = tablebase.probe_many(positions, [record for _, record in asked[half]])
        assert found.outcomes.tolist() == [result.outcome for result in wanted[half]]
        assert found.dtg.tolist() == [result.dtg for result in wanted[half]]


def squares_of(board: chess.Board, men: list[chess.Piece]) -> list[int]:
    left = {man: iter(board.pieces(man.piece_type, man.color)) for man in men}
    return [next(left[man]) for man in men]


@pytest.mark.skipif(not c_client.there_is("gcc"), reason="no C compiler (Debian: apt install gcc)")
def test_the_reader_in_c(
    tables: Path, named: tuple[Material, str], wanted: list[Result], asked: list[Asked], tmp_path: Path
) -> None:
    driver = c_client.compiled(tmp_path, "driver.c")
    for said, result in zip(c_client.ask([driver], tables, named[1], asked), wanted, strict=True):
        assert (said.error, said.outcome, said.distance) == ("ok", result.outcome, result.dtg)
        assert [move.uci for move in said.moves] == [move.uci for move in result.moves or ()]


@js_client.needs_node
def test_the_reader_in_javascript(
    tables: Path, named: tuple[Material, str], wanted: list[Result], asked: list[Asked]
) -> None:
    questions = [("probe", fen, {"record": record, "rules": named[1]}) for fen, record in asked]
    for said, result in zip(js_client.ask(tables, questions), wanted, strict=True):
        assert (said["outcome"], said["dtg"], said["material"]) == (result.outcome, result.dtg, result.material)


def test_the_server(tables: Path, named: tuple[Material, str], wanted: list[Result], asked: list[Asked]) -> None:
    with serving(tables) as server:
        for (fen, record), result in zip(asked[::10], wanted[::10], strict=True):
            query = {"fen": fen, "rules": named[1], **({"record": record} if record else {})}
            said = httpx.get(f"{server.url}/v1/probe", params=query, timeout=PATIENCE).json()
            assert (said["gscore"], said["dtg"]) == (outcome.text(result.outcome), result.dtg)


def test_the_engine(tables: Path, named: tuple[Material, str], wanted: list[Result], asked: list[Asked]) -> None:
    lines = [f"setoption name Rules value {named[1]}"]
    lines += [line for fen, record in asked for line in (f"position fen {fen} {record or ''}", "go")]
    said = tbgen("uci", "--tables", tables, input="\n".join([*lines, "quit\n"]).encode()).stdout.decode()
    plays = [line.split()[1] for line in said.splitlines() if line.startswith("bestmove")]
    assert len(plays) == len(wanted)
    for play, result in zip(plays, wanted, strict=True):
        worth = {move.uci: move.outcome for move in result.moves or ()} or {"(none)": result.outcome}
        assert worth[play] == result.outcome


def test_drawn_games(
    tables: Path, named: tuple[Material, str], wanted: list[Result], asked: list[Asked], tmp_path: Path
) -> None:
    tags = '[Result "1/2-1/2"]\n[Termination "adjudication"]\n[FEN "{}"]\n[SetUp "1"]\n\n1/2-1/2\n\n'
    drawn = [
        (f"{fen} {record or ''}", result) for (fen, record), result in zip(asked, wanted, strict=True) if result.moves
    ]
    (tmp_path / "in.pgn").write_text("".join(tags.format(fen.strip()) for fen, _ in drawn))
    said = {}
    for command in ("adjudicate", "annotate"):
        out = tmp_path / f"{command}.pgn"
        done = tbgen(command, tmp_path / "in.pgn", "-o", out, "--tables", tables, "--rules", named[1])
        assert done.returncode == 0, done.stderr
        said[command] = out.read_text()
    results = re.findall(r'^\[RMobilityResult "(.*)"\]$', said["adjudicate"], re.MULTILINE)
    assert results == [outcome.text(result.outcome) for _, result in drawn]
    assert said["annotate"].count("[FEN ") == len(drawn)


@pytest.mark.parametrize("report", ["stats", "records"])
def test_reports(tables: Path, named: tuple[Material, str], report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(named[0]), "--tables", str(tables)]) == 0
    assert main(["report", report, str(named[0]), "--rules", named[1], "--tables", str(tables)]) == 0
    assert capsys.readouterr().out.count(str(named[0])) > 1


def test_a_single_position(
    tables: Path, named: tuple[Material, str], fresh: dict[str, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    fen, result = next(iter(fresh.items()))
    for command in (["probe", "--rules", named[1]], ["solve", "--time", "10s"])[: 1 + (named[1] == "r")]:
        assert main([*command, fen, "--tables", str(tables), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["gscore"] == outcome.text(result.outcome)


def test_positions_for_other_programs(
    tables: Path, named: tuple[Material, str], tablebase: Tablebase, fresh: dict[str, Result], tmp_path: Path
) -> None:
    """Those that take as long as any of ours, and longer."""
    longest = max(result.dtg for result in fresh.values())
    words = ["--columns", "fen,dtg", "--dtg", f"{longest}-", "--rules", named[1], "--tables", str(tables)]
    assert main(["export", str(named[0]), *words, "-o", str(tmp_path / "far.csv")]) == 0
    rows = [line.split(",") for line in (tmp_path / "far.csv").read_text().splitlines() if not line.startswith("#")]
    assert len(rows) > 1
    for fen, dtg in rows[1:100]:
        assert tablebase.probe(fen.strip('"')).dtg == int(dtg) >= longest


@js_client.needs_node
def test_vectors(tables: Path, named: tuple[Material, str], tmp_path: Path) -> None:
    words = [named[0], "--rules", named[1], "--tables", tables, "-o", tmp_path / "vectors"]
    subprocess.run([sys.executable, ROOT / "scripts" / "vectors.py", *map(str, words)], check=True)
    rows = [json.loads(line) for line in (tmp_path / "vectors").read_text().splitlines()]
    assert len(rows) > 20
    js_client.check_vectors(rows, js_client.ask(tables, js_client.questions_of(rows)))


def test_there_and_back(
    tables: Path, named: tuple[Material, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(named[0]), "--rules", named[1], "--tables", str(tables), "-o", str(tmp_path)]
    assert main(["pack", *words]) == 0
    for slim in tmp_path.glob("*.slim.h5"):  # none where both sides have the same men
        assert main(["unpack", "--check", str(slim), "--tables", str(tables)]) == 0
        assert "gives the table again" in capsys.readouterr().out


def test_on_a_web_host(tables: Path, named: tuple[Material, str], tmp_path: Path) -> None:
    site, got = tmp_path / "site", tmp_path / "got"
    assert main(["publish", str(tables), str(site)]) == 0
    listed = json.loads((site / "catalogue.json").read_bytes())["tables"]
    assert str(named[0]) in {row["name"].partition(".")[0] for row in listed}
    with hosting(site) as host:
        words = ["fetch", str(named[0]), "--rules", named[1], "--from", host.url, "--tables", str(got)]
        assert main(words) == 0
    name = f"{named[0]}.{named[1]}.h5"
    assert (got / name).read_bytes() == (tables / name).read_bytes()
