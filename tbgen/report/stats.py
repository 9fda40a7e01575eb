"""How often each outcome is forced, table by table and in all."""

from collections.abc import Iterator, Sequence
from typing import Final

from tbgen.core import outcome
from tbgen.report import findings, overview
from tbgen.report.census import BLACK, MOVERS, WHITE, Tally, total_weights
from tbgen.report.charts import Distances
from tbgen.report.document import Block, Remark, Section, Table, Value, columns
from tbgen.report.mobility import most_moves

_NAMED: Final = 7
"""Levels with a column of their own: mate, stalemate, G1.0 ... G3.0."""

_REMARK: Final = Remark(
    "White has the men named first. Positions are counted once up to symmetry (of the board and, where both sides have "
    "the same men, of colours), placements are all of them, for both sides to move. Shares are of placements. Where "
    "both sides have the same men, a position is told with White to move. Outcomes are fresh ones: the record is the "
    "position's own G-score. Mean DTG is over positions. “Record matters” is the share of positions whose outcome "
    "under some other record is not simply the better of that record and the fresh outcome. Rights to castle or to "
    "capture en passant are in no table."
)


def section(censuses: Sequence[Tally], distances: Distances | None = None) -> Section:
    """All of it, with a picture of distances where they were counted."""
    blocks: list[Block] = [
        *overview.two_against_one(censuses),
        overview.holders(censuses),
        overview.heat_map(censuses),
        *((distances,) if distances else ()),
        _summary(censuses),
    ]
    if len(censuses) > 1:
        blocks.append(_pivot("all", "All tables together", censuses))
    blocks.append(_REMARK)
    for census in censuses:
        name = census.material.name
        blocks.append(_pivot(name, name, [census], detail=len(censuses) > 1))
    found = (*findings.decided(censuses), findings.recorded(censuses))
    return Section("stats", "Statistics", (*blocks, _outcomes(censuses)), found)


def _summary(censuses: Sequence[Tally]) -> Table:
    names = ["mate", "stalemate", *(outcome.gscore(level) for level in range(2, _NAMED))]
    rows = tuple(_summary_row(census.material.name, [census]) for census in censuses)
    return Table(
        "summary",
        "What the tables hold",
        columns(
            ("material", "material"),
            ("positions", "positions", "count"),
            ("placements", "placements", "count"),
            *((f"share_{name}", name, "share") for name in names),
            ("share_more", "more", "share"),
            ("mean_dtg", "mean DTG", "mean"),
            ("longest_dtg", "longest", "plies"),
            ("record_matters", "record matters", "share"),
            ("most_moves_white", "White’s most moves", "plies"),
            ("most_moves_black", "Black’s most moves", "plies"),
        ),
        rows,
        total=_summary_row("all", censuses) if len(censuses) > 1 else (),
    )


def _summary_row(name: str, censuses: Sequence[Tally]) -> tuple[Value, ...]:
    positions = sum(census.positions for census in censuses)
    placements = sum(census.placements for census in censuses)
    weights = [0] * (_NAMED + 1)
    for census in censuses:
        for (_, value), spread in census.cases.items():
            weights[min(outcome.level(value), _NAMED)] += spread.weight
    return (
        name,
        positions,
        placements,
        *(weight / placements for weight in weights),
        sum(census.plies for census in censuses) / positions,
        max(census.longest for census in censuses),
        sum(census.recorded[0] for census in censuses) / positions,
        max(most_moves(census.material, WHITE) for census in censuses),
        max(most_moves(census.material, BLACK) for census in censuses),
    )


def _pivot(key: str, title: str, censuses: Sequence[Tally], *, detail: bool = False) -> Table:
    """A row per level; shares of the placements with one side to move that either side decides."""
    weights = total_weights(censuses)
    totals = {mover: sum(weight for (side, _), weight in weights.items() if side == mover) for mover in MOVERS}
    rows: list[tuple[Value, ...]] = []
    for level in sorted({outcome.level(value) for _, value in weights}):
        held = outcome.held_by_white(level)
        shares = [weights.get((mover, value), 0) / totals[mover] for mover in (WHITE, BLACK) for value in (held, -held)]
        rows.append((held, *shares))
    return Table(
        f"pivot-{key}",
        f"{title}: who forces what",
        columns(
            ("gscore", "G-score", "gscore"),
            ("white_to_move_white", "White moves: White’s", "share"),
            ("white_to_move_black", "White moves: Black’s", "share"),
            ("black_to_move_white", "Black moves: White’s", "share"),
            ("black_to_move_black", "Black moves: Black’s", "share"),
        ),
        tuple(rows),
        detail=detail,
        on_page=not detail,
    )


def _outcomes(censuses: Sequence[Tally]) -> Table:
    return Table(
        "outcomes",
        "Every outcome of every table",
        columns(
            ("material", "material"),
            ("to_move", "to move"),
            ("gscore", "G-score", "gscore"),
            ("positions", "positions", "count"),
            ("placements", "placements", "count"),
            ("share", "share", "share"),
            ("on_board", "on the board", "share"),
            ("mean_dtg", "mean DTG", "mean"),
            ("longest_dtg", "longest", "plies"),
        ),
        tuple(row for census in censuses for row in _outcome_rows(census)),
        note="Share: of the placements with this side to move. On the board: no play changes it, DTG is 0.",
        detail=True,
    )


def _outcome_rows(census: Tally) -> Iterator[tuple[Value, ...]]:
    for (mover, value), spread in census.cases.items():
        yield (
            census.material.name,
            census.to_move(mover),
            value,
            spread.count,
            spread.weight,
            spread.weight / census.totals[mover],
            spread.on_board,
            spread.plies / spread.count,
            spread.longest,
        )
