"""Messages about single games among many: the first few, and how many more there are."""

from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.cli.remarks import MOST, Remarks

BAD = b'[Result "*"]\n\n1. e4 *\n\n', b'[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


def told(*remarks: str) -> list[str]:
    found: list[str] = []
    with Remarks(found.append) as taken:
        for remark in remarks:
            taken.add(remark)
    return found


def test_few_are_told_one_by_one() -> None:
    assert told() == []
    assert told("a.pgn:3: game 1: no result") == ["tbgen: a.pgn:3: game 1: no result"]
    assert len(told(*["x"] * MOST)) == MOST


def test_others_are_counted_by_kind() -> None:
    many = [f"a: b.pgn:{line}: game {line}: illegal move: Ke{line} (ply {line})" for line in range(2000)]
    odd = [f"c.pgn:1: oddity {letter}" for letter in "abcde"]
    *few, last = told(*many, "c.pgn:9: no game", *odd)
    assert few == [f"tbgen: {remark}" for remark in many[:MOST]]
    assert last.startswith("tbgen: and 1,996 more such games: illegal move (1,990), no game (1), oddity a (1), ")
    assert last.endswith(", oddity c (1), ...")
    assert told(*["x"] * (MOST + 1))[-1] == "tbgen: and 1 more such game: x (1)"


def test_the_kind_may_be_given() -> None:
    found: list[str] = []
    with Remarks(found.append) as taken:
        for game in range(MOST + 3):
            taken.add(f"{game}  A - B  is not played: A is gone", "A is gone")
    assert found[-1] == "tbgen: and 3 more such games: A is gone (3)"


@pytest.mark.parametrize("command", ["adjudicate", "annotate", "sheet"])
def test_text_before_the_first_game_has_no_number(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.pgn").write_bytes(b"\njunk\n")
    assert main([command, "bad.pgn", *([] if command == "sheet" else ["-o", "out.pgn"])]) == 3
    assert capsys.readouterr().err.splitlines()[0] == "tbgen: bad.pgn:1: text that is no game"


@pytest.mark.parametrize(
    "words",
    [["adjudicate", "bad.pgn", "-o", "out.pgn"], ["annotate", "bad.pgn", "-o", "out.pgn"], ["sheet", "bad.pgn"]],
)
def test_a_file_of_bad_games(
    words: list[str],
    small_tables: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TBGEN_TABLES", str(small_tables))
    Path("bad.pgn").write_bytes(b"".join(BAD) * 500)
    assert main(words) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) <= MOST + 2
    (last,) = (line for line in lines if " more such games: " in line)
    assert "illegal move (49" in last
