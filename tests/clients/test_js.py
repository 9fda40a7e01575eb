"""clients/js/rmtb.js says what vectors and tbgen say, in Node and in chromium, asks for little, and believes nobody."""

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import chess
import pytest

from tbgen import outcome, position
from tbgen.archive.slim import make_slim
from tbgen.probe import Tablebase
from tbgen.serve import answers
from tbgen.serve.question import question
from tbgen.store import BUNDLED
from tbgen.table_rules import TableRules
from tests.support.browsing import NEEDS_BROWSER, launched
from tests.support.places import ROOT
from tests.support.range_host import Answer, Asked, Host, hosting

CLIENT = ROOT / "clients" / "js"
SCRIPTS = Path(__file__).parent
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
ROWS = [json.loads(line) for line in (ROOT / "docs" / "vectors.jsonl").read_text().splitlines()]
FEW = ("KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK")
PAWN = "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"
Question = tuple[str, str, dict[str, Any]]


def run(script: str, *words: str, given: Sequence[Any], program: Sequence[str] = ("node",)) -> list[Any]:
    """What a script prints, line by line."""
    lines = "\n".join(map(json.dumps, given))
    done = subprocess.run(
        [*program, SCRIPTS / script, *words], input=lines, capture_output=True, text=True, check=False, timeout=1800
    )
    assert not done.stderr, done.stderr
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(where: Path | str, questions: Sequence[Any], **options: Any) -> list[Any]:
    return run("ask.mjs", given=[[str(where), options], *questions])


def positions(materials: Sequence[str], count: int, seed: int) -> Iterator[tuple[str, str | None]]:
    """Any legal ones, with records or without; with rights to capture en passant where they can be."""
    chance = random.Random(seed)
    while count:
        first, second = chance.sample(chance.choice(materials).split("v"), 2)
        letters = sorted(first + second.lower(), key="Pp".find, reverse=True)  # pawns stand on six ranks only
        pawns = chance.sample(range(8, 56), sum(letter in "Pp" for letter in letters))
        others = chance.sample(sorted({*range(64)} - {*pawns}), len(letters) - len(pawns))
        board = chess.Board(None)
        for square, letter in zip(pawns + others, letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.random() < 0.5
        board.halfmove_clock = chance.choice([0, 1, 30, 99])
        if not board.is_valid():
            continue
        passed = [square for square in (*range(16, 24), *range(40, 48)) if is_sound(board, square)]
        board.ep_square = max(passed, key=lambda square: is_sound(board, square, capture=True), default=None)
        record = chance.choice([1, -1]) * (outcome.BASE - chance.randrange(2, 40))
        count -= 1
        yield board.fen(en_passant="fen"), outcome.text(record) if chance.random() < 0.6 else None


def is_sound(board: chess.Board, passed: int, *, capture: bool = False) -> bool:
    """Whether a pawn may just have passed a square, and can be captured there."""
    board = board.copy()
    board.ep_square = passed
    return board.is_valid() and (not capture or board.has_legal_en_passant())


def check_vectors(rows: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]) -> None:
    for row, answer in zip(rows, found, strict=True):
        wanted = row["outcome"] if row["fen"].split()[1] == "w" else -row["outcome"]
        told = (answer.get("outcome"), answer.get("dtg"), answer.get("material"))
        assert told == (wanted, row["distance"], row["material"]), (row, answer)


def vectors(materials: Sequence[str], rules: Sequence[str]) -> list[dict[str, Any]]:
    found = [row for row in ROWS if row["material"] in materials and row["rules"] in rules]
    assert len(found) > 100
    return found


def questions_of(rows: Sequence[dict[str, Any]]) -> list[Question]:
    return [("probe", row["fen"], {"record": row["record"], "rules": row["rules"]}) for row in rows]


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


