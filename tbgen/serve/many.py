"""The positions of a batch by columns: FENs read, tables asked and JSON written for thousands at once.

Only what is usual goes this way: a FEN of six fields, or seven, without rights to castle or to capture en passant, of
men that others in the batch have as well. All else, and whatever is wrong, is answered one by one.

FENs are read here because `read_fen` would make a batch 4.2 times as dear: 10,000 positions of KRvK take 23 ms of CPU,
and 95 with it.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.errors import TbgenError
from tbgen.material import MEN_IN_TABLES, parse
from tbgen.position import STALEMATE
from tbgen.probe import Positions, Tablebase, is_late
from tbgen.serve import answers
from tbgen.table_rules import TableRules

_WORTH: Final = 16
"""Positions of the same men: fewer are asked one by one in less time."""
_RIGHTS: Final = " - - "
"""Between the side to move and the counters, where there are none."""
_COUNTERS: Final = re.compile(r"([0-9]{1,6}) [0-9]{1,6}(?: ([-+mMgG0-9.]{1,12}))?")
_MEN: Final = "KQRBNPkqrbnp"
"""In the order of columns: White's, then Black's."""
_BITS: Final = 4
"""For the number of each of them."""
_END: Final = ord("\n")

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
_KNOWN[_WIDTH > 0] = _KNOWN[ord("/")] = _KNOWN[_END] = True


class _Read(NamedTuple):
    """FENs of the usual kind, by columns."""

    rows: list[int]
    """In the batch."""
    boards: list[str]
    white_moves: list[bool]
    records: list[int]
    """0: the position's own goal."""
    clocks: list[int]


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
    known = {} if with_moves else _at_once(fens, record, rules, tablebase)
    found = [
        known.get(row) or answers.one(fen, record, rules, tablebase, with_moves=with_moves)
        for row, fen in enumerate(fens)
    ]
    return "\n".join([*found, ""]).encode()


def _at_once(fens: Sequence[str], record: str | None, rules: TableRules, tablebase: Tablebase) -> dict[int, str]:
    """By row, the answers that can be had by columns."""
    found: dict[int, str] = {}
    read = _read(fens, record, rules)
    if len(read.rows) < _WORTH:
        return found
    boards = _boards(read.boards)
    order = np.argsort(boards.men, kind="stable")
    cuts = np.flatnonzero(np.diff(boards.men[order], prepend=-2, append=-2))
    for start, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        rows = order[start:end]
        if end - start >= _WORTH and boards.men[rows[0]] >= 0:
            found.update(_of_men(int(boards.men[rows[0]]), rows, boards, read, fens, tablebase))
    return found


def _read(fens: Sequence[str], record: str | None, rules: TableRules) -> _Read:
    found = _Read([], [], [], [], [])
    given = None
    if record:
        try:
            given = _playable(outcome.parse(record))
        except TbgenError:
            given = None
        if given is None:
            return found
    known: dict[str, int | None] = {}
    for row, fen in enumerate(fens):
        head, _, counters = fen.partition(_RIGHTS)
        turn = head[-2:]
        if turn not in (" w", " b") or "\n" in head:
            continue
        if counters not in known:
            known[counters] = _record(counters, whole_game=rules == TableRules.WHOLE_GAME)
        own = known[counters]
        if own is not None:
            found.rows.append(row)
            found.boards.append(head[:-2])
            found.white_moves.append(turn == " w")
            found.records.append(own if given is None else given)
            found.clocks.append(int(counters.partition(" ")[0]))
    return found


def _record(counters: str, *, whole_game: bool) -> int | None:
    """The record behind a FEN's counters, 0 where there is none; None where there is more to it."""
    match = _COUNTERS.fullmatch(counters)
    if match is None:
        return None
    clock, written = match.groups()
    if written is None:
        return 0
    if not int(clock) and not whole_game:  # it may be dropped, and then the answer says so
        return None
    try:
        return _playable(outcome.parse(written))
    except TbgenError:
        return None


def _playable(record: int) -> int | None:
    """A record under which a game goes on, whatever the position."""
    return record if outcome.level(record) > STALEMATE else None


def _boards(texts: list[str]) -> _Boards:
    data = np.frombuffer("\n".join([*texts, ""]).encode("ascii", "replace"), np.uint8)
    is_end, is_slash = data == _END, data == ord("/")
    ends = np.flatnonzero(is_end)
    count = len(texts)
    row = np.repeat(np.arange(count), np.diff(ends, prepend=-1))
    width = _WIDTH[data]
    squares = np.cumsum(width, dtype=np.int64)
    squares -= np.concatenate(([0], squares[ends[:-1]]))[row]
    ranks = np.cumsum(is_slash, dtype=np.int64)
    ranks -= np.concatenate(([0], ranks[ends[:-1]]))[row]
    wrong = ~_KNOWN[data] | (is_slash & (squares != 8 * ranks))
    is_digit = _IS_DIGIT[data]
    wrong[1:] |= is_digit[1:] & is_digit[:-1]
    good = (squares[ends] == len(chess.SQUARES)) & (ranks[ends] == 7)
    good[row[wrong]] = False

    place = _PLACE[data]
    at = np.flatnonzero(place < len(_MEN))
    owner, kind = row[at], place[at].astype(np.int64)
    number = np.bincount(owner, minlength=count)
    good &= number <= MEN_IN_TABLES
    kept = good[owner]
    at, owner, kind = at[kept], owner[kept], kind[kept]
    number = np.bincount(owner, minlength=count)
    men = np.bincount(owner, weights=(1 << _BITS * kind).astype(np.float64), minlength=count).astype(np.int64)
    men[~good | (number == 0)] = -1
    sorted_men = np.argsort(owner * len(_MEN) + kind, kind="stable")
    # a FEN goes from the eighth rank down
    return _Boards(men, np.cumsum(number) - number, ((squares[at] - 1) ^ 56)[sorted_men])


def _of_men(
    men: int, rows: NDArray[np.int64], boards: _Boards, read: _Read, fens: Sequence[str], tablebase: Tablebase
) -> dict[int, str]:
    """The answers to those that have these men."""
    letters = "".join(letter * (men >> _BITS * place & 15) for place, letter in enumerate(_MEN))
    white = "".join(filter(str.isupper, letters))
    positions = Positions(
        f"{white}v{letters[len(white) :].upper()}",
        boards.squares[boards.first[rows][:, None] + np.arange(len(letters))],
        np.array(read.white_moves)[rows],
    )
    records = np.array(read.records, np.int64)[rows]
    try:
        material = parse(positions.men).normal.name
        found = tablebase.probe_many(positions, records)
    except TbgenError:  # each of them hears it
        return {}
    assert found.records is not None
    return {
        # nothing in a FEN has to be escaped
        row: answers.with_fen(f'"{fens[row]}"', material, value, dtg, True, stands, is_late(clock, dtg))
        for row, value, dtg, stands, clock in zip(
            np.array(read.rows)[rows].tolist(),
            found.outcomes.tolist(),
            found.dtg.tolist(),
            found.records.tolist(),
            np.array(read.clocks)[rows].tolist(),
            strict=True,
        )
        if value  # 0: no legal position
    }
