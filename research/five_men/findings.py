"""What is surprising in the tables of five men: sentences whose figures come from the rows that are
kept, with a line for each."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tbgen.core import outcome
from tbgen.report.census import MOVERS, Tally
from tbgen.report.document import Exhibit, Exhibits, Line, Lines, Section
from tbgen.report.lines import kept_line
from tbgen.report.records import Longest


class Figures:
    """What tables hold, by what it is about. White has the men that are named first."""

    def __init__(self, tallies: Sequence[Tally], ways: Sequence[Longest]) -> None:
        self.tables = {one.material.name: one for one in tallies}
        self._ways = {(one.material.name, outcome.text(one.outcome)): one for one in ways}

    def count(self, material: str, to_move: str, *gscores: str) -> int:
        """Positions, each once up to symmetry, with these outcomes; with any outcome, if none is named."""
        return sum(
            sums.count
            for (mover, value), sums in self.tables[material].cases.items()
            if MOVERS[mover] == to_move and (not gscores or outcome.text(value) in gscores)
        )

    def share(self, material: str, *gscores: str, to_move: str | None = None) -> str:
        """Of all placements, or of those in which this side is to move."""
        weights = {
            (mover, value): weight
            for (mover, value), weight in self.tables[material].weights.items()
            if to_move is None or MOVERS[mover] == to_move
        }
        wanted = sum(weight for (_, value), weight in weights.items() if outcome.text(value) in gscores)
        return _percent(wanted / sum(weights.values()))

    def commonest(self, material: str) -> str:
        """The outcome, other than mate, that most placements have."""
        found: dict[int, float] = {}
        for (_, value), weight in self.tables[material].weights.items():
            if outcome.level(value):
                found[value] = found.get(value, 0) + weight
        return outcome.text(max(found, key=lambda value: found[value]))

    def longest(self, material: str, gscore: str) -> int:
        return self._ways[material, gscore].dtg

    def line(self, material: str, gscore: str) -> Line:
        """A longest way there."""
        found = self._ways[material, gscore].line
        assert found is not None, "findings are about ways, not about what is on the board"
        return found


def _rook_and_bishop(figures: Figures) -> str:
    decided, mated = (figures.share("KRBvKR", gscore) for gscore in ("G1.0", "G0.0"))
    return (
        "A draw in chess that engines play on for fifty moves. Here White, who has the bishop, forces G1.0 in "
        f"{decided} of all placements: Black stands in check and has one legal move. In another {mated} White mates. "
        f"The longest way to G1.0 takes {figures.longest('KRBvKR', 'G1.0')} plies, from this position:"
    )


def _draws_of_chess(figures: Figures) -> str:
    told = []
    for material, name in DRAWS.items():
        gscore = figures.commonest(material)
        told.append(f"{name} {gscore} ({figures.share(material, gscore)})")
    return (
        "Most positions of these endings are draws in chess. What becomes of them most often, mates aside, with the "
        f"share of all placements: {', '.join(told)}. The knights' longest way to their score, "
        f"{figures.longest('KNNvKN', 'G3.0')} plies, begins here:"
    )


def _with_a_queen(figures: Figures) -> str:
    bishop, knight = figures.share("KQBvKQ", "G1.5"), figures.share("KQNvKQ", "G1.5")
    instead = " or ".join(f"{gscore} ({figures.share('KQNvKQ', gscore)})" for gscore in ("G2.0", "G3.5"))
    return (
        f"Against a queen, queen and bishop force G1.5 in {bishop} of all placements: one legal move, and no check. "
        f"Queen and knight hardly ever do ({knight}); they come to {instead}, and their ways are long: "
        f"{figures.longest('KQNvKQ', 'G3.0')} plies to G3.0 from this position:"
    )


def _two_knights(figures: Figures) -> str:
    mated, stalemated = (
        figures.share("KQNNvK", "G0.0", to_move="White"),
        figures.share("KQNNvK", "G0.5", to_move="Black"),
    )
    return (
        f"Queen and two knights against a bare king, White to move: {mated} are won by mate. With Black to move, "
        f"{stalemated} end in stalemate: usually he takes the queen, and the two knights, which cannot force mate, "
        f"then force stalemate. It takes up to {figures.longest('KQNNvK', 'G0.5')} plies:"
    )


def _stalemates(figures: Figures) -> str:
    all_of_them, few = figures.count("KRBNvK", "White"), figures.count("KRBNvK", "White", "G0.5")
    return (
        f"Rook, bishop and knight with the move against a bare king: {all_of_them:,} positions, and all but {few} are "
        f"won by mate. In those, whatever White plays stalemates Black. One of them:"
    )


def _against_a_queen(figures: Figures) -> str:
    mates = (
        f"{figures.share(name, 'G0.0')} and {figures.share(name, '-G0.0')}" for name in ("KRRvKQ", "KRBvKQ", "KRNvKQ")
    )
    rooks, bishop, knight = mates
    return (
        f"How often the queen is beaten by mate, and how often she mates, of all placements: by two rooks {rooks}, by "
        f"rook and bishop {bishop}, by rook and knight {knight}. Her longest mate against rook and bishop takes "
        f"{figures.longest('KRBvKQ', '-G0.0')} plies:"
    )


def _two_knights_against_a_pawn(figures: Figures) -> str:
    mated, stalemated = figures.share("KNNvKP", "G0.0"), figures.share("KNNvKP", "G0.5")
    return (
        "Two knights cannot force mate on a bare king, because he is stalemated before it. With a pawn that can still "
        f"move he is not: the knights mate in {mated} of all placements, and stalemate in another {stalemated}. The "
        f"longest mate takes {figures.longest('KNNvKP', 'G0.0')} plies:"
    )


def _against_a_rook(figures: Figures) -> str:
    bishop, knight = (figures.share(name, gscore) for name, gscore in (("KBPvKR", "-G4.0"), ("KNPvKR", "-G3.0")))
    mates = " and ".join(figures.share(name, "G0.0") for name in ("KBPvKR", "KNPvKR"))
    return (
        "Bishop and pawn against rook is mostly a draw in chess, and so is knight and pawn against rook. Here the rook "
        f"forces G4.0 on the bishop's side in {bishop} of all placements, and G3.0 on the knight's in {knight}. Those "
        f"who have the pawn mate in {mates}. The rook's longest way to that G4.0 takes "
        f"{figures.longest('KBPvKR', '-G4.0')} plies:"
    )


def _two_pawns(figures: Figures) -> str:
    bishop, knight = (figures.share(name, "G0.0") for name in ("KPPvKB", "KPPvKN"))
    moves, more = figures.share("KPPvKB", "-G1.5"), figures.share("KPPvKN", "-G3.5")
    return (
        f"Two pawns get through and mate against a bishop in {bishop} of all placements, against a knight in {knight}. "
        "Most of the others are draws in chess. Here the piece wins them: the bishop forces G1.5, one legal move, in "
        f"{moves} of all placements, the knight G3.5 in {more}. The bishop's longest way takes "
        f"{figures.longest('KPPvKB', '-G1.5')} plies:"
    )


def _queen_and_pawn(figures: Figures) -> str:
    mates, lost, two = (figures.share("KQPvKQ", gscore) for gscore in ("G0.0", "-G0.0", "G2.0"))
    return (
        f"Queen and pawn against queen: the pawn's side mates in {mates} of all placements, the other one in {lost}. "
        f"The commonest other score is G2.0 ({two}). The way from this position to G4.5 takes "
        f"{figures.longest('KQPvKQ', 'G4.5')} plies; the longest mate of this ending takes "
        f"{figures.longest('KQPvKQ', 'G0.0')}:"
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
    told: Callable[[Figures], str]
    shown: tuple[str, str] | Line
    """The line to show: the longest way of a material to a G-score, or another one."""


STALEMATED: Final = kept_line(
    Line(
        "KRBNvK-stalemated",
        "KRBNvK: whatever White plays",
        "8/8/8/8/1N6/8/B1R5/k1K5 w - - 0 1",
        outcome.parse("G0.5"),
        (),
    ),
    ["Nc6"],
)
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
        ("KRBNvK",), _stalemates, STALEMATED,
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


def section(figures: Figures) -> Section:
    """What is known from the tables built so far."""
    exhibits = []
    for finding in FINDINGS:
        if all(material in figures.tables for material in finding.materials):
            shown = finding.shown if isinstance(finding.shown, Line) else figures.line(*finding.shown)
            exhibits.append(Exhibit(finding.title, finding.told(figures), shown))
    title = "What is surprising"
    lines = Lines("surprising-lines", "Lines of what is surprising", tuple(one.line for one in exhibits), boards=True)
    return Section("surprising", title, (Exhibits("surprising", title, tuple(exhibits)), lines))
