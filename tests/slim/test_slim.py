"""Slim tables answer as whole ones do, and give them again."""

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

import tbgen
from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.errors import BadInput, CorruptTable, MissingTable, TbgenError
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.slim.make import make_slim
from tbgen.slim.unpack import SlimSource, make_whole, unpack
from tbgen.store import SlimFile, open_table, table_path
from tbgen.store.format.head import SIZE
from tbgen.verify.run import Verdict, verify
from tbgen.verify.units import Memory
from tests.support.boards import drawn
from tests.support.slimming import successors_of

RECORDS = (None, "G1.0", "-G1.0", "G2.5", "-G3.0", "G5.0", "-G8.5", "G0.5")


@pytest.fixture(scope="module")
def slim_tables(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small tables, each slim where that leaves out something."""
    place = tmp_path_factory.mktemp("slim")
    for table in sorted(small_tables.glob("*.h5")):
        if make_slim(table, place / f"{table.name.removesuffix('.h5')}.slim.h5") is None:
            shutil.copy(table, place)
    assert {"KPvK.r.slim.h5", "KNNvK.r.slim.h5", "KRvK.wg.slim.h5", "KvK.r.h5"} <= {
        path.name for path in place.iterdir()
    }
    return place


def boards_of(men: str, count: int, seed: int) -> Iterator[chess.Board]:
    return islice(drawn(men, random.Random(seed)), count)


def answer(tables: tbgen.Tablebase, board: chess.Board, record: str | None) -> object:
    try:
        return tables.probe(board, record, moves=True, line=True)
    except TbgenError as error:
        return str(error)


@pytest.mark.parametrize(
    ("men", "rules"), [("KPk", "r"), ("Kkp", "wg"), ("Kkr", "r"), ("KRk", "wg"), ("KNNk", "r"), ("Kkb", "r")]
)
def test_a_probe_is_the_same(small_tables: Path, slim_tables: Path, men: str, rules: str) -> None:
    """Values, records, moves, lines; also what is refused."""
    with tbgen.open_tablebase(small_tables, rules) as whole, tbgen.open_tablebase(slim_tables, rules) as slim:
        assert isinstance(slim.table(parse("KPvK")), SlimFile)
        for board in boards_of(men, 8, 4):
            for record in RECORDS:
                assert answer(slim, board, record) == answer(whole, board, record), (board.fen(), record)


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_many_at_once_are_the_same(small_tables: Path, slim_tables: Path, rules: str) -> None:
    draw = np.random.default_rng(7)
    positions = tbgen.Positions("KRvK", draw.integers(0, 64, (400, 3)), draw.integers(0, 2, 400))
    records = draw.choice(np.array([0, 508, -508, 505, -500]), 400)
    with tbgen.open_tablebase(small_tables, rules) as whole, tbgen.open_tablebase(slim_tables, rules) as slim:
        for given in (None, records):
            wanted, found = whole.probe_many(positions, given), slim.probe_many(positions, given)
            assert (found.outcomes == wanted.outcomes).all()
            assert (found.dtg == wanted.dtg).all()
            if given is not None:
                assert found.records is not None
                assert wanted.records is not None
                assert (found.records == wanted.records).all()


def test_the_whole_table_comes_back_byte_for_byte(small_tables: Path, slim_tables: Path, tmp_path: Path) -> None:
    for slim in slim_tables.glob("*.slim.h5"):
        with closing(SlimSource(slim)) as source:
            path = table_path(tmp_path, source.material, source.rules)
            assert unpack(source, path, successors_of(source, small_tables), threads=2)
            assert path.read_bytes() == (small_tables / path.name).read_bytes()
        assert slim.stat().st_size < 0.75 * path.stat().st_size + SIZE


def test_what_reads_whole_tables_refuses_slim_ones(slim_tables: Path) -> None:
    with open_table(slim_tables / "KPvK.r.slim.h5") as table:
        for read in (table.digest, table.entries, lambda: table.part(0, 5), lambda: next(table.in_order(0, 5))):
            with pytest.raises(MissingTable, match="tbgen unpack makes it"):
                read()


def test_a_whole_table_comes_before_a_slim_one(small_tables: Path, slim_tables: Path, tmp_path: Path) -> None:
    shutil.copy(slim_tables / "KPvK.r.slim.h5", tmp_path)
    with tbgen.open_tablebase(tmp_path) as tables:
        assert isinstance(tables.table(parse("KPvK")), SlimFile), "the package's own comes last"
    shutil.copy(small_tables / "KPvK.r.h5", tmp_path)
    with tbgen.open_tablebase(tmp_path) as tables:
        assert not isinstance(tables.table(parse("KPvK")), SlimFile)


@pytest.mark.parametrize(("name", "wanted"), [("KPvK.r.h5", "slim table"), ("KPvK.wg.slim.h5", "KPvK (r)")])
def test_a_name_that_says_something_else(slim_tables: Path, tmp_path: Path, name: str, wanted: str) -> None:
    shutil.copy(slim_tables / "KPvK.r.slim.h5", tmp_path / name)
    with pytest.raises(CorruptTable) as caught:
        open_table(tmp_path / name)
    assert wanted in str(caught.value)


def test_a_damaged_file_is_refused_or_right(small_tables: Path, slim_tables: Path, tmp_path: Path) -> None:
    data, draw = (slim_tables / "KPvK.r.slim.h5").read_bytes(), random.Random(3)
    (board,) = boards_of("KPk", 1, 9)
    for _ in range(80):
        damaged = bytearray(data)
        damaged[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        (tmp_path / "KPvK.r.slim.h5").write_bytes(damaged)
        with (
            tbgen.open_tablebase(tmp_path) as tables,
            tbgen.open_tablebase(small_tables) as whole,
            suppress(CorruptTable),
        ):
            assert tables.probe(board) == whole.probe(board)


def test_what_is_kept_must_fit_what_is_legal(slim_tables: Path, small_tables: Path, tmp_path: Path) -> None:
    """Right checksums do not make a slim table right."""
    with closing(SlimSource(slim_tables / "KRvK.r.slim.h5")) as source:
        source.keeps = 1 - source.keeps
        with pytest.raises(CorruptTable, match="KRvK"):
            make_whole(source, successors_of(source, small_tables))


def test_the_commands(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("KvK", "KRvK"):
        shutil.copy(small_tables / f"{name}.r.h5", tmp_path)
    place = ["--tables", str(tmp_path)]
    assert main(["pack", "--json", "KRvK", "KvK", *place]) == 0
    made, stays = map(json.loads, capsys.readouterr().out.splitlines())
    assert made["file"] == str(tmp_path / "KRvK.r.slim.h5")
    assert made["bytes"] == (tmp_path / "KRvK.r.slim.h5").stat().st_size
    assert stays["file"] is None
    before = (tmp_path / "KRvK.r.h5").read_bytes()
    (tmp_path / "KRvK.r.h5").unlink()
    assert main(["info", "--json", "KRvK", *place]) == 0
    (row,) = (row for row in map(json.loads, capsys.readouterr().out.splitlines()) if not row["bundled"])
    assert row["slim"] in ("first", "second")
    assert main(["verify", "KRvK", *place]) == 0
    assert "KRvK" in capsys.readouterr().out
    assert main(["unpack", "--check", str(tmp_path / "KRvK.r.slim.h5"), *place]) == 0
    assert main(["unpack", str(tmp_path / "KRvK.r.slim.h5"), *place]) == 0
    assert (tmp_path / "KRvK.r.h5").read_bytes() == before
    with pytest.raises(BadInput):
        make_slim(tmp_path / "KRvK.r.slim.h5", tmp_path / "again")


def test_verify_finds_what_is_wrong(small_tables: Path, slim_tables: Path, tmp_path: Path) -> None:
    shutil.copy(slim_tables / "KRvK.r.slim.h5", tmp_path)
    path = tmp_path / "KRvK.r.slim.h5"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    assert main(["verify", "KRvK", "--tables", str(tmp_path), "--quiet"]) == CorruptTable.exit_code


def test_verify_keeps_to_memory(slim_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a slim table is checked in lies on disk, as that of a whole one."""
    shutil.copy(slim_tables / "KRvK.r.slim.h5", tmp_path)
    given = list[Memory]()

    def noted(*table: Any, memory: Memory, **how: Any) -> Verdict:
        given.append(memory)
        return verify(*table, memory=memory, **how)

    monkeypatch.setattr("tbgen.verify.run.verify", noted)
    assert main(["verify", "KRvK", "--tables", str(tmp_path), "--quiet"]) == 0
    assert [getattr(memory.make, "__func__", None) for memory in given] == [DiskArrays.array]


@pytest.mark.full
def test_en_passant(four_men: Path, tmp_path: Path) -> None:
    """A ply of search into what is left out, which takes another one."""
    shutil.copytree(four_men, tmp_path / "slim")
    for name in ("KPvKP", "KNNvK"):
        whole = four_men / f"{name}.r.h5"
        if make_slim(whole, tmp_path / "slim" / f"{name}.r.slim.h5"):
            (tmp_path / "slim" / f"{name}.r.h5").unlink()
    with tbgen.open_tablebase(four_men) as whole_tables, tbgen.open_tablebase(tmp_path / "slim") as slim:
        assert isinstance(slim.table(parse("KPvKP")), SlimFile)
        found = 0
        for board in boards_of("KPkp", 3000, 11):
            for white, black in (("e4", "d4"), ("a4", "b4"), ("h4", "g4")):
                with_right = chess.Board(None)
                with_right.set_piece_at(board.king(chess.WHITE) or 0, chess.Piece.from_symbol("K"))
                with_right.set_piece_at(board.king(chess.BLACK) or 0, chess.Piece.from_symbol("k"))
                with_right.set_piece_at(chess.parse_square(white), chess.Piece.from_symbol("P"))
                with_right.set_piece_at(chess.parse_square(black), chess.Piece.from_symbol("p"))
                with_right.turn, with_right.ep_square = chess.BLACK, chess.parse_square(white[0] + "3")
                if with_right.is_valid() and len(with_right.piece_map()) == 4 and found < 200:
                    found += 1
                    assert answer(slim, with_right, None) == answer(whole_tables, with_right, None), with_right.fen()
            if found < 200:
                assert answer(slim, board, "G2.0") == answer(whole_tables, board, "G2.0"), board.fen()
        assert found == 200
