"""What a definition of a man means, and what is refused in a line."""

from pathlib import Path

import pytest

from tbgen.board.men import BUILT_IN, RESERVED, VARIABLE, Man, defined, known, use
from tbgen.board.men.betza import canonical, steps
from tbgen.core.material import parse, with_dependencies
from tbgen.errors import BadInput


@pytest.mark.parametrize(
    ("notation", "written"),
    [
        ("WF", "WF"), ("FW", "WF"), ("K", "WF"), ("Q", "RB"), ("BR", "RB"), ("WW", "R"), ("W7", "R"), ("F2", "F2"),
        ("BDD", "BDD"), ("DDB", "BDD"), ("NN", "NN"), ("N3", "NN"), ("N2", "N2"), ("NQ", "RBN"), ("AA", "AA"),
        ("WR", "R"), ("WDNAHCZG", "WDNAHCZG"),
    ],
)  # fmt: skip
def test_moves_are_written_in_one_way(notation: str, written: str) -> None:
    assert canonical(notation) == canonical(written) == written
    assert steps(notation) == steps(written)


def test_steps_are_leaps_and_how_often() -> None:
    assert set(steps("D")) == {(2, 0, 1), (-2, 0, 1), (0, 2, 1), (0, -2, 1)}
    assert {step.far for step in steps("BDD")} == {7, 3}
    assert len(steps("NN")) == 8
    assert {max(abs(step.file), abs(step.rank)) for step in steps("NN")} == {2}


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        ("X=", "a man without moves"), ("X=fW", "men move alike in all directions"), ("X=WéF", "men move alike"),
        ("X=Y", "no moves of a man: 'Y'"), ("X=W9", "leads off the board"), ("X=H3", "leads off the board"),
        ("X=W0", "leads off the board"), ("X=2W", "no moves of a man"), ("X=RD", "reach the same square in two ways"),
        ("X=DDHH", "reach the same square in two ways"), ("x=W", "one of A to Z"), ("XY=W", "one of A to Z"),
        ("=W", "one of A to Z"), ("C=WD", "the letter C is in use: C=WF 0,-1 Commoner"), ("Q=W", "is a man of chess"),
        ("P=W", "is a man of chess"), ("V=W", "stands between the sides"), ("no-file", "neither a definition"),
        ("X=W F=D", "the letter F is in use"),
        ("X=WA 0,2", "no mark of a man: '0,2' (0,3 mates alone"), ("X=WA 0,x", "no mark of a man: '0,x'"),
        ("X=WA 1,3", "no mark of a man: '1,3'"), ("X=WA 3", "no mark of a man: '3'"), ("X=WA 0,", "no mark of a man"),
        ("X=WA 0,-2 Jumper", "no mark of a man: '0,-2'"), ("X=WA 0,1000", "no mark of a man"),
        ("X=WA 0,3 0,-4", "not a man: 'X=WA 0,3 0,-4' (write its letter and its moves, as in C=WF; a mark"),
        ("X=WA 0,40", "0,40 is the bonus of a pair of colour-bound men"), ("X=FA 0,3", "a colour-bound one does not"),
        ("X=FA 0,-1", "a colour-bound one does not"), ("C=WF 0,3", "the letter C is in use: C=WF 0,-1 Commoner"),
    ],
)  # fmt: skip
def test_a_bad_definition_gets_a_line(definition: str, why: str) -> None:
    words = definition.split() if definition.startswith("X=W ") else [definition]
    with pytest.raises(BadInput) as caught:
        defined(words)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_definitions_come_from_words_and_files(tmp_path: Path) -> None:
    (tmp_path / "men").write_text("# two men\nX=WDN Wizard\n\nS=FA  # and no name\n", encoding="utf-8")
    men = defined([str(tmp_path / "men"), "Y=NAD"])
    assert (men["X"], men["X"].name) == (Man("X", "WDN"), "Wizard")
    assert (men["S"].moves, men["Y"].moves) == ("FA", "DNA")
    assert defined(["X=DWN"], men) == men  # the same man
    with pytest.raises(BadInput, match="the letter X is in use: X=WDN Wizard"):
        defined(["X=W"], men)


def test_a_mark_stands_behind_the_moves(tmp_path: Path) -> None:
    (tmp_path / "men").write_text("X=WA 0,3 Jumper  # mates alone\nY=FA 0,60\nS=ND 0,-4\nT=WN\n", encoding="utf-8")
    men = defined([str(tmp_path / "men")])
    assert [(men[letter].mark, men[letter].name) for letter in "XYST"] == [(3, "Jumper"), (60, ""), (-4, ""), (0, "")]
    assert (men["C"].mark, men["O"].mark, men["X"]) == (-1, 3, Man("X", "WA")), "no table depends on a mark"
    assert defined(["X=WA", "C=WF"], men) == men, "a mark need not be repeated"


def test_the_environment_defines_men(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "men").write_text("S=FA", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, "X=WDN")
    monkeypatch.chdir(tmp_path)
    use(["Y=NAD", "men"])
    monkeypatch.chdir("/")
    assert [str(known()[letter]) for letter in "XYSC"] == ["X=WDN", "Y=DNA", "S=FA", "C=WF"]


def test_those_that_are_built_in_move_as_their_names_say() -> None:
    moves = {man.name: man.moves for man in BUILT_IN.values()}
    assert moves == {
        "Wazir": "W", "Ferz": "F", "Dabbaba": "D", "Alfil": "A", "Commoner": "WF", "Woody Rook": "WD",
        "Bishop-Dabbaba": "BD", "Adjutant": "BDD", "Knightrider": "NN",
    }  # fmt: skip
    assert not {*BUILT_IN} & {*RESERVED}
    assert all(canonical(man.moves) == man.moves for man in BUILT_IN.values())


# --- materials ------------------------------------------------------------------------------------------------


def test_men_stand_behind_knights_and_before_pawns() -> None:
    assert parse("kpcnavkq").name == "KNACPvKQ"
    assert parse("KCvKQ").name == "KQvKC"
    assert parse("KCvKP").name == "KCvKP"
    assert parse("KCvKA").name == "KAvKC"


def test_a_material_carries_the_definitions_of_its_men() -> None:
    here, there = (parse("KXvK", men=defined([word])) for word in ("X=WD", "X=WA"))
    assert here.name == there.name
    assert here != there
    assert here.swapped.fairy == here.fairy == (Man("X", "WD"),)
    for one in parse("KCAvKC").successors():
        assert {man.letter for man in one.fairy} == {*one.name} & {*"AC"}


def test_pawns_promote_to_men_of_chess_and_to_those_on_the_board() -> None:
    names = {one.name for one in parse("KPvKC").successors()}
    assert names == {"KCvK", "KPvK", "KQvKC", "KRvKC", "KBvKC", "KNvKC", "KCvKC", "KQvK", "KRvK", "KBvK", "KNvK"}
    assert {one.name for one in with_dependencies([parse("KPvKP")])} & {"KCvK"} == set()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("KXvK", "no man has the letter X: --men X=WF defines one"),
        ("KACDEvK", "more than 3 kinds of men"),
        ("KUUUvK", "more than 127 moves"),
    ],
)
def test_a_material_that_tables_cannot_have_is_refused(words: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        parse(words, men=defined(["U=QNCZ"]))
