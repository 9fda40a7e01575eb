"""`tbgen annotate`: nothing of a game is lost, and what is said of its moves is what the tables say."""

import io
import textwrap
from pathlib import Path

import chess
import chess.pgn
import pytest

from tbgen import open_tablebase
from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.referee.annotate.game import Teller, Told
from tbgen.rules.pgn.split import units
from tbgen.system.compressed_files import reading
from tests.support.judged_games import BISHOP, game

SAMPLE = Path(__file__).parents[2] / "data" / "games.pgn"
PLAYED = "30... Kh5 31. Kf4 Kh6 { quiet } 32. Bg6 (32. Kg4 Kg7) Kxg6 ; to the end of the line\n1/2-1/2"


def told(data: bytes, tables: Path, rules: str = "r") -> Told:
    (unit,) = units(io.BytesIO(data))
    with open_tablebase(tables, rules) as tablebase:
        return Teller(lambda _: tablebase, tablebase.rules).tell(unit)


def test_each_ply_is_what_the_tables_say(small_tables: Path) -> None:
    found = told(game(PLAYED, FEN=f"{BISHOP} G2.5"), small_tables)
    assert [ply.san for ply in found.plies] == ["Kh5", "Kf4", "Kh6", "Bg6", "Kxg6"]
    with open_tablebase(small_tables) as tablebase:
        for ply in found.plies:
            board = chess.Board(" ".join(ply.fen.split()[:6]))
            result = tablebase.probe(board, ply.record)
            assert ply.verdict == (result.outcome, result.dtg, False)
            assert ply.goal == outcome.goal(2 * board.legal_moves.count() + (not board.is_check()), board.turn)
    assert [outcome.text(ply.record) for ply in found.plies] == ["G2.5"] * 4 + ["-G6.5"]
    assert [ply.gave is not None for ply in found.plies] == [False, False, False, True, False]
    late = found.plies[3]
    assert late.better == "Kg4"
    assert outcome.text(late.gave or 0) == "G1.5"


def test_the_record_may_stand_in_the_fen(small_tables: Path, tmp_path: Path) -> None:
    # "FENs (inputs and outputs) have an aditional accreted G-Score"
    data = game(PLAYED, FEN=BISHOP)
    source, target = tmp_path / "games.pgn", tmp_path / "told.pgn"
    source.write_bytes(data)
    words = ["annotate", str(source), "-o", str(target), "--tables", str(small_tables), "--quiet"]
    assert main([*words, "--record-in-fen"]) == 0
    plain = told(data, small_tables).data
    assert target.read_bytes() == plain.replace(BISHOP.encode(), f"{BISHOP} G3.5".encode())


def test_the_50_move_rule_may_come_first(small_tables: Path) -> None:
    """The halfmove clock is at 98 after the move, and G1.5 three plies away; by other rules that does not matter."""
    fen = f"{BISHOP.replace('7 30', '97 90')} G2.5"
    found = told(game("90... Kh5 1/2-1/2", FEN=fen), small_tables)
    assert b"table G1.5 in 3 plies, 50-move rule may come first}" in found.data
    assert told(found.data, small_tables).data == found.data
    for tags in ({"FEN": fen.replace("97 90", "96 90")}, {"FEN": fen, "RMobilityFifty": "ignored"}):
        assert b"table G1.5 in 3 plies}" in told(game("90... Kh5 1/2-1/2", **tags), small_tables).data


def test_what_completes_50_moves_is_no_record(small_tables: Path) -> None:
    """As `adjudicate` has it, by the rules of the game."""
    fen = "8/8/7k/5B2/5K2/8/8/8 w - - {} 92"
    for clock, fifty, record in ((98, "classic", "G1.5"), (99, "classic", "G2.5"), (99, "cutermob", "G1.5")):
        data = game("92. Kg4 1/2-1/2", FEN=fen.format(clock), RMobilityRecord="G2.5", RMobilityFifty=fifty)
        (ply,) = told(data, small_tables).plies
        assert (outcome.text(ply.goal), outcome.text(ply.record)) == ("G1.5", record)


def test_nothing_is_lost(small_tables: Path) -> None:
    data = game(PLAYED, FEN=f"{BISHOP} G2.5")
    found = told(data, small_tables).data
    assert b"{ quiet }" in found
    assert b"(32. Kg4 Kg7)" in found
    assert b"; to the end of the line\n" in found
    assert b"32. Bg6 $2 {" in found
    assert b"G1.5 was there: Kg4}" in found
    assert told(found, small_tables).data == found, "comments of an earlier run are replaced"
    assert b" {-G18.5, record G2.5, table G1.5 in 3 plies}" in found
    read = chess.pgn.read_game(io.StringIO(found.decode().replace(' G2.5"]', '"]')))
    assert read is not None
    assert not read.errors
    nags = [node.nags for node in read.mainline()]
    assert nags == [set(), set(), set(), {2}, set()]


@pytest.mark.parametrize("width", [20, 80])
def test_comments_that_another_program_has_wrapped_are_replaced(small_tables: Path, width: int) -> None:
    """python-chess writes `{ G3.5, record ... }`, others break lines inside."""
    first = told(game(PLAYED, FEN=f"{BISHOP} G2.5"), small_tables)
    tags, moves = first.data.decode().split("\n\n", 1)
    read = chess.pgn.read_game(io.StringIO(first.data.decode().replace(' G2.5"]', '"]')))
    assert read is not None
    by_chess = str(read).split("\n\n", 1)[1]
    assert "{ -G18.5, record" in by_chess
    for rewritten in (textwrap.fill(moves.replace("; to the end of the line\n", ""), width), by_chess):
        again = told(f"{tags}\n\n{rewritten}\n".encode(), small_tables)
        assert again.plies == first.plies
        assert again.data.count(b"record") == len(again.plies)
        assert again.data.count(b"$2") == 1


