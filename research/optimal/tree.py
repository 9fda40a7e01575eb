"""How far r-mobility thins the tree of best play."""

from collections.abc import Sequence
from typing import Final

from research.optimal.count import BestMoves
from tbgen.core.material import Material
from tbgen.report.document import Remark, Section, Table, Value, columns

_REMARK: Final = Remark(
    "Best moves keep what can be forced: in chess win, draw or loss, in r-mobility the outcome, with the position's "
    "own goal as the record; how long it takes does not count. Means are over all positions in which the game goes "
    "on, each once up to symmetry, then over those that chess calls drawn. “Thinner” divides one mean by the other. A "
    "right to capture en passant is in no table."
)


def section(found: Sequence[tuple[Material, BestMoves]]) -> Section:
    rows = tuple((material.name, *_figures(one)) for material, one in found)
    every = BestMoves(*(sum(column) for column in zip(*(one for _, one in found), strict=True)))
    table = Table(
        "tree",
        "Best moves",
        columns(
            ("material", "material"),
            ("positions", "positions", "count"),
            ("moves", "moves", "mean"),
            ("of_chess", "best in chess", "mean"),
            ("of_mobility", "in r-mobility", "mean"),
            ("thinner", "thinner", "mean"),
            ("drawn", "drawn in chess", "count"),
            ("drawn_of_chess", "best in chess", "mean"),
            ("drawn_of_mobility", "in r-mobility", "mean"),
            ("drawn_thinner", "thinner", "mean"),
        ),
        rows,
        total=("all", *_figures(every)) if len(found) > 1 else (),
    )
    return Section("tree", "The tree of best play", (_REMARK, table), (_finding(every),))


def _figures(one: BestMoves) -> tuple[Value, ...]:
    return (
        one.positions,
        one.moves / one.positions,
        one.of_chess / one.positions,
        one.of_mobility / one.positions,
        one.of_chess / one.of_mobility,
        one.drawn,
        one.drawn_of_chess / one.drawn if one.drawn else None,
        one.drawn_of_mobility / one.drawn if one.drawn else None,
        one.drawn_of_chess / one.drawn_of_mobility if one.drawn else None,
    )


def _finding(every: BestMoves) -> str:
    found = f"In r-mobility a position has {every.of_mobility / every.positions:.1f} best moves on average"
    told = f"{found}, in chess {every.of_chess / every.positions:.1f}"
    if not every.drawn:
        return f"{told}."
    drawn = every.drawn_of_mobility / every.drawn, every.drawn_of_chess / every.drawn
    return f"{told}; where chess sees a draw, {drawn[0]:.1f} and {drawn[1]:.1f}."
