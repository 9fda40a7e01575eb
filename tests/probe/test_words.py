"""Results in words."""

from xml.etree import ElementTree

import pytest

from tbgen.core.outcome import held_by_black, held_by_white
from tbgen.probe import Result, open_tablebase
from tbgen.probe.sure import NOTHING
from tbgen.probe.words import points, record_sentence, sentence, situation

FEN = "8/8/8/4KBk1/8/8/8/8 b - - 12 40 G3.5"


@pytest.mark.parametrize(
    ("outcome", "record", "dtg", "words"),
    [
        (held_by_white(3), held_by_white(7), 4, "White forces G1.5 (Black left with one move, not in check) in 4 plies "
         "(2 moves); worth 0.5625 points to White."),
        (held_by_black(0), held_by_white(7), 1, "Black forces -G0.0 (White mated) in 1 ply (1 move); worth 1 point to "
         "Black."),
        (held_by_white(26), held_by_white(3), 3, "White is left with G13.0 (Black left with 13 moves, in check) in "
         "3 plies (2 moves); worth just over 0.5 points to White."),
        (held_by_black(16), held_by_black(2), 2, "Black is left with -G8.0 (White left with eight moves, in check) in "
         "2 plies (1 move); worth just over 0.5 points to Black."),
        (held_by_black(4), held_by_black(4), 0, "The record stands: Black keeps -G2.0 (White left with two moves, in "
         "check); worth 0.5312 points to Black."),
        (held_by_white(1), held_by_white(1), 0, "The game is over. White has G0.5 (Black stalemated); worth 0.75 "
         "points to White."),
    ],
)  # fmt: skip
def test_a_sentence(outcome: int, record: int, dtg: int, words: str) -> None:
    assert sentence(Result("KRvK", outcome, dtg, True, record)) == words


def test_the_record() -> None:
    def said(outcome: int, record: int) -> str:
        return record_sentence(Result("KRvK", outcome, 1, True, record)).partition(", is ")[2]

    assert said(held_by_white(3), held_by_white(7)) == "White's. White betters it."
    assert said(held_by_white(9), held_by_white(7)) == "White's. Black betters it."
    assert said(held_by_white(9), held_by_black(7)) == "Black's. White betters it."
    assert said(held_by_black(7), held_by_black(7)) == "Black's. Neither side can better it."


def test_a_result_prints_as_a_sentence() -> None:
    result = Result("KRvK", held_by_black(3), 2, True, held_by_white(7))
    assert str(result) == sentence(result)
    assert (result.score, result.record_gscore) == (1.5, "G3.5")


def test_what_python_shows_can_be_read() -> None:
    with open_tablebase() as tablebase:
        result = tablebase.probe(FEN, moves=True, line=True)
    assert repr(result) == "<Result KBvK: G1.5 in 4 plies, record G3.5, 3 moves, a line of 4 plies>"
    assert repr(result.moves[0]) == "<MoveResult g5h5 G1.5 in 4>"
    assert result.line is not None
    assert repr(result.line[-1]).startswith("<LineMove ")
    stands = Result("KRvK", held_by_white(4), 0, True, held_by_white(4))
    assert repr(stands) == "<Result KRvK: G2.0, the record>"
    assert repr(NOTHING) == "<Sure: nothing is known>"


def test_a_notebook_shows_verdict_moves_and_line() -> None:
    with open_tablebase() as tablebase:
        result = tablebase.probe(FEN, moves=True, line=True)
    page = result._repr_html_()
    assert sentence(result) in page
    assert record_sentence(result).replace("'", "&#x27;") in page
    assert page.count("<tr>") == 1 + len(result.moves) + 1 + len(result.line or ())
    assert "<table>" not in Result("KRvK", held_by_white(4), 0, True, held_by_white(4))._repr_html_()


def test_a_notebook_shows_a_position_with_all_that_is_known() -> None:
    with open_tablebase() as tablebase:
        view = tablebase.show(FEN)
    page = view._repr_html_()
    assert repr(view) == f"<View of {view.board.fen()}: {view.result!r}>"
    assert str(view).startswith("White forces G1.5")
    assert page.count("<svg") == 3, "the position, that after the line, the staircase"
    assert "<td>Kh5</td><td>G1.5</td><td>4</td>" in page
    assert "After the line" in page


def test_a_staircase_says_what_each_record_comes_to() -> None:
    """Each step is what a probe under that record answers."""
    with open_tablebase() as tablebase:
        staircase = tablebase.staircase("8/8/8/8/8/2K1N1k1/8/8 w - - 0 1")
        for step in staircase.steps:
            found = tablebase.probe(staircase.board, step.record)
            assert (found.outcome, found.dtg) == (step.outcome, step.dtg)
    assert [step.record for step in staircase.steps] == sorted((step.record for step in staircase.steps), reverse=True)
    assert str(staircase).splitlines() == [
        "G1.0 to G3.5: the record stands",
        "G4.0 to -G4.0: G3.5 in 9 plies",
        "-G3.5 to -G2.0: G5.5 in 19 to 23 plies",
        "-G1.5 to -G1.0: the record stands",
    ]
    assert repr(staircase.steps[-1]) == "<Step -G1.0: the record stands>"
    assert repr(staircase) == f"<Staircase of {staircase.board.fen()}: {len(staircase.steps)} records>"


def test_a_staircase_is_drawn_with_the_record_that_stands() -> None:
    with open_tablebase() as tablebase:
        staircase = tablebase.staircase(FEN)
    drawn = ElementTree.fromstring(staircase._repr_svg_())
    told = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert len(told) == len(staircase.steps)
    assert told[0] == "under the record G1.0: it stands"
    assert "under the record G3.5: G1.5 in 4 plies" in told
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 1
    assert drawn.get("aria-label") == "; ".join(str(staircase).splitlines())


def test_numbers() -> None:
    assert situation(held_by_white(2)) == "Black left with one move, in check"
    assert situation(held_by_white(1)) == "Black stalemated"
    assert points(held_by_white(0)) == "1 point"
    assert points(held_by_white(10)) == "0.5005 points"
    assert points(held_by_white(14)) == "just over 0.5 points"
