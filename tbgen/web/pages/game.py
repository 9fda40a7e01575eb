"""Games told ply by ply, beside a board that steps through them."""

from collections.abc import Iterator, Sequence
from html import escape

from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.probe.words import LATE, reached
from tbgen.referee.annotate.game import Ply, Told, Worth, glyph
from tbgen.report.grades import colour_class
from tbgen.system.text import plies
from tbgen.web.pages.frame import RULES, SERVED, options, page, problem

_MARKS = {"$2": "?", "$4": "??"}
_NAMED = 8
"""Moves that the summary names."""
EXAMPLE = b"""[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[FEN "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"]

30... Kh5 31. Kf4 Kh6 32. Bg6 Kxg6 1/2-1/2
"""


def _form(rules: TableRules | None, pgn: str, wrong: str) -> str:
    """The text folds away once all of it is read."""
    choices = options(rules or "", (("", "each game's own, by its tags"), *RULES))
    is_open = " open" if wrong or not pgn else ""
    return f"""<details class="paste"{is_open}><summary>Paste or open a PGN</summary>
<form id="pgn-form" action="/game" method="post">
<label for="pgn">Games as PGN</label>
<textarea id="pgn" name="pgn" rows="10" spellcheck="false" required
placeholder="Paste here what your program or site gives as PGN">{escape(pgn)}</textarea>
<div id="wrong">{wrong}</div>
<div class="row"><label for="game-rules">Rules</label><select id="game-rules" name="rules">{choices}</select></div>
<div class="row"><button type="submit" class="main">Show</button>
<button type="submit" name="example" value="1" formnovalidate>Try an example</button>
<button type="submit" formaction="/v1/annotate">Download annotated</button>
<label id="open-label" class="file" hidden>Open a file <input id="open" type="file" accept=".pgn,.txt"></label></div>
</form></details>"""


Refused = tuple[str, str] | None
"""Why nothing is told, and what to do."""


def games(rules: TableRules | None, pgn: str, told: Sequence[tuple[Told | None, str]], refused: Refused) -> str:
    inside = "".join(_one(number, one) for number, (one, _) in enumerate(told, start=1) if one)
    wrong = "".join(problem("Not read.", f"Line {fault}") for one, fault in told if one is None)
    if refused:
        wrong = problem("Not read.", *refused)
    elif pgn and not told:
        wrong = problem("Not read.", "There is no game in that.")
    board = '<div class="left"><div id="board" class="board"></div><div id="steps" class="tools" hidden></div></div>'
    shown = f'<div class="explorer">{board}<div id="games" class="right">{inside}</div></div>' if inside else ""
    body = (
        "<h1>Your game: who gave what away</h1><p>Paste a game that came down to few pieces. The tables find the moves "
        "that gave something away; the record says who wins by r-mobility.</p>"
        f'{_form(rules, pgn, wrong)}<div id="shown">{shown}</div>'
    )
    return page(SERVED, "tbgen: your game", body, here="Your game", script="game.js")


