"""Text from outside: how it is read and how it is shown. Both are decided here only.

Read: bytes are UTF-8; where they are not, they are Latin-1, as the PGN standard has it. So every byte can be read. The
names of files are the exception: they are read as the system reads them (`os.fsdecode`), to be found again. What is
pasted has a typesetter's signs where programs have those of a keyboard: `typed` is for what a program must understand.

Shown: a line is a line. Characters that could steer a terminal (controls, marks of direction) are written as escapes,
and so are bytes that are not text and characters that the encoding lacks. `prepare` does this to the standard streams.
"""

import codecs
import io
import json
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, TextIO

from tbgen.errors import BadInput

BOM: Final = codecs.BOM_UTF8
"""The byte order mark, which some editors put at the head of a file. It is not text."""

INPUT: Final = "standard input"
OUTPUT: Final = "standard output"
"""The names of standard streams in messages."""

SIDES: Final = {True: "White", False: "Black"}
"""What they are called, by colour."""

_LACKING: Final = "tbgen.lacking"
_PLAIN: Final = str.maketrans(
    {"±": "+/-", "×": "x", "–": "-", "−": "-", "—": "-", "’": "'", "…": "...", "━": "-"}
    | dict(zip("♚♛♜♝♞♟", "KQRBNP", strict=True))
)
"""Our own signs, for encodings that lack them."""

_BEYOND_PRINTABLE: Final = re.compile(r"[^\x00-\x7e]")
"""Characters that JSON need not escape, but that an encoding may lack or a terminal obey: DEL is a control."""
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False).encode
"""`json.dumps` would make an encoder for each object."""
_NO_BREAK: Final = "\u00a0"
_TOGETHER: Final = re.compile(r"(?<=\d) (?=%|ply\b|plies\b)|(?<=[\d.]\.) ")
"""Spaces between a number and what it counts, and between the number of a move and the move."""
_PIECE: Final = 1 << 16
_LENGTH: Final = re.compile("[1-9][0-9]{0,4}")
"""Of a line, or of a terminal."""
_BYTES: Final = range(0xDC80, 0xDD00)
"""The characters that Python puts for bytes of a file's name that it cannot decode."""


class _Typed(dict[int, str]):
    """What is typed for a character, by its code: what is named, else what goes for its category."""

    def __missing__(self, code: int) -> str:
        return _OF_CATEGORY.get(unicodedata.category(chr(code)), chr(code))


_OF_CATEGORY: Final = {"Pd": "-", "Zs": " ", "Cf": "", "Pi": '"', "Pf": '"'}
"""Dashes, spaces, what has no width, quotation marks."""
_TYPED: Final = _Typed(str.maketrans({"−": "-", "„": '"', "½": "1/2", "×": "x", "…": "..."}))
_TYPED.update(dict.fromkeys(range(0x91, 0x95), '"') | dict.fromkeys((0x96, 0x97), "-") | {0x85: "..."})
"""Signs of Windows, where they have been read as Latin-1."""


class LineReader(Protocol):
    """A file opened for reading bytes."""

    def readline(self, limit: int, /) -> bytes:
        """The next line, or that much of it; nothing at the end."""


class Line(NamedTuple):
    """A line without its end."""

    text: str
    whole: bool
    """False where the line was longer than allowed, and the rest of it is left out."""


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-8 if they are, else Latin-1."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def typed(words: str) -> str:
    """Words with the signs of a keyboard in place of a typesetter's: `b - -` for `b – –`, `1/2-1/2` for `½–½`."""
    return words if words.isascii() else words.translate(_TYPED)


def lines(source: LineReader, longest: int, decode: Callable[[bytes], str] = decoded) -> Iterator[Line]:
    """The lines of a file, of each at most `longest` bytes: any input takes bounded memory."""
    limit = longest + len(BOM + b"\r\n")
    data = source.readline(limit)
    first = data.removeprefix(BOM)
    while data:
        ended = len(data) < limit or data.endswith(b"\n")
        line = (first or data).rstrip(b"\r\n") if ended else data
        rest = data
        while rest and not rest.endswith(b"\n"):
            rest = source.readline(_PIECE)
        yield Line(decode(line[:longest]), ended and len(line) <= longest)
        data = first = source.readline(limit)


def lines_of_input(longest: int, decode: Callable[[bytes], str] = decoded) -> Iterator[Line]:
    """The lines of standard input."""
    with named(INPUT):
        yield from lines(standard_input(), longest, decode)


