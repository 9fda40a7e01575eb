"""`tbgen solve` and `tbgen check`: what they print, how they end."""

import json
from pathlib import Path

import pytest

from tbgen.cli.main import main

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
    assert main(["solve", FINE.format("w")]) == 0
    assert "White needs at least 27 plies to improve on the record." in capsys.readouterr().out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--json", *FINE.format("b").split()]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["gscore"], found["dtg"], found["winner"]) == ("-G3.0", 0, "black")
    assert [proof["men"].keys() for proof in found["proofs"]] == [{"a1"}, {"a7"}]
    assert main(["solve", "--json", FINE.format("w")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "gscore" not in found
    assert (found["white"], found["black"]) == ("-G3.0", "G0.0")
    assert [proof["plies"] for proof in found["proofs"]] == [None, 27]


def test_certificates_are_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "proof.txt"
    assert main(["solve", "--certificate", str(target), FINE.format("w")]) == 0
    capsys.readouterr()
    assert main(["check", str(target)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "White is sure of -G3.0: right, in" in first
    assert "Black keeps -G3.0 until ply 27: right, in" in second
    target.write_text("".join(target.read_text().splitlines(keepends=True)[:-5]))
    assert main(["check", str(target)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["8/8/8/8/8/8/8/8 w"], 2, "illegal"),
        ([FINE.format("b"), FINE.format("w")], 2, "one position at a time"),
        (["r3k3/8/8/8/8/8/8/4K3 w q - 0 1"], 2, "castle"),
        (["--record", "G30.0x", FINE.format("b")], 2, "G-score"),
        (["--certificate", "proof.txt", "4k3/p7/8/3q4/8/8/P2R4/4K3 w - - 0 1"], 2, "nothing was proved"),
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
