"""The page of answers, README.md, and its boards, from the figures in the CSV files beside it."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess

from research.reports.komi import CUTOFF
from tbgen.core import outcome
from tbgen.core.material import every, parse
from tbgen.drawing.board import picture as picture_of

BOARDS: Final = Path(__file__).resolve().parent
PAGE: Final = BOARDS / "README.md"
_SIZE: Final = 260
_WIDTH: Final = 120
CLOCK: Final = 100
"""Plies that end a game."""
COST: Final = "All of them took 453 s of CPU, KNvKP the longest with 44 s."
"""Of a run on one core."""
_MEN: Final = 4
"""In tables that were counted for this page; five men come from the study five_men."""

Row = Mapping[str, Any]
Kept = Mapping[str, Sequence[Row]]

HEAD: Final = """\
# Questions that people asked

About r-mobility and about endings that chess calls drawn: what the tables answer, the most surprising first. White has
the men that are named first. Shares are of placements with either side to move, unless something else is said.
`--tables DIR` tells a command where the tables are; those of two and three men are in the package.
`research/run questions` makes this page from figures, which are kept as CSV beside it, and counts them anew.

"""


class Answer(NamedTuple):
    key: str
    """The name of its board."""
    question: str
    needs: tuple[str, ...]
    """Figures without which there is no answer."""
    told: Callable[[Kept], str]
    command: str
    fen: Callable[[Kept], str]
    words: str
    """Of the board."""


def page(kept: Kept) -> str:
    parts = [_part(answer, kept) for answer in ANSWERS if all(kept.get(name) for name in answer.needs)]
    return HEAD + "".join(parts) + UNDECIDED


def draw(kept: Kept) -> None:
    for answer in ANSWERS:
        if all(kept.get(name) for name in answer.needs):
            board = chess.Board(answer.fen(kept))
            (BOARDS / f"{answer.key}.svg").write_text(picture_of(board, size=_SIZE) + "\n")


def _part(answer: Answer, kept: Kept) -> str:
    fen = answer.fen(kept)
    mover = "White" if chess.Board(fen).turn else "Black"
    return (
        f"## {answer.question}\n\n{wrapped(answer.told(kept))}\n\n```\n{answer.command}\n```\n\n"
        f"![{fen}]({answer.key}.svg)\n\n{wrapped(f'{mover} to move: `{fen}`. {answer.words}')}\n\n"
    )


def wrapped(text: str) -> str:
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        one if one.startswith("|") else "\n".join(textwrap.wrap(one, _WIDTH, break_on_hyphens=False))
        for one in paragraphs
    )


# Reading figures


def of(kept: Kept, name: str, material: str) -> Row:
    return next(row for row in kept[name] if row["material"] == material)


def share(value: float) -> str:
    if 0 < value < 0.00001:
        return "<0.001 %"
    if 0 < value < 0.0005 or 0.9995 < value < 1:
        return f"{100 * value:.3f} %"
    return f"{100 * value:.1f} %"


def number(row: Row, name: str) -> int:
    return int(row[name])


def figure(row: Row, name: str) -> float:
    return float(row[name] or 0)


def men(row: Row) -> int:
    return parse(row["material"]).men


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# The answers


def _clock(kept: Kept) -> str:
    rows = kept["fifty"]
    bare, changed = of(kept, "fifty", "KvK"), sum(number(row, "changed") for row in rows)
    turned = sum(number(row, "turned") for row in rows)
    in_time, late, late_kept = (
        sum(number(row, name) for row in rows) for name in ("changed_in_time", "late", "late_kept")
    )
    most = sorted(rows, key=lambda row: figure(row, "kept_0"))[:6]
    fewest = max(
        (row for row in rows if row not in most), key=lambda row: figure(row, "kept_0") - figure(row, "kept_40")
    )
    listed = table(
        ("material", "clock 0", "clock 40", "clock 60", "clock 80", "clock 90"),
        [
            (row["material"], *(share(figure(row, f"kept_{clock}")) for clock in (0, 40, 60, 80, 90)))
            for row in (*most, fewest)
        ],
    )
    return (
        f"It decides even the emptiest board: of 462 positions of bare kings {bare['changed']} have another winner. "
        "Nobody can answer what is bettered on the last ply, and whether the clock is odd or even decides whose ply "
        "that is. Solved with the halfmove clock as part of the position, "
        f"{_solved(rows)} change {changed:,} outcomes at clock 0, {turned:,} of them to the other side; in {in_time:,} "
        "the goal takes 100 plies or less, so a short distance promises nothing but mate. Of "
        f"{late:,} positions whose goal takes more, {late_kept:,} keep their outcome. The share of outcomes kept, by "
        "the clock at which the game goes on, in the materials that lose most at once, and in the one that loses most "
        f"by clock 40:\n\n{listed}\n\n"
        f"Rule set W, the position's own goal as the record. Repetition is not looked at. {COST}{_draws(kept)}"
    )


def _solved(rows: Sequence[Row]) -> str:
    """Which materials are, and which are not."""
    there = {parse(row["material"]) for row in rows}
    missing = [one.name for count in range(2, _MEN + 1) for one in every(count) if one not in there]
    if not missing:
        return f"all {len(rows)} materials of two to four men"
    return f"{len(rows)} materials of two to four men, all but {', '.join(missing)},"


def _draws(kept: Kept) -> str:
    """Of real games, those whose material is solved."""
    draws = kept.get("draws", ())
    known = [row for row in draws if row["with_clock"]]
    if not known:
        return ""
    changed = [row for row in known if row["with_clock"] != row["table"]]
    late = [row for row in known if int(row["clock"]) + int(row["dtg"]) > CLOCK]
    told = "; ".join(
        f"`{row['fen']}` under {row['record']} is {row['with_clock']} instead of {row['table']}" for row in changed
    )
    not_solved = f", {len(known)} of them solved" if len(known) < len(draws) else ""
    return (
        f"\n\nOf the {len(draws)} [draws of TCEC](../tcec/README.md) with up to four men that were adjudicated or "
        f"agreed on"
        f"{not_solved}, {len(known) - len(changed)} keep their outcome from where they stopped, {len(changed)} do not"
        f"{_after_colon(told)}. Clock and distance pass {CLOCK} together in {len(late)} of them, and the outcome is "
        f"kept in {sum(row not in changed for row in late)} of these. All are in [draws.csv](draws.csv)."
    )


def _after_colon(words: str) -> str:
    return f": {words}" if words else ""


def _stalemates(kept: Kept) -> str:
    rows = kept["stalemates"]
    two_knights, bishops, pawn = (of(kept, "stalemates", name) for name in ("KNNvK", "KBBvK", "KPvK"))
    hopeless = [row for row in rows if figure(row, "share_drawn") > 0.5 and figure(row, "share_of_drawn") > 0.02]
    hopeless.sort(key=lambda row: -figure(row, "share_of_drawn"))
    listed = table(
        ("material", "drawn in chess", "of these stalemates by White", "by Black"),
        [(row["material"], *(share(figure(row, name)) for name in COLUMNS)) for row in hopeless[:10]],
    )
    return (
        f"Two knights, who cannot force mate, force stalemate in {share(figure(two_knights, 'share_of_drawn'))} of "
        "the draws "
        f"of KNNvK. Two bishops do in {share(figure(bishops, 'share_of_drawn'))} of theirs, "
        f"and a single pawn in {share(figure(pawn, 'share_of_drawn'))}. Lasker wanted 3/4 of a point for that. Among "
        "the "
        "materials that chess draws more often than not, stalemate is forced most often in these, of two to five men:"
        f"\n\n{listed}"
    )


COLUMNS: Final = ("share_drawn", "share_of_drawn_white", "share_of_drawn_black")


def _loses(kept: Kept) -> str:
    def totals(name: str) -> str:
        rows = [row for row in kept["totals"] if row["material"] == name]
        figures = [sum(number(row, key) for row in rows) for key in ("placements", "white_mates", "white_wins")]
        return f"{share(figures[1] / figures[0])} to {share(figures[2] / figures[0])}"

    rows = [row for row in kept["totals"] if men(row) <= _MEN]
    drawn, still = (sum(number(row, name) for row in rows) for name in ("drawn", "still_drawn"))
    return (
        "G. Haworth asked it (ICGA Journal 37 (3), 2014). Whoever forces G0.5 or better wins then, so the tables "
        "have the "
        f"totals. Of {drawn:,} placements of two to four men that chess calls drawn {still:,} stay so. White's wins "
        "rise "
        f"from {totals('KNNvK')} in KNNvK, {totals('KBBvK')} in KBBvK, {totals('KPvK')} in KPvK. Each ending has a "
        "row for "
        "either side to move in [totals.csv](totals.csv), five men included."
    )


def _checks(kept: Kept) -> str:
    rows = kept["checks"]
    uneven = [row for row in rows if row["ahead"] != "nobody" and row["favoured"] != "nobody"]
    ahead = sum(row["favoured"] == row["ahead"] for row in uneven)
    behind = [row for row in uneven if row["favoured"] != row["ahead"]]

    def worth(row: Row, side: str) -> float:
        return figure(row, f"{side}_G1.0") + figure(row, f"{side}_G2.0")

    weaker = sorted(behind, key=lambda row: -worth(row, row["favoured"].lower()))[:4]
    stronger = sorted(uneven, key=lambda row: -worth(row, row["ahead"].lower()))[:4]

    def listed(some: Sequence[Row], side: str) -> str:
        return ", ".join(f"{row['material']} ({share(worth(row, row[side].lower()))})" for row in some)

    return (
        "The stronger side, as a rule. A perpetual check leaves its victim in check with one reply (G1.0) or two "
        "(G2.0). "
        f"Of {len(uneven)} materials of two to five men in which one side has more and these scores are not shared "
        "alike, "
        f"they favour it in {ahead}: {listed(stronger, 'ahead')} of all placements. The side with less is favoured in "
        f"{len(behind)}, most in {listed(weaker, 'favoured')}. G1.5, one move and no check, is a score of the bishop: "
        f"{share(figure(of(kept, 'checks', 'KBvK'), 'white_G1.5'))} of KBvK. Columns for each score and side are in "
        "[checks.csv](checks.csv)."
    )


def _zugzwangs(kept: Kept) -> str:
    rows = kept["zugzwangs"]
    all_of_them, chess_too = (sum(number(row, name) for row in rows) for name in ("zugzwangs", "of_chess"))
    most = max(rows, key=lambda row: number(row, "zugzwangs"))
    longest = max((row for row in rows if row["longest"]), key=lambda row: number(row, "longest"))
    pawn, bare = of(kept, "zugzwangs", "KPvK"), of(kept, "zugzwangs", "KvK")
    return (
        f"King and pawn against king has {pawn['of_chess']} positions in which either side would rather not move "
        f"in chess too, between mate and no mate. R-mobility has {pawn['zugzwangs']} under some record, and bare kings "
        f"have {bare['zugzwangs']}. In "
        f"{len(rows)} materials of two to four men there are {all_of_them:,}, of which {chess_too:,} are so in chess; "
        f"{most['material']} has most, {number(most, 'zugzwangs'):,}. The longest is in {longest['material']}: "
        f"`{longest['longest_fen']}` under {longest['longest_record']}, {longest['longest']} plies for one side. How "
        "many "
        "there are under each record is in [zugzwang-records.csv](zugzwang-records.csv)."
    )


def _kings(kept: Kept) -> str:
    best, other = ({"after": "", **row} for row in kept["kings"])
    return (
        "After best moves, not after blunders. cuteRMob ends a game of bare kings at two G8.5 in a row, “because in "
        "optimal "
        "play the G-score can no longer be improved”. With -G8.5 on the board and White to move, that is true of "
        f"{number(best, 'standing'):,} of {number(best, 'moves'):,} best moves that lead to a second G8.5. Of "
        f"{number(other, 'moves'):,} other such moves {number(other, 'bettered'):,} let Black's record be bettered, "
        "and the "
        "rule takes that away."
    )


def _cursed(kept: Kept) -> str:
    rows = kept["cursed"]
    some = [row for row in rows if number(row, "cursed")]
    saved, cursed = (sum(number(row, name) for row in some) for name in ("saved", "cursed"))
    materials = list(dict.fromkeys(row["material"] for row in rows))
    late = [row for row in some if row["clock"] == "80"]
    listed = table(
        ("material, clock 80", "mates in the table", "cursed under W", "mates under C", "saved"),
        [
            (
                row["material"], *(f"{number(row, name):,}" for name in ("mates", "cursed", "saved")),
                share(number(row, "saved") / number(row, "cursed")),
            )
            for row in late
        ],
    )  # fmt: skip
    return (
        "Of two to four men none is cursed at clock 0: the longest mate takes 85 plies. So the clock must have run. "
        "Under "
        "rule set C setting a record below G6.0 restarts it. Counted at the clocks 0, 20, 40, 50, 60, 70, 80 and 90 in "
        f"{', '.join(materials)}, it makes actual mates of {share(saved / cursed)} of the cursed ones: more than "
        "“some”. "
        f"\n\n{listed}\n\nPlacements, under the position's own goal. Mates of more than 100 plies take five men."
    )


def _komi(kept: Kept) -> str:
    rows = [row for row in kept["komi"] if men(row) <= _MEN]
    five = [row for row in kept["komi"] if men(row) == _MEN + 1]
    neither = sum(figure(row, "share_neither") for row in rows) / len(rows)
    neither_of_five = sum(figure(row, "share_neither") for row in five) / len(five)
    even = [row for row in rows if parse(row["material"]).even]
    shares = "; ".join(
        f"{row['material']} {share(figure(row, 'share_mover'))} and {share(figure(row, 'share_other'))}" for row in even
    )
    told = (
        f"The cutoff leaves few draws: with the side to move drawn by lot, {share(neither)} of two to four men come "
        "to G6.0 "
        f"or more, every material counting alike, and {share(neither_of_five)} of five men. The komi is not for "
        "endings: "
        "where both sides have the same men, one of the two must better G5.75 to win, and these are the shares that "
        "the "
        f"side to move and the other one get below G6.0: {shares}."
    )
    if not kept.get("games"):
        return told
    counts = {
        sign: sum(int(row[side]) for row in kept["games"] if outcome.level(outcome.parse(row["gscore"])) < CUTOFF)
        for sign, side in ((1, "white"), (-1, "black"))
    }
    whole = sum(int(row["white"]) + int(row["black"]) for row in kept["games"])
    return (
        f"{told}\n\nOf TCEC's {whole} [games that came to five men](../tcec/README.md), as played, White won "
        f"{counts[1]} below G6.0 "
        f"and Black {counts[-1]}; {whole - sum(counts.values())} ended at G6.0 or more. With komi G5.75 White would "
        "have "
        f"won {share(counts[1] / whole)}: for these games it is near to fair."
    )


def _tree(kept: Kept) -> str:
    rows = sorted(kept["tree"], key=lambda row: -figure(row, "drawn_thinner"))
    listed = table(
        ("material", "best in chess", "in r-mobility", "thinner", "where chess draws"),
        [
            (row["material"], *(f"{figure(row, name):.2f}" for name in THIN))
            for row in rows[:8]
        ],
    )  # fmt: skip
    positions = sum(number(row, "positions") for row in rows)
    chess_moves, moves = (
        sum(figure(row, name) * number(row, "positions") for row in rows) for name in ("of_chess", "of_mobility")
    )
    least, most = rows[-1], rows[0]
    return (
        "Two things have been said: the tree of best play is thinner by an order of magnitude, and it lies within that "
        "of chess. The second is true of all positions: outcomes of r-mobility refine win, draw and loss, so no best "
        "move throws a result away. "
        f"The first is too much for whole tables. In {len(rows)} materials, {positions:,} positions, the moves that "
        "keep "
        f"the outcome are {moves / positions:.1f} on average, in chess {chess_moves / positions:.1f}. Where chess "
        "sees a "
        f"draw they thin most: from {figure(least, 'drawn_thinner'):.2f} in {least['material']} to "
        f"{figure(most, 'drawn_thinner'):.2f} times in {most['material']}. These thin most:\n\n{listed}"
    )


THIN: Final = ("of_chess", "of_mobility", "thinner", "drawn_thinner")


def _rankings(kept: Kept) -> str:
    rows = {row["scoring"]: row for row in kept["rankings"]}
    players, pairs = (int(rows["harmonic"][name]) for name in ("players", "pairs"))
    told = ", ".join(
        f"{scoring} {row['turned']} pairs and {row['moved']} places"
        for scoring, row in rows.items()
        if scoring != "exponential"
    )
    return (
        f"The harmonic formula hardly, a komi does. {players} players have {rows['harmonic']['least_games']} or more "
        "of TCEC's games that came to five "
        "men. In "
        f"order of their mean points, as played, {pairs} pairs of them can change places. Against the exponential "
        "formula "
        f"change: {told}. These are not whole tournaments: their other games ended with more men, and are not here."
    )


def _first(name: str, material: str) -> Callable[[Kept], str]:
    return lambda kept: str(of(kept, name, material)["fen"])


def _given(fen: str) -> Callable[[Kept], str]:
    return lambda kept: fen


ANSWERS: Final = (
    Answer(
        "clock", "What does the 50-move rule take away?", ("fifty",), _clock, "research/run clock fifty KvK KQvK KBvK",
        _first("fifty", "KvK"), "The table and the game with 100 plies to go have different winners.",
    ),
    Answer(
        "stalemates", "In which draws of chess can stalemate be forced?", ("stalemates",), _stalemates,
        "research/run reports stalemates KNNvK KBBvK KPvK", _given("8/7N/8/5k2/8/8/8/K6N b - - 0 1"),
        "The knights stalemate in 52 plies, the longest way there is.",
    ),
    Answer(
        "loses", "What if the stalemated side lost?", ("totals",), _loses,
        "research/run reports stalemates --format csv --table totals", _given("8/8/8/8/8/1k6/p7/K7 w - - 0 1"),
        "A draw in chess; White would have lost.",
    ),
    Answer(
        "checks", "Whom does perpetual check favour?", ("checks",), _checks, "research/run reports checks",
        _given("8/b7/8/2R5/8/2K5/8/6k1 w - - 0 1"), "A rook needs 57 plies to bring G1.0 about against a bishop.",
    ),
    Answer(
        "zugzwangs", "Where would either side rather not move?", ("zugzwangs",), _zugzwangs,
        "research/run reports zugzwangs KvK KPvK", _first("zugzwangs", "KPvK"),
        "Under -G1.0: with the move White cannot better Black's record, without it he stalemates.",
    ),
    Answer(
        "kings", "May bare kings stop at two G8.5 in a row?", ("kings",), _kings, "research/run reports kings",
        lambda kept: str(kept["kings"][1]["fen"]), "White has blundered: the record of -G8.5 falls.",
    ),
    Answer(
        "cursed", "Which cursed mates become actual mates under rule C?", ("cursed",), _cursed,
        "research/run clock cursed KRvK KPvK", _given("8/8/8/8/3k4/8/8/KR6 w - - 80 1"),
        "Twenty plies are left, and the mate takes 29: rule set W has none.",
    ),
    Answer(
        "komi", "Is a komi of G5.75 fair, is a cutoff of G6.0?", ("komi",), _komi, "research/run reports komi",
        _given("8/8/8/2k5/4R3/3r4/8/1K6 w - - 0 1"), "Best play comes to -G7.0, 28 plies on: a draw by the cutoff.",
    ),
    Answer(
        "tree", "How much thinner is the tree of best play?", ("tree",), _tree,
        "research/run optimal tree KvK KNvK KPvK",
        _given("1r6/8/1k6/8/8/2K5/6R1/8 w - - 0 1"), "Of 21 moves that keep the draw of chess one keeps G5.0: Rg6+.",
    ),
    Answer(
        "rankings", "Does the formula change who is ahead?", ("rankings",), _rankings,
        "tbgen adjudicate games.pgn --scoring harmonic --report", _given("8/8/8/4KBk1/8/8/8/8 b - - 0 1"),
        "G1.5 is worth 0.5625 points by the exponential formula, 0.625 by the harmonic one.",
    ),
)  # fmt: skip

UNDECIDED: Final = """\
## What these tables do not decide

- **The clock with five men.** Of 279 draws that TCEC adjudicated or agreed on, 228 have five men. With the clock five
  men were not solved: a table without pawns is one slice of 242 million numbers, which would need about 45 GB for its
  rows, and pawns promote to these. For these draws the tables' outcome is no bound either way, unless it is a mate,
  which none of them is.
- **Cursed mates of more than 100 plies**, for the same reason: they begin with five men, as in KNNvKP.
- **Rankings of whole tournaments.** Most of their games ended with more than five men.
- **Aloril's statistics of whole-game mobility.** His page is gone, and so is its form. `tbgen report stats --rules wg`
  and `tbgen report records --rules wg` write one table per material, as CSV too, to be laid beside it.
"""
