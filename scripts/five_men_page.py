"""docs/five-men.md and docs/five-men/longest.pgn, from the rows that scripts/five_men.py has collected."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import chess
import chess.pgn
import five_men_findings

from tbgen.material import build_key, every, parse
from tbgen.text import plies

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "five-men.md"
GAMES: Final = ROOT / "docs" / "five-men" / "longest.pgn"
SHARES: Final = ("mate", "stalemate", "G1.0", "G1.5", "G2.0", "G2.5", "G3.0", "more")
COSTS: Final = (
    "material", "bytes", "a position", "plan/bytes", "staircases", "CPU s", "plan/CPU", "peak GB", "verified",
)  # fmt: skip

Row = Mapping[str, Any]

HEAD: Final = """\
# Five men

There are 110 materials of five men. This page has what their tables hold, under the rules whose tables are built. The
figures as CSV: [tables](five-men/tables.csv), [outcomes](five-men/outcomes.csv), [records](five-men/records.csv),
[comparison of the rules](five-men/compare.csv).
[digests.txt](digests.txt) has the digest of each table: `tbgen verify --digests docs/digests.txt` compares yours.
`scripts/five-men` collects the figures and writes this page.

"""
COUNT: Final = """\
## Every position is counted

The tables of all 110 materials have 25,870,681,552 legal positions, each once up to symmetry. A second program, which
shares nothing with the tables, counts the same (`scripts/test --full -k legal_positions`). K. Kryukov published
[25,912,594,054 for five men](http://kirill-kryukov.com/chess/nulp/results.html). The difference is explained to the
last position:

| | two men | three | four | five |
|:--|--:|--:|--:|--:|
| positions of the tables | 462 | 367,868 | 125,110,423 | 25,870,681,552 |
| with castling rights | 0 | 211 | 113,158 | 29,955,209 |
| with a right to capture en passant, and no castling rights | 0 | 0 | 23,017 | 11,957,293 |
| Kryukov's total | 462 | 368,079 | 125,246,598 | 25,912,594,054 |

He counts rights as states of their own. A right to capture en passant is one pawn that can have been pushed past a
pawn of the other side: no pawn stands where it came from, but a king or a piece may. The tables have none of these
states. `tbgen probe` answers for a right to capture en passant by looking one ply ahead; nobody castles in the game of
the tables.

## Every win of chess is counted

Who can force mate in chess can force it here, and nobody else can. So a table must have as many wins, draws and
losses, for either side to move, as chess has, if wins that the 50-move rule spoils are wins. The generator of the
Syzygy tables printed its counts
([syzygy-tables.info](https://github.com/niklasf/syzygy-tables.info/tree/master/stats/regular)). All tables below that
have a pawn agree with them to the last position. In the others a position whose men all stand on one long diagonal is
its own mirror image: it counts as half of another one here, and in full there. The differences are exactly these
positions (`tests/report/test_chess_wins.py`).

"""
DECIDED: Final = """\
## What is decided by what

A position is counted once for all its images under the symmetries of the board; each image is a *placement*. Shares of
all placements, either side to move: the G-score that the side which is better off forces, where the position's own
G-score is the record. "Record matters" is the share of positions whose outcome under some other record is not simply
the better of that record and this outcome.

"""
PARTING: Final = """\
## Where `r` and `wg` part

Under `wg` no capture or pawn move ends the record. Shares of all placements, either side to move: the same outcome and
distance under both rules; the same outcome in another time; the same side forces a lower G-score under `r`, or a higher
one; the other side wins. Then the mean difference of both G-scores where the same side wins, and the commonest change,
seen from the side to move. [compare.csv](five-men/compare.csv) has a position of each material in which the other side
wins.

"""
RULES: Final = {"r": "resets end the record", "wg": "whole-game mobility"}


def order(material: str) -> tuple[Any, ...]:
    return tuple(build_key(parse(material)))


def write(data: Mapping[str, Sequence[Row]]) -> None:
    PAGE.write_text(page(data))
    GAMES.write_text("\n\n".join(str(_game(row)) for row in _longest(data["records"]) if row["line"]) + "\n")
    five_men_findings.draw(data)


def page(data: Mapping[str, Sequence[Row]]) -> str:
    reset = [row for row in data["tables"] if row["rules"] == "r"]
    return "".join(
        (
            HEAD,
            _there(data["tables"]),
            COUNT,
            _outcomes(reset),
            five_men_findings.told(data),
            _ways(_longest(data["records"])),
            _compared(data["compare"]),
            _built(data["tables"]),
        )
    )


def _there(tables: Sequence[Row]) -> str:
    lines = []
    for rules, name in RULES.items():
        rows = [row for row in tables if row["rules"] == rules]
        positions, size = (sum(int(row[column]) for row in rows) for column in ("positions", "bytes"))
        verified = [row["verified"] for row in rows]
        proved, sampled = verified.count("all"), sum(map(str.isdigit, map(str, verified)))
        checked = f"every position of {proved} tables is verified"
        checked += f", a million of each of {sampled} others" if sampled else ""
        lines.append(
            f"- `{rules}` ({name}): {len(rows)} of {len(list(every(5)))} tables, {positions:,} positions in "
            f"{size / 1e9:.2f} GB; {checked}.\n"
        )
    return "".join(lines) + "\n"


def _outcomes(rows: Iterable[Row]) -> str:
    lines = [
        [
            row["material"],
            f"{int(row['positions']):,}",
            *(_share(float(row[name])) for name in SHARES),
            row["longest_dtg"],
            _share(float(row["record_matters"])),
        ]
        for row in rows
    ]
    return DECIDED + _table(["material", "positions", *SHARES, "longest DTG", "record matters"], lines)


def _longest(rows: Iterable[Row]) -> list[Row]:
    """Of each G-score the longest way to it under the rules `r`, the lowest first."""
    best: dict[float, Row] = {}
    for row in rows:
        if row["rules"] != "r":
            continue
        known = best.get(score := float(row["gscore"].lstrip("-G")))
        if known is None or int(row["longest_dtg"]) > int(known["longest_dtg"]):
            best[score] = row
    return [best[score] for score in sorted(best)]


def _ways(longest: Iterable[Row]) -> str:
    text = (
        "## The longest ways to each G-score\n\nOver all tables built, with the number of positions that are as far\n"
        "from it. Mates take as long as in chess: their lengths are those of Nalimov's tables\n"
        "(`tests/scripts/test_five_men.py`). The lines of best play are in "
        "[five-men/longest.pgn](five-men/longest.pgn).\n\n"
    )
    lines = [
        [row["gscore"], row["material"], row["longest_dtg"], f"{int(row['positions']):,}", f"`{row['fen']}`"]
        for row in longest
        if int(row["longest_dtg"])
    ]
    return text + _table(["G-score", "material", "plies", "positions", "one of them"], lines)


def _compared(rows: Sequence[Row]) -> str:
    lines = [
        [
            row["material"],
            *(_share(float(row[f"share_{kind}"])) for kind in ("same", "slower", "lower", "higher", "other")),
            f"{float(row['mean_difference']):.2f}" if row["mean_difference"] else "",
            f"{row['change_r']}, {row['change_wg']}: {_share(float(row['change_share']))}" if row["change_r"] else "",
        ]
        for row in rows
    ]
    names = ["material", "same", "other time", "lower", "higher", "other side", "by", "commonest: `r`, `wg`"]
    return PARTING + _parting(rows) + _table(names, lines) if lines else ""


def _parting(rows: Sequence[Row]) -> str:
    """Where the rules part most, in sentences."""
    alike = sum(_same(row) >= 0.99 for row in rows)
    most = [f"{row['material']} ({_share(_same(row))})" for row in sorted(rows, key=_same)]
    other = max(rows, key=lambda row: float(row["share_other"]))
    ways = [_forced(other, rules) for rules in RULES]
    told = (
        f"Mates are the same under both rules. In {alike} of these {len(rows)} tables 99 % of placements or more are "
        f"the same, the fewest in {most[0]}, {most[1]} and {most[2]}. The winner changes most often in "
        f"{other['material']}: in {_share(float(other['share_other']))} of placements. An example is "
        f"`{other['other_fen']}`: under `r` {ways[0]}; under `wg` {ways[1]}."
    )
    return f"{five_men_findings.wrapped(told)}\n\n"


def _same(row: Row) -> float:
    return float(row["share_same"])


def _forced(row: Row, rules: str) -> str:
    """What is forced from the row's example."""
    gscore, distance = str(row[f"other_{rules}"]), int(row[f"other_{rules}_dtg"])
    side = "Black" if gscore.startswith("-") else "White"
    return f"{side} wins by {gscore}, " + (f"after {plies(distance)}" if distance else "which is on the board")


def _built(tables: Sequence[Row]) -> str:
    text = (
        "## What building took\n\n"
        "On two cores that did other work as well; CPU seconds are of all threads. A table that was built again has\n"
        "the disk and the memory of its last build, and the time of its first: the plan was made for that machine.\n\n"
    )
    for rules, name in RULES.items():
        if lines := [_costs(row) for row in tables if row["rules"] == rules]:
            text += f"`{rules}` ({name}):\n\n{_table(COSTS, lines)}"
    return text


def _costs(row: Row) -> list[object]:
    return [
        row["material"],
        f"{int(row['bytes']):,}",
        f"{int(row['bytes']) / int(row['positions']):.2f}",
        f"{float(row['planned_bytes']) / int(row['bytes']):.2f}",
        f"{int(row['staircases']):,}",
        f"{float(row['cpu_seconds']):.0f}" if row["cpu_seconds"] else "",
        f"{float(row['planned_cpu_seconds']) / float(row['cpu_seconds']):.2f}" if row["cpu_seconds"] else "",
        f"{int(row['peak_memory']) / 1e9:.2f}" if row["peak_memory"] else "",
        row["verified"],
    ]


def _share(share: float) -> str:
    return "" if share == 0 else "<0.01 %" if share < 0.0001 else f"{share:.2%}".replace("%", " %")


def _table(names: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rule = ["--:" if place else ":--" for place in range(len(names))]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in (names, rule, *lines)) + "\n"


def _game(row: Row) -> chess.pgn.Game:
    """A line as a game, replayed move by move."""
    board = chess.Board(row["fen"])
    for san in row["line"].split():
        board.push_san(san)
    game = chess.pgn.Game.from_board(board)
    game.headers["Event"] = f"{row['material']}: {row['gscore']} in {row['longest_dtg']} plies"
    game.headers["Site"] = "tbgen"
    game.headers["RMobilityResult"] = row["gscore"]
    return game
