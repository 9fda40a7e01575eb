"""All figures of the article, by name and as they are printed, from the files that have them: none is
typed into its text. `research/run paper` writes them to figures.json, which the article reads.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from research.paper.pictures import BOARDS, pictures
from research.paper.sources import ROOT, five_men, percent, placements, record, rows, sentence, table, unsigned

FIGURES: Final = ROOT / "research" / "paper" / "figures.json"
MATE: Final = "G0.0"
FEW: Final = 3.5
"""The highest score that the article counts as low."""

SHARES: Final = (
    ("KRBvKR", "G1.0"), ("KRBvKR", "G0.0"), ("KRNvKR", "G2.0"), ("KBNvKN", "G1.5"), ("KNNvKN", "G3.0"),
    ("KNNvKP", "G0.0"), ("KNNvKP", "G0.5"), ("KBPvKR", "-G4.0"), ("KBPvKR", "G0.0"), ("KPPvKB", "G0.0"),
    ("KPPvKB", "-G1.5"), ("KPPvKN", "G0.0"), ("KPPvKN", "-G3.5"),
)  # fmt: skip
"""Of an ending's placements, those with an outcome."""
SENTENCES: Final = {
    "tcec.games": ("research/tcec/README.md", r"^(\d+) games of the Top Chess Engine Championship"),
    "tcec.plies": ("research/tcec/README.md", r"plies each on average, ([\d,]+) in all"),
    "tcec.draws": ("research/tcec/README.md", r"^- (\d+) draws were agreed or adjudicated"),
    "tcec.stands": ("research/tcec/README.md", r"In (\d+) the record stands"),
    "tcec.improved": ("research/tcec/README.md", r"in (\d+) one side could have bettered it"),
    "tcec.median": ("research/tcec/README.md", r"in (\d+)\s+plies \(median\)"),
    "tcec.stalemates": ("research/tcec/README.md", r"But (\d+) are stalemates that can be forced"),
    "tcec.rook.all": ("research/tcec/README.md", r"in \d+ of (\d+) the record can be bettered"),
    "tcec.rook.improved": ("research/tcec/README.md", r"in (\d+) of \d+ the record can be bettered"),
    "tcec.changed": ("research/tcec/README.md", r"The record changes hands in (\d+) of"),
    "tcec.longest": ("research/tcec/README.md", r"G22\.5 to G5\.0 in (\d+) plies"),
    "soak.attempts": ("docs/reliability.md", r"made ([\d,]+) attempts"),
    "vectors": ("docs/format.md", r"has ([\d,]+) positions of all tables"),
    "spread.least": ("docs/theory.md", r"settled or escape ([\d.]+) \(KQQvK\)"),
    "spread.most": ("docs/theory.md", r"to ([\d.]+) times \(KNvK\)"),
    "codes": ("docs/theory.md", r"KRBvKR has ([\d,]+)\."),
    "solving.bytes": ("docs/performance.md", r"seven sets of positions.*\| ([\d.]+) a number \|"),
    "reached": ("docs/performance.md", r"records make it reach each position ([\d.]+) times"),
    "slim.gb": ("docs/performance.md", r"All 110 come to ([\d.]+) GB by these shares"),
    "compressing": ("docs/performance.md", r"rtbgen spends (\w+ tenths) of its time on compression"),
    "small.seconds": ("docs/performance.md", r"compression included \| (\d+) s on the clock"),
    "small.gib": ("docs/performance.md", r"compression included \|.* peak ([\d.]+) GiB"),
    "potential.materials": ("research/potential/README.md", r"is ahead: (\d+) rows"),
    "potential.right": ("research/potential/README.md", r"it agrees with (\d+ of \d+)"),
    "men.commoner": ("docs/men.md", r"a Commoner alone (\d+)"),
    "men.knightrider": ("docs/men.md", r"in (\d+) moves at most"),
    "men.queen.first": ("docs/men.md", r"KQvKC\.r \|.*\| ([\d.]+ %) \| [\d.]+ % \|$"),
    "men.queen.second": ("docs/men.md", r"KQvKC\.r \|.*\| ([\d.]+ %) \|$"),
    "arrangements": ("docs/proofs.md", r"([\d,]+) at most for two men"),
    "verifying": ("docs/performance.md", r"two threads \| \d+ s \| \d+ s, ([\d.]+) microseconds a position"),
}
"""Figures that a page has in a sentence or in one cell."""


