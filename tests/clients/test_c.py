"""The C client says what tbgen says, of sound files and of others."""

import json
import random
import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import chess
import pytest

import tbgen
from tbgen.core.material import every
from tbgen.core.position import goal
from tbgen.slim.make import make_slim
from tbgen.store.format import head as heads
from tbgen.store.format.schema import COUNT
from tests.support.boards import drawn
from tests.support.c_client import SANITIZED, Move, ask, compiled, run, there_is
from tests.support.places import ROOT
from tests.support.small_tables import make

pytestmark = pytest.mark.skipif(not there_is("gcc", "g++"), reason="no C compiler (Debian: apt install gcc g++)")

RECORDS = (None, None, "G1.0", "-G1.0", "G2.5", "-G3.0", "G5.0", "-G8.5", "G20.5")
SMALL = ("Kk", "KPk", "Kkp", "KNk", "KRk", "Kkq", "KBk", "KNNk")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("c")


@pytest.fixture(scope="module")
def driver(place: Path) -> Path:
    return compiled(place, "driver.c")


@pytest.fixture(scope="module")
def slim_tables(small_tables: Path, place: Path) -> Path:
    found = place / "slim"
    found.mkdir()
    for table in sorted(small_tables.glob("*.h5")):
        if make_slim(table, found / f"{table.name.removesuffix('.h5')}.slim.h5") is None:
            (found / table.name).write_bytes(table.read_bytes())
    return found


def boards_of(men: str, count: int, draw: random.Random) -> Iterator[chess.Board]:
    """Legal positions of these men; of pawns that could be captured in passing, some can."""
    for board in islice(drawn(men, draw), count):
        if steps := [move for move in board.legal_moves if board.is_zeroing(move) and draw.random() < 0.3]:
            board.push(draw.choice(steps))
            board.clear_stack()
        yield board


# --- it compiles -------------------------------------------------------------------------------------------------


def test_it_is_cplusplus_too(place: Path, small_tables: Path) -> None:
    plus = compiled(place, "driver.c", "-xc++", compiler="g++", standard="-std=c++11")
    (said,) = ask([plus], small_tables, "r", [("8/8/8/4KBk1/8/8/8/8 b - - 0 1", None)])
    assert (said.outcome, said.distance, [move.uci for move in said.moves]) == (509, 4, ["g5h5", "g5h4", "g5h6"])


# --- it says the same --------------------------------------------------------------------------------------------


def check_vectors(driver: list[object], directory: Path, rules: str) -> int:
    """Rows of docs/vectors.jsonl whose tables are there."""
    lines = (ROOT / "docs" / "vectors.jsonl").read_text(encoding="ascii").splitlines()
    there = {path.name.split(".")[0] for path in directory.glob(f"*.{rules}.h5")}
    rows = [row for row in map(json.loads, lines) if row["rules"] == rules and row["material"] in there]
    for row, said in zip(rows, ask(driver, directory, rules, [(r["fen"], r["record"]) for r in rows]), strict=True):
        sign = 1 if row["fen"].split()[1] == "w" else -1
        assert (said.error, sign * said.outcome, said.distance) == ("ok", row["outcome"], row["distance"]), row
        if row["number"] is None:
            assert not said.entry
            continue
        material, white_first, number, _, _, count, *steps = said.entry
        assert (material, white_first == "1", int(number)) == (row["material"], row["first"] == "white", row["number"])
        assert [[*map(int, steps[at : at + 4])] for at in range(0, 4 * int(count), 4)] == row["staircase"], row
    return len(rows)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_vectors(driver: Path, small_tables: Path, rules: str) -> None:
    assert check_vectors([driver], small_tables, rules) > 130


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_vectors_of_a_later_format(driver: Path, later: Path, rules: str) -> None:
    assert check_vectors([driver], later, rules) > 130


@pytest.mark.full
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_all_vectors(driver: Path, tmp_path: Path, rules: str) -> None:
    make(tmp_path, [material for men in (2, 3, 4) for material in every(men)], rules)
    assert check_vectors([driver], tmp_path, rules) > 900


