"""One look: tbgen/drawing/look.css has all colours, every page has that sheet, and every drawn board its squares."""

import re
import struct
import zlib
from pathlib import Path

import chess
import pytest

from tbgen.drawing import SHEET, palette
from tbgen.drawing.board import picture, shared
from tbgen.drawing.png import HEIGHT, SIDE, WIDTH, can_draw, png
from tests.support.places import ROOT

COLOUR = re.compile(
    r"""(?<![\w&/(-])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b(?!-)|\b(?:rgb|hsl)a?\(""", re.IGNORECASE
)
USED = re.compile(r"var\(--([\w-]+)\)")
ALLOWED = {
    "tbgen/cli/show.py": "a terminal's men are letters: both colours must be read on both squares",
    "tbgen/drawing/board.py": "the margin of a board is transparent",
    "tbgen/web/pages/static/icon.svg": "no style sheet reaches an icon",
}
SOURCES = [
    path
    for folder in ("tbgen", "scripts", "docs/site")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".css", ".html", ".js", ".py", ".svg"} and "chessground" not in path.parts and path != SHEET
]


def test_colours_stand_in_one_place() -> None:
    found = {
        str(path.relative_to(ROOT)): literals
        for path in SOURCES
        if (literals := COLOUR.findall(path.read_text(encoding="utf-8")))
    }
    assert {name: literals for name, literals in found.items() if name not in ALLOWED} == {}
    assert found.keys() == ALLOWED.keys(), "an exception that is none"


@pytest.mark.parametrize("wrong", ["color: #fff;", 'fill="#b58863"', "rgb(1, 2, 3)", "on #8a6a4f", "#00000080"])
def test_a_colour_elsewhere_is_found(wrong: str) -> None:
    assert COLOUR.search(wrong)


@pytest.mark.parametrize("path", [path for path in SOURCES if path.suffix == ".css"], ids=lambda path: path.name)
def test_sheets_use_colours_that_there_are(path: Path) -> None:
    known = palette().keys() | {"s"}  # --s: the share of a table's cell, set where it stands
    assert set(USED.findall(path.read_text(encoding="utf-8"))) <= known


def test_nothing_in_the_palette_is_unused() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in (*SOURCES, SHEET))
    unused = [
        name for name in palette() if f"var(--{name})" not in texts and f'"{name}"' not in texts.replace("{", '"')
    ]
    assert unused == []


def test_night_changes_what_day_has() -> None:
    by_day, by_night = palette(), palette(dark=True)
    assert by_night.keys() == by_day.keys()
    assert by_night["paper"] != by_day["paper"]
    assert by_night["light-square"] == by_day["light-square"]


@pytest.mark.parametrize("ink", ["ink", "faint", "link", "bad", "good"])
@pytest.mark.parametrize("ground", ["paper", "shade"])
@pytest.mark.parametrize("dark", [False, True])
def test_words_can_be_read(ink: str, ground: str, *, dark: bool) -> None:
    """The contrast that WCAG asks for text."""
    colours = palette(dark=dark)
    lighter, darker = sorted((_luminance(colours[ink]), _luminance(colours[ground])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_boards_have_the_squares_of_the_palette() -> None:
    for board in (picture(chess.Board()), shared()):
        assert palette()["light-square"] in board
        assert palette()["dark-square"] in board


def test_a_picture_of_a_position_is_a_png() -> None:
    """Read by what the format says, with squares and men where they belong."""
    data = png(chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    parts, at = {}, 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + size
    assert struct.unpack(">IIBBBBB", parts[b"IHDR"]) == (WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    rows = zlib.decompress(parts[b"IDAT"])
    assert len(rows) == HEIGHT * (1 + 3 * WIDTH)

    def middle(square: str) -> bytes:
        """The pixel in the middle of a square."""
        x = (WIDTH - 8 * SIDE) // 2 + "abcdefgh".index(square[0]) * SIDE + SIDE // 2
        y = (HEIGHT - 8 * SIDE) // 2 + (8 - int(square[1])) * SIDE + SIDE // 2
        place = y * (1 + 3 * WIDTH) + 1 + 3 * x
        return rows[place : place + 3]

    light, dark = (bytes.fromhex(palette()[f"{kind}-square"][1:]) for kind in ("light", "dark"))
    assert (middle("a1"), middle("h1"), middle("d4")) == (dark, light, dark)
    assert middle("e5") not in (light, dark)
    assert middle("g5") not in (light, dark)
    assert can_draw(chess.Board())


def test_the_icon_has_colours_of_the_palette() -> None:
    icon = (ROOT / "tbgen/web/pages/static/icon.svg").read_text(encoding="utf-8")
    assert set(COLOUR.findall(icon)) <= set(palette().values())
