"""The positions of a batch by columns: FENs read, tables asked and JSON written for thousands at once.

Only what is usual goes this way: a FEN of six fields, or seven, without rights to castle or to capture en passant, of
men that others in the batch have as well. All else, and whatever is wrong, is answered one by one.

FENs are read here because `read_fen` would make a batch nine times as dear: 10,000 positions of KRvK take 8.6 ms of
CPU, and 77 with it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.core import outcome
from tbgen.core.material import MEN_IN_TABLES, parse
from tbgen.core.position import STALEMATE
from tbgen.core.table_rules import TableRules
from tbgen.errors import TbgenError
from tbgen.probe import Positions, Tablebase, is_late
from tbgen.probe.result import FIFTY
from tbgen.web.server import answers

_WORTH: Final = 16
"""Positions of the same men: fewer are asked one by one in less time."""
_END: Final = ord("\n")
"""Of a FEN."""
_SPACE: Final = ord(" ")
"""Behind a board."""
_SLASH: Final = ord("/")
_WHITE_MOVES: Final = np.frombuffer(b" w - - ", np.uint8)
"""Between board and counters, where there are no rights."""
_BLACK_MOVES: Final = np.frombuffer(b" b - - ", np.uint8)
_MORE: Final = -1 << 20
"""No record: there is more to it."""
_COUNTERS: Final = re.compile(r"([0-9]{1,6}) [0-9]{1,6}(?: ([-+mMgG0-9.]{1,12}))?")
_MEN: Final = "KQRBNPkqrbnp"
"""In the order of columns: White's, then Black's."""
_BITS: Final = 4
"""For the number of each of them."""

_WIDTH: Final = np.zeros(256, np.uint8)
"""How many squares a byte of a board stands for."""
_KNOWN: Final = np.zeros(256, np.bool_)
_IS_DIGIT: Final = np.zeros(256, np.bool_)
_PLACE: Final = np.full(256, len(_MEN), np.uint8)
"""Of a man in `_MEN`."""
for _digit in range(1, 9):
    _WIDTH[ord("0") + _digit] = _digit
    _IS_DIGIT[ord("0") + _digit] = True
for _place, _letter in enumerate(_MEN):
    _WIDTH[ord(_letter)] = 1
    _PLACE[ord(_letter)] = _place
_KNOWN[_WIDTH > 0] = _KNOWN[_SLASH] = _KNOWN[_SPACE] = True


class _Read(NamedTuple):
    """FENs of the usual kind, by columns."""

    rows: NDArray[np.int64]
    """In the batch."""
    boards: NDArray[np.uint8]
    """One after the other, with a space behind each."""
    white_moves: NDArray[np.bool_]
    records: NDArray[np.int64]
    """0: the position's own goal."""
    clocks: NDArray[np.int64]


class _Boards(NamedTuple):
    """Boards by columns."""

    men: NDArray[np.int64]
    """Of each board: how many of each of `_MEN`; -1 for what is no board of few men."""
    first: NDArray[np.int64]
    """Of each board, where its squares begin."""
    squares: NDArray[np.int64]
    """Of all men, board by board, in the order of `_MEN`."""


def lines(
    fens: Sequence[str], record: str | None, rules: TableRules, tablebase: Tablebase, *, with_moves: bool
) -> bytes:
    """An answer for each position, one a line, in order; what is wrong with one is said in its place."""
    known = [None] * len(fens) if with_moves else _at_once(fens, record, rules, tablebase)
    found = [
        text or answers.one(fen, record, rules, tablebase, with_moves=with_moves)
        for text, fen in zip(known, fens, strict=True)
    ]
    return "\n".join([*found, ""]).encode()


def _at_once(fens: Sequence[str], record: str | None, rules: TableRules, tablebase: Tablebase) -> list[str | None]:
    """The answers that can be had by columns; None for the others."""
    found: list[str | None] = [None] * len(fens)
    given = _given(record)
    if len(fens) < _WORTH or given is None:
        return found
    read = _read(fens, given, rules)
    boards = _boards(read.boards, len(read.rows))
    order = np.argsort(boards.men, kind="stable")
    cuts = np.flatnonzero(np.diff(boards.men[order], prepend=-2, append=-2))
    for start, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        rows = order[start:end]
        if end - start >= _WORTH and boards.men[rows[0]] >= 0:
            for row, text in _of_men(int(boards.men[rows[0]]), rows, boards, read, fens, tablebase):
                found[row] = text
    return found


def _given(record: str | None) -> int | None:
    """A record as an outcome; 0 where there is none, None where no game goes on after it, whatever the position."""
    if not record:
        return 0
    try:
        given = outcome.parse(record)
    except TbgenError:
        return None
    return given if outcome.level(given) > STALEMATE else None


