"""Materials: all of them as a map by men and outcome, and what one table knows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any, Final, NamedTuple

import chess

from tbgen.board.men import known
from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.report.document import written
from tbgen.report.grades import GRADES, colour_class
from tbgen.rules.fen import read_fen
from tbgen.system.text import SIDES, counted, plies
from tbgen.web.pages.frame import SERVED, Links, meaning, page, problem
from tbgen.web.pages.pictures import histogram, share_bar

Study = Mapping[str, Any]
_ORDER: Final = "KQRBN"
"""As men are named; pawns and others come last."""


class Row(NamedTuple):
    material: Material
    size: int
    """Bytes of its file."""
    study: Study | None
    """None: not counted yet."""
    page: bool = True
    """Whether there is one that says more."""


def listing(
    tables: Sequence[Row],
    rules: TableRules,
    links: Links,
    others: Sequence[TableRules],
    uncounted: str,
    *,
    counting: int = 0,
) -> str:
    """`others`: of which rules there are such pages. `uncounted`: why some are not counted. `counting`: how many will
    be, one after the other: meanwhile the page looks again by itself."""
    body = [
        "<h1>Materials</h1>",
        *_longest_of_all(tables, rules, links),
        "<h2>All materials</h2>" if tables else "",
        "<p>White has the men named first. Each bar has all placements, with either side to move: from White’s best "
        "scores on the left to Black’s on the right. “Longest” is the longest way to a score, in plies.</p>",
        _legend(),
        _other_rules(links.materials, rules, others),
    ]
    if counting:
        body.append(_counting(f"Counting: {counted(counting, 'table')} to go. The page fills by itself."))
    if not tables:
        body.append(problem("Nothing here.", "There is no table of these rules.", "tbgen build --all 3"))
    in_order = sorted(tables, key=lambda one: (one.material.men, one.material.pawns, one.material.name))
    for men, group in groupby(in_order, key=lambda one: one.material.men):
        rows = "".join(_row(one, rules, links) for one in group)
        body.append(
            f'<h2>{men} men</h2><div class="scroll" tabindex="0" role="region" aria-label="{men} men">'
            '<table class="map">'
            '<thead><tr><th scope="col">material</th><th scope="col">who forces what</th>'
            '<th scope="col" class="number">longest</th><th scope="col" class="number">size</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )
    if sum(one.study is None for one in tables) > counting:
        body.append(f'<p class="note">{uncounted}</p>')
    return page(links, "tbgen: materials", "".join(body), here="Materials", head=_again(links) if counting else "")


def _longest_of_all(tables: Iterable[Row], rules: TableRules, links: Links) -> Iterator[str]:
    """Of each score, whoever holds it, the longest way that the tables have to it."""
    found: dict[int, tuple[int, str, Mapping[str, Any]]] = {}
    for one in tables:
        for row in [] if one.study is None else one.study["records"]["records"]:
            level = outcome.level(outcome.parse(row["gscore"]))
            if level not in found or row["dtg"] > found[level][0]:
                found[level] = (row["dtg"], one.material.name, row)
    rows = "".join(
        f'<tr><th scope="row">{_badge(row["gscore"])}</th><td>{meaning(outcome.parse(row["gscore"]))}</td>'
        f'<td class="number">{dtg}</td><td>{name}: {_position(row["fens"][0], rules, links)}</td></tr>'
        for _, (dtg, name, row) in sorted(found.items())
        if dtg
    )
    if rows:
        yield (
            '<h2 id="longest">The longest ways to each score</h2><p>With best play of both sides. '
            "A link opens the board with the line.</p>"
            '<div class="scroll tall" tabindex="0" role="region" aria-label="The longest ways to each score">'
            '<table class="longest"><thead><tr><th scope="col">score</th>'
            '<th scope="col">the other side is left with</th>'
            '<th scope="col" class="number">plies</th><th scope="col">from</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
        )


def _badge(gscore: str) -> str:
    return f'<span class="badge {colour_class(outcome.parse(gscore))}">{gscore}</span>'


def _position(fen: str, rules: TableRules, links: Links) -> str:
    """A link to the board with the line, which names the men: `Kc3 Rc5 – Kg1 Ba7, White to move`."""
    board = read_fen(fen, men=known()).board
    men = [(man.symbol().upper(), man.color, square) for square, man in board.piece_map().items()]
    men.sort(key=lambda man: f"{_ORDER}{man[0]}".index(man[0]))
    white, black = (
        " ".join(f"{letter}{chess.square_name(square)}" for letter, colour, square in men if colour is side)
        for side in (chess.WHITE, chess.BLACK)
    )
    words = f"{white} – {black}, {SIDES[board.turn]} to move"
    return f'<a href="{links.board(fen, rules, "line=1")}" title="{escape(fen)}">{words}</a>'


def _counting(words: str) -> str:
    return f'<p id="counting" class="hint" role="status">{words}</p>'


def _again(links: Links) -> str:
    return f'<script type="module" src="{links.static}counting.js"></script>\n'


def _row(one: Row, rules: TableRules, links: Links) -> str:
    name, study = one.material.name, one.study
    head = f'<a href="{links.material.format(name=name, rules=rules)}">{name}</a>' if one.page else name
    bar, longest = '<span class="note">not counted yet</span>', ""
    if study is not None:
        shares = _shares(study["stats"]["outcomes"])
        words = ", ".join(f"{outcome.text(value)} {100 * share:.0f} %" for value, share in shares if share > 0.005)
        bar = share_bar(shares, f"{name}: {words}")
        longest = str(study["stats"]["longest_dtg"])
    return (
        f'<tr><th scope="row">{head}</th><td class="wide">{bar}</td>'
        f'<td class="number">{longest}</td><td class="number">{one.size / 1024:,.0f} KiB</td></tr>'
    )


def _shares(outcomes: Iterable[Mapping[str, Any]]) -> list[tuple[int, float]]:
    """Of all placements, best for White first. Where the sides are equal, colours swapped count as well."""
    weights: dict[int, float] = {}
    for row in outcomes:
        value, weight = outcome.parse(row["gscore"]), float(row["placements"])
        parts = [(value, weight)] if row["to_move"] != "either" else [(value, weight / 2), (-value, weight / 2)]
        for held, part in parts:
            weights[held] = weights.get(held, 0) + part
    total = sum(weights.values()) or 1
    return [(value, weights[value] / total) for value in sorted(weights, reverse=True)]


def _legend() -> str:
    chips = "".join(
        f'<li><span class="chip {colour}{grade}"></span>{whose} {words}</li>'
        for colour, whose in (("w", "White’s"), ("b", "Black’s"))
        for grade, words in enumerate(GRADES)
    )
    return f'<ul class="legend">{chips}</ul>'


def _other_rules(address: str, rules: TableRules, others: Sequence[TableRules]) -> str:
    links = []
    for one in others:
        told = "resets by captures and pawn moves" if one == TableRules.RESET else "no resets (whole game)"
        mark = " aria-current=true" if one == rules else ""
        links.append(f'<a href="{address.format(rules=one)}"{mark}>{told}</a>')
    return f'<p class="switch">Rules: {" ".join(links)}</p>'


def one(name: str, rules: TableRules, study: Study, links: Links, others: Sequence[TableRules]) -> str:
    stats, records = study["stats"], study["records"]["records"]
    body = [
        f"<h1>{name}</h1>",
        '<p><a href="#longest">The longest ways</a>, with their lines</p>',
        _other_rules(links.material.replace("{name}", name), rules, others),
        f"<p>{stats['placements']:,} ways to place the men, with either side to move; {stats['positions']:,} that are "
        f"not mirrored. With best play the goal that decides is {stats['mean_dtg']:.1f} plies away on average, "
        f"{plies(stats['longest_dtg'])} at most. In {100 * stats['record_matters']:.1f} % of positions the record "
        "so far changes what can be forced.</p>",
        share_bar(_shares(stats["outcomes"]), f"{name}: shares of outcomes"),
        _legend(),
        *_longest(records, rules, links),
        *_outcomes(name, stats["outcomes"]),
    ]
    return page(links, f"tbgen: {name}", "".join(body), here="Materials")


def waiting(name: str, title: str, message: str, hint: str, *, counting: bool = False) -> str:
    """In place of a material's page. `counting`: it comes by itself."""
    why = problem(title, message, hint)
    if counting:
        why = _counting(f"Counting {escape(name)}, which may take minutes. The page comes by itself.")
    body = f"<h1>{escape(name)}</h1>{why}"
    return page(SERVED, f"tbgen: {name}", body, here="Materials", head=_again(SERVED) if counting else "")


