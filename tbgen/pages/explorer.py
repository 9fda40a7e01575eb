"""The board's page. Scripts make what stands beside the board, of the JSON that `serve/board.py` or
`static/published.js` tells; here are its frame, its title for lists of pages, and the same in words without scripts."""

from html import escape
from typing import Any, Final

from tbgen import outcome
from tbgen.errors import BadInput
from tbgen.look.board import picture
from tbgen.men import known
from tbgen.pages.frame import SERVED, Links, options, page
from tbgen.probe import Result
from tbgen.probe.numbering import material_of
from tbgen.probe.words import record_sentence, sentence
from tbgen.rules.fen import read_fen
from tbgen.table_rules import TableRules
from tbgen.text import SIDES, plies, to_json

START: Final = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
"""The board that a visitor finds."""
_TITLE: Final = "tbgen: endgame explorer"
_DESCRIPTION: Final = (
    "R-mobility is chess without draws: what counts is how few moves one leaves the opponent. "
    "What each endgame of few men is worth."
)
_INTRODUCTION: Final = """<details class="about"><summary>R-mobility is chess without draws: what counts is how few
moves one leaves the opponent.</summary><dl>
<dt>G-score</dt><dd>The number of legal moves of the side to move, and a half more when it is not in check. Checkmate
is G0.0, stalemate G0.5, one move in check G1.0. The other side scores it: White’s is written G1.5, Black’s -G1.5, and
the lower number is the better one.</dd>
<dt>Record</dt><dd>The best G-score so far. Who holds it when the game ends has won by it. A capture or a pawn move
begins a new one.</dd>
<dt>White forces G1.5 in 4 plies</dt><dd>Against any defence White brings that position about within four moves, each
side’s counted, and nobody can force more.</dd></dl></details>
"""


def served(told: dict[str, Any]) -> str:
    """The page of a server, with what it tells of the position."""
    try:
        board = read_fen(told["fen"], men=known()).board
    except BadInput:
        board = None
    title = _TITLE if board is None else f"{material_of(board)}, {SIDES[board.turn]} to move"
    words = _words(told)
    first = to_json(told).replace("<", "\\u003c")
    shown = "" if board is None else picture(board, coordinates=False)
    body = _body(told["fen"], TableRules.of(told["rules"]), "/", shown, _plain(told, words))
    body += f'<script type="application/json" id="told">{first}</script>'
    return page(SERVED, title, body, here="Board", script="served.js", head=_preview(title, words or _DESCRIPTION))


def published(links: Links, rules: TableRules, url: str | None) -> str:
    """The page of a folder: the address says which position it shows, and tables are asked from here."""
    body = _body("", rules, "", "", "<noscript><p>The board asks the tables by JavaScript.</p></noscript>")
    head = _preview(_TITLE, _DESCRIPTION, url)
    return page(links, _TITLE, body, here="Board", script="published.js", head=head)


def _preview(title: str, description: str, url: str | None = None) -> str:
    """What those show who link here. They want an address in full, and a picture there."""
    tags = {"og:title": title, "og:description": description, "og:type": "website"}
    if url:
        tags |= {"og:url": f"{url}/", "og:image": f"{url}/pages/static/preview.png"}
    told = "".join(f'<meta property="{name}" content="{escape(words)}">\n' for name, words in tags.items())
    return f'<meta name="description" content="{escape(description)}">\n{told}'


def _words(told: dict[str, Any]) -> str:
    answer = told.get("answer", {})
    if "error" in told or "gscore" not in answer or "record" not in answer or "dtg" not in answer:
        return str(told.get("error", {}).get("message", ""))
    value, record = outcome.parse(answer["gscore"]), outcome.parse(answer["record"])
    result = Result(answer["material"], value, answer["dtg"], True, record)
    return f"{sentence(result)} {record_sentence(result)}"


def _plain(told: dict[str, Any], words: str) -> str:
    """The answer in words, and the moves: what there is until scripts have come, or without them."""
    known = told["answer"]["moves"] if "answer" in told else told.get("beyond", ())
    rows = "".join(
        f'<li><a class="move" href="{SERVED.board(move["fen"], told["rules"])}"><b>{escape(move["san"])}</b> '
        f"{_worth(move)}</a></li>"
        for move in known
    )
    kind = "verdict" if "answer" in told else "problem"
    verdict = f'<div class="{kind}"><p>{escape(words)}</p></div>' if words else ""
    return f'{verdict}<ul class="moves">{rows}</ul>'


def _worth(move: dict[str, Any]) -> str:
    gscore, dtg = move.get("gscore"), move.get("dtg")
    return f"{gscore or ''}{f' in {plies(dtg)}' if dtg else ''}"


def _body(fen: str, rules: TableRules, address: str, picture: str, words: str) -> str:
    """`picture` and `words` stand there until scripts have come. `address`: of this page."""
    return f"""<h1 class="sr">Endgame explorer</h1>
{_INTRODUCTION}<div id="doors" class="doors"></div><div class="explorer"><div class="left">
<div id="board" class="board">{picture}</div>
<div id="tools" class="tools" hidden></div>
<form class="ask" action="{address}" method="get"><label for="fen">FEN, with the record as seventh field</label>
<div class="row"><input id="fen" name="fen" value="{escape(fen)}" autocomplete="off" spellcheck="false">
<button type="submit">Ask</button></div>
<label for="rules">Rules</label><select id="rules" name="rules" autocomplete="off">{options(rules)}</select></form>
</div><div class="right"><div id="tale" role="status"></div><div id="played"></div>
<div id="panel">{words}</div></div></div>
<dialog id="promote" aria-label="Promote to"></dialog>"""