def _read(fens: Sequence[str], given: int, rules: TableRules) -> _Read:
    text = "\n".join([*fens, ""])
    if text.count("\n") > len(fens):  # no FEN has more than one line
        text = "\n".join([*("" if "\n" in fen else fen for fen in fens), ""])
    data = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    ends = np.flatnonzero(data == _END)
    begins = np.concatenate(([0], ends[:-1] + 1))
    spaces = np.append(np.flatnonzero(data == _SPACE), len(data))
    board_ends = spaces[np.searchsorted(spaces, begins)]
    # rows are those of the batch; what is not usual is left out step by step
    rows = np.flatnonzero(board_ends + len(_WHITE_MOVES) < ends)
    between = data[board_ends[rows, None] + np.arange(len(_WHITE_MOVES))]
    white_moves = (between == _WHITE_MOVES).all(axis=1)
    usual = white_moves | (between == _BLACK_MOVES).all(axis=1)
    rows, white_moves = rows[usual], white_moves[usual]

    behind = (board_ends[rows] + len(_WHITE_MOVES) - begins[rows]).tolist()
    counters = [fens[row][at:] for row, at in zip(rows.tolist(), behind, strict=True)]
    number = {text: n for n, text in enumerate(dict.fromkeys(counters))}
    each = [_record_and_clock(text, whole_game=rules == TableRules.WHOLE_GAME) or (_MORE, 0) for text in number]
    known = np.array(each, np.int64).reshape(-1, 2)[[number[text] for text in counters]]
    usual = known[:, 0] != _MORE
    rows, white_moves, (records, clocks) = rows[usual], white_moves[usual], known[usual].T

    edges = np.zeros(len(data) + 1, np.int8)
    edges[begins[rows]], edges[board_ends[rows] + 1] = 1, -1
    boards = data[np.cumsum(edges[:-1], dtype=np.int8).view(np.bool_)]
    return _Read(rows, boards, white_moves, np.full(len(rows), given) if given else records, clocks)


def _record_and_clock(counters: str, *, whole_game: bool) -> tuple[int, int] | None:
    """What is behind a FEN's rights: the record, 0 where there is none, and the clock; None if there is more to it."""
    match = _COUNTERS.fullmatch(counters)
    if match is None:
        return None
    clock, written = match.groups()
    if written is None:
        return 0, int(clock)
    if not int(clock) and not whole_game:  # it may be dropped, and then the answer says so
        return None
    record = _given(written)
    return None if record is None else (record, int(clock))


def _boards(data: NDArray[np.uint8], count: int) -> _Boards:
    ends = np.flatnonzero(data == _SPACE)
    row = np.repeat(np.arange(count, dtype=np.int32), np.diff(ends, prepend=-1))
    passed = np.cumsum(_WIDTH[data], dtype=np.int32)  # squares of all boards up to this byte
    before = np.concatenate(([0], passed[ends]))[:-1]
    slashes = np.flatnonzero(data == _SLASH)
    owner = row[slashes]
    number = np.bincount(owner, minlength=count)
    nth = np.arange(1, len(slashes) + 1) - (np.cumsum(number) - number)[owner]
    is_digit = _IS_DIGIT[data]
    good = (passed[ends] - before == len(chess.SQUARES)) & (number == 7)
    good[owner[passed[slashes] - before[owner] != 8 * nth]] = False
    good[row[~_KNOWN[data]]] = False
    good[row[1:][is_digit[1:] & is_digit[:-1]]] = False

    place = _PLACE[data]
    at = np.flatnonzero(place < len(_MEN))
    good &= np.bincount(row[at], minlength=count) <= MEN_IN_TABLES
    at = at[good[row[at]]]
    owner, kind = row[at], place[at].astype(np.int64)
    number = np.bincount(owner, minlength=count)
    men = np.bincount(owner, weights=(1 << _BITS * kind).astype(np.float64), minlength=count).astype(np.int64)
    men[number == 0] = -1
    sorted_men = np.argsort(owner * len(_MEN) + kind, kind="stable")
    # a FEN goes from the eighth rank down
    return _Boards(men, np.cumsum(number) - number, ((passed[at] - before[owner] - 1) ^ 56)[sorted_men])


def _of_men(
    men: int, here: NDArray[np.int64], boards: _Boards, read: _Read, fens: Sequence[str], tablebase: Tablebase
) -> Iterator[tuple[int, str]]:
    """The answers to those that have these men, and their rows in the batch."""
    letters = "".join(letter * (men >> _BITS * place & 15) for place, letter in enumerate(_MEN))
    white = "".join(filter(str.isupper, letters))
    positions = Positions(
        f"{white}v{letters[len(white) :].upper()}",
        boards.squares[boards.first[here][:, None] + np.arange(len(letters))],
        read.white_moves[here],
    )
    try:
        material = parse(positions.men).normal.name
        known = tablebase.probe_many(positions, read.records[here])
    except TbgenError:  # each of them hears it
        return
    assert known.records is not None
    clocks = np.minimum(read.clocks[here], FIFTY + 1)  # later than that, all are alike
    columns = (known.outcomes, known.dtg, known.records, clocks)
    # many positions have the same, and what follows their FENs is written once
    key = np.zeros(len(here), np.int64)
    for column in columns:
        key = key << 16 | (column.astype(np.int64) & 0xFFFF)
    _, firsts, which = np.unique(key, return_index=True, return_inverse=True)
    behind = [
        answers.behind_fen(material, value, dtg, True, stands, is_late(clock, dtg)) if value else None  # no position
        for value, dtg, stands, clock in zip(*(column[firsts].tolist() for column in columns), strict=True)
    ]
    for row, nth in zip(read.rows[here].tolist(), which.tolist(), strict=True):
        text = behind[nth]
        if text is not None:
            yield row, f'{answers.HEAD}"{fens[row]}"{text}'  # nothing in a FEN has to be escaped