def shown(words: str) -> str:
    """Words as they may stand in a line on a terminal."""
    return words if words.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in words)


def counted(count: int, what: str) -> str:
    """`1 table`, `2 tables`, `52,696 positions`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def plies(count: int) -> str:
    """A number of plies in words: `4 plies`."""
    return f"{count} {'ply' if count == 1 else 'plies'}"


def size_of(count: float) -> str:
    """A number of bytes in words: `3.4 GiB`."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < 1024 or unit == "TiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"


def time_of(seconds: float) -> str:
    """A time in words: `2.7 h`."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} s"


def wrapped(words: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most this width. What belongs together stays in one: `97.8 %`, `12 plies`, `31. Kb4`."""
    lines = textwrap.wrap(_TOGETHER.sub(_NO_BREAK, words), width, initial_indent=indent, subsequent_indent=indent)
    return [line.replace(_NO_BREAK, " ") for line in lines]


def to_json(found: Any, indent: int | None = None) -> str:
    """JSON in ASCII, for an output of any encoding. Bytes that are not text are escapes: JSON has only text."""
    words = _COMPACT(found) if indent is None else json.dumps(found, indent=indent, ensure_ascii=False)
    return _BEYOND_PRINTABLE.sub(_json_of, words)


def from_json(words: bytes | str) -> Any:
    """What somebody sent, if it is JSON; BadInput where it is not, or nested without end."""
    try:
        return json.loads(words if isinstance(words, str) else decoded(words.removeprefix(BOM)))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from None


def say(*words: str, file: TextIO | None = None, flush: bool = False) -> None:
    """Print lines, on standard output if not told otherwise."""
    for line in words:
        print(shown(line), file=file)
    if flush:
        (file or sys.stdout).flush()


def width(stream: TextIO | None = None) -> int | None:
    """How many characters a line may have on the terminal that a stream leads to, standard output if not given; None
    for files and pipes."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def prepare(*, heedless: bool = False) -> None:
    """Make the standard streams fit for use, so that no other module has to handle their faults.

    `heedless`: output that cannot be printed does not stop the work; `finish_output` reports it at the end.

    A closed stream becomes one that fails (input, output) or swallows everything (errors). Otherwise the next file
    to be opened would take its number, and what is printed would go into that file. A terminal is as wide as it says,
    unless the user names a width that there can be.
    """
    for name in ("COLUMNS", "LINES"):
        if not _LENGTH.fullmatch(os.environ.get(name, "")):
            os.environ.pop(name, None)
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # it gets the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    is_closed = sys.stdout is None
    if is_closed:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is sys.__stderr__:
        encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
        sys.stderr = _Heedless(open(2, "wb", closefd=False), encoding, _LACKING, line_buffering=True)  # noqa: SIM115
    if heedless and (is_closed or sys.stdout is sys.__stdout__):
        old = sys.stdout
        sys.stdout = _Heedless(open(1, "wb", closefd=False), old.encoding, line_buffering=old.isatty())  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_LACKING)


def standard_input() -> BinaryIO:
    return sys.stdin.buffer


def standard_output() -> BinaryIO:
    """Standard output for data, which is bytes. What was printed before it comes first."""
    sys.stdout.flush()
    return sys.stdout.buffer


def finish_output() -> OSError | None:
    """Flush standard output. Returns its error, if any; Python does not try again at exit."""
    failure = None
    try:
        sys.stdout.flush()
    except OSError as error:
        failure = error
    if isinstance(sys.stdout, _Heedless):
        failure = sys.stdout.failure
    if failure is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        failure.filename = OUTPUT
    return failure


@contextmanager
def named(name: str) -> Iterator[None]:
    """Give this name to the system's errors that lack one: a full disk, a standard stream."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = name
        raise


class _Heedless(io.TextIOWrapper):
    """A stream that may have no reader left: a message that is not read is no reason to stop."""

    failure: OSError | None = None

    def write(self, words: str, /) -> int:
        try:
            return super().write(words)
        except OSError as error:
            self.failure = self.failure or error
            return len(words)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self.failure = self.failure or error


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if code in _BYTES else character.encode("unicode_escape").decode()


def _json_of(match: re.Match[str]) -> str:
    character = match[0]
    words = _escaped(character) if "\ud800" <= character <= "\udfff" else character
    return json.dumps(words)[1:-1]


def _without(error: UnicodeError) -> tuple[str, int]:
    """The text that replaces characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    words = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(c if c.isascii() else _escaped(c) for c in words), error.end


codecs.register_error(_LACKING, _without)
