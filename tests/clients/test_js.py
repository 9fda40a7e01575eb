"""clients/js/rmtb.js is one module, and says what vectors and tbgen say, in Node and in chromium."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from tbgen.core import position
from tbgen.core.table_rules import TableRules
from tbgen.probe import Tablebase
from tbgen.slim.make import make_slim
from tbgen.store import BUNDLED
from tbgen.web.server import answers
from tbgen.web.server.question import question
from tests.support.browsing import NEEDS_BROWSER, launched
from tests.support.js_client import (
    CLIENT,
    FEW,
    SCRIPTS,
    ask,
    catalogue,
    check_vectors,
    needs_node,
    positions,
    questions_of,
    run,
    vectors,
)
from tests.support.range_host import Answer, Asked, Host, hosting


def check_beside(directory: Path, materials: Sequence[str], rules: str, counts: dict[str, int], seed: int = 1) -> None:
    """Random positions are answered as tbgen answers them, word for word."""
    asked = [
        (method, fen, {"record": record, "rules": rules})
        for method, count in counts.items()
        for fen, record in positions(materials, count, seed)
    ]
    found = ask(directory, asked)
    with Tablebase(directory, rules) as tablebase:
        for (method, fen, more), answer in zip(asked, found, strict=True):
            there = question(fen, more["record"], TableRules(rules))
            if method == "probe":
                wanted = json.loads(answers.position(there, tablebase))
            elif method == "moves":
                wanted = answers.moves(there, tablebase, fens=True)
            else:
                wanted = getattr(answers, method)(there, tablebase)
            if method != "staircase":
                sign = -1 if wanted["gscore"][0] == "-" else 1
                assert answer.pop("outcome") == sign * (512 - 2 * float(wanted["gscore"].lstrip("-G")))
            assert answer == wanted, (method, fen, more)


# --- what is there -----------------------------------------------------------------------------------------------


def test_it_is_one_module_that_anybody_may_copy() -> None:
    source = (CLIENT / "rmtb.js").read_text()
    assert set(re.findall(r'import\("([^"]+)"\)', source)) == {"node:fs/promises", "node:url"}
    assert not re.search(r"^import ", source, re.MULTILINE)
    assert (CLIENT / "LICENSE").read_text().startswith("MIT License")
    package = json.loads((CLIENT / "package.json").read_text())
    assert (package["type"], package["license"]) == ("module", "MIT")
    assert all((CLIENT / name).is_file() for name in package["files"])


def test_the_types_name_what_the_module_has() -> None:
    source, types = (CLIENT / "rmtb.js").read_text(), (CLIENT / "rmtb.d.ts").read_text()
    exported = r"^export (?:async )?(?:function|class) (\w+)"
    assert set(re.findall(exported, source, re.MULTILINE)) == set(re.findall(exported, types, re.MULTILINE))
    methods = re.findall(r"^  (\w+)\((?:fen, options)?\) \{", source.partition("\nclass Tables ")[2], re.MULTILINE)
    typed = types.partition("export interface Tables ")[2].partition("\n}")[0]
    assert set(methods) == set(re.findall(r"^  (\w+)\(", typed, re.MULTILINE))
    defaults = source.partition("const DEFAULTS = {")[2].partition("\n};")[0]
    options = types.partition("export interface Options ")[2].partition("\n}")[0]
    assert re.findall(r"^  (\w+):", defaults, re.MULTILINE) == re.findall(r"^  (\w+)\?:", options, re.MULTILINE)
    assert set(re.findall(r'TablesError\("(\w+)"', source)) | {"unsupported_position"} == set(
        re.findall(r'"(\w+)"', types.partition("type Code =")[2].partition(";")[0])
    )


@pytest.mark.full
@pytest.mark.skipif(shutil.which("tsc") is None, reason="no tsc here: npm install --global typescript")
def test_the_types_fit() -> None:
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"]
    done = subprocess.run(["tsc", *options, SCRIPTS / "types.mts"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# --- answers -----------------------------------------------------------------------------------------------------


@needs_node
def test_the_first_command_that_its_page_shows() -> None:
    command = re.findall(r"^node (.*)", (CLIENT / "README.md").read_text(), re.MULTILINE)[0]
    done = subprocess.run(["node", *shlex.split(command)], cwd=CLIENT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "G1.5 in 4 plies"
    assert len(done.stdout.splitlines()) == 4


@needs_node
def test_vectors() -> None:
    rows = vectors(FEW, ("r", "wg"))
    check_vectors(rows, ask(BUNDLED, questions_of(rows)))


@pytest.mark.full
@pytest.mark.skipif(shutil.which("deno") is None, reason="no deno here: npm install --global deno")
@pytest.mark.parametrize("over_http", [False, True])
def test_vectors_in_deno(over_http: bool) -> None:
    rows = vectors(FEW, ("r", "wg"))
    with hosting(BUNDLED) as host:
        given = [[host.url if over_http else str(BUNDLED), {}], *questions_of(rows)]
        program = ("deno", "run", "--quiet", "--allow-read", "--allow-net")
        check_vectors(rows, run("ask.mjs", given=given, program=program))


@needs_node
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_random_positions_are_answered_as_by_tbgen(rules: str) -> None:
    check_beside(BUNDLED, FEW, rules, {"probe": 2000, "moves": 200, "staircase": 100, "line": 20})


@needs_node
def test_its_moves_are_those_of_chess_and_its_inflater_is_right() -> None:
    materials = ("KPPPPPPPvKPPPPPPP", "KRPPPPPPvKBPPPPPP", "KQPPvKRPP", "KRBNvKQPN", "KQRBNPPvKQRBNPP")
    fens = [fen for fen, _ in positions(materials, 500, 6)]
    assert sum(chess.Board(fen).has_legal_en_passant() for fen in fens) > 20
    *found, wrong = run("parts.mjs", given=fens)
    assert not wrong
    for fen, answer in zip(fens, found, strict=True):
        board = chess.Board(fen)
        moves = []
        for move in sorted(board.legal_moves, key=chess.Move.uci):
            after = board.copy()
            after.push(move)
            moves.append([move.uci(), board.san(move), board.is_zeroing(move), f"{after.fen()} G255.5"])
        assert answer == {"level": position.level(board), "moves": moves}


@needs_node
def test_slim_tables_say_the_same(small_tables: Path, tmp_path: Path) -> None:
    for path in small_tables.glob("*.r.h5"):
        if path.name not in ("KPvK.r.h5", "KRvK.r.h5"):
            (tmp_path / path.name).symlink_to(path)
    for name in ("KPvK", "KRvK"):
        assert make_slim(small_tables / f"{name}.r.h5", tmp_path / f"{name}.r.slim.h5")
    check_beside(tmp_path, ("KPvK", "KRvK", "KNNvK"), "r", {"probe": 300, "moves": 60, "staircase": 20, "line": 5})


@needs_node
def test_moves_to_missing_tables_come_last(tmp_path: Path, no_bundle: None) -> None:
    for name in ("KPvK", "KRvK"):
        shutil.copy(BUNDLED / f"{name}.r.h5", tmp_path)
    fen = "8/4P3/8/8/8/2k5/8/4K3 w - - 0 1"
    (found,) = ask(tmp_path, [("moves", fen, {})])
    with Tablebase(tmp_path) as tablebase:
        wanted = answers.moves(question(fen, None, TableRules.RESET), tablebase, fens=True)
    assert found.pop("outcome")
    wanted["moves"][-3:] = sorted(wanted["moves"][-3:], key=lambda move: str(move["uci"]))
    assert found == wanted
    assert [move.get("missing") for move in found["moves"][-3:]] == ["KBvK.r.h5", "KNvK.r.h5", "KQvK.r.h5"]
    assert (
        ask(tmp_path, [("line", fen, {}), ("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])[1]["code"] == "missing_table"
    )


@needs_node
def test_what_is_wrong_with_a_question_is_said() -> None:
    fens = {
        "": "bad_input",
        "8/8/8/4KBk1/8/8/8/8": "bad_input",
        "8/8/8/4KBk1/8/8/8/8 b - - 0 1 G3.5 x": "bad_input",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 G0.0": "bad_input",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 3.5": "bad_input",
        "8/8/8/4KBk1/8/8/8/44 b - - 0 1": "bad_input",
        "8/8/8/4KBkk/8/8/8/8 b - - 0 1": "bad_input",
        "8/8/8/4K1k1/5B2/8/8/8 w - - 0 1": "bad_input",
        "8/8/8/4KBk1/8/8/8/7P b - - 0 1": "bad_input",
        "8/8/8/8/8/8/8/k6K w - d6 0 1": "bad_input",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1": "unsupported_position",
        "4k3/8/8/8/8/8/PPPPP3/4K2R w - - 0 1": "unsupported_position",
        "4k3/8/8/8/8/8/P7/4K2R w - - 0 1": "missing_table",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 mG3.5": None,
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 \u2212G3.5": None,
        "8/8/8/4KBk1/8/8/8/8_b_–_–": None,
        "7k/5Q2/6K1/8/8/8/PPPPP3/7R b - - 0 1": None,
    }
    found = ask(BUNDLED, [("probe", fen, {}) for fen in fens])
    assert {fen: answer.get("code") for fen, answer in zip(fens, found, strict=True)} == fens
    assert all("\n" not in answer.get("message", "") for answer in found)
    assert ask(BUNDLED, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {"rules": "x"})])[0]["code"] == "bad_input"


@needs_node
def test_with_next_to_no_cache_it_says_the_same() -> None:
    """It forgets what it read, and reads it again."""
    asked = [("moves", fen, {"record": record}) for fen, record in positions(("KPvK",), 30, 5)]
    with hosting(BUNDLED) as host:
        wanted, few = ask(host.url, asked * 2), len(host.asked)
        assert ask(host.url, asked * 2, cache=1) == wanted
        assert len(host.asked) - few > 2 * few


@pytest.mark.full
@needs_node
def test_four_men(four_men: Path) -> None:
    names = {path.name.partition(".")[0] for path in four_men.glob("*.r.h5")}
    rows = vectors(sorted(names), ("r",))
    assert len(rows) > 900
    check_vectors(rows, ask(four_men, questions_of(rows)))
    counts = {"probe": 5000, "moves": 600, "staircase": 300, "line": 60}
    check_beside(four_men, ("KPvKP", "KQvKP", "KNNvK"), "r", counts)


# --- chromium ----------------------------------------------------------------------------------------------------

PAGE = b"""<!doctype html><meta charset="utf-8"><title>rmtb</title><script type="module">
import { open } from "./rmtb.js";
window.ask = async (questions) => {
  const tables = await open("tables/");
  return Promise.all(questions.map(([method, fen, more]) => tables[method](fen, more).catch(({ code }) => ({ code }))));
};
</script>"""


class TestInChromium:
    pytestmark = NEEDS_BROWSER

    def test_vectors(self, tmp_path: Path) -> None:
        (tmp_path / "tables").symlink_to(BUNDLED)
        shutil.copy(CLIENT / "rmtb.js", tmp_path)
        rows = vectors(FEW, ("r", "wg"))

        def served(host: Host, asked: Asked) -> Answer:
            found = host.parts(asked)
            kind = {"js": "text/javascript", "html": "text/html"}.get(asked.name.rpartition(".")[2], "x-tables")
            return found._replace(headers={**found.headers, "Content-Type": kind})

        with hosting(tmp_path, served) as host, launched() as browser:
            host.extra["index.html"] = PAGE
            host.extra["tables/catalogue.json"] = catalogue(BUNDLED)
            page = browser.new_page()
            page.goto(f"{host.url}index.html")
            page.wait_for_function("() => 'ask' in window")
            found = page.evaluate("(questions) => window.ask(questions)", questions_of(rows))
            check_vectors(rows, found)
            assert {asked.name for asked in host.asked if asked.part} == {
                f"tables/{path.name}" for path in BUNDLED.glob("*.h5")
            }
