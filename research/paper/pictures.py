"""What the pictures and tables of the article show, as data that look.typ draws."""

from collections.abc import Iterator
from typing import Any, Final

import chess

from research.paper.sources import five_men, percent, placements, record, rows, table, unsigned
from tbgen import open_tablebase
from tbgen.core.outcome import held_by_black, held_by_white, text
from tbgen.core.position import level
from tbgen.report.grades import colour_class
from tbgen.store import BUNDLED

BARS: Final = (
    "KRBvKR", "KRNvKR", "KBNvKR", "KBBvKB", "KBNvKB", "KBNvKN", "KNNvKN", "KNNvKP", "KQNvKQ", "KQPvKQ", "KRPvKR",
    "KBPvKR", "KBPvKN", "KPPvKB", "KPPvKN",
)  # fmt: skip
"""Endings of which chess calls many positions drawn."""
GRADES: Final = ("w0", "w1", "w2", "w3", "b3", "b2", "b1", "b0")
"""From White's best to Black's best, as tbgen/drawing names their colours."""
HIGHEST: Final = 12
"""The level of the highest score that has a row of its own."""
BOARDS: Final = {"pinned": ("KRBvKR", "G1.0"), "queens": ("KQPvKQ", "G4.5"), "knights": ("KNNvKN", "G3.0")}
"""Positions with the longest way to a score."""
STEPS: Final = (0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9)
"""From which shares on a cell of the heat map has the next colour."""
MORE: Final = "more"
STAIRCASE: Final = "5N2/4k3/8/2K5/8/8/8/8 b - - 0 1"


def pictures() -> dict[str, Any]:
    return {
        "bars": list(_bars()),
        "heat": {"steps": [percent(step) for step in STEPS], "scores": [*_names(), MORE], "rows": list(_heat())},
        "longest": list(_longest()),
        "spread": list(_spread()),
        "costs": list(_costs()),
        "others": list(_others()),
        "reasons": table("research/potential/README.md", "Pair-o-Max says", "factor", "materials"),
        "boards": {"staircase": STAIRCASE} | {name: record(*which)["fen"] for name, which in BOARDS.items()},
        "staircase": _staircase(),
    }


def _value(gscore: str) -> int:
    found = round(2 * float(gscore.lstrip("-G")))
    return held_by_black(found) if gscore.startswith("-") else held_by_white(found)


def _bars() -> Iterator[dict[str, Any]]:
    """How the placements of an ending are won."""
    for material in BARS:
        found = placements("r", material)
        parts = dict.fromkeys(GRADES, 0)
        for gscore, many in found.items():
            parts[colour_class(_value(gscore))] += many
        yield {"material": material, "shares": [round(many / found.total(), 5) for many in parts.values()]}


def _heat() -> Iterator[str]:
    """Of each ending, the colour of each score's share, whichever side's it is: the number of the colour, or a dot."""
    for row in five_men("tables", "r"):
        found = unsigned(placements("r", row["material"]))
        shares = [found[gscore] / found.total() for gscore in _names()]
        shares.append(1 - sum(shares))
        grades = (sum(share >= step for step in STEPS) for share in shares)
        yield f"{row['material']} {''.join(str(grade - 1) if grade else '.' for grade in grades)}"


def _longest() -> Iterator[dict[str, Any]]:
    """The longest way to each score, whichever side's it is."""
    for gscore in _names():
        found = (row for row in five_men("records", "r") if row["gscore"].removeprefix("-") == gscore)
        best = max(found, key=lambda row: int(row["longest_dtg"]))
        yield {
            "gscore": gscore,
            "material": best["material"],
            "plies": int(best["longest_dtg"]),
            "positions": int(best["positions"]),
            "fen": best["fen"].removesuffix(" - - 0 1"),
        }


def _spread() -> Iterator[dict[str, str]]:
    """How often each score is forced, whichever side's it is."""
    found = {rules: unsigned(placements(rules)) for rules in ("r", "wg")}
    for gscore in _names():
        yield {"gscore": gscore} | {rules: percent(some[gscore] / some.total()) for rules, some in found.items()}
    left = {rules: 1 - sum(some[gscore] for gscore in _names()) / some.total() for rules, some in found.items()}
    yield {"gscore": "higher"} | {rules: percent(share) for rules, share in left.items()}


def _names() -> Iterator[str]:
    return (text(held_by_white(level)) for level in range(HIGHEST + 1))


def _costs() -> Iterator[dict[str, str]]:
    """Tables beside rtbgen: CPU seconds on the same machine."""
    small = table("docs/performance.md", "", "tbgen", "rtbgen", "ratio")
    five = table("docs/performance.md", "", "CPU", "rtbgen", "ratio")
    for material, ours, theirs, ratio, *rest in [*small, *five]:
        seconds = {"tbgen": ours.removesuffix(" s"), "rtbgen": theirs.removesuffix(" s")}
        yield {"material": material} | seconds | {"ratio": ratio, "peak": rest[-1].removesuffix(" GB") if rest else ""}


def _others() -> Iterator[dict[str, str]]:
    """What others report of their tables, and below it the same of these."""
    yield from rows("research/paper/others.csv")
    for rules in ("r", "wg"):
        tables = five_men("tables", rules)
        hours, size = (sum(float(row[column]) for row in tables) for column in ("seconds", "bytes"))
        yield {
            "source": "",
            "tables": f"five men, {rules}",
            "hours": f"{hours / 3600:.1f}",
            "gb": f"{size / 1e9:.1f}",
            "machine": "two cores, 4 GB of memory",
        }


def _staircase() -> list[dict[str, Any]]:
    """What a position is worth under each record, the best for White first."""
    own = level(chess.Board(STAIRCASE))
    levels = range(2, own + 1)
    records = [text(held_by_white(each)) for each in levels]
    records += [text(held_by_black(each)) for each in reversed(levels)]
    with open_tablebase(BUNDLED) as tablebase:
        found = [tablebase.probe(STAIRCASE, each) for each in records]
    return [{"record": each, "gscore": one.gscore, "plies": one.dtg} for each, one in zip(records, found, strict=True)]
