"""FENs among the words of a command line, quoted or not, and on standard input."""

from collections.abc import Iterator, Sequence
from typing import Final

from tbgen.cli.common import check_input_once, remark
from tbgen.errors import BadInput
from tbgen.rules.fen import QUOTES, Fen
from tbgen.system.text import lines_of_input, typed

STDIN: Final = "-"
_TURNS: Final = ("w", "b")
_COUNTERS: Final = 2
_SCORE_STARTS: Final = "+-mMgG"
_LONGEST: Final = 4096
"""Bytes of a line that are read: many times a FEN."""


def fens(words: Sequence[str]) -> Iterator[str]:
    """Every FEN, in order. `-` stands for standard input, one FEN per line."""
    named = list(_named([typed(word).strip(QUOTES) for word in words]))
    check_input_once(named)
    for one in named:
        if one == STDIN:
            yield from _from_standard_input()
        else:
            yield one


def say_what_is_dropped(read: Fen) -> None:
    """Tell that a FEN's record does not count, unless it does."""
    if read.dropped is not None:
        remark(f"{read.note} (--record counts in any case)")


def _named(words: Sequence[str]) -> Iterator[str]:
    """The FENs on the command line, each one word, and `-` where it stands for standard input."""
    at = 0
    while at < len(words):
        if _begins_unquoted(words, at):
            end = _end_of(words, at)
            yield " ".join(words[at:end])
            at = end
        else:
            yield words[at]
            at += 1


def _from_standard_input() -> Iterator[str]:
    for line in lines_of_input(_LONGEST):
        fen = line.text.strip()
        if fen or not line.whole:
            yield fen


def _begins_unquoted(words: Sequence[str], at: int) -> bool:
    """Whether a FEN begins here whose fields are words of their own: a board with a side to move behind it."""
    return len(words[at].split()) == 1 and "/" in words[at] and at + 1 < len(words) and words[at + 1] in _TURNS


def _end_of(words: Sequence[str], at: int) -> int:
    """Where an unquoted FEN ends. Its dashes are fields: only behind them can one stand for standard input."""
    end = min(at + 4, len(words))
    for word in words[at + 2 : end]:
        if "/" in word:
            raise BadInput(f"a FEN without all its fields has to be quoted: {words[at]} {words[at + 1]} ...")
    while end < min(at + 4 + _COUNTERS, len(words)) and words[end].isdecimal():
        end += 1
    if end == at + 4 + _COUNTERS and end < len(words) and words[end][:1] in _SCORE_STARTS and words[end] != STDIN:
        end += 1
    return end
