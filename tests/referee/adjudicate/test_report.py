"""`tbgen adjudicate`: what is said of the games."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.adjudicating import SAMPLE, run
from tests.support.judged_games import game

pytestmark = pytest.mark.usefixtures("here")

BROKEN = b'[Event "broken"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


REPORT = """\
8 games with tags; nothing passed on as it was

ended by      games  tables: improved  stands  out of reach  missing  not asked
mate              1
stalemate         1
award             1
adjudication      2                 1       0             0        1          0
repetition        1                 0       0             0        0          1
insufficient      2                 0       0             0        0          2

result  White  Black    points
G0.0        1      1  1.000000
G0.5        1      0  0.750000
G1.5        1      0  0.562500
G3.5        1      0  0.503906
G5.5        1      0  0.500244
G16.5       0      1  0.500000
G17.5       0      1  0.500000

decided by  improved  stands  longest DTG  50 moves may come first
KBvK               1       0            1                        0

missing  games
KRBvKR       1

#   by points (Classical), direct encounter, then the sum of r-mobility points (Exponential)
##  by points, direct encounter, then the number of G0.5 given minus suffered, then of G1.0 ...
#  ##  player  games  points     sum  G0.5  G1.0  G1.5  G2.0  G2.5  G3.0
1   1  Bob         3     2.5  2.7500    +1     0     0     0     0     0
2   2  Ann         4     1.5  1.3086    -1     0    +1     0     0     0
... and 7 more
"""


def test_the_report_counts_games_and_results(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(SAMPLE), "--report", "--top", "2")
    assert (code, err) == (0, "")
    assert out == REPORT


def report(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    _, out, _ = run(capsys, "--json", *words)
    found: dict[str, Any] = json.loads(out)
    return found


def test_what_the_50_move_rule_may_have_ended_first(capsys: pytest.CaptureFixture[str]) -> None:
    """By tables one ply is missing; a ply before that the clock was at 98, or 99."""
    games = [
        game("30... Kh6 1/2-1/2", FEN=f"8/8/8/4KBk1/8/8/8/8 b - - {clock} 90 G3.0", Termination="adjudication")
        for clock in (98, 99)
    ]
    Path("late.pgn").write_bytes(b"\n".join(games))
    assert report(capsys, "late.pgn", "-o", "out.pgn")["tables"]["KBvK"]["late"] == 1
    ends = [line for line in Path("out.pgn").read_text().splitlines() if "RMobilityTermination" in line]
    told = ("", ", 50-move rule may come first")
    assert ends == [f'[RMobilityTermination "tablebase, DTG 1{words}"]' for words in told]


def test_the_report_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.pgn").write_bytes(BROKEN)
    found = report(capsys, str(SAMPLE), "bad.pgn")
    assert found["games"] == 8
    assert found["faults"] == [{"file": "bad.pgn", "number": 1, "line": 4, "message": "illegal move: Ke3 (ply 3)"}]
    assert found["finishes"]["adjudication"] == {
        "games": 2, "improved": 1, "stands": 0, "out_of_reach": 0, "missing": 1, "not_asked": 0
    }  # fmt: skip
    assert found["finishes"]["mate"] == {"games": 1}
    assert found["results"]["G0.0"] == {"white": 1, "black": 1}
    assert found["tables"] == {"KBvK": {"improved": 1, "stands": 0, "longest": 1, "late": 0}}
    ann = next(row for row in found["crosstable"] if row["player"] == "Ann")
    assert (ann["games"], ann["points"], ann["balance"]["G0.5"]) == (4, 1.5, -1)
    assert ann["against"]["Bob"] == {"games": 2, "points": 0.5}
    for row in found["crosstable"]:
        assert sum(one["games"] for one in row["against"].values()) == row["games"]
        assert sum(one["points"] for one in row["against"].values()) == row["points"]


def test_the_report_of_one_game_and_of_none(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.pgn").write_bytes(b"1. e4 1/2-1/2\n")
    assert run(capsys, "one.pgn", "--report")[1].startswith("1 game with tags; nothing passed on as it was\n\n")
    Path("bad.pgn").write_bytes(BROKEN)
    assert run(capsys, "bad.pgn", "--report")[1] == "0 games with tags; 1 passed on as it was\n"


def test_a_komi_of_each_game_counts(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.pgn").write_bytes(
        b"".join(b'[White "a"]\n[Komi "%s"]\n\n1. e4 1/2-1/2\n\n' % k for k in (b"G1.0", b"-G1.0"))
    )
    assert report(capsys, "in.pgn", "--scoring", "komi")["scoring"]["points"] == "Classical"
    assert report(capsys, "in.pgn", "--scoring", "komi", "--komi", "-G1.0")["scoring"]["points"] == "Komi"


def test_points_under_a_komi_are_told_for_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    for komi, row in (
        ("G2.25", "G16.5       0  0.000000      1  1.000000"),
        ("G6.25", "G16.5       0  1.000000      1  0.000000"),
    ):
        code, out, _ = run(capsys, str(SAMPLE), "--report", "--scoring", "komi", "--komi", komi)
        assert code == 0
        assert "result  White    points  Black    points\n" in out
        assert f"{row}\n" in out
        assert "G1.5        1  1.000000      0  1.000000\n" in out


def test_missing_tables_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.pgn").write_bytes(b'[FEN "4k3/8/8/8/8/8/7r/R3K3 w - - 0 1"]\n\n1/2-1/2\n\n' * 2)
    assert run(capsys, "in.pgn", "-o", "out.pgn") == (
        0,
        "",
        "tbgen: 2 games judged, 2 as played; written to out.pgn\n"
        "tbgen: draws scored as played for want of a table: 2: KRvKR (2)\n",
    )
    assert run(capsys, "in.pgn", "-o", "out.pgn", "-q") == (0, "", "")
    assert report(capsys, "in.pgn")["missing"] == {"KRvKR": 2}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([str(SAMPLE)], "say where the games go"),
        ([str(SAMPLE), "--report", "--jobs", "0"], "--jobs takes a whole number from 1 to 1024"),
        ([str(SAMPLE), "--report", "--top", "-3"], "--top takes a whole number from 0 on"),
        ([str(SAMPLE), "--report", "--tables", "nowhere"], "no such directory of tables: nowhere"),
        ([str(SAMPLE), "--report", "--decide", "mate"], "no such kind of draw: 'mate'"),
        ([str(SAMPLE), "--report", "--komi", "G1.0"], "Exponential scoring knows no komi"),
        ([str(SAMPLE), "--report", "--scoring", "winner", "--cutoff", "-G1.0"], "a score for both sides"),
    ],
)
def test_command_lines_that_make_no_sense(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"tbgen: {message}")