def catalogue(directory: Path, *, heads: bool = True) -> bytes:
    rows = []
    for path in sorted(directory.glob("*.h5")):
        with path.open("rb") as file:
            head = file.read(4096).rstrip(b"\0").decode()
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        row = {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
        rows.append(row | ({"head": head} if heads else {}))
    return json.dumps({"tables": rows}).encode()


# --- what is there -----------------------------------------------------------------------------------------------


def test_it_is_one_module_that_anybody_may_copy() -> None:
    source = (CLIENT / "rmtb.js").read_text()
    assert len(source.splitlines()) <= 1000
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


# --- requests ----------------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """Of single questions, each to tables of which nothing is known yet, the catalogue apart."""

    requests: list[int]
    bytes: list[int]


def cost(directory: Path, asked: Sequence[Question], *, heads: bool) -> Cost:
    def answer(host: Host, asked: Asked) -> Answer:
        return host.parts(asked._replace(name=asked.name.rpartition("/")[2]))

    with hosting(directory, answer) as host:
        host.extra["catalogue.json"] = catalogue(directory, heads=heads)
        found = ask(host.url, asked, anew=True)
        assert not [answer for answer in found if "code" in answer]
        requests, sizes = [0] * len(asked), [0] * len(asked)
        for name, _ in host.asked:
            if name.endswith(".h5"):
                requests[int(name.partition("/")[0])] += 1
        for name, size in host.bytes.items():
            if name.endswith(".h5"):
                sizes[int(name.partition("/")[0])] += size
    return Cost(requests, sizes)


def check_costs(
    directory: Path, materials: Sequence[str], count: int, *, heads: bool, most: tuple[int, int] = (25, 60)
) -> None:
    given = list(positions(materials, count, 3))
    asked = [("probe", fen, {"record": record if heads else None}) for fen, record in given]
    probes = cost(directory, asked, heads=heads)
    assert max(probes.requests) <= 4
    assert 1000 < max(probes.bytes) <= 100_000
    moves = cost(directory, [("moves", fen, {"record": record}) for fen, record in given], heads=heads)
    assert statistics.median(moves.requests) <= most[0]
    assert statistics.quantiles(moves.requests, n=100)[98] <= most[1]


@needs_node
@pytest.mark.parametrize("heads", [True, False])
def test_few_requests_and_bytes(small_tables: Path, heads: bool) -> None:
    """Of small tables even fewer."""
    check_costs(small_tables, ("KPvK", "KNNvK"), 40, heads=heads, most=(3, 9))


@pytest.mark.full
@needs_node
@pytest.mark.skipif("TBGEN_FIVE" not in os.environ, reason="$TBGEN_FIVE names no directory with tables of five men")
@pytest.mark.parametrize("heads", [True, False])
def test_few_requests_and_bytes_with_five_men(heads: bool) -> None:
    directory = Path(os.environ["TBGEN_FIVE"])
    five = [
        path.name.partition(".")[0] for path in directory.glob("K???*.r.h5") if len(path.name) == len("KRBvKR.r.h5")
    ]
    check_costs(directory, sorted(five), 300, heads=heads)


@needs_node
def test_without_a_catalogue_names_are_tried(small_tables: Path, tmp_path: Path) -> None:
    assert make_slim(small_tables / "KRvK.r.h5", tmp_path / "KRvK.r.slim.h5")
    shutil.copy(small_tables / "KvK.r.h5", tmp_path)
    with hosting(tmp_path) as host:
        (found,) = ask(host.url, [("probe", "8/8/1k6/8/8/3K4/8/7R b - - 0 1", {})])
        assert found["material"] == "KRvK"
        names = [asked.name for asked in host.asked]
        assert names[:3] == ["catalogue.json", "KRvK.r.h5", "KRvK.r.slim.h5"]


@needs_node
def test_what_many_ask_for_is_fetched_once(small_tables: Path) -> None:
    """Whether they ask at once, or while an answer is under way."""

    def slow(host: Host, asked: Asked) -> Answer:
        time.sleep(0.2)
        return host.parts(asked)

    asked = ("moves", "8/8/8/3k4/8/8/2N5/K1N5 w - - 3 1", {"record": "G5.0"})
    with hosting(small_tables, slow) as host:
        ask(host.url, [asked])
        alone = sorted(host.asked)
        host.asked.clear()
        ask(host.url, [[(*asked[:2], asked[2] | {"after": 20 * nth}) for nth in range(40)]])
        assert sorted(host.asked) == alone
        assert len(set(alone)) == len(alone) > 3


@needs_node
def test_a_host_without_parts_gives_whole_files_once(small_tables: Path) -> None:
    fens = [fen for fen, _ in positions(("KNNvK", "KPvK"), 20, 4)]
    with hosting(small_tables, Host.whole) as host:
        host.extra["catalogue.json"] = catalogue(small_tables)
        found = ask(host.url, [("moves", fen, {}) for fen in fens])
        assert not [answer for answer in found if "code" in answer]
        assert found == ask(small_tables, [("moves", fen, {}) for fen in fens])
        sizes = {path.name: path.stat().st_size for path in small_tables.iterdir()}
        assert host.sent <= 2 * sum(sizes[name] for name in {asked.name for asked in host.asked} - {"catalogue.json"})
        host.asked.clear()
        (refused,) = ask(host.url, [("probe", fens[0], {})], whole=50_000)
        assert refused["code"] == "host"
        assert "no parts of files" in refused["message"]


@needs_node
def test_a_whole_file_has_the_catalogues_digest() -> None:
    has_digests = subprocess.run(["node", "-p", "!!globalThis.crypto"], capture_output=True, text=True, check=True)
    if "true" not in has_digests.stdout:
        pytest.skip("this node makes no digests")
    with hosting(BUNDLED, Host.whole) as host:
        host.extra["catalogue.json"] = catalogue(BUNDLED)
        host.extra["KPvK.r.h5"] = (BUNDLED / "KPvK.r.h5").read_bytes()[:-1] + b"!"
        (refused,) = ask(host.url, [("probe", PAWN, {})])
        assert (refused["code"], "SHA-256" in refused["message"]) == ("host", True)


# --- hosts and files that lie ------------------------------------------------------------------------------------


def lying(change: Callable[[Answer, Asked, Host], Answer]) -> Callable[[Host, Asked], Answer]:
    """As it should be, but for the tables' parts."""
    return lambda host, asked: change(host.parts(asked), asked, host) if asked.part else host.parts(asked)


def ranged(answer: Answer, value: str) -> Answer:
    return answer._replace(headers={**answer.headers, "Content-Range": value})


HOSTILE: dict[str, tuple[str, Callable[[Answer, Asked, Host], Answer]]] = {
    "another part": ("another part", lambda answer, asked, host: ranged(answer, "bytes 1-32768/88412")),
    "another size": ("bytes, not", lambda answer, asked, host: ranged(answer, f"bytes 0-32767/{1 << 40}")),
    "no sense": ("another part", lambda answer, asked, host: ranged(answer, "bytes all")),
    "shorter": ("ends too early", lambda answer, asked, host: answer._replace(body=answer.body[:-9], length=32759)),
    "breaks off": ("ends too early", lambda answer, asked, host: answer._replace(body=answer.body[:-9], length=None)),
    "longer": (
        "more than was asked",
        lambda answer, asked, host: answer._replace(body=answer.body + b"x", length=None),
    ),
    "endless": ("more than was asked", lambda answer, asked, host: answer._replace(endless=True)),
    "endless whole": ("no parts of files", lambda answer, asked, host: Answer(200, {}, b"", None, endless=True)),
    "compressed part": (
        "compresses",
        lambda answer, asked, host: answer._replace(headers={**answer.headers, "Content-Encoding": "gzip"}),
    ),
    "broken transfer": ("no answer", lambda answer, asked, host: Answer(200, {"Content-Encoding": "gzip"}, b"no", 2)),
    "zeros": ("not a table", lambda answer, asked, host: answer._replace(body=bytes(len(answer.body)))),
    "a page": ("not a table", lambda answer, asked, host: Answer(200, {}, b"<p>Log in", 9)),
    "an error": ("status 500", lambda answer, asked, host: Answer(500, {}, b"", 0)),
    "no such part": ("status 416", lambda answer, asked, host: Answer(416, {}, b"", 0)),
    "silence": ("no answer in time", lambda answer, asked, host: (host.closing.wait(20), answer)[1]),
    "nobody": ("no answer", lambda answer, asked, host: Answer(302, {"Location": "http://127.0.0.1:1/"}, b"", 0)),
    "in circles": ("no answer", lambda answer, asked, host: Answer(302, {"Location": asked.name}, b"", 0)),
}


@needs_node
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_host_gives_an_error(name: str) -> None:
    said, change = HOSTILE[name]
    with hosting(BUNDLED, lying(change)) as host:
        begun = time.monotonic()
        (found,) = ask(host.url, [("probe", PAWN, {})], timeout=1000, whole=1 << 20)
        assert found["code"] in ("host", "corrupt_table"), found
        assert said in found["message"]
        assert "\n" not in found["message"]
        assert time.monotonic() - begun < 15
        assert host.sent < 32 << 20  # what fits into buffers on the way


@needs_node
def test_another_origin_is_not_believed() -> None:
    """Even if it has the table."""
    with (
        hosting(BUNDLED) as other,
        hosting(
            BUNDLED, lying(lambda answer, asked, host: Answer(302, {"Location": f"{other.url}{asked.name}"}, b"", 0))
        ) as host,
    ):
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "another host" in found["message"]) == ("host", True)


