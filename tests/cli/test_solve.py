"""`tbgen solve` and `tbgen check`: what they print, how they end."""

import gc
import json
import shutil
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.beyond.prove import strategy
from tbgen.beyond.prove.position import find
from tbgen.beyond.prove.watch import Nobody
from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.errors import MissingTable, OutOfRoom, TbgenError
from tbgen.probe import Result, Tablebase, open_tablebase

FINE = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 10 60 -G3.0"


@pytest.fixture(autouse=True)
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TBGEN_TABLES", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", FINE.format("b")]) == 0
    out = capsys.readouterr().out
    assert "Black is sure of -G3.0: White cannot improve on the record.\n  Black moves only the king from a7 on" in out
    assert "The result is -G3.0: the record stands." in out
    assert main(["solve", "--time", "0", FINE.format("w")]) == 0
    assert "White needs at least 27 plies to improve on the record." in capsys.readouterr().out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--json", *FINE.format("b").split()]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["gscore"], found["dtg"], found["winner"]) == ("-G3.0", 0, "black")
    assert [proof["men"].keys() for proof in found["proofs"]] == [{"a1"}, {"a7"}]
    assert main(["solve", "--time", "0", "--json", FINE.format("w")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "gscore" not in found
    assert (found["white"], found["black"]) == ("-G3.0", "G0.0")
    assert [proof["plies"] for proof in found["proofs"]] == [None, 27]


def test_several_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = [FINE.format(turn) for turn in "bw"]
    assert main(["solve", "--time", "0", *both]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in both] == both
    assert lines[0] == both[0]
    assert main(["solve", "--time", "0", "--json", *" ".join(both).split()]) == 0
    assert [json.loads(line)["fen"] for line in capsys.readouterr().out.splitlines()] == both
    assert main(["solve", "--time", "0", "--certificate", str(tmp_path / "proof.txt"), *both]) == 2
    assert "a certificate is of one position, not of 2" in capsys.readouterr().err
    assert main(["solve", both[0], "8/8"]) == 2
    assert capsys.readouterr().out == "", "all are read before one is solved"


def test_certificates_are_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "proof.txt"
    assert main(["solve", "--time", "0", "--certificate", str(target), FINE.format("w")]) == 0
    capsys.readouterr()
    assert main(["check", str(target)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    position = FINE.format("w").removesuffix(" -G3.0")
    assert f"{position}, under -G3.0: White is sure of -G3.0: right, in" in first
    assert f"{position}, under -G3.0: Black keeps -G3.0 until ply 27: right, in" in second
    assert main(["check", "--json", str(target)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["defender"], one["bound"], one["plies"]) for one in found] == [
        ("white", "-G3.0", None),
        ("black", "-G3.0", 27),
    ]
    assert all(one["positions"] > 0 and one["record"] == "-G3.0" for one in found)
    target.write_text("".join(target.read_text().splitlines(keepends=True)[:-5]))
    assert main(["check", "--quiet", str(target)]) == 2
    err = capsys.readouterr().err
    assert "not whole" in err
    assert err.count("\n") == 1


def test_a_capture_en_passant_is_named_as_what_stops_black(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--time", "0", "8/8/1k1p4/p1pP4/P1P5/8/8/1K6 w - c6 0 40"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Black is not sure of anything by holding: White may capture en passant, and no table says what" in out


def test_with_rights_to_castle_only_holding_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """White, who does not castle, mates with the rook; Black cannot keep White from castling."""
    fen = "8/k7/3p4/p2P1p2/P2P1P2/8/8/4K2R b K - 10 60 -G3.0"
    assert main(["solve", fen, "--certificate", "proof.txt"]) == 0
    out = capsys.readouterr().out
    assert "White is sure of G0.0.\n  White moves only the king from e1" in out
    assert "Black is not sure of anything by holding: White may castle." in out
    assert "No local table: tables know no castling." in out
    assert main(["check", "proof.txt"]) == 0
    assert "White is sure of G0.0: right" in capsys.readouterr().out
    assert main(["solve", fen, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["white"], found["black"], found["local"]) == ("G0.0", "G0.0", {"refused": "tables know no castling"})
    assert main(["solve", fen, "--dry-run"]) == 0
    assert capsys.readouterr().out == "Nothing is to be solved: tables know no castling.\n"


@pytest.mark.parametrize(
    ("fen", "mates", "words"),
    [
        (FINE.format("b").replace(" -G3.0", ""), [False, False], "can never force mate"),
        ("8/8/8/8/8/1k6/6q1/K7 b - - 0 1", [False, True], "can force mate"),
        ("8/8/8/8/8/6k1/8/KR6 w - - 0 1", [True, False], "can never force mate"),
        ("8/8/8/8/8/6k1/8/KB6 w - - 0 1", [False, False], "can never force mate"),
        ("r3k3/p7/8/8/8/8/P7/4K2R w Kq - 0 1", [None, None], "may or may not be able to force mate"),
        ("8/8/8/8/4k3/6pp/7p/R6K w - - 10 60", [None, False], "can never force mate"),
    ],
)
def test_who_can_ever_mate(
    fen: str, mates: list[bool | None], words: str, small_tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No game goes on after a stalemate: who asks for G0.5 as the record asks whether a mate betters it."""
    ask = ["solve", "--time", "0", "--tables", str(small_tables), fen]
    for record, expected in zip(("G0.5", "-G0.5"), mates, strict=True):
        assert main([*ask, "--json", f"--record={record}"]) == 0
        assert json.loads(capsys.readouterr().out)["mates"] is expected
    assert main([*ask, "--record=-G0.5"]) == 0
    assert capsys.readouterr().out.endswith(f"\nBlack {words}.\n")
    for record in ("-G0.0", "G0.0"):
        assert main([*ask, f"--record={record}"]) == 2
        assert "no game goes on after" in capsys.readouterr().err


def test_a_record_that_does_not_count_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Right after a capture or pawn move it is the position's own goal."""
    fen = FINE.format("b").replace(" 10 ", " 0 ")
    assert main(["solve", "--time", "0", fen]) == 0
    out, err = capsys.readouterr()
    assert "the record is G5.5, for White" in out
    assert err.startswith("tbgen: the record -G3.0 is left out: the halfmove clock is 0")
    assert main(["solve", "--time", "0", "--json", fen]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["dropped"], json.loads(out)["record"], err) == ("-G3.0", "G5.5", "")
    for words in (["--record=-G3.0", fen], [FINE.format("b")]):
        assert main(["solve", "--time", "0", "--json", *words]) == 0
        found = json.loads(capsys.readouterr().out)
        assert "dropped" not in found
        assert found["record"] == "-G3.0"


PAWN = "8/8/3k4/8/4P3/8/8/4K3 w - - 10 60 -G4.5"
NEAR = "8/8/6P1/2k5/8/8/8/4K3 b - - 10 60 -G4.5"


@pytest.mark.usefixtures("no_bundle")
def test_a_local_table(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """KPvK without its table, and with all that it leads to."""
    for path in small_tables.glob("*.r.h5"):
        if path.name != "KPvK.r.h5":
            (tmp_path / path.name).symlink_to(path)
    assert main(["probe", "--tables", str(small_tables), "--json", "--moves", PAWN]) == 0
    truth = json.loads(capsys.readouterr().out)
    words = ["solve", "--tables", str(tmp_path), "--moves", "--line", PAWN]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["gscore"], found["dtg"]) == (truth["gscore"], truth["dtg"])
    assert [one["uci"] for one in found["moves"]] == [one["uci"] for one in truth["moves"]]
    assert [one.get("gscore") for one in found["moves"]] == [one["gscore"] for one in truth["moves"]]
    assert found["local"] == {
        "parts": [{"material": "KPvK", "slices": 4, "numbers": 4 * 7224}],
        "in_time": True,
        "read": False,
    }
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Local tables of KPvK (4 placements of pawns):" in out
    assert f"The result is {truth['gscore']}: in {truth['dtg']} plies." in out
    assert "Moves, the best first:" in out
    assert "Best play: " in out


@pytest.mark.usefixtures("no_bundle")
def test_moves_to_tables_that_are_missing_are_listed(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the line goes on for as long as it is known to be the best."""
    for name in ("KPvK.r.h5", "KvK.r.h5", "KQvK.r.h5"):
        (tmp_path / name).symlink_to(small_tables / name)
    fen = "8/2P5/8/8/8/1k6/8/K7 w - - 0 1"
    assert main(["solve", "--moves", "--line", fen]) == 0
    out = capsys.readouterr().out
    for move in ("c8=R", "c8=B", "c8=N"):
        assert f"  {move:8} nothing is known; a new record begins\n" in out
    assert "Best play: c8=Q (G" in out
    (tmp_path / "KQvK.r.h5").unlink()
    assert main(["solve", "--moves", "--line", "--json", fen]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gscore"] == "G0.0"
    assert [one["white"] for one in found["moves"] if one["reset"] and one["uci"][4:]] == ["-G0.0"] * 4
    assert found["line"] == []
    assert main(["solve", "--line", fen]) == 0
    assert "Best play is not known.\n" in capsys.readouterr().out


@pytest.mark.usefixtures("no_bundle")
def test_a_move_that_ends_the_game_needs_no_table(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mate and stalemate, by promotions to what no table has."""
    for name in ("KPvK.r.h5", "KvK.r.h5"):
        (tmp_path / name).symlink_to(small_tables / name)
    assert main(["solve", "--moves", "--line", "k7/2P5/1K6/8/8/8/8/8 w - - 4 60"]) == 0
    out = capsys.readouterr().out
    assert "Moves, the best first:\n  c8=Q#    G0.0 in 1 ply; a new record begins\n" in out
    assert "Best play: c8=Q# (G0.0)" in out
    with open_tablebase(tmp_path) as tables:
        found = tables.probe("8/k1P5/8/1K6/8/8/8/8 w - - 4 60", moves=True, partial=True)
    assert ("c7c8q", "G0.5", 1) in [(one.uci, one.gscore, one.dtg) for one in found.moves]
    assert [one.move.uci() for one in found.unknown] == ["c7c8r", "c7c8b", "c7c8n"]


@pytest.mark.usefixtures("no_bundle")
@pytest.mark.parametrize("keep", [True, False])
def test_a_certificate_of_local_tables(
    keep: bool, small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Solved now or kept from before; the checker sees the complete tables only."""
    for path in small_tables.glob("*.r.h5"):
        if path.name != "KPvK.r.h5":
            (tmp_path / path.name).symlink_to(path)
    target = tmp_path / "proof.txt.gz"
    words = ["solve", "--quiet", *(["--keep"] if keep else []), "--certificate", str(target), NEAR]
    for _ in range(2):
        assert main(words) == 0
        assert "The result is" in capsys.readouterr().out
        assert main(["check", "--quiet", str(target)]) == 0
        out = capsys.readouterr().out
        assert "White is sure of G0.0: right, in" in out
        assert out.count("\n") == 1
    whole = target.read_bytes()
    target.write_bytes(whole[: len(whole) // 2])
    assert main(["check", "--quiet", str(target)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr("tbgen.beyond.prove.strategy.MOST", 1)
    assert main(words) == 6
    captured = capsys.readouterr()
    assert "The result is" in captured.out
    assert "takes more than 1 replies" in captured.err
    assert captured.err.count("\n") == 1
    assert target.read_bytes() == whole[: len(whole) // 2]


@pytest.mark.usefixtures("no_bundle")
def test_a_certificate_of_moves(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is said of each move, both sides' bounds, but for promotions to what complete tables know."""
    for name in ("KvK", "KQvK"):
        (tmp_path / f"{name}.r.h5").symlink_to(small_tables / f"{name}.r.h5")
    fen, target = "8/4P3/8/2k5/8/8/8/4K3 w - - 10 60 -G4.5", tmp_path / "proof.txt.gz"
    assert main(["solve", "--quiet", "--json", "--moves", "--certificate", str(target), fen]) == 0
    moves = {one["uci"]: one for one in json.loads(capsys.readouterr().out)["moves"]}
    assert main(["check", "--json", str(target)]) == 0
    proved = {}
    for claim in map(json.loads, capsys.readouterr().out.splitlines()):
        proved[claim["fen"].split()[0], claim["defender"]] = claim["bound"]
    wanted = {(chess.Board(fen.rpartition(" ")[0]).board_fen(), "white"): "G0.0"}
    for uci, one in moves.items():
        board = chess.Board(fen.rpartition(" ")[0])
        board.push_uci(uci)
        for side, nothing in (("white", "-G0.0"), ("black", "G0.0")):
            if one[side] != nothing and not uci.endswith("q"):
                wanted[board.board_fen(), side] = one[side]
    assert len(wanted) > 4
    assert proved == wanted


def found() -> list[strategy.Proved]:
    """The proofs in memory."""
    return [one for one in gc.get_objects() if isinstance(one, strategy.Proved)]


@pytest.mark.usefixtures("no_bundle")
@pytest.mark.parametrize("error", [OutOfRoom("it takes too many replies"), MissingTable("local/ is empty")])
def test_a_move_that_has_no_proof_is_left_out(
    error: TbgenError,
    small_tables: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The other proofs are written, each as soon as it is found: none is in memory when the next one is looked for."""
    for name in ("KvK", "KQvK"):
        (tmp_path / f"{name}.r.h5").symlink_to(small_tables / f"{name}.r.h5")
    fen, target = "8/4P3/8/2k5/8/8/8/4K3 w - - 10 60 -G4.5", tmp_path / "proof.txt.gz"
    prove, kept, of_others = strategy.prove, list[object](), found()

    def limited(*args: Any) -> strategy.Proved:
        kept.extend(one for one in found() if all(one is not other for other in of_others))
        if args[2].move_stack and args[2].peek().uci() == "e1d2":
            raise error
        return prove(*args)

    monkeypatch.setattr(strategy, "prove", limited)
    assert main(["solve", "--quiet", "--moves", "--certificate", str(target), fen]) == 0
    assert capsys.readouterr().err == f"tbgen: Kd2 is not in the certificate: {error}\n"
    assert not kept
    assert main(["check", "--json", str(target)]) == 0
    claims = [*map(json.loads, capsys.readouterr().out.splitlines())]
    boards = {claim["fen"].split()[0] for claim in claims}
    assert {"8/4P3/8/2k5/8/8/8/4K3", "8/4P3/8/2k5/8/8/4K3/8"} < boards
    assert "8/4P3/8/2k5/8/8/3K4/8" not in boards


def test_a_place_for_a_certificate_that_is_none_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after what may be hours."""
    monkeypatch.setattr("tbgen.cli.solve.find", None)
    assert main(["solve", "--certificate", str(tmp_path / "none" / "proof.txt"), FINE.format("b")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_what_a_local_table_takes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fen = "8/8/3k1p2/8/2P5/1r6/5K2/2R5 w - - 10 60"
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=1 << 40))
    assert main(["solve", "--dry-run", fen]) == 0
    out = capsys.readouterr().out
    assert out.startswith("First KRPvKRP (20 placements of pawns):\n")
    assert "\n  KRPvKRP      20 slices " in out
    assert "the answer may be bounds" in out
    assert main(["solve", "--dry-run", "--json", fen]) == 0
    plan = json.loads(capsys.readouterr().out.splitlines()[0])
    part = {"material": "KRPvKRP", "slices": 20, "numbers": 20 * 2 * 3612 * 4096, "exact": False, "times": 2}
    assert plan["parts"][-1] == part
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=1 << 30))
    assert main(["solve", "--dry-run", fen]) == 6
    assert "KRPvKRP from here has 20 placements of pawns and 591,790,080 numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fen", "why"),
    [("8/8/8/4KBk1/8/8/8/8 b - - 0 1", "tables have this position"), ("R5k1/5ppp/8/8/8/8/8/K7 b - - 3 9", "is over")],
)
def test_where_no_local_table_is_needed(fen: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--dry-run", fen]) == 0
    assert why in capsys.readouterr().out
    assert main(["solve", "--dry-run", "--json", fen]) == 0
    assert json.loads(capsys.readouterr().out) == {"parts": [], "memory": 0, "scratch": 0, "cpu_seconds": 0}


def test_a_place_that_cannot_keep_them_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "local").write_text("")
    assert main(["solve", "--keep", FINE.format("b")]) == 1
    err = capsys.readouterr().err
    assert err == f"tbgen: local tables cannot be kept in {tmp_path / 'local'}: File exists (leave out --keep)\n"


def test_too_little_time_or_room_leaves_what_is_held(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "8/5p2/3k1p2/8/2P5/5P2/5K2/8 w - - 10 60 G5.5"
    for words, message in (
        (["--time", "0"], ""),
        (["--time", "0.01s"], "The time was over"),
        (["--memory", "200M"], "No local table: KPPvKPP from here has 40 placements"),
    ):
        assert main(["solve", *words, fen]) == 0
        out = capsys.readouterr().out
        assert "White is not sure of anything by holding: " in out
        assert message in out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["8/8/8/8/8/8/8/8 w"], 2, "illegal"),
        (["--record", "G30.0x", FINE.format("b")], 2, "G-score"),
        (["--time", "0", "--certificate", "proof.txt", "4k3/p7/8/3q4/8/8/P2R4/4K3 w - - 0 1"], 2, "nothing was proved"),
        (["--certificate", "proof.txt", "8/8/8/4KBk1/8/8/8/8 b - - 0 1"], 2, "a complete table has the position"),
        (["--certificate", "proof.txt", "R5k1/5ppp/8/8/8/8/8/K7 b - - 3 9"], 2, "the game is over"),
    ],
)
def test_what_cannot_be_solved(words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *words]) == code
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_what_tables_know(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--tables", str(small_tables), "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]) == 0
    assert "The result is G1.5: in 4 plies." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fen", "gscore"), [("R5k1/5ppp/8/8/8/8/8/K7 b - - 3 9", "G0.0"), ("7k/5Q2/8/8/p7/P7/8/K7 b - - 3 9", "G0.5")]
)
def test_a_game_that_is_over(fen: str, gscore: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--json", fen]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[name] for name in ("gscore", "white", "black", "dtg")] == [gscore, gscore, gscore, 0]


def test_checking_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.txt")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_local_table_that_goes_before_its_moves_are_asked(tmp_path: Path) -> None:
    """Another process may remove it: then what is held is the answer."""

    class Once(Tablebase):
        """Answers one question, and then has nothing."""

        asked = 0

        def probe(self, *words: Any, **options: Any) -> Any:
            self.asked += 1
            if self.asked > 1:
                raise MissingTable("it was here a moment ago")
            return Result("KPPPPvKPPP", outcome.parse("-G3.0"), 0, True, outcome.parse("-G3.0"))

    with Once(tmp_path) as tables:
        board = chess.Board(FINE.format("b").removesuffix(" -G3.0"))
        found = find(board, outcome.parse("-G3.0"), tables, None, moves=True, watch=Nobody())
    assert found.table is None
    assert outcome.text(found.sure.white) == outcome.text(found.sure.black) == "-G3.0"


def test_nobody_needs_a_directory_of_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TBGEN_TABLES", str(tmp_path / "none" / "here"))
    assert main(["solve", "--dry-run", "8/8/3k1p2/8/2P5/5K2/8/8 w - - 10 60"]) == 0
    assert main(["solve", "--time", "1m", "4k3/8/8/p6p/P6P/8/8/4K3 w - - 10 60"]) == 0
    assert "White is sure of" in capsys.readouterr().out
    assert not (tmp_path / "none").exists()
