"""Help fits the terminal, and says the same in any width."""

import pytest

from tbgen.cli.help import Formatter
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
    assert Formatter("x")._fill_text(narrow, 40, "") == FITTED
    assert Formatter("x")._fill_text(TEXT, 120, "") == TEXT.removesuffix("\n")


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
    groups = parser_of(name)._action_groups
    assert all(len(group._group_actions) <= 12 for group in groups)
    titles = [group.title for group in groups]
    assert len(set(titles)) == len(titles)