def _outcomes(name: str, outcomes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for to_move, group in groupby(outcomes, key=lambda row: row["to_move"]):
        title = "Either side to move" if to_move == "either" else f"{to_move.capitalize()} to move"
        yield (
            f'<h2>{title}</h2><div class="scroll" tabindex="0" role="region" aria-label="{title}"><table>'
            '<thead><tr><th scope="col">forced</th><th scope="col">by</th><th scope="col" class="number">share</th>'
            '<th scope="col" class="number">positions</th><th scope="col" class="number">mean plies</th>'
            '<th scope="col" class="number">longest</th><th scope="col">placements by plies</th></tr></thead><tbody>'
        )
        for row in group:
            value = outcome.parse(row["gscore"])
            label = f"{row['gscore']}: placements by plies, 0 to {row['longest_dtg']}"
            kind = colour_class(value)
            yield (
                f'<tr><th scope="row">{_badge(row["gscore"])}</th>'
                f"<td>{'White' if value > 0 else 'Black'}: {meaning(value)}</td>"
                f'<td class="number">{escape(written(row["share"], "share"))}</td>'
                f'<td class="number">{row["positions"]:,}</td>'
                f'<td class="number">{row["mean_dtg"]:.1f}</td><td class="number">{row["longest_dtg"]}</td>'
                f'<td class="wide">{histogram(row["histogram"], label, kind)}</td></tr>'
            )
        yield "</tbody></table></div>"


def _longest(records: Sequence[Mapping[str, Any]], rules: TableRules, links: Links) -> Iterator[str]:
    yield (
        '<h2 id="longest">The longest ways</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-label="The longest ways"><table>'
        '<thead><tr><th scope="col">forced</th><th scope="col" class="number">plies</th>'
        '<th scope="col" class="number">positions</th><th scope="col">one of them</th></tr></thead><tbody>'
    )
    for row in records:
        fens = "".join(f"<li>{_position(fen, rules, links)}</li>" for fen in row["fens"])
        yield (
            f'<tr><th scope="row">{_badge(row["gscore"])}</th><td class="number">{row["dtg"]}</td>'
            f'<td class="number">{row["positions"]:,}</td><td><ul class="plain">{fens}</ul></td></tr>'
        )
    yield '</tbody></table></div><p class="note">A link opens the board with the line of best play.</p>'
