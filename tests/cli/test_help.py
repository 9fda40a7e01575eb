"""Help fits the terminal, and says the same in any width."""

import re

import pytest

from tbgen.cli.help import fill
from tbgen.cli.main import COMMANDS, parser_of, parser_of_all

TEXT = """\
Some words on what this does,
on two lines.

1. One thing.
2. Another thing, of which more is said
   below it.

What 2. says, and what
3. would say.

examples:
  tbgen solve "8/8/8/4KBk1/8/8/8/8 b - - 0 1" --certificate proof.txt
  tbgen info      a remark that is too long
"""

FITTED = """\
Some words on what this does, on two
lines.

1. One thing.
2. Another thing, of which more is said
   below it.

What 2. says, and what
3. would say.

examples:
  tbgen solve "8/8/8/4KBk1/8/8/8/8 b - - 0 1" --certificate proof.txt
  tbgen info      a remark that is too
                  long"""


def test_what_is_too_wide_is_broken_between_words() -> None:
    narrow = TEXT.replace("does,\non two lines.", "does, on two lines.")
    assert fill(narrow, 40) == FITTED
    assert fill(TEXT, 120) == TEXT.removesuffix("\n")


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_every_command(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for parser in (parser_of_all(), *map(parser_of, COMMANDS)):
        told = parser.format_help()
        assert parser.epilog
        assert told.split()[-len(parser.epilog.split()) :] == parser.epilog.split(), "no word is lost"
        _, _, below = told.partition("\n\noptions:\n")
        wide = [line for line in below.splitlines() if len(line) > columns]
        assert all(line.startswith(("  tbgen ", "  curl ", "  --", "   ")) for line in wide), wide
        if columns >= 80:
            assert all(line.startswith("  tbgen solve ") for line in wide), "a position is not broken"


@pytest.mark.parametrize("name", COMMANDS)
def test_no_list_of_options_is_long(name: str) -> None:
    """Whoever reads them finds a title above a dozen at most."""
    parser = parser_of(name)
    parser.epilog = None
    lists = re.findall(r"^(\S[^\n]*):\n((?:  .*\n|\n)*)", parser.format_help(), re.MULTILINE)
    assert all(len(re.findall(r"^  \S", listed, re.MULTILINE)) <= 12 for _, listed in lists)
    titles = [title for title, _ in lists]
    assert titles
    assert len(set(titles)) == len(titles)