def compare(driver: list[object], tables: Path, rules: str, asked: list[tuple[str, str | None]]) -> None:
    """Probes, and all moves in their order, beside tbgen's."""
    with tbgen.open_tablebase(tables, rules) as tablebase:
        for (fen, record), said in zip(asked, ask(driver, tables, rules, asked), strict=True):
            wanted = tablebase.probe(fen, record, moves=True)
            assert (said.error, said.outcome, said.distance, said.record) == (
                "ok", wanted.outcome, wanted.dtg, wanted.record,
            ), (fen, record)  # fmt: skip
            assert said.moves == [
                Move(move.uci, "ok", move.outcome, move.dtg, move.reset, move.record) for move in wanted.moves
            ], (fen, record)


def questions(count: int, seed: int) -> list[tuple[str, str | None]]:
    draw = random.Random(seed)
    return [(board.fen(), draw.choice(RECORDS)) for men in SMALL for board in boards_of(men, count, draw)]


@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("budget", [0, 1 << 26])
def test_random_positions(driver: Path, small_tables: Path, rules: str, budget: int) -> None:
    few = [one for one in questions(110, 5 + budget) if rules == "r" or one[0].upper().count("N") < 2]
    asked = [(fen, record) for fen, record in few]
    with_budget = ["sh", "-c", f'exec "{driver}" "$0" "$1" {budget}']
    compare([*with_budget], small_tables, rules, asked)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_slim_tables(driver: Path, slim_tables: Path, rules: str) -> None:
    compare([driver], slim_tables, rules, [one for one in questions(40, 9) if "N" not in one[0].upper()])