def _one(number: int, told: Told) -> str:
    white, black = (told.headers.get(name) or "?" for name in ("White", "Black"))
    result = told.headers.get("RMobilityResult") or told.headers.get("Result") or ""
    rows = "".join(_rows(told))
    title = f"{escape(white)} – {escape(black)} {escape(result)}"
    return (
        f'<section class="game" data-start="{escape(told.start)}" data-rules="{told.rules}" '
        f'aria-label="Game {number}"><h2>{title}</h2>'
        f"{_summary(told, white, black)}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="Moves of game {number}">'
        '<table class="plies"><thead><tr><th scope="col">move</th><th scope="col">G-score</th>'
        '<th scope="col">record</th><th scope="col">table</th><th scope="col">gave away</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _summary(told: Told, white: str, black: str) -> str:
    """Who gave what away, and who wins by the record."""
    known = sum(ply.verdict is not None for ply in told.plies)
    gave = [ply for ply in told.plies if ply.gave is not None]
    parts = [f"Tables know {known} of {plies(len(told.plies))}."]
    parts += [f"<b>{escape(black if '...' in ply.number else white)}</b> {_mistake(ply)}." for ply in gave[:_NAMED]]
    if len(gave) > _NAMED:
        parts.append(f"{len(gave) - _NAMED} more moves gave something away.")
    if known and not gave:
        parts.append("None of those moves gave anything away.")
    if told.plies:
        if left := _left_over(told, white, black):
            parts.append(left)
        record = told.plies[-1].record
        holder = escape(white if record > 0 else black)
        parts.append(f"At the end the record is {outcome.text(record)}: <b>{holder}</b> is ahead by it.")
    return "".join(f"<p>{part}</p>" for part in parts)


def _left_over(told: Told, white: str, black: str) -> str | None:
    """What could still be forced when the game ended: no move gave it away, and yet it was not reached."""
    last = told.plies[-1]
    if last.verdict is None or last.verdict.outcome == last.record:
        return None
    promised, since = last.verdict.outcome, last
    for ply in reversed(told.plies):
        if ply.verdict is None or ply.verdict.outcome != promised:
            break
        since = ply
    side = f"<b>{escape(white if promised > 0 else black)}</b>"
    begun = f"{since.number} {escape(since.san)}"
    return f"{side} could force {outcome.text(promised)} from {begun} on, and did not get there."


def _mistake(ply: Ply) -> str:
    """`gave away G2.5 with 51. Kh5? (better: Kf4); then -G5.0 in 14 plies`."""
    then = "" if ply.verdict is None else f"; then {reached(ply.verdict.outcome, ply.verdict.dtg)}"
    move = f"{ply.number} {escape(ply.san)}{_MARKS[glyph(ply)]}"
    return f"gave away {outcome.text(ply.gave or 0)} with {move} (better: {escape(ply.better)}){then}"


def _in_words(ply: Ply) -> str:
    """For whoever steps through the game."""
    if ply.gave is not None:
        told = f"{_mistake(ply)}."
        return told[0].upper() + told[1:]
    worth = "" if ply.verdict is None else f" With best play: {reached(ply.verdict.outcome, ply.verdict.dtg)}."
    return (
        f"{ply.number} {escape(ply.san)}: G-score {outcome.text(ply.goal)}, record {outcome.text(ply.record)}.{worth}"
    )


def _rows(told: Told) -> Iterator[str]:
    first = next((place for place, ply in enumerate(told.plies) if ply.verdict is not None), -1)
    for place, ply in enumerate(told.plies):
        mark = f'<span class="bad">{_MARKS[glyph(ply)]}</span>' if ply.gave is not None else ""
        gave = "" if ply.gave is None else f"{outcome.text(ply.gave)}: {escape(ply.better)}"
        record = outcome.text(ply.record)
        kind = ' class="first"' if place == first and not (place == 0 and told.verdict) else ""
        if kind:
            yield '<tr><td colspan="5" class="note">From here on the tables know the position.</td></tr>'
        yield (
            f'<tr{kind}><th scope="row">{ply.number} <a href="{SERVED.board(ply.fen, told.rules)}" '
            f'data-uci="{ply.uci}" data-told="{_in_words(ply)}" data-fen="{escape(ply.fen)}">'
            f"{escape(ply.san)}</a>{mark}</th>"
            f"<td>{outcome.text(ply.goal)}</td><td>{_record(ply, record)}</td><td>{_table(ply.verdict)}</td>"
            f"<td>{gave}</td></tr>"
        )


def _table(verdict: Worth | None) -> str:
    if verdict is None:
        return ""
    badge = f'<span class="badge {colour_class(verdict.outcome)}">{reached(verdict.outcome, verdict.dtg)}</span>'
    return badge + f"<br><small>{LATE}</small>" * verdict.late


def _record(ply: Ply, record: str) -> str:
    if ply.reset:
        return f'{record} <span class="badge small">reset</span>'
    return f"<b>{record}</b>" if ply.is_new_record else record
