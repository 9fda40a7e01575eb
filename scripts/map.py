"""Draw docs/map.svg from the table in tests/test_rooms.py: which part of the package knows which.

An arrow goes from a room to one that it imports from. Where a way over others leads there too, there is none.
"""

import argparse
import ast
import sys
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.look import palette

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "map.svg"


class Box(NamedTuple):
    """Rooms that are drawn as one."""

    x: int
    """Of its middle."""
    row: int
    """From the ground up."""
    about: tuple[str, ...]
    rooms: str = ""
    """Those of the table; if there are none, those of its name and in the folder of that name."""
    width: int = 190


COMMON: Final = (
    "_version called errors where meant turns repeat sizes machine text columns files safe_files packed interrupts "
    "outcome table_rules men look material position contents arrays"
)
BOXES: Final = {
    "what everybody speaks of": Box(
        500,
        0,
        (
            "errors  where  meant  text  columns  files  safe_files  packed  interrupts  turns  repeat  sizes  machine",
            "men  look  material  position  outcome  table_rules  contents  arrays",
        ),
        COMMON,
        900,
    ),
    "jit": Box(330, 1, ("the compiler, and its cache on disk",), "kept bundles compiling jit intrinsics", 260),
    "steps": Box(560, 2, ("a step of a staircase", "in one integer"), width=170),
    "board": Box(330, 2, ("squares, attacks, legal moves",), width=260),
    "index": Box(330, 3, ("position to number and back",), width=260),
    "retro": Box(105, 4, ("the solver:", "threads  values", "graph  survey  sweep", "solver  export")),
    "store": Box(470, 4, ("tables on disk:", "format  read  write", "disk arrays, entry cache,", "locks, leftovers")),
    "rules, potential": Box(
        800, 4, ("the game around", "the tables: records,", "endings, what men hope for"), "rules potential"
    ),
    "cluster": Box(225, 5, ("tasks for processes", "of a dask cluster"), width=150),
    "verify": Box(
        401, 5, ("the second opinion",)
    ),
    "probe": Box(600, 5, ("tables asked,", "without a compiler")),
    "pgn": Box(850, 5, ("games as bytes,", "moves, tags")),
    "generate": Box(105, 6, ("plan, forecast, build,", "resume")),
    "fortress": Box(500, 6, ("more men: what is sure,", "and a checker of proofs"), "fortress checker certificate"),
    "report": Box(697, 6, ("what all positions", "of tables add up to")),
    "referee": Box(895, 7, ("adjudicate, annotate,", "match, player (UCI)")),
    "local": Box(204, 7, ("more men: tables of", "a single position")),
    "slim": Box(404, 7, ("slim tables,", "and whole ones again"), width=180),
    "pages": Box(697, 8, ("explorer, materials, games", "for browsers")),
    "export": Box(574, 7, ("positions as", "HDF5, CSV"), width=150),
    "serve": Box(796, 9, ("the tables over HTTP",)),
    "publish": Box(796, 10, ("tables for web hosts",)),
    "prove": Box(303, 8, ("what can be proved", "of a single position")),
    "tbgen": Box(303, 9, ("import tbgen:", "open_tablebase, solve"), "tbgen"),
    "cli": Box(600, 11, ("one module per command",)),
}  # fmt: skip

WIDTH: Final = 1000
LINE: Final = 17
GAP: Final = 44
MARGIN: Final = 20
_BY_COLOUR: Final = """\
text {{ fill: {faint} }}
.name {{ fill: {ink} }}
.paper {{ fill: {paper} }}
.box {{ fill: {shade}; stroke: {b2} }}
.arrow {{ stroke: {b2} }}
.tip {{ fill: {b2} }}"""
STYLE: Final = f"""\
text {{ font: 13px system-ui, sans-serif; text-anchor: middle }}
.name {{ font-weight: bold; font-size: 15px }}
.box {{ rx: 6px }}
.arrow {{ stroke-width: 1.5; fill: none }}
{_BY_COLOUR.format_map(palette())}
@media (prefers-color-scheme: dark) {{
{_BY_COLOUR.format_map(palette(dark=True))}
}}"""


def table() -> dict[str, list[str]]:
    """What each room may import from."""
    module = ast.parse((ROOT / "tests" / "test_rooms.py").read_text(encoding="utf-8"))
    (rooms,) = (
        node.value for node in module.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROOMS"
    )
    return {room: names.split() for room, names in ast.literal_eval(rooms).items()}


def box_of(room: str) -> str:
    for name, box in BOXES.items():
        if room in box.rooms.split() if box.rooms else room.split("/", maxsplit=1)[0] == name:
            return name
    raise SystemExit(f"scripts/map.py has no box for the room {room}")


def arrows() -> list[tuple[str, str]]:
    """From each box to those that it knows, but for what follows from other arrows."""
    knows: dict[str, set[str]] = {name: set() for name in BOXES}
    for room, names in table().items():
        knows[box_of(room)] |= {box_of(name) for name in names} - {box_of(room)}

    def reached(name: str) -> set[str]:
        return knows[name].union(*map(reached, knows[name]))

    return [
        (name, other)
        for name in BOXES
        for other in BOXES
        if other in knows[name] and not any(other in reached(between) for between in knows[name])
    ]


def draw() -> str:
    rows = 1 + max(box.row for box in BOXES.values())
    lines = {row: max(len(box.about) for box in BOXES.values() if box.row == row) for row in range(rows)}
    heights = {row: LINE * (count + 1) + 16 for row, count in lines.items()}
    tops = {row: MARGIN + sum(heights[above] + GAP for above in range(row + 1, rows)) for row in lines}
    height = tops[0] + heights[0] + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Map of tbgen">',
        f"<style>\n{STYLE}\n</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
    ]
    for name, other in arrows():
        upper, lower = BOXES[name], BOXES[other]
        assert upper.row > lower.row, f"{name} stands on {other}"
        start = min(max(lower.x, upper.x - upper.width // 3), upper.x + upper.width // 3)
        end = min(max(start, lower.x - lower.width // 3), lower.x + lower.width // 3)
        parts.append(
            f'<path class="arrow" marker-end="url(#tip)" '
            f'd="M{start} {tops[upper.row] + heights[upper.row]}L{end} {tops[lower.row]}"/>'
        )
    for name, box in BOXES.items():
        left, top = box.x - box.width // 2, tops[box.row]
        parts.append(
            f'<rect class="box" x="{left}" y="{top}" width="{box.width}" height="{heights[box.row]}"/>'
            f'<text class="name" x="{box.x}" y="{top + 8 + LINE - 3}">{escape(name)}</text>'
        )
        parts += [
            f'<text x="{box.x}" y="{top + 8 + LINE * (2 + at) - 3}" xml:space="preserve">{escape(line)}</text>'
            for at, line in enumerate(box.about)
        ]
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/map.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="draw nothing; fail if it is not what would be drawn")
    args = parser.parse_args()
    picture = draw()
    if not args.check:
        PICTURE.write_text(picture, encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != picture:
        print(f"{PICTURE.name} is not what the rooms say: run scripts/map.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