@pytest.mark.full
def test_100_000_positions(driver: Path, small_tables: Path) -> None:
    asked = questions(100_000 // len(SMALL), 11)
    with tbgen.open_tablebase(small_tables) as tablebase:
        answers = tablebase.probe_many([fen for fen, _ in asked], [record for _, record in asked])
    said = ask([driver], small_tables, "r", asked, wants="")
    assert [one[1:4] for one in said] == [(one.outcome, one.dtg, one.record) for one in answers]


def test_goals_of_full_boards(driver: Path, small_tables: Path) -> None:
    """Moves of many men: pins, double checks, promotions, captures en passant."""
    draw, boards = random.Random(3), []
    for _ in range(60):
        board = chess.Board()
        while not board.is_game_over() and len(board.move_stack) < 90:
            board.push(draw.choice(list(board.legal_moves)))
            boards.append(board.copy(stack=False))
            boards[-1].castling_rights = 0
    pinned = "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1"
    fens = [pinned, *(board.fen(en_passant="fen") for board in boards)]
    said = ask([driver], small_tables, "r", [(fen, None) for fen in fens], wants="g")
    assert [one.goal for one in said] == [goal(chess.Board(fen)) for fen in fens]


def test_a_fresh_outcome_needs_only_a_part_of_a_chunk(place: Path, small_tables: Path) -> None:
    """How long that takes, nobody can say on a busy machine; so what is kept of it is compared."""
    program = compiled(place, "pace.c")
    fresh, under_records = (int(line.split()[-2]) for line in run([program, small_tables, "KNvK", 200]).splitlines())
    assert 10_000 < fresh < 0.9 * under_records


# --- what is refused ---------------------------------------------------------------------------------------------


def test_errors(driver: Path, small_tables: Path) -> None:
    wrong = {
        "8/8/8/4KBk1/8/8/8/8 b - - 0": "ok",
        "8/8/8/4KBk1/8/8/8/8 b": "ok",
        "8/8/8/4KBk1/8/8/8/8": "bad fen",
        "8/8/8/4KBk1/8/8/8/9 b - - 0 1": "bad fen",
        "8/8/8/4KBk1/8/8/8 b - - 0 1": "bad fen",
        "8/8/8/4KBk1/8/8/8/44 b - - 0 1": "bad fen",
        "8/8/8/4KBk1/8/8/8/8 x - - 0 1": "bad fen",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 \u2212G3.5": "ok",  # a minus sign as pages have it
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 \u2212-G3.5": "bad record",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 G3.5 x": "bad fen",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 3.5": "bad record",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 G0.5": "bad record",
        "8/8/8/4KBk1/8/8/8/8 b - - 5 1 G3.7": "bad record",
        "8/8/8/4KBk1/8/8/8/P7 b - - 0 1": "illegal",
        "8/8/8/4KB2/8/8/8/8 b - - 0 1": "illegal",
        "8/8/8/4KBk1/8/8/8/7k b - - 0 1": "illegal",
        "8/8/8/4K1k1/4B3/8/8/8 b - e3 0 1": "illegal",
        "4k3/8/8/8/8/8/4r3/4K3 b - - 0 1": "illegal",
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1": "castling",
        "4k3/ppp5/8/8/8/8/8/R3K3 w - - 0 1": "missing",
        "4k3/pppp4/8/8/8/8/8/R3K3 w - - 0 1": "too many",
        "4k3/8/8/8/8/8/8/RR2K3 w - - 0 1": "missing",
    }
    said = ask([driver], small_tables, "r", [(fen, None) for fen in wrong], wants="")
    assert dict(zip(wrong, [one.error for one in said], strict=True)) == wrong
    assert run([driver, small_tables / "nowhere", "r"], code=1) == "9\n"


def test_a_missing_table_hides_only_its_own_moves(driver: Path, small_tables: Path, tmp_path: Path) -> None:
    (tmp_path / "KRvK.r.h5").write_bytes((small_tables / "KRvK.r.h5").read_bytes())
    (said,) = ask([driver], tmp_path, "r", [("8/8/8/8/8/4k3/4R3/K7 b - - 0 1", None)])
    assert [move.error for move in said.moves] == ["ok"] * (len(said.moves) - 1) + ["missing"]
    assert said.moves[-1].uci == "e3e2"


def test_a_damaged_file_is_no_harm_to_others(driver: Path, small_tables: Path, tmp_path: Path) -> None:
    for name in ("KRvK", "KvK", "KQvK"):
        (tmp_path / f"{name}.r.h5").write_bytes((small_tables / f"{name}.r.h5").read_bytes())
    (tmp_path / "KQvK.r.h5").write_bytes(b"no table")
    asked = [("8/8/8/8/8/4k3/8/KR6 b - - 0 1", None), ("8/8/8/8/8/4k3/8/KQ6 b - - 0 1", None)]
    assert [one.error for one in ask([driver], tmp_path, "r", asked)] == ["ok", "damaged"]


# --- damaged and forged files ------------------------------------------------------------------------------------


def check_damaged(program: Path, whole: Path, slim: Path, times: int) -> None:
    for seed, file in enumerate((whole / "KPvK.r.h5", whole / "KNvK.r.h5", whole / "KvK.r.h5", whole / "KRvK.wg.h5",
                                 slim / "KNNvK.r.slim.h5")):  # fmt: skip
        material, rules = file.name.split(".")[:2]
        errors, answers = map(int, run([program, slim, rules, material, file, times // 5, seed + 1]).split())
        assert min(errors, answers) > times // 10


FORGED = "-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"


@pytest.mark.parametrize("options", [[], [FORGED]], ids=["damaged", "forged"])
@pytest.mark.parametrize("times", [250, pytest.param(10_000, marks=pytest.mark.full)])
def test_damaged_and_forged_files_are_no_harm(
    place: Path, small_tables: Path, slim_tables: Path, options: list[str], times: int
) -> None:
    """What is damaged is noticed, or does not matter. What is forged may say anything, but does no harm."""
    check_damaged(compiled(place, "damage.c", *SANITIZED, *options), small_tables, slim_tables, times)


class Forger:
    """Changes what is deflated in a file, and deflates it again. Checksums do not fit any more."""

    def __init__(self, data: bytes, draw: random.Random) -> None:
        self._data, self._draw = bytearray(data), draw
        self._sections = heads.parse(data[: heads.SIZE]).sections

    def change(self, at: int, length: int) -> None:
        raw = bytearray(zlib.decompressobj(-15).decompress(self._data[at : at + length]))
        for _ in range(self._draw.randint(1, 4)):
            place = self._draw.randrange(min(len(raw), self._draw.choice((4, 40, 1 << 20))))
            raw[place] = self._draw.choice((0, 1, 254, 255, self._draw.randrange(256)))
        if self._draw.random() < 0.2:
            raw = raw[: self._draw.randrange(len(raw))]
        packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
        packed = packer.compress(raw) + packer.flush()
        if len(packed) <= length:
            self._data[at : at + len(packed)] = packed

    def forged(self) -> bytes:
        index, shapes, forms, chunks = (self._sections[name].offset for name in ("index", "shapes", "forms", "chunks"))
        listed, length = struct.unpack_from("<QI", self._data, index + 8)
        what = self._draw.randrange(3)
        if what == 0:
            if self._draw.random() < 0.2:  # how many shapes it has, it says
                self._data[shapes + listed] = self._draw.randrange(256)
            self.change(shapes + listed + COUNT, length - COUNT)
        elif what == 1:
            self.change(forms + 4, 4092)
        else:
            self.change(chunks, int.from_bytes(self._data[index + 24 : index + 28], "little"))
        return bytes(self._data)


@pytest.mark.parametrize("times", [80, pytest.param(1500, marks=pytest.mark.full)])
@pytest.mark.parametrize("men", ["KPk", "KNk"])  # with more than 255 shapes, and with fewer
def test_what_is_forged_within_a_chunk_is_no_harm(
    place: Path, small_tables: Path, tmp_path: Path, men: str, times: int
) -> None:
    driver = compiled(place, "driver.c", *SANITIZED, FORGED)
    draw = random.Random(2)
    asked = [(board.fen(), draw.choice(RECORDS)) for board in boards_of(men, 150, draw)]
    name = f"{men[:-1]}vK.r.h5"
    data = (small_tables / name).read_bytes()
    found = Counter[str]()
    for _ in range(times):
        (tmp_path / name).write_bytes(Forger(data, draw).forged())
        found.update(one.error for one in ask([driver], tmp_path, "r", asked, wants=""))
    assert found["ok"] > times
    assert found["damaged"] > times


def test_sanitizers_find_nothing(place: Path, small_tables: Path) -> None:
    driver = compiled(place, "driver.c", *SANITIZED)
    compare([driver], small_tables, "r", questions(15, 21))


@pytest.mark.full
def test_threads_share_tables(place: Path, small_tables: Path) -> None:
    program = compiled(place, "threads.c", "-g", "-fsanitize=thread", "-pthread")
    for material in ("KPvK", "KNvK", "KNNvK"):
        run([program, small_tables, "r", material, 800])


# --- other compilers and machines: scripts/programs installs them ------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize(
    ("needed", "options", "compiler", "standard", "runner"),
    [
        pytest.param(["clang"], [], "clang", "-std=c99", [], id="clang"),
        pytest.param(["clang++"], ["-xc++", "-Wno-deprecated"], "clang++", "-std=c++11", [], id="clang++"),
        pytest.param(["gcc"], [], "gcc", "-std=c17", [], id="C17"),
        pytest.param(
            ["s390x-linux-gnu-gcc", "qemu-s390x"], ["-static"], "s390x-linux-gnu-gcc", "-std=c99", ["qemu-s390x"],
            id="big-endian",
        ),
        pytest.param(
            ["x86_64-w64-mingw32-gcc", "wine"], ["-static"], "x86_64-w64-mingw32-gcc", "-std=c99", ["wine"],
            id="Windows",
        ),
    ],
)  # fmt: skip
def test_other_compilers(
    place: Path,
    small_tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    needed: list[str],
    options: list[str],
    compiler: str,
    standard: str,
    runner: list[str],
) -> None:
    if not there_is(*needed):
        pytest.skip(f"no {' and '.join(needed)} (scripts/programs installs them)")
    monkeypatch.setenv("WINEPREFIX", str(place / "wine"))
    monkeypatch.setenv("WINEDEBUG", "-all")
    made = compiled(place, "driver.c", *options, compiler=compiler, standard=standard)
    if runner == ["wine"]:
        made = made.with_suffix(".exe")  # mingw calls it so
        subprocess.run([*runner, made], input=b"", capture_output=True, check=False)  # makes its directory, and talks
    for rules in ("r", "wg"):
        assert check_vectors([*runner, made], small_tables, rules) > 130
    compare([*runner, made], small_tables, "r", questions(30, 33))