def figures() -> dict[str, Any]:
    said = {
        name: value
        for some in (_totals(), _outcomes(), _endings(), _compared(), _small(), _said())
        for name, value in some
    }
    said |= {name: sentence(*where) for name, where in SENTENCES.items()}
    drawn = pictures()
    said["ratio.most"] = max((row["ratio"] for row in drawn["costs"]), key=float)
    return {"text": dict(sorted(said.items()))} | drawn


def as_text(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _totals() -> Iterator[tuple[str, str]]:
    for rules in ("r", "wg"):
        tables = five_men("tables", rules)
        positions, size, cpu, clock = (
            sum(float(row[column]) for row in tables) for column in ("positions", "bytes", "cpu_seconds", "seconds")
        )
        yield f"{rules}.gb", f"{size / 1e9:.1f}"
        if rules == "r":
            yield "r.bytes", f"{size / positions:.2f}"
            yield "r.clock", f"{clock / 3600:.1f}"
        yield f"{rules}.cpu", f"{cpu / 3600:.1f}"
        yield f"{rules}.verified", str(sum(row["verified"] == "all" for row in tables))
        yield f"{rules}.longest", max((row["longest_dtg"] for row in tables), key=int)
    tables = five_men("tables", "r")
    yield "materials", str(len(tables))
    yield "positions", f"{sum(int(row['positions']) for row in tables):,}"
    yield "peak.gb", f"{max(int(row['peak_memory']) for row in tables) / 1e9:.1f}"
    most = max(tables, key=lambda row: int(row["staircases"]))
    yield "staircases.material", most["material"]
    yield "staircases.millions", f"{int(most['staircases']) / 1e6:.0f}"
    matters = sum(int(row["positions"]) * float(row["record_matters"]) for row in tables)
    yield "matters", percent(matters / sum(int(row["positions"]) for row in tables))


def _outcomes() -> Iterator[tuple[str, str]]:
    found = unsigned(placements("r"))
    drawn = found.total() - found[MATE]
    yield "placements.billions", f"{found.total() / 1e9:.1f}"
    yield "mate", percent(found[MATE] / found.total())
    yield "drawn", percent(drawn / found.total())
    commonest = max(found.keys() - {MATE}, key=lambda gscore: found[gscore])
    yield "commonest", commonest
    yield "commonest.share", percent(found[commonest] / found.total())
    few = sum(many for gscore, many in found.items() if gscore != MATE and float(gscore[1:]) <= FEW)
    yield "drawn.few", percent(few / drawn)
    yield "drawn.stalemate", percent(found["G0.5"] / drawn)


def _endings() -> Iterator[tuple[str, str]]:
    for material, gscore in SHARES:
        found = placements("r", material)
        yield f"{material}.{gscore}", percent(found[gscore] / found.total())
    for name, which in BOARDS.items():
        yield f"board.{name}", record(*which)["longest_dtg"]
    moves = [row for row in five_men("outcomes", "r") if (row["material"], row["to_move"]) == ("KRBNvK", "White")]
    yield "stalemating.of", f"{sum(int(row['positions']) for row in moves):,}"
    yield "stalemating", next(row["positions"] for row in moves if row["gscore"] == "G0.5")


def _compared() -> Iterator[tuple[str, str]]:
    """The rules: each ending weighs as much as it has placements."""
    weights = {
        row["material"]: placements("r", row["material"]).total() for row in rows("research/five_men/compare.csv")
    }
    for name in ("same", "slower", "lower", "higher", "other"):
        share = sum(
            weights[row["material"]] * float(row[f"share_{name}"]) for row in rows("research/five_men/compare.csv")
        )
        yield f"compared.{name}", percent(share / sum(weights.values()))


def _small() -> Iterator[tuple[str, str]]:
    """Two to four men."""
    *materials, total = table("research/two_to_four_men/README.md", "material", "positions", "placements", "mate")
    yield "small.materials", str(len(materials))
    yield "small.positions", total[1]
    yield "small.longest", total[-4]


def _said() -> Iterator[tuple[str, str]]:
    """What others report."""
    for row in rows("research/paper/said.csv"):
        yield row["figure"], f"{int(row['value']):,}" if row["value"].isdigit() else row["value"]
