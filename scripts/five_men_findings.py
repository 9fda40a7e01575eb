"""What is surprising in the tables of five men: sentences for docs/five-men.md, whose figures come from the rows that
scripts/five_men.py has collected, and a board for each."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess

from tbgen.look.board import picture as picture_of

BOARDS: Final = Path(__file__).resolve().parent.parent / "docs" / "five-men"
_SIZE: Final = 260
_WIDTH: Final = 120

Row = Mapping[str, Any]


class Rows:
    """The rows of the rules `r`, by what they are about. White has the men that are named first."""

    def __init__(self, data: Mapping[str, Sequence[Row]]) -> None:
        rows = {name: [row for row in some if row["rules"] == "r"] for name, some in data.items()}
        self.tables = {row["material"]: row for row in rows["tables"]}
        self.records = {(row["material"], row["gscore"]): row for row in rows["records"]}
        self._outcomes = rows["outcomes"]

    def count(self, material: str, to_move: str, *gscores: str) -> int:
        """Positions, each once up to symmetry, with these outcomes; with any outcome, if none is named."""
        return self._sum("positions", material, gscores, to_move)

    def share(self, material: str, *gscores: str, to_move: str | None = None) -> str:
        """Of all placements, or of those in which this side is to move."""
        of = self._sum("placements", material, (), to_move)
        return _percent(self._sum("placements", material, gscores, to_move) / of)

    def commonest(self, material: str) -> str:
        """The outcome, other than mate, that most placements have."""
        scores = {str(row["gscore"]) for row in self._outcomes if row["material"] == material} - {"G0.0", "-G0.0"}
        return max(scores, key=lambda gscore: self._sum("placements", material, (gscore,), None))

    def longest(self, material: str, gscore: str) -> int:
        return int(self.records[material, gscore]["longest_dtg"])

    def fen(self, material: str, gscore: str) -> str:
        """A position from which that takes longest."""
        return str(self.records[material, gscore]["fen"])

    def _sum(self, column: str, material: str, gscores: Sequence[str], to_move: str | None) -> int:
        return sum(
            int(row[column])
            for row in self._outcomes
            if row["material"] == material
            and (not gscores or row["gscore"] in gscores)
            and (to_move is None or row["to_move"] == to_move)
        )


def _rook_and_bishop(rows: Rows) -> str:
    decided, mated = (rows.share("KRBvKR", gscore) for gscore in ("G1.0", "G0.0"))
    return (
        "A draw in chess that engines play on for fifty moves. Here White, who has the bishop, forces G1.0 in "
        f"{decided} of all placements: Black stands in check and has one legal move. In another {mated} White mates. "
        f"The longest way to G1.0 takes {rows.longest('KRBvKR', 'G1.0')} plies, from this position:"
    )


def _draws_of_chess(rows: Rows) -> str:
    told = []
    for material, name in DRAWS.items():
        gscore = rows.commonest(material)
        told.append(f"{name} {gscore} ({rows.share(material, gscore)})")
    return (
        "Most positions of these endings are draws in chess. What becomes of them most often, mates aside, with the "
        f"share of all placements: {', '.join(told)}. The knights' longest way to their score, "
        f"{rows.longest('KNNvKN', 'G3.0')} plies, begins here:"
    )


def _with_a_queen(rows: Rows) -> str:
    bishop, knight = rows.share("KQBvKQ", "G1.5"), rows.share("KQNvKQ", "G1.5")
    instead = " or ".join(f"{gscore} ({rows.share('KQNvKQ', gscore)})" for gscore in ("G2.0", "G3.5"))
    return (
        f"Against a queen, queen and bishop force G1.5 in {bishop} of all placements: one legal move, and no check. "
        f"Queen and knight hardly ever do ({knight}); they come to {instead}, and their ways are long: "
        f"{rows.longest('KQNvKQ', 'G3.0')} plies to G3.0 from this position:"
    )


def _two_knights(rows: Rows) -> str:
    mated, stalemated = rows.share("KQNNvK", "G0.0", to_move="White"), rows.share("KQNNvK", "G0.5", to_move="Black")
    return (
        f"Queen and two knights against a bare king, White to move: {mated} are won by mate. With Black to move, "
        f"{stalemated} end in stalemate, most of them because he takes the queen: the two knights, which cannot force "
        f"mate, force that. It takes up to {rows.longest('KQNNvK', 'G0.5')} plies:"
    )


def _stalemates(rows: Rows) -> str:
    all_of_them, few = rows.count("KRBNvK", "White"), rows.count("KRBNvK", "White", "G0.5")
    return (
        f"Rook, bishop and knight with the move against a bare king: {all_of_them:,} positions, and all but {few} are "
        f"won by mate. In those, whatever White plays stalemates Black. One of them:"
    )


def _against_a_queen(rows: Rows) -> str:
    mates = (f"{rows.share(name, 'G0.0')} and {rows.share(name, '-G0.0')}" for name in ("KRRvKQ", "KRBvKQ", "KRNvKQ"))
    rooks, bishop, knight = mates
    return (
        f"How often the queen is beaten by mate, and how often she mates, of all placements: by two rooks {rooks}, by "
        f"rook and bishop {bishop}, by rook and knight {knight}. Her longest mate against rook and bishop takes "
        f"{rows.longest('KRBvKQ', '-G0.0')} plies:"
    )


def _two_knights_against_a_pawn(rows: Rows) -> str:
    mated, stalemated = rows.share("KNNvKP", "G0.0"), rows.share("KNNvKP", "G0.5")
    return (
        "Two knights cannot force mate on a bare king, because he is stalemated before it. With a pawn that can still "
        f"move he is not: the knights mate in {mated} of all placements, and stalemate in another {stalemated}. The "
        f"longest mate takes {rows.longest('KNNvKP', 'G0.0')} plies:"
    )


def _against_a_rook(rows: Rows) -> str:
    bishop, knight = (rows.share(name, gscore) for name, gscore in (("KBPvKR", "-G4.0"), ("KNPvKR", "-G3.0")))
    mates = " and ".join(rows.share(name, "G0.0") for name in ("KBPvKR", "KNPvKR"))
    return (
        "Bishop and pawn against rook is mostly a draw in chess, and so is knight and pawn against rook. Here the rook "
        f"forces G4.0 on the bishop's side in {bishop} of all placements, and G3.0 on the knight's in {knight}. Those "
        f"who have the pawn mate in {mates}. The rook's longest way to that G4.0 takes "
        f"{rows.longest('KBPvKR', '-G4.0')} plies:"
    )


def _two_pawns(rows: Rows) -> str:
    bishop, knight = (rows.share(name, "G0.0") for name in ("KPPvKB", "KPPvKN"))
    moves, more = rows.share("KPPvKB", "-G1.5"), rows.share("KPPvKN", "-G3.5")
    return (
        f"Two pawns get through and mate against a bishop in {bishop} of all placements, against a knight in {knight}. "
        "Most of the others are draws in chess. Here the piece wins them: the bishop forces G1.5, one legal move, in "
        f"{moves} of all placements, the knight G3.5 in {more}. The bishop's longest way takes "
        f"{rows.longest('KPPvKB', '-G1.5')} plies:"
    )


def _queen_and_pawn(rows: Rows) -> str:
    mates, lost, two = (rows.share("KQPvKQ", gscore) for gscore in ("G0.0", "-G0.0", "G2.0"))
    return (
        f"Queen and pawn against queen: the pawn's side mates in {mates} of all placements, the other one in {lost}. "
        f"The commonest other score is G2.0 ({two}). The way from this position to G4.5 takes "
        f"{rows.longest('KQPvKQ', 'G4.5')} plies; the longest mate of this ending takes "
        f"{rows.longest('KQPvKQ', 'G0.0')}:"
    )


DRAWS: Final = {
    "KRNvKR": "rook and knight against rook",
    "KBNvKN": "bishop and knight against knight",
    "KBNvKB": "the same against bishop",
    "KBBvKB": "two bishops against bishop",
    "KNNvKN": "two knights against knight",
    "KNNvKB": "the same against bishop",
}


class Finding(NamedTuple):
    title: str
    materials: tuple[str, ...]
    """Whose tables it needs."""
    told: Callable[[Rows], str]
    board: tuple[str, str] | str
    """The position to show: of a material the one from which a G-score takes longest, or a FEN."""


FINDINGS: Final = (
    Finding(
        "Rook and bishop against rook is decided",
        ("KRBvKR",), _rook_and_bishop, ("KRBvKR", "G1.0"),
    ),
    Finding(
        "What draws become",
        tuple(DRAWS), _draws_of_chess, ("KNNvKN", "G3.0"),
    ),
    Finding(
        "A bishop helps the queen more than a knight does",
        ("KQBvKQ", "KQNvKQ"), _with_a_queen, ("KQNvKQ", "G3.0"),
    ),
    Finding(
        "Two knights cannot mate, but they count",
        ("KQNNvK",), _two_knights, ("KQNNvK", "G0.5"),
    ),
    Finding(
        "Five positions of sixty-five million",
        ("KRBNvK",), _stalemates, "8/8/8/8/1N6/8/B1R5/k1K5 w - - 0 1",
    ),
    Finding(
        "Two rooks are worth a queen, rook and bishop are not",
        ("KRRvKQ", "KRBvKQ", "KRNvKQ"), _against_a_queen, ("KRBvKQ", "-G0.0"),
    ),
    Finding(
        "A pawn costs its king the stalemate",
        ("KNNvKP",), _two_knights_against_a_pawn, ("KNNvKP", "G0.0"),
    ),
    Finding(
        "A rook beats a piece and a pawn",
        ("KBPvKR", "KNPvKR"), _against_a_rook, ("KBPvKR", "-G4.0"),
    ),
    Finding(
        "Two pawns beat a piece, or lose to it",
        ("KPPvKB", "KPPvKN"), _two_pawns, ("KPPvKB", "-G1.5"),
    ),
    Finding(
        "Queens take their time",
        ("KQPvKQ",), _queen_and_pawn, ("KQPvKQ", "G4.5"),
    ),
)  # fmt: skip


def _percent(share: float) -> str:
    return (f"{share:.1%}" if share < 0.1 else f"{share:.0%}").replace("%", " %")


def told(data: Mapping[str, Sequence[Row]]) -> str:
    """The section of the page."""
    rows = Rows(data)
    parts = [
        f"### {finding.title}\n\n{wrapped(finding.told(rows))}\n\n![{fen}](five-men/{picture.name})\n\n"
        f"{'White' if chess.Board(fen).turn else 'Black'} to move: `{fen}`\n\n"
        for finding, fen, picture in _shown(rows)
    ]
    return "## What is surprising\n\n" + "".join(parts)


def draw(data: Mapping[str, Sequence[Row]]) -> None:
    """Its boards."""
    for _, fen, picture in _shown(Rows(data)):
        picture.write_text(picture_of(chess.Board(fen), size=_SIZE) + "\n")


def _shown(rows: Rows) -> Iterator[tuple[Finding, str, Path]]:
    """What is known from the tables built so far, with the position and the file of its picture."""
    for number, finding in enumerate(FINDINGS, 1):
        if all(material in rows.tables for material in finding.materials):
            fen = finding.board if isinstance(finding.board, str) else rows.fen(*finding.board)
            yield finding, fen, BOARDS / f"finding-{number}.svg"


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, _WIDTH, break_on_hyphens=False))