@needs_node
def test_redirects_within_a_host_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").symlink_to(BUNDLED)
    with hosting(
        tmp_path,
        lambda host, asked: (
            host.parts(asked)
            if asked.name.startswith("there")
            else Answer(302, {"Location": f"/there/{asked.name}"}, b"", 0)
        ),
    ) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert found["gscore"] == "G1.5"


@needs_node
@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"{}",
        b"[]",
        b'{"tables": {}}',
        b'{"tables": [{"name": "KBvK.r.h5"}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": -1, "sha256": 5}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 1e300, "sha256": 5, "head": 7}]}',
        b'{"tables": [null, 5, {"name": "../KBvK.r.h5", "bytes": 44170}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44171}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44170, "head": "tbgen endgame table\\ncrc32 00000000\\n"}]}',
    ],
)
def test_a_wrong_catalogue_leads_nowhere(body: bytes) -> None:
    with hosting(BUNDLED) as host:
        host.extra["catalogue.json"] = body
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})], timeout=1000)
        if body != b'{"tables": [{"name": "KBvK.r.h5"}]}':  # it is enough to find a table
            assert found["code"] in ("host", "corrupt_table", "missing_table"), found
        assert {asked.name for asked in host.asked} <= {"catalogue.json", "KBvK.r.h5"}


