"""What engines say, made safe to read: no output of an engine keeps its game waiting for long.

The client library reads every line in full. So lines are cut before it sees them, those that say nothing to a referee
are left out, and an engine that writes faster than anybody could read has to wait. Nor is a move that comes too late
taken for an answer to the next question.
"""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

import chess
from chess.engine import Info, InfoDict, Protocol, UciProtocol

from tbgen.referee.match.figures import uci_figures
from tbgen.rules import variants
from tbgen.system.text import decoded, shown

LOGGER: Final = logging.getLogger("chess.engine")
"""The client library's. What is left out goes there as well, for the log has everything."""

LONGEST: Final = 1 << 16
"""Bytes of a line that are kept; lists of options are long."""
_LONGEST_INFO: Final = 1 << 12
"""The same of a line of figures. What counts stands at its beginning."""
_PACE: Final = 8 << 20
"""Bytes a second that an engine may write."""
_AT_ONCE: Final = 1 << 16
"""Bytes that cost it no time."""
_OUT, _ERR = 1, 2
_LAST_WORDS: Final = 3
"""Lines of standard error that are kept."""
_LONGEST_WORDS: Final = 200
"""Characters of them that are shown."""
_CHESS960: Final = "UCI_Chess960"
_VARIANT: Final = "UCI_Variant"
_KNOWN: Final = (b"bestmove", b"readyok", b"uciok", b"id ", b"option", b"copyprotection", b"registration")
_MOVE: Final = b"bestmove"
_READY: Final = b"readyok"
_INFO: Final = b"info"
_SCORE: Final = b" score "
_MULTIPV: Final = b" multipv "
_FIRST: Final = b" multipv 1 "
WATCHED: Final = Info.BASIC | Info.SCORE | Info.PV
"""What is shown of an engine's thinking while it thinks."""


class Guarded(Protocol):
    """An engine whose lines are cut, chosen and paced."""

    record: str | None = None
    """The record that positions bear for it."""
    answer = ""
    """What it last gave for its move."""
    settling = False
    """Whether it has moved and not yet answered the `isready` behind that: another move would be a stale one."""

    def __init__(self) -> None:
        super().__init__()
        self._begun: dict[int, bytes] = {}
        self._words: deque[str] = deque(maxlen=_LAST_WORDS)

    @property
    def last_words(self) -> str:
        """The last lines of its standard error."""
        return " / ".join(self._words)[-_LONGEST_WORDS:]

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        raw = data.encode() if isinstance(data, str) else data
        *whole, rest = (self._begun.get(fd, b"") + raw).split(b"\n")
        self._begun[fd] = rest[:LONGEST]
        lines: Iterable[bytes] = self.choose(whole) if fd == _OUT else whole[-_LAST_WORDS:]
        # The client library leaves out lines that are not UTF-8.
        read = b"".join(decoded(line[:LONGEST]).encode() + b"\n" for line in lines)
        if read:
            super().pipe_data_received(fd, read)
        if len(raw) > _AT_ONCE:
            self._pause(fd, len(raw) / _PACE)

    def error_line_received(self, line: str) -> None:
        super().error_line_received(line)
        if line.strip():
            self._words.append(shown(line.strip()[:_LONGEST_WORDS]))

    def choose(self, lines: list[bytes]) -> Iterable[bytes]:
        """The lines that are worth reading."""
        return lines

    def _pause(self, fd: int, seconds: float) -> None:
        transport = self.transport
        pipe = None if transport is None else transport.get_pipe_transport(fd)
        if pipe is not None:
            pipe.pause_reading()  # type: ignore[attr-defined]
            self.loop.call_later(seconds, pipe.resume_reading)  # type: ignore[attr-defined]


class Uci(Guarded, UciProtocol):
    """UCI, except that a position may bear a record, and that not every line is read: of all figures the last ones,
    together with the move."""

    _figures = b""
    """The last line of figures about the present question."""

    def lacks(self, board: chess.Board) -> str:
        """What the engine would have to know for a game from this position; nothing if it knows it."""
        if variants.of(board) is not variants.CHESS:
            option = self.options.get(_VARIANT)
            if option is None or board.uci_variant not in (option.var or ()):
                return f"{_VARIANT} {board.uci_variant}"
        return _CHESS960 if board.chess960 and _CHESS960 not in self.options else ""

    def begin(self, start: chess.Board, game: object) -> None:
        """Announce a game from a position: what `play` would do at the first move, but then on the engine's time."""
        self.game = game
        self.first_game = False
        if variants.of(start) is not variants.CHESS and not self.lacks(start):
            self._choose_variant(start.uci_variant)
        self.send_line("ucinewgame")

    def _choose_variant(self, variant: str | None) -> None:
        if self.config.get(_VARIANT) != variant:
            self.config[_VARIANT] = variant
            self.send_line(f"setoption name {_VARIANT} value {variant}")

    def send_line(self, line: str) -> None:
        if self.record is not None and line.startswith("position fen "):
            head, moves, rest = line.partition(" moves ")
            line = f"{head} {self.record}{moves}{rest}"
        elif line.startswith("go"):
            self._figures = b""
        super().send_line(line)

    def line_received(self, line: str) -> None:
        if line.startswith("bestmove"):
            self.answer = line.removeprefix("bestmove").strip()
        super().line_received(line)

    def choose(self, lines: list[bytes]) -> Iterator[bytes]:
        """The lines that say something to a referee: of all lines of figures the last before the move."""
        logs = LOGGER.isEnabledFor(logging.DEBUG)
        for line in lines:
            line = line.lstrip()
            if line.startswith(_INFO):
                told = line[:_LONGEST_INFO]
                if _SCORE in told and (_MULTIPV not in told or _FIRST in told):
                    self._figures, told = told, self._figures
                if logs and told:
                    self._log(told)
            elif line.startswith(_KNOWN) and not self._is_of_last_move(line):
                if self._figures and line.startswith(_MOVE):
                    yield self._figures
                    self._figures = b""
                yield line
            elif logs:
                self._log(line)

    def thinks(self, board: chess.Board) -> InfoDict:
        """What it says by now of the position that it is asked about."""
        return uci_figures(decoded(self._figures), board, WATCHED)

    def _is_of_last_move(self, line: bytes) -> bool:
        """Whether this is not for the client library: a move after the move, or the answer that makes an end of such.

        Nobody waits for that answer: it comes while the opponent thinks.
        """
        if not self.settling:
            if line.startswith(_MOVE):
                self.settling = True
                self.send_line("isready")
            return False
        if line.startswith(_READY):
            self.settling = False
        return line.startswith((_MOVE, _READY))

    def _log(self, line: bytes) -> None:
        LOGGER.debug("%s: >> %s", self, decoded(line[:LONGEST]))
