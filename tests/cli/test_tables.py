"""Tables on terminals fit, and in files they are whole."""

import sys
from pathlib import Path

import pytest

from tbgen.system.text_tables import Column, table
from tests.support.terminal import in_terminal

TBGEN = (sys.executable, "-m", "tbgen")
NAMES = Column("who", left=True)
ROWS = [["Ann", "1", "22", "333"], ["Bob", "4,444", "5", "6"]]
COLUMNS = [NAMES, Column("games won"), Column("lost"), Column("drawn by agreement", spare=1)]


def lines(width: int | None) -> list[str]:
    return list(table(COLUMNS, ROWS, footer=["all", "4,445", "27", "339"], width=width))


def test_a_table_as_wide_as_it_needs_to_be() -> None:
    whole = [
        "who  games won  lost  drawn by agreement",
        "---  ---------  ----  ------------------",
        "Ann          1    22                 333",
        "Bob      4,444     5                   6",
        "---  ---------  ----  ------------------",
        "all      4,445    27                 339",
    ]
    assert lines(None) == lines(40) == whole


def test_titles_take_several_lines_first() -> None:
    assert lines(39) == [
        "     games         drawn by",
        "who    won  lost  agreement",
        "---  -----  ----  ---------",
        "Ann      1    22        333",
        "Bob  4,444     5          6",
        "---  -----  ----  ---------",
        "all  4,445    27        339",
    ]


def test_then_columns_are_left_out_and_named() -> None:
    assert lines(20) == [
        "     games",
        "who    won  lost",
        "---  -----  ----",
        "Ann      1    22",
        "Bob  4,444     5",
        "---  -----  ----",
        "all  4,445    27",
        "not shown, for want of room: drawn by agreement",
    ]


def test_then_there_are_several_tables() -> None:
    assert lines(12)[:-1] == [
        "     games",
        "who    won",
        "---  -----",
        "Ann      1",
        "Bob  4,444",
        "---  -----",
        "all  4,445",
        "",
        "who  lost",
        "---  ----",
        "Ann    22",
        "Bob     5",
        "---  ----",
        "all    27",
    ]


def test_each_of_several_tables_tells_its_rows_apart() -> None:
    columns = [NAMES, Column("to", left=True), *(Column(name) for name in ("G", "one", "other"))]
    rows = [["Ann", "W", "1", "1234567", "12345678"], ["Ann", "W", "2", "2", "3"], ["Ann", "B", "1", "4", "5"]]
    assert list(table(columns, rows, width=25))[-5:] == [
        "who  to  G     other",
        "---  --  -  --------",
        "Ann  W   1  12345678",
        "Ann  W   2         3",
        "Ann  B   1         5",
    ]
    assert list(table(columns, rows, width=16))[-5:] == [
        "who     other",
        "---  --------",
        "Ann  12345678",
        "Ann         3",
        "Ann         5",
    ], "unless they leave no room for the others"


def test_what_cannot_be_split_is_as_wide_as_it_is() -> None:
    assert lines(1)[2] == "---  -----"
    assert list(table([Column("FEN", left=True)], [["8/8/8/8"]], ruled=False, width=3)) == ["FEN", "8/8/8/8"]


def test_a_long_list_is_broken_between_names(small_tables: Path) -> None:
    shown = in_terminal(*TBGEN, *["build", "--all", "3", "--dry-run", "--tables"], str(small_tables), columns=30)
    assert shown.splitlines() == ["there already: KvK KQvK KRvK", "KBvK KNvK KPvK"]


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    "words", ["info", "plan --all 5", "report stats", "report records --details", "report all --rules r wg"]
)
def test_what_terminals_show_fits(words: str, columns: int, small_tables: Path) -> None:
    shown = in_terminal(*TBGEN, *words.split(), columns=columns, TBGEN_TABLES=str(small_tables))
    assert shown.count("\n") > 6
    rows = [line.rpartition("\r")[2] for line in shown.replace("\r\n", "\n").split("\n")]
    assert not [row for row in rows if len(row) > columns and "\x1b" not in row]
