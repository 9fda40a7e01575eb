"""The board's page. Scripts make what stands beside the board, of the JSON that `server/board.py` or
`static/published.js` tells; here are its frame, its title for lists of pages, and the same in words without scripts."""

from html import escape
from typing import Any, Final
from urllib.parse import quote

import chess

from tbgen.board.men import known
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.drawing.board import picture
from tbgen.drawing.png import HEIGHT, WIDTH, can_draw
from tbgen.errors import BadInput
from tbgen.probe import Result
from tbgen.probe.numbering import material_of
from tbgen.probe.words import record_sentence, sentence
from tbgen.rules.fen import read_fen
from tbgen.system.text import SIDES, plies, to_json
from tbgen.web.pages.frame import SERVED, Links, options, page

START: Final = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
"""The board that a visitor finds."""
PICTURE: Final = "/picture.png"
"""Where a server has the pictures of positions, each by its FEN."""
_TITLE: Final = "tbgen: endgame explorer"
_DESCRIPTION: Final = (
    "R-mobility is chess without draws: what counts is how few moves one leaves the opponent. "
    "What each endgame of few men is worth."
)
_ELSEWHERE: Final = 'if (location.search) document.documentElement.classList.add("elsewhere")'
_CHALLENGE: Final = "Force what the tables say can be forced, while they defend."
_INTRODUCTION: Final = """<details class="about"><summary>What is this? Chess without draws: what counts is how few
moves one leaves the opponent.</summary><dl>
<dt>G-score</dt><dd>The number of legal moves of the side to move, and a half more when it is not in check. Checkmate
is G0.0, stalemate G0.5, one move in check G1.0. The other side scores it: White’s is written G1.5, Black’s
<span class="whole">-G1.5</span>, and
the lower number is the better one.</dd>
<dt>Record</dt><dd>The best G-score so far. Who holds it when the game ends has won by it. A capture or a pawn move
begins a new one.</dd>
<dt>White forces G1.5 in 4 plies</dt><dd>Against any defence White brings that position about within four moves, each
side’s counted, and nobody can force more.</dd></dl></details>
"""


def served(told: dict[str, Any], url: str | None = None, *, secret: bool = False) -> str:
    """The page of a server, with what it tells of the position. `url`: where people find the server, without a slash
    at its end. `secret`: somebody is to find out what is told."""
    shown, board, words = _shown(told), _board(told["fen"]), _words(told)
    title = _TITLE if board is None else f"{material_of(board)}, {SIDES[board.turn]} to move"
    plain = _plain(told, words, SERVED)
    if secret:
        title, words, plain = f"A challenge: {title}", _CHALLENGE, f"<noscript>{plain}</noscript>"
    body = _body(told["fen"], TableRules.of(told["rules"]), "/", shown, plain) + _embedded(told)
    head = _preview(title, words or _DESCRIPTION, *_here(told, board, url))
    return page(SERVED, title, body, here="Board", script="served.js", head=head)


def _here(told: dict[str, Any], board: chess.Board | None, url: str | None) -> tuple[str, str] | tuple[None, None]:
    """The addresses of a served position and of its picture, in full."""
    if url is None:
        return None, None
    fen = quote(told["fen"].replace(" ", "_"), safe="/-")
    is_drawn = board is not None and can_draw(board)
    picture = f"{url}{PICTURE}?fen={fen}" if is_drawn else f"{url}/static/preview.png"
    return f"{url}/?fen={fen}&rules={told['rules']}", picture


def published(links: Links, rules: TableRules, url: str | None, told: dict[str, Any] | None) -> str:
    """The page of a folder: the address says which position it shows, and tables are asked from here. `told`: what
    they tell of the board that a visitor finds; it is hidden until scripts come where the address has another one."""
    plain = "<noscript><p>The board asks the tables by JavaScript.</p></noscript>"
    shown = first = ""
    if told is not None:
        shown, first = _shown(told), _embedded(told)
        plain = _plain(told, _words(told), links) + plain
    body = _body("" if told is None else START, rules, "", shown, plain) + first
    address, picture = (None, None) if url is None else (f"{url}/", f"{url}/pages/static/preview.png")
    head = f"{_preview(_TITLE, _DESCRIPTION, address, picture)}<script>{_ELSEWHERE}</script>\n"
    return page(links, _TITLE, body, here="Board", script="published.js", head=head)


def _board(fen: str) -> chess.Board | None:
    try:
        return read_fen(fen, men=known()).board
    except BadInput:
        return None


def _shown(told: dict[str, Any]) -> str:
    board = _board(told["fen"])
    return "" if board is None else picture(board, coordinates=False)


def _embedded(told: dict[str, Any]) -> str:
    """What scripts need not ask for."""
    first = to_json(told).replace("<", "\\u003c")
    return f'<script type="application/json" id="told">{first}</script>'


def _preview(title: str, description: str, address: str | None, picture: str | None) -> str:
    """What those show who link here. They want addresses in full."""
    tags = {"og:title": title, "og:description": description, "og:type": "website"}
    more = ""
    if address and picture:
        tags |= {"og:url": address, "og:image": picture, "og:image:width": str(WIDTH), "og:image:height": str(HEIGHT)}
        more = (
            '<meta name="twitter:card" content="summary_large_image">\n'
            f'<link rel="canonical" href="{escape(address)}">\n'
        )
    told = "".join(f'<meta property="{name}" content="{escape(words)}">\n' for name, words in tags.items())
    return f'<meta name="description" content="{escape(description)}">\n{told}{more}'


def _words(told: dict[str, Any]) -> str:
    answer = told.get("answer", {})
    if "error" in told or "gscore" not in answer or "record" not in answer or "dtg" not in answer:
        return str(told.get("error", {}).get("message", ""))
    value, record = outcome.parse(answer["gscore"]), outcome.parse(answer["record"])
    result = Result(answer["material"], value, answer["dtg"], True, record)
    return f"{sentence(result)} {record_sentence(result)}"


def _plain(told: dict[str, Any], words: str, links: Links) -> str:
    """The answer in words, and the moves: what there is until scripts have come, or without them."""
    known = told["answer"]["moves"] if "answer" in told else told.get("beyond", ())
    rows = "".join(
        f'<li><a class="move" href="{links.board(move["fen"], told["rules"])}"><b>{escape(move["san"])}</b> '
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
<form class="ask" action="{address}" method="get"><label for="fen">FEN; a record may follow as seventh field</label>
<div class="row"><input id="fen" name="fen" value="{escape(fen)}" autocomplete="off" spellcheck="false">
<button type="submit">Ask</button></div>
<label for="rules">Rules</label><select id="rules" name="rules" autocomplete="off">{options(rules)}</select></form>
</div><div class="right"><div id="tale" role="status"></div><div id="played"></div>
<div id="panel">{words}</div></div></div>
<dialog id="promote" aria-label="Promote to"></dialog>"""
