"""How often stalemate can be forced where chess sees a draw, and who would win if the stalemated side lost.

A side can force mate or stalemate exactly where it can force G0.5 or better: both end the game, and no record counts
against them. So the outcomes of r-mobility say who wins if stalemate is as good as mate.
"""

from collections.abc import Sequence
from typing import Final

from tbgen.core import outcome
from tbgen.report import findings
from tbgen.report.census import MOVERS, Census
from tbgen.report.document import Remark, Section, Table, Value, columns
from tbgen.report.findings import share
from tbgen.report.potential import Shares, shares

_MATE: Final = outcome.BASE
_STALEMATE: Final = outcome.BASE - 1
_NAMED: Final = 3
"""Materials named in a sentence."""

_REMARK: Final = Remark(
    "White has the men named first. Shares are of placements with either side to move; those of stalemates are of the "
    "placements that chess calls drawn, as neither side forces mate. If the stalemated side lost, as H. G. Haworth's "
    "variant has it, every stalemate that can be forced would be a win."
)


def section(counted: Sequence[Shares]) -> Section:
    rows = tuple(_row(one) for one in counted)
    blocks = (
        _REMARK,
        Table(
            "stalemates",
            "Stalemates among the draws of chess",
            columns(
                ("material", "material"),
                ("share_drawn", "drawn in chess", "share"),
                ("share_of_drawn_white", "White stalemates", "share"),
                ("share_of_drawn_black", "Black stalemates", "share"),
                ("share_of_drawn", "either does", "share"),
            ),
            rows,
            total=_row_of_all(counted) if len(counted) > 1 else (),
        ),
        Table(
            "totals",
            "If the stalemated side lost",
            columns(
                ("material", "material"),
                ("to_move", "to move"),
                ("placements", "placements", "count"),
                ("white_mates", "White mates", "count"),
                ("drawn", "drawn", "count"),
                ("black_mates", "Black mates", "count"),
                ("white_wins", "White would win", "count"),
                ("still_drawn", "still drawn", "count"),
                ("black_wins", "Black would win", "count"),
            ),
            tuple(_totals(one, mover) for one in counted for mover in MOVERS),
        ),
    )
    return Section("stalemates", "Stalemates", blocks, (_finding(counted),))


def of(censuses: Sequence[Census]) -> Section:
    return section([shares(census) for census in censuses])


def _weight(counted: Shares, *values: int, mover: int | None = None) -> float:
    return sum(weight for (side, value), weight in counted.weights.items() if value in values and mover in (None, side))


def _drawn(counted: Shares) -> float:
    """Placements that neither side wins by mate."""
    return sum(counted.weights.values()) - _weight(counted, _MATE, -_MATE)


def _row(counted: Shares) -> tuple[Value, ...]:
    return _figures(counted.name, [counted])


def _row_of_all(counted: Sequence[Shares]) -> tuple[Value, ...]:
    return _figures("all", counted)


def _figures(name: str, counted: Sequence[Shares]) -> tuple[Value, ...]:
    drawn = sum(map(_drawn, counted))
    white, black = (sum(_weight(one, value) for one in counted) for value in (_STALEMATE, -_STALEMATE))
    of_drawn = (white / drawn, black / drawn, (white + black) / drawn) if drawn else (None, None, None)
    return (name, drawn / sum(sum(one.weights.values()) for one in counted), *of_drawn)


def _totals(counted: Shares, mover: int) -> tuple[Value, ...]:
    placements = sum(weight for (side, _), weight in counted.weights.items() if side == mover)
    mates = [_weight(counted, value, mover=mover) for value in (_MATE, -_MATE)]
    stalemates = [_weight(counted, value, mover=mover) for value in (_STALEMATE, -_STALEMATE)]
    wins = [mated + stalemated for mated, stalemated in zip(mates, stalemates, strict=True)]
    found = (placements, mates[0], placements - sum(mates), mates[1], wins[0], placements - sum(wins), wins[1])
    return (counted.name, MOVERS[mover], *map(round, found))


def _finding(counted: Sequence[Shares]) -> str:
    whole = _row_of_all(counted)[-1]
    if not isinstance(whole, float) or not whole:
        return "No draw of chess is a stalemate that can be forced."
    found = f"In {share(whole)} of the placements that chess calls drawn, a side forces stalemate"
    ranked = sorted(counted, key=_stalemated, reverse=True)[:_NAMED]
    named = [f"{one.name} ({share(_stalemated(one))})" for one in ranked]
    return (
        f"{found}; of all placements of a material, most in {findings.listed(named)}." if counted[1:] else f"{found}."
    )


def _stalemated(counted: Shares) -> float:
    return _weight(counted, _STALEMATE, -_STALEMATE) / sum(counted.weights.values())
