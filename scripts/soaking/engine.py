"""What a chess program may say to `tbgen uci`, and much that none would."""

import random
from collections import Counter
from pathlib import Path
from typing import Final

from soaking import command
from soaking.case import Limits
from soaking.ground import tables_of
from soaking.mangle import mangled
from soaking.positions import a_fen

_APART: Final = 0.003
_HUGE: Final = 64 << 20
_BASE: Final = 220 << 20
_ANSWERS: Final = (b"id ", b"option ", b"uciok", b"readyok", b"info ", b"bestmove ")
_MOVES: Final = (b"e2e4", b"e7e5", b"g1f3", b"a1a2", b"e1g1", b"a7a8q", b"0000", b"e7e8k", b"e2e9")
_LINES: Final = (
    b"uci", b"isready", b"ucinewgame", b"position startpos", b"position startpos moves e2e4 e7e5", b"go",
    b"go infinite", b"stop",
    b"go depth 3", b"go wtime 100 btime -3 movestogo 0", b"go searchmoves e2e4 a1a2 depth 1", b"go ponder",
    b"ponderhit",
    b"setoption name MultiPV value 3", b"setoption name MultiPV value 999999999999999999999",
    b"setoption name Rules value wg",
    b"setoption name Rules value r", b"setoption name UCI_Chess960 value true", b"setoption name Tables value none",
    b"d", b"debug on",
    b"setoption", b"setoption name", b"position", b"position fen", b"go mate 1", b"register later",
    b"position fen 8/8/8/8/8/8/8/8 w - -",
)  # fmt: skip


class Engine:
    limits = Limits(seconds=60, memory=200 << 20, lives=4000)

    def __init__(self, ground: Path) -> None:
        self._tables = str(tables_of(ground))

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        lines = [self._line(draw) for _ in range(draw.choice((1, 3, 8, 20)))]
        given = b"\n".join([*lines, b"stop", b"isready", b"quit", b"go"]) + b"\n"
        words = ["uci", "--tables", self._tables, "--rules", draw.choice(("r", "wg"))]
        if draw.random() < _APART:
            return self._apart(draw, words, given)
        ran = command.run_here(words, given, draw.choice(("utf-8", "utf-8", "ascii", "latin-1")))
        self._judge(ran, ended=any(b"quit" in line for line in lines))
        return Counter({"lines": len(lines), "moves": ran.out.count(b"bestmove ")})

    def _judge(self, ran: command.Ran, *, ended: bool) -> None:
        command.judge(ran, (0,))
        answers = ran.out.splitlines()
        for line in answers:
            if not line.startswith(_ANSWERS):
                raise ran.fail(f"no answer of an engine: {line!r}")
        if not ended and answers[-1:] != [b"readyok"]:
            raise ran.fail("it does not go on to the end")

    def _line(self, draw: random.Random) -> bytes:
        line = draw.choice(_LINES)
        if draw.random() < 0.4:
            line = b"position fen " + a_fen(draw).encode()
            if draw.random() < 0.4:
                line += b" moves " + b" ".join(draw.choices(_MOVES, k=draw.choice((1, 3))))
        elif draw.random() < 0.2:
            line = b"go"
        return line if draw.random() < 0.5 else mangled(draw, line, _LINES).replace(b"\n", b" ")

    def _apart(self, draw: random.Random, words: list[str], given: bytes) -> Counter[str]:
        if draw.random() < 0.05:
            ran = command.run_apart(words, draw.choice((b"go ", b"\0", b"\xff", b"x")) * _HUGE, memory=_BASE + _HUGE)
            command.judge(ran, (0,))
            return Counter({"lines of 64 MiB": 1})
        redirect = draw.choice(("", "<&-", ">&-", "2>&-", ">/dev/full"))
        ran = command.run_apart(
            words, given, redirect=redirect, LC_ALL=draw.choice(("C", "C.UTF-8", "en_US.ISO-8859-1"))
        )
        command.judge(ran, command.CODES if redirect else (0,))
        return Counter({"processes": 1})