def test_a_reset_begins_a_record(small_tables: Path) -> None:
    found = told(game("1. Kxd4 *".replace("*", "1/2-1/2"), FEN="8/8/8/8/2Kb4/8/8/k7 w - - 9 9 G1.0"), small_tables)
    (ply,) = found.plies
    assert ply.reset
    assert not ply.is_new_record
    assert ply.record == ply.goal
    assert told(game("1. Kxd4 1/2-1/2", FEN="8/8/8/8/2Kb4/8/8/k7 w - - 9 9 G1.0"), small_tables, "wg").plies[
        0
    ].record == outcome.parse("G1.0")


def test_a_game_that_no_table_covers(small_tables: Path) -> None:
    found = told(game("1. e4 e5 1/2-1/2"), small_tables)
    assert [ply.verdict for ply in found.plies] == [None, None]
    assert b"1. e4 {G20.5, record G20.5} e5 {-G29.5, record -G29.5} 1/2-1/2" in found.data


def test_the_command(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "told.pgn"
    words = ["annotate", str(SAMPLE), "-o", str(target), "--tables", str(small_tables)]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("8 games: tables know ")
    first = target.read_bytes()
    with SAMPLE.open("rb") as before, target.open("rb") as after:
        assert len(list(units(before))) == len(list(units(after)))
    assert main(["annotate", str(target), "-o", str(target), "--tables", str(small_tables), "-q"]) == 0
    assert target.read_bytes() == first


def test_games_that_cannot_be_read_pass(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "games.pgn"
    bad = b'[Event "x"]\n[Result "*"]\n\n1. e4 e5 2. Ke3 *\n\n'
    source.write_bytes(bad + game("1. e4 1-0"))
    assert main(["annotate", str(source), "-o", str(tmp_path / "o"), "--tables", str(small_tables), "-q"]) == 3
    assert f"{source}:4: game 1: illegal move: Ke3 (ply 3)" in capsys.readouterr().err
    assert (tmp_path / "o").read_bytes().startswith(bad)


def at_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, tables: Path, data: bytes) -> tuple[str, str]:
    """What becomes of games by their own tags, and what is said of them."""
    (tmp_path / "in.pgn").write_bytes(data)
    code = main(["annotate", str(tmp_path / "in.pgn"), "-o", str(tmp_path / "out.pgn"), "--tables", str(tables), "-q"])
    assert code in (0, 3)
    return (tmp_path / "out.pgn").read_text(), capsys.readouterr().err


def test_the_line_is_named_that_a_told_game_has(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Comments of an earlier run are not read, but they are there, and somebody may have wrapped them."""
    data = told(game("30... Kh5\n31. Kf4 Kh6\n1/2-1/2", FEN=BISHOP), small_tables).data
    bad = data.replace(b" table", b"\ntable", 2).replace(b"\n1/2-1/2", b"\n32. Ka1 1/2-1/2")
    line = 1 + bad[: bad.index(b"Ka1")].count(b"\n")
    _, said = at_the_command(capsys, tmp_path, small_tables, bad)
    assert said == f"tbgen: {tmp_path / 'in.pgn'}:{line}: game 1: illegal move: Ka1 (ply 4)\n"


RESET = "8/8/8/8/2Kb4/8/8/k7 w - - 9 9"


def test_rules_record_and_variant_are_those_of_the_tags(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `adjudicate` takes them."""
    by_reset = game("1. Kxd4 1/2-1/2", FEN=RESET, RMobilityRecord="G1.0")
    whole = game("1. Kxd4 1/2-1/2", FEN=RESET, RMobilityRecord="G1.0", RMobilityRules="wg")
    found, _ = at_the_command(capsys, tmp_path, small_tables, by_reset)
    assert "record G3.5" in found
    found, _ = at_the_command(capsys, tmp_path, small_tables, whole)
    assert "record G1.0" in found
    castled = game("1. O-O 1/2-1/2", FEN="4k3/8/8/8/8/8/8/5KR1 w G - 0 1", Variant="Chess 960")
    found, said = at_the_command(capsys, tmp_path, small_tables, castled)
    assert (said, "1. O-O {" in found) == ("", True)
    _, said = at_the_command(capsys, tmp_path, small_tables, game("1. e4 1/2-1/2", Variant="Suicide"))
    assert "game 1: Suicide is not played here" in said
    _, said = at_the_command(capsys, tmp_path, small_tables, game("1. Kxd4 1/2-1/2", FEN=f"{RESET[:-3]}0 9 G1.0"))
    assert "game 1: the record G1.0 is left out: the halfmove clock is 0" in said


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz", ".zst"])
def test_packed_files(small_tables: Path, tmp_path: Path, end: str) -> None:
    plain, packed = tmp_path / "told.pgn", tmp_path / f"told.pgn{end}"
    words = ["--tables", str(small_tables), "-q"]
    assert main(["annotate", str(SAMPLE), "-o", str(plain), *words]) == 0
    assert main(["annotate", str(SAMPLE), "-o", str(packed), *words]) == 0
    with reading(packed) as file:
        assert file.read() == plain.read_bytes()
    assert main(["annotate", str(packed), "-o", str(tmp_path / "again.pgn"), *words]) == 0
    assert (tmp_path / "again.pgn").read_bytes() == plain.read_bytes()
