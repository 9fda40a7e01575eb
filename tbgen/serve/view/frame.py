"""What all pages have."""

from collections.abc import Iterable
from html import escape
from typing import Final
from urllib.parse import quote

from tbgen import outcome
from tbgen._version import __version__
from tbgen.table_rules import TableRules
from tbgen.text import counted, plies

_PAGES: Final = (("/", "Board"), ("/materials", "Materials"), ("/game", "Game"))
RULES: Final = (
    (TableRules.RESET, "resets by captures and pawn moves"),
    (TableRules.WHOLE_GAME, "no resets (whole game)"),
)
_ENDS: Final = {0: "checkmate", 1: "stalemate"}
"""By level."""


def page(title: str, body: str, script: str = "", here: str = "") -> str:
    nav = "".join(f'<a href="{path}"{" aria-current=page" if path == here else ""}>{name}</a>' for path, name in _PAGES)
    board = '<link rel="stylesheet" href="/static/chessground/chessground.css">' if script else ""
    code = f'<script type="module" src="/static/{script}"></script>' if script else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/static/icon.svg">
{board}<link rel="stylesheet" href="/static/style.css">{code}</head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">tbgen</a><nav aria-label="Pages">{nav}</nav></header>
<main id="main">{body}</main>
<footer><p>R-mobility endgame tables. <a href="/v1/openapi.json">Interface for programs</a>. This page stores
nothing and asks no other site. tbgen {__version__}, GPL-3.0-or-later.</p></footer></body></html>
"""


def problem(title: str, message: str, more: str = "") -> str:
    return _note("problem", "alert", title, message, more)


def hint(title: str, message: str, more: str = "") -> str:
    """What there is to know where nothing has gone wrong."""
    return _note("hint", "status", title, message, more)


def _note(kind: str, role: str, title: str, message: str, more: str) -> str:
    told = f"<p>{escape(more)}</p>" if more else ""
    return f'<div class="{kind}" role="{role}"><p><strong>{escape(title)}</strong> {escape(message)}</p>{told}</div>'


def remark(words: str) -> str:
    """What else there is to know, if there is anything."""
    return f'<p class="note">{escape(words)}</p>' if words else ""


def link_to(fen: str, rules: str, *more: str) -> str:
    """A position's address, ready to stand in an attribute. It names the rules: a server has usual ones of its own."""
    words = [f"fen={quote(fen.replace(' ', '_'), safe='/-')}", f"rules={rules}", *more]
    return escape("/?" + "&".join(words))


def options(chosen: str, known: Iterable[tuple[str, str]] = RULES) -> str:
    """What there is to choose from, as values with words."""
    return "".join(
        f'<option value="{one}"{" selected" if one == chosen else ""}>{told}</option>' for one, told in known
    )


def meaning(value: int) -> str:
    """What a G-score is on the board."""
    level = outcome.level(value)
    if level in _ENDS:
        return _ENDS[level]
    return f"{counted(level >> 1, 'legal move')}, {'not in check' if level & 1 else 'in check'}"


def move_item(uci: str, san: str, fen: str, rules: str, dtg: int | None, badge: str, *, best: bool = True) -> str:
    """A move to be clicked, with its distance where that is known. `best`: whether it may be the best one."""
    distance = "" if dtg is None else plies(dtg) if dtg else "stands"
    mark = f'<span class="badge small">{badge}</span>' if badge else ""
    told = f'<span class="plies">{distance}</span>' if distance else ""
    known = " data-known" if distance and best else ""
    return (
        f'<li><a class="move" href="{link_to(fen, rules)}" data-uci="{uci}" data-fen="{escape(fen)}"{known}>'
        f"<b>{escape(san)}</b>{told}{mark}</a></li>"
    )