@needs_node
def test_a_host_of_another_origin_may_hide_which_part_it_gives() -> None:
    with hosting(BUNDLED, lying(lambda answer, asked, host: answer._replace(headers={}))) as host:
        fens = [fen for fen, _ in positions(FEW, 20, 8)]
        assert not [answer for answer in ask(host.url, [("moves", fen, {}) for fen in fens]) if "code" in answer]
        host.extra["catalogue.json"] = b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44171}]}'
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "44171 bytes" in found["message"]) == ("corrupt_table", True)


@needs_node
def test_an_endless_catalogue_is_left() -> None:
    endless = Answer(200, {}, b"[", None, endless=True)
    with hosting(BUNDLED, lambda host, asked: endless if asked.part is None else host.parts(asked)) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "16777216" in found["message"]) == ("host", True)


@needs_node
def test_whoever_waits_no_more_hears_so() -> None:
    with hosting(BUNDLED, lying(HOSTILE["silence"][1])) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {"patience": 200})])
        assert found["name"] == "TimeoutError"


FORGED = [
    ("format 1.0", "format 2.0"),
    ("rules r", "rules wg"),
    ("material KBvK", "material KQvK"),
    ("bound complete", "bound worst"),
    ("keeps both", "keeps none"),
    ("men KkB", "men kBK"),
    ("man B B", "man B R"),
    ("chunk 16384", "chunk 16777216"),
    ("chunk 16384", "chunk 0"),
    ("group 16", "group 1000000000"),
    ("numbers 59136", "numbers 1e99"),
    ("numbers 59136", "numbers 591360000"),
    ("longest 4", "longest "),
    ("longest ", "longest 99999999999"),
    ("longest ", "longest -"),
    ("distance_bytes 1", "distance_bytes 9"),
    ("order 9", "order x"),
    ("order 9 ", "order "),
    ("section chunks ", "section chunks 9"),
    ("section index ", "section other "),
    ("section index ", "section index 1"),
    ("section shapes ", "section shapes 9"),
    ("size ", "size 1"),
    ("rows 0", "rows 255"),
    ("rows 0", "rows 18446744073709551615"),
    ("rows 0", "rows 65536000000"),
    ("rows 0", "rows"),
]


@needs_node
def test_a_forged_head_is_refused(tmp_path: Path) -> None:
    """With a checksum that is right."""
    data = (BUNDLED / "KBvK.r.h5").read_bytes()
    above = data[: data.index(b"crc32 ")].decode()
    refused = []
    with hosting(tmp_path) as host:
        for nth, (old, new) in enumerate(FORGED):
            assert f"\n{old}" in above, old
            lines = above.replace(f"\n{old}", f"\n{new}", 1)
            head = f"{lines}crc32 {zlib.crc32(lines.encode()):08x}\n".encode()
            host.extra[f"{nth}/KBvK.r.h5"] = head.ljust(4096, b"\0") + data[4096:]
        refused = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})] * len(FORGED), anew=True)
    for change, answer in zip(FORGED, refused, strict=True):
        assert answer.get("code") in ("corrupt_table", "host"), (change, answer)


def check_damage(name: str, count: int) -> None:
    given = [list(each) for each in positions((name.partition(".")[0],), 4, 2)]
    (found,) = run("damage.mjs", str(BUNDLED / name), str(count), "1", given=given)
    assert not found["wrong"]
    assert found["right"] > count / 10
    assert found["refused"] > count / 2


@needs_node
@pytest.mark.parametrize("name", ["KBvK.r.h5", "KPvK.r.h5", "KNvK.wg.h5"])
def test_a_damaged_file_gives_the_right_answer_or_an_error(name: str) -> None:
    check_damage(name, 200)


@pytest.mark.full
@needs_node
@pytest.mark.parametrize("name", ["KBvK.r.h5", "KPvK.r.h5", "KNvK.wg.h5"])
def test_ten_thousand_damaged_files(name: str) -> None:
    check_damage(name, 10_000)


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
