"""Positions and records, right and wrong, for `tbgen probe`."""

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Final

import chess

from soaking import command
from soaking.case import Limits
from soaking.ground import tables_of
from soaking.mangle import mangled
from soaking.positions import a_fen, a_record
from tbgen import open_tablebase
from tbgen.errors import TbgenError
from tbgen.probe import Tablebase
from tbgen.system.text import typed

CODES: Final = (0, 2, 4)
"""Exit codes: an impossible position, or a missing table. Nothing else can be wrong here."""
_APART: Final = 0.003
"""The share that runs in a process of its own, which takes a hundred times as long."""
_STREAMS: Final = ("", "", "<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full")
_LOCALES: Final = ("C", "C.UTF-8", "POSIX", "en_US.ISO-8859-1")
_HUGE: Final = 64 << 20
_BASE: Final = 200 << 20
"""More than a probe takes by itself, by far."""


class Fens:
    limits = Limits(seconds=60, memory=200 << 20, lives=4000)

    def __init__(self, ground: Path) -> None:
        self._tables = str(tables_of(ground))
        self._ours: Tablebase = open_tablebase(self._tables)

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        if draw.random() < _APART:
            return self._apart(draw)
        lines = [self._line(draw) for _ in range(draw.choice((1, 1, 3, 10)))]
        words = ["probe", "--tables", self._tables, *draw.choice(([], ["--json"], ["-q"], ["--moves"], ["--line"]))]
        if draw.random() < 0.2:
            record = mangled(draw, a_record(draw).encode()) if draw.random() < 0.5 else a_record(draw).encode()
            words += ["--record", _argument(record)]
        given = b""
        if draw.random() < 0.5:
            given = b"\n".join(lines)
            words.append("-")
        else:
            words += [_argument(line) for line in lines]
        ran = command.run_here(words, given, draw.choice(("utf-8", "utf-8", "utf-8", "ascii", "latin-1")))
        command.judge(ran, CODES)
        did = Counter({f"exit {ran.code}": 1, "positions": len(lines)})
        if "--json" in words and "--record" not in words:
            did["answers compared"] += self._compare(ran)
        return did

    def _line(self, draw: random.Random) -> bytes:
        fen = a_fen(draw).encode()
        return fen if draw.random() < 0.3 else mangled(draw, fen, [a_fen(draw).encode()])

    def _compare(self, ran: command.Ran) -> int:
        """Compare answers with those for the position as python-chess reads it."""
        compared = 0
        for line in ran.out.splitlines():
            told = json.loads(line)
            if "error" in told:
                continue
            fields = typed(told["fen"]).strip().strip("\"'").split()
            try:
                board = chess.Board(" ".join(fields[:6]))
                record = fields[6] if len(fields) > 6 and board.halfmove_clock else None
                found = self._ours.probe(board, record)
            except (ValueError, TbgenError):
                raise ran.fail("an answer to what is no position") from None
            if (told["gscore"], told["dtg"]) != (found.gscore, found.dtg):
                raise ran.fail(f"WRONG: {found.gscore} in {found.dtg} is right")
            compared += 1
        return compared

    def _apart(self, draw: random.Random) -> Counter[str]:
        """The command in a process of its own: closed or full streams, locales, an endless line."""
        if draw.random() < 0.02:
            ran = command.run_apart(
                ["probe", "--tables", self._tables, "-"], draw.choice((b"8", b"\0", b"\xff", b"8/")) * _HUGE,
                memory=_BASE + 2 * _HUGE,
            )  # fmt: skip
            command.judge(ran, CODES)
            return Counter({"lines of 64 MiB": 1})
        words = ["probe", "--tables", self._tables, draw.choice(("-q", "--json", "--moves", "--line")), "-"]
        words += [_argument(self._line(draw)).replace("\0", "")]
        redirect = draw.choice(_STREAMS)
        given = b"\n".join(self._line(draw) for _ in range(3))
        ran = command.run_apart(words, given, redirect=redirect, LC_ALL=draw.choice(_LOCALES))
        command.judge(ran, CODES if not redirect else command.CODES)
        return Counter({"processes": 1, f"exit {ran.code}": 1})


def _argument(data: bytes) -> str:
    """A word of a command line: it comes as bytes, and without NUL."""
    return os.fsdecode(data.replace(b"\0", b""))
