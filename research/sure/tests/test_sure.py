"""`research/run sure` asks for the positions that it is given, each once, and counts what is said of them."""

import json
import sys
from pathlib import Path

import pytest

from research.sure import survey

HELD = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
OVER = "8/8/8/8/8/1k6/1q6/K6N w - - 0 1 -G5.5"


def line(fen: str, record: str, white: str, black: str, seconds: float = 1.0, **solved: str) -> dict[str, object]:
    answer = {"fen": fen, "record": record, "white": white, "black": black, "local": solved or None}
    return answer | {"seconds": seconds, "cpu_seconds": 2 * seconds}


def test_positions_are_chosen_by_their_men() -> None:
    lines = ["# a comment", "", HELD, f"{OVER} ", OVER.replace("N", "B"), OVER.replace("N", "R")]
    three = [OVER, OVER.replace("N", "B"), OVER.replace("N", "R")]
    assert survey.chosen(lines, 4, None, None) == survey.chosen(lines, 4, 2, None) == three
    assert survey.chosen(lines, 9, 0, None) == [HELD]
    assert survey.chosen(lines, 9, 1, None) == []


def test_some_are_drawn_by_lot() -> None:
    lines = [f"8/8/8/8/8/1k6/1q6/K6N w - - {ply} 60 -G5.5" for ply in range(100)]
    ten = survey.chosen(lines, 4, None, 10)
    assert len({*ten} & {*lines}) == 10
    assert ten != lines[:10]
    assert survey.chosen(lines, 4, None, 20)[:10] == ten
    assert sorted(survey.chosen(lines, 4, None, 200)) == sorted(lines)


def test_each_position_is_solved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    positions, found = tmp_path / "positions.txt", tmp_path / "found.jsonl"
    positions.write_text(f"{HELD}\n{HELD}\n")
    monkeypatch.setattr(sys, "argv", ["sure", str(positions), "--found", str(found), "--men", "9", "--time", "0"])
    survey.main()
    monkeypatch.setattr(survey, "TBGEN", "/nowhere")  # the second time nothing is asked
    survey.main()
    one, *others = survey.found_in(found)
    assert others == []
    assert (one["fen"], one["white"], one["black"]) == (HELD, "-G3.0", "-G3.0")
    assert one["cpu_seconds"] > 0
    assert capsys.readouterr().out.count("| 0, 7 | 1 | 0 | 1 | 0 | 0 | 0 |") == 2


@pytest.mark.parametrize("draw", ["0", "-1"])
def test_there_is_no_zeroth_position(
    draw: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sure", "positions.txt", "--found", str(tmp_path / "found"), f"--draw={draw}"])
    with pytest.raises(SystemExit, match="2"):
        survey.main()
    assert "a whole number from 1 on" in capsys.readouterr().err


def test_what_is_refused_ends_it_with_its_message(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^not a position: tbgen: "):
        survey.solve(["not a position"], tmp_path / "found.jsonl", [])


def test_answers_are_counted() -> None:
    two, four = "8/8/8/1pk1n3/2N1K3/8/P7/8 w - - 0 81", "8/5p2/3k1p2/8/2P5/5P2/5K2/8 w - - 10 60"
    said = [
        line(two, "G5.5", "G3.0", "G2.0", 1.0),  # bounded: two half moves; not the record
        line(two, "G5.5", "-G5.0", "G5.5", 2.0),  # bounded: one half move; the record may stand
        line(two, "G5.5", "-G0.0", "-G5.0", 3.0),  # on one side; not the record
        line(two, "G5.5", "-G0.0", "G0.0", 4.0, refused="it is too large"),
        line(four, "G5.5", "G5.5", "G5.5", 10.0),
    ]
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in survey.table(map(survey.answer, said))]
    assert rows[0] == list(survey.HEADS)
    assert rows[2:] == [
        ["2, 2", "4", "1", "0", "2", "1", "1", "1.5", "2", "2.5", "5.0", "8.0"],
        ["0, 4", "1", "0", "1", "0", "0", "0", "", "0", "10.0", "20.0", "20.0"],
        ["all", "5", "1", "1", "2", "1", "1", "1.5", "2", "3.0", "6.0", "20.0"],
    ]


def test_half_moves_are_counted_up_to_the_record() -> None:
    fen = "8/8/8/1pk1n3/2N1K3/8/P7/8 w - - 0 81"
    widths = {
        ("G6.0", "-G4.0", "G6.5"): 4,  # White's end of the scale counts no more than the record itself
        ("G3.0", "-G3.0", "G3.0"): 0,
        ("G3.0", "-G2.0", "G1.0"): 6,
        ("G3.0", "-G0.0", "-G0.5"): 1,
    }
    for (record, white, black), width in widths.items():
        assert survey.answer(json.loads(json.dumps(line(fen, record, white, black)))).width == width
