"""Files of openings, one reader for each format.

Whatever the format, a reader gives `OpeningText`s, of which only those that are played are understood.
"""

import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import chess
import chess.polyglot

from tbgen.errors import BadInput
from tbgen.rules.fen import Fen, read_fen
from tbgen.rules.pgn import moves as pgn_moves
from tbgen.rules.pgn import san
from tbgen.rules.pgn.split import RESULTS, units
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.rulesets import RuleSet
from tbgen.rules.scoring import Komi
from tbgen.rules.tags import KOMI, VARIANT, read_start, variant_of
from tbgen.rules.variants import CHESS, Variant
from tbgen.system.compressed_files import bare_suffix, reading
from tbgen.system.text import lines, typed

_EPD_FIELDS: Final = 4
_LONGEST: Final = 1 << 16
"""Bytes of a line of EPD that are read."""
_LARGEST: Final = 1 << 30
"""Bytes of all openings, unpacked; a packed file of a few KiB may have any number."""
_OVERHEAD: Final = 150
"""Bytes of memory that an opening takes beside its text."""
_PIECE: Final = 1 << 17
_OPERATION: Final = re.compile(r"\b[A-Za-z]\w*+(?: [^;]*+)?+;")
"""One of an EPD. To be looked for up to a line's last semicolon, so that a long line takes no long time."""
_DEPTH: Final = 16
"""Plies that are made by a polyglot book, if nobody says how many."""
_TRIES: Final = 200
"""Ways through a polyglot book that are tried for another opening."""
_MOST_LINES: Final = 100_000
"""Openings that are made of a polyglot book."""


class Kind(NamedTuple):
    """How openings are to be understood."""

    rules: RuleSet
    plies: int | None = None
    """Moves of each that are made at most."""
    chess960: bool = False
    """Whether all are of Chess960, whatever their rights say."""
    variant: Variant = CHESS
    """What all are of."""

    @property
    def name(self) -> str:
        """What is played, if not the usual chess."""
        return "Chess960" if self.chess960 else "" if self.variant is CHESS else self.variant.name


class OpeningText(NamedTuple):
    """An opening as it stands in its file."""

    line: int
    text: str | bytes
    """A game of a PGN as bytes; a FEN, an EPD or, behind a colon, moves."""


class BookLine(NamedTuple):
    """What an opening says."""

    start: Fen
    moves: tuple[chess.Move, ...] = ()
    komi: Komi | None = None


def read(path: Path, wanted: int, kind: Kind, seed: int) -> list[OpeningText]:
    """The openings of a file, in order. Of a polyglot book there are as many as are wanted, if it has as many."""
    if is_polyglot(path):
        if kind.variant is not CHESS:
            raise BadInput(f"a polyglot book is of chess, not of {kind.variant.name}: {path}")
        return list(_polyglot(path, wanted, kind, seed))
    found = []
    size = 0
    for source in _games(path) if bare_suffix(path) == ".pgn" else _lines(path):
        size += len(source.text) + _OVERHEAD
        if size > _LARGEST:
            raise _too_large(path)
        found.append(source)
    return found


def is_polyglot(path: Path) -> bool:
    """Whether a file has no openings in order, but moves for positions."""
    return bare_suffix(path) == ".bin"


def understood(source: OpeningText, kind: Kind) -> BookLine:
    """What an opening says; BadInput if it says nothing."""
    if isinstance(source.text, bytes):
        return _from_game(source.text, kind)
    if source.text.startswith(":"):
        moves = tuple(map(chess.Move.from_uci, source.text[1:].split()))
        return BookLine(Fen(chess.Board(chess960=kind.chess960), None), moves)
    return _from_line(source.text, kind)


# --- the readers ------------------------------------------------------------------------------------------------


def _games(path: Path) -> Iterator[OpeningText]:
    with reading(path) as file:
        for unit in units(file):
            if unit.fault is None and unit.number:  # else it is blank, or comments alone
                yield OpeningText(unit.line, unit.data)


def _lines(path: Path) -> Iterator[OpeningText]:
    with reading(path) as file:
        for number, line in enumerate(lines(file, _LONGEST), start=1):
            text = line.text.strip()
            if text and not line.text.startswith(("#", "%", ":")):
                yield OpeningText(number, text)


def _polyglot(path: Path, wanted: int, kind: Kind, seed: int) -> Iterator[OpeningText]:
    """Ways through a book by the weights of its moves, no two of them alike."""
    chance = random.Random(seed)
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as directory:
        bare = path
        if path.suffix.casefold() != ".bin":
            bare = Path(directory) / "book.bin"
            with reading(path) as packed, bare.open("wb") as plain:
                while piece := packed.read(_PIECE):
                    plain.write(piece)
                    if plain.tell() > _LARGEST:
                        raise _too_large(path)
        with _book(bare, path) as book:
            while len(seen) < min(wanted, _MOST_LINES):
                ways = (_way(book, _DEPTH if kind.plies is None else kind.plies, chance) for _ in range(_TRIES))
                way = next((way for way in ways if way and way not in seen), None)
                if way is None:
                    return
                seen.add(way)
                yield OpeningText(len(seen), f":{way}")


def _too_large(path: Path) -> BadInput:
    return BadInput(f"more than {_LARGEST >> 20} MiB of openings in {path}: take part of them")


def _book(bare: Path, path: Path) -> chess.polyglot.MemoryMappedReader:
    try:
        return chess.polyglot.open_reader(bare)
    except OSError as error:
        if error.errno is not None:
            raise
        raise BadInput(f"not a polyglot book: {path}") from None


def _way(book: chess.polyglot.MemoryMappedReader, plies: int, chance: random.Random) -> str:
    board = chess.Board()
    while len(board.move_stack) < plies:
        entries = list(book.find_all(board))
        weights = [entry.weight for entry in entries]
        if not any(weights):
            break
        board.push(chance.choices(entries, weights)[0].move)
    return " ".join(move.uci() for move in board.move_stack)


# --- one opening ------------------------------------------------------------------------------------------------


def _from_game(source: bytes, kind: Kind) -> BookLine:
    section = TagSection(source)
    headers = dict(section.headers)
    if (own := variant_of(headers)) not in (kind.variant, CHESS):
        raise BadInput(f"an opening of {own.name}, which --variant {own.uci} plays")
    if kind.name:
        headers[VARIANT] = kind.name
    start = read_start(headers, whole_game=kind.rules.whole_game)
    komi = headers.get(KOMI)
    playing = start.board.copy(stack=False)
    # A book's games may end without a result.
    for token in pgn_moves.read(f"{section.text}\n*").tokens:
        if kind.plies is not None and len(playing.move_stack) >= kind.plies:
            break
        step = None if token in RESULTS else san.step(token)
        if step is not None:
            san.play(playing, step)
    return BookLine(start, tuple(playing.move_stack), None if komi is None else Komi.parse(komi))


def _from_line(line: str, kind: Kind) -> BookLine:
    """An opening from an EPD, or from a FEN with or without a record."""
    line = typed(line)
    fields = line.split()
    if len(fields) > _EPD_FIELDS and _OPERATION.search(line, 0, line.rfind(";") + 1):
        board = kind.variant.board(chess960=True)  # others forget rights that only Chess960 knows
        try:
            board.set_epd(line)
        except ValueError as error:
            raise BadInput(f"not an EPD: {error}") from None
        line = board.fen()
    return BookLine(read_fen(line, whole_game=kind.rules.whole_game, chess960=kind.chess960, variant=kind.variant))
